#include "amontons/io/import/inertia_check.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/math/dense_decompositions.h"

namespace amontons::io {
namespace {

// Smallest principal moment that counts as positive, relative to the largest one. A needle of
// aspect ratio 1e5 has a smallest moment of 1e-10.
constexpr double kSmallestMoment = 1e-12;
// Relative tolerance of I1 + I2 >= I3. A flat plate meets the inequality with equality, and files
// round to about 6 digits.
constexpr double kTriangleSlack = 1e-6;

/// Returns the principal moments [kg m^2] in ascending order.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia) {
  return symmetric_eigenvalues(inertia);
}

/// Returns the principal moments as a text.
std::string list(const Eigen::Vector3d& moments) {
  return "principal moments " + shortest_text(moments(0)) + ", " + shortest_text(moments(1)) +
         ", " + shortest_text(moments(2)) + " kg m^2";
}

}  // namespace

bool is_positive_definite(const Eigen::Matrix3d& inertia) {
  const Eigen::Vector3d moments = principal_moments(inertia);
  return moments(0) > kSmallestMoment * moments(2) && moments(2) > 0.0;
}

bool satisfies_triangle_inequality(const Eigen::Matrix3d& inertia) {
  const Eigen::Vector3d moments = principal_moments(inertia);
  return moments(0) + moments(1) >= moments(2) * (1.0 - kTriangleSlack);
}

std::string inertia_fault(const Eigen::Matrix3d& inertia) {
  if (!is_positive_definite(inertia)) {
    return "is not positive definite: " + list(principal_moments(inertia));
  }
  if (!satisfies_triangle_inequality(inertia)) {
    return "belongs to no rigid body: " + list(principal_moments(inertia)) +
           "; none may exceed the sum of the other two";
  }
  return "";
}

}  // namespace amontons::io
