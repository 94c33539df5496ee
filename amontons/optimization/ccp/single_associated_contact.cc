#include "amontons/optimization/ccp/single_associated_contact.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <cmath>

namespace amontons {

using Eigen::Vector3d;

SingleAssociatedContact::SingleAssociatedContact(const Eigen::Matrix3d& W, const Cone& cone)
    : scaled_(cone) {
  // The largest eigenvalue of W_tt bounds it from above.
  const double mean = 0.5 * (W(0, 0) + W(1, 1)), half = 0.5 * (W(0, 0) - W(1, 1));
  double a = mean + elementary::hypot(half, W(0, 1)), b = W(2, 2);
  if (!(a > 0.0) || !(b > 0.0)) a = b = std::max(W.trace(), 1e-300);
  // The bound holds for W_ii with its coupling: (a - W_tt)(b - W_nn) >= |W_tn|^2.
  const double coupling = elementary::hypot(W(0, 2), W(1, 2)), ratio = std::sqrt(a / b);
  root_t_ = std::sqrt(a + coupling * ratio);
  // In the variables root r the matrix is the identity; the cone has another slope there.
  root_n_ = std::sqrt(b + coupling / ratio);
  scaled_.mu *= root_t_ / root_n_;
  scaled_.friction_offset *= root_t_;
}

Vector3d SingleAssociatedContact::solve(const Vector3d& r, const Vector3d& u) const {
  // Minimizer of u'd + 1/2 d'diag(a, a, b) d over r + d in K: one projection of r - u.
  const Vector3d root(root_t_, root_t_, root_n_);
  const Vector3d z = r.cwiseProduct(root) - u.cwiseQuotient(root);
  return project(scaled_, z).cwiseQuotient(root);
}

}  // namespace amontons
