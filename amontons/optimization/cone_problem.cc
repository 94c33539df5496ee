#include "amontons/optimization/cone_problem.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

Vector2d project_on_disc(const Vector2d& p, double radius) {
  const double length = p.norm();
  if (length <= radius) return p;
  return (radius / length) * p;
}

}  // namespace

Vector3d project(const Cone& cone, const Vector3d& z) {
  const double tangential = z.head<2>().norm();
  const double mu = cone.mu;
  if (tangential <= mu * z.z() + cone.offset && z.z() >= 0.0) return z;
  // On the mantle; its foot is where r_n = (z_n + mu (|z_t| - offset)) / (1 + mu^2).
  double normal = (z.z() + mu * (tangential - cone.offset)) / (1.0 + mu * mu);
  if (tangential <= mu * normal + cone.offset) normal = z.z();
  normal = std::max(normal, 0.0);
  Vector3d result;
  result.head<2>() = project_on_disc(z.head<2>(), mu * normal + cone.offset);
  result.z() = normal;
  return result;
}

void natural_map(const ConeProblem& problem, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                 Eigen::VectorXd& F) {
  F.resize(r.size());
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    const Vector3d r_i = r.segment<3>(3 * i), u_i = u.segment<3>(3 * i);
    if (cone.kind == ConeKind::Equality) {
      F.segment<3>(3 * i) = u_i;
      continue;
    }
    const Vector3d z = r_i - u_i;
    if (problem.law == ConeLaw::Associated) {
      F.segment<3>(3 * i) = r_i - project(cone, z);
      continue;
    }
    const double normal = std::max(0.0, z.z());
    F.segment<2>(3 * i) =
        r_i.head<2>() - project_on_disc(z.head<2>(), cone.mu * normal + cone.offset);
    F(3 * i + 2) = r_i.z() - normal;
  }
}

double largest_figure(const ConeProblem& problem, const Eigen::VectorXd& F) {
  double largest = 0.0;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const double figure = F.segment<3>(3 * i).norm() * problem.residual_scale(i);
    if (!(figure <= largest)) largest = figure;  // keeps a NaN
    if (std::isnan(largest)) break;
  }
  return largest;
}

void project_on_cones(const ConeProblem& problem, Eigen::VectorXd& r) {
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
    if (cone.kind == ConeKind::Equality) continue;
    r.segment<3>(3 * i) = project(cone, r.segment<3>(3 * i));
  }
}

}  // namespace amontons
