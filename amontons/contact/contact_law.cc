#include "amontons/contact/contact_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace amontons {

using Eigen::Index;

const char* to_string(LawKind kind) {
  switch (kind) {
    case LawKind::Frictionless:
      return "frictionless";
    case LawKind::Pyramid:
      return "pyramid";
    case LawKind::ConvexPyramid:
      return "convex-pyramid";
    case LawKind::Coulomb:
      return "coulomb";
    case LawKind::ConvexCone:
      return "convex-cone";
    case LawKind::MaximumDissipation:
      return "maximum-dissipation";
    case LawKind::NoSlip:
      return "no-slip";
    case LawKind::Viscous:
      return "viscous";
  }
  throw std::invalid_argument("to_string: no such LawKind: " +
                              std::to_string(static_cast<int>(kind)));
}

const char* to_string(RestitutionLaw law) {
  switch (law) {
    case RestitutionLaw::Newton:
      return "newton";
    case RestitutionLaw::Poisson:
      return "poisson";
    case RestitutionLaw::Stronge:
      return "stronge";
  }
  throw std::invalid_argument("to_string: no such RestitutionLaw: " +
                              std::to_string(static_cast<int>(law)));
}

Eigen::Matrix2Xd polygon_directions(int directions) {
  if (directions < 4 || directions % 2 != 0) {
    throw std::invalid_argument("friction directions: " + std::to_string(directions) +
                                ", must be even and at least 4");
  }
  Eigen::Matrix2Xd result(2, directions);
  const int half = directions / 2;
  for (int k = 0; k < half; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / directions;
    // The axes are exact, so that a polygon of four does not leak between t1 and t2.
    const bool on_t2 = 4 * k == directions;
    result.col(k) << (on_t2 ? 0.0 : std::cos(angle)), (on_t2 ? 1.0 : std::sin(angle));
    result.col(k + half) = -result.col(k);
  }
  return result;
}

Eigen::Vector2d project_on_polygon(const Eigen::Vector2d& p_t, double radius,
                                   const Eigen::Matrix2Xd& directions) {
  if (!(radius > 0.0)) return Eigen::Vector2d::Zero();
  const Index m = directions.cols();
  const double sector_angle = 2.0 * std::numbers::pi / static_cast<double>(m);
  double angle = std::atan2(p_t.y(), p_t.x());
  if (angle < 0.0) angle += 2.0 * std::numbers::pi;
  const Index k = std::min(m - 1, static_cast<Index>(angle / sector_angle));

  // In a regular polygon the nearest point lies on the edge of the sector that p_t is in.
  const Eigen::Vector2d start = radius * directions.col(k);
  const Eigen::Vector2d end = radius * directions.col((k + 1) % m);
  const Eigen::Vector2d edge = end - start;
  const Eigen::Vector2d outward(edge.y(), -edge.x());
  if (outward.dot(p_t - start) <= 0.0) return p_t;
  const double share = std::clamp(edge.dot(p_t - start) / edge.squaredNorm(), 0.0, 1.0);
  return start + share * edge;
}

Eigen::Vector3d project_on_cone(const Eigen::Vector3d& p, double mu, double offset) {
  const double tangential = p.head<2>().norm();
  if (p.z() >= 0.0 && tangential <= mu * p.z() + offset) return p;
  const double foot = (p.z() + mu * (tangential - offset)) / (1.0 + mu * mu);
  Eigen::Vector3d result(p.x(), p.y(), std::max(foot, 0.0));
  const double radius = mu * result.z() + offset;
  if (tangential > radius) result.head<2>() *= radius / tangential;
  return result;
}

}  // namespace amontons
