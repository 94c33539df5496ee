#include "amontons/optimization/ccp/cone_problem.h"

#include "amontons/math/elementary.h"
#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Returns the point of the cone's disc or polygon at r_n = `normal` nearest to z_t.
Vector3d at_height(const Cone& cone, const Vector3d& z, double normal) {
  const double length = z.head<2>().norm(), radius = cone.mu * normal + cone.friction_offset;
  Vector3d result(z.x(), z.y(), normal);
  if (cone.polygon != nullptr) {
    result.head<2>() = nearest_on_polygon(z.head<2>(), radius, *cone.polygon).point;
    return result;
  }
  if (length > radius) result.head<2>() *= radius / length;
  return result;
}

/// Returns the height of the foot of z on the ray  { growth (mu z_n + friction_offset) }. Where
/// `growth` is the foot of an edge, it is the foot on the plane that ray and edge span.
double foot_height(const Cone& cone, const Vector2d& growth, const Vector3d& z) {
  const double mu = cone.mu, g2 = growth.squaredNorm();
  return (z.z() + mu * (growth.dot(z.head<2>()) - g2 * cone.friction_offset)) /
         (1.0 + mu * mu * g2);
}

/// Projects on the cone over a polygon. Only its face and edges in the sector of z can be nearest.
Vector3d project_on_pyramid(const Cone& cone, const Vector3d& z) {
  const Eigen::Matrix2Xd& directions = *cone.polygon;
  const Eigen::Index k = polygon_sector(z.head<2>(), directions.cols());
  const Vector2d first = directions.col(k), last = directions.col((k + 1) % directions.cols());
  const Vector2d foot = 0.5 * (first + last), edge = (last - first).normalized();
  const auto radius = [&](double normal) { return cone.mu * normal + cone.friction_offset; };
  // Inside the half-space of the sector's face, and above the tip, z is its own projection.
  const double beyond = foot.normalized().dot(z.head<2>()) - foot.norm() * radius(z.z());
  if (z.z() >= 0.0 && beyond <= 0.0) return z;
  // The face's foot, unless it lies beyond a corner: then the edge ray of that corner.
  double normal = std::max(foot_height(cone, foot, z), 0.0);
  if (std::abs(edge.dot(z.head<2>())) > 0.5 * (last - first).norm() * radius(normal)) {
    const Vector2d& corner = edge.dot(z.head<2>()) > 0.0 ? last : first;
    normal = std::max(foot_height(cone, corner, z), 0.0);
  }
  return at_height(cone, z, normal);
}

/// Returns the distance from the relaxed law in the split form of the certificate: the normal
/// condition lifted, friction on its disc. It is up to mu times the natural map on steep cones, and
/// about as much as that map on others.
double split_residual(const Cone& cone, const Vector3d& r, const Vector3d& u) {
  const double lifted = u.z() - cone.mu * u.head<2>().norm();
  const Vector3d moved(r.x() - u.x(), r.y() - u.y(), r.z());
  const double friction = (r - at_height(cone, moved, r.z())).norm();
  return elementary::hypot(r.z() - std::max(r.z() - lifted, 0.0), friction);
}

/// Returns |F| of one block.
double block_residual(const Cone& cone, ConeLaw law, const Vector3d& r, const Vector3d& u) {
  if (cone.kind == ConeKind::Equality) return u.norm();
  const double natural_map = (r - project(cone, law, r - u)).norm();
  // The split form is known for round cones with their tip at zero.
  const bool round = cone.friction_offset == 0.0 && cone.polygon == nullptr;
  if (law == ConeLaw::Coulomb || !round) return natural_map;
  return std::max(natural_map, split_residual(cone, r, u));
}

}  // namespace

Vector3d project(const Cone& cone, const Vector3d& z) {
  if (cone.polygon != nullptr) return project_on_pyramid(cone, z);
  const double tangential = z.head<2>().norm();
  const double mu = cone.mu;
  if (tangential <= mu * z.z() + cone.friction_offset && z.z() >= 0.0) return z;
  // On the mantle the foot has r_n = (z_n + mu (|z_t| - friction_offset)) / (1 + mu^2).
  const double foot = (z.z() + mu * (tangential - cone.friction_offset)) / (1.0 + mu * mu);
  return at_height(cone, z, std::max(foot, 0.0));
}

Vector3d project(const Cone& cone, ConeLaw law, const Vector3d& z) {
  // Coulomb's map projects the two parts one after the other: the normal first, then its disc.
  if (cone.kind == ConeKind::Equality) return z;
  return law == ConeLaw::Associated ? project(cone, z) : at_height(cone, z, std::max(z.z(), 0.0));
}

double largest_residual(const ConeProblem& problem, const Eigen::VectorXd& r,
                        const Eigen::VectorXd& u) {
  double largest = 0.0;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    const double residual =
        block_residual(cone, problem.law, r.segment<3>(3 * i), u.segment<3>(3 * i)) *
        problem.residual_scale(i);
    if (!(residual <= largest)) largest = residual;  // keeps a NaN
    if (std::isnan(largest)) break;
  }
  return largest;
}

bool are_round_cones(const ConeProblem& problem) {
  // Interior methods need a cone with an interior and a self-scaled form: no offset, no polygon.
  return std::all_of(problem.cones.begin(), problem.cones.end(), [](const Cone& cone) {
    return cone.friction_offset == 0.0 && cone.polygon == nullptr;
  });
}

bool has_polygons(const ConeProblem& problem) {
  return std::any_of(problem.cones.begin(), problem.cones.end(),
                     [](const Cone& cone) { return cone.polygon != nullptr; });
}

void project_on_cones(const ConeProblem& problem, Eigen::VectorXd& r) {
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    if (cone.kind == ConeKind::Equality) continue;
    // The law does not matter: iterates lie in the cone itself.
    r.segment<3>(3 * i) = project(cone, r.segment<3>(3 * i));
  }
}

}  // namespace amontons
