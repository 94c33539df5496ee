#include "amontons/optimization/ccp/methods/semismooth_newton.h"

#include "amontons/math/effort.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/optimization/ccp/cone_projection.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// The ridge [-] separates redundant contacts, whose reactions lie on a line or a plane. If it is
// too small, rounding moves them along it from one set of modes to the next. If it is too large,
// the last digits take more steps.
constexpr double kFirstRidge = 1e-6, kLargestRidge = 0.1;
constexpr double kRidgeShare = 1e-3;         // first ridge, share of the residual
constexpr double kRidgeGrowth = 1e2;         // factor after a step that failed or was short
constexpr double kRidgeFall = 0.1;           // factor after a long step
constexpr double kShort = 0.1, kLong = 0.5;  // shares of a whole step
constexpr int kMemory = 4;                   // residuals: a step must fall below the worst of them
constexpr int kMaxHalvings = 12;             // halvings of a step
constexpr int kMaxFailures = 3;              // steps without a gain in a row, with growing ridges
constexpr double kSufficient = 1e-4;         // share of the promised decrease

/// Returns r_t minus the edge's foot or the corner; along an edge the equation is rho u_t = 0.
Vector2d polygon_residual(const PolygonPoint& at, const Vector3d& r, const Vector3d& u,
                          double radius, double rho) {
  const Vector2d across = r.head<2>() - at.along * at.along.dot(r.head<2>());
  return across - radius * at.growth + rho * at.along * at.along.dot(u.head<2>());
}

/// Returns F = r - P(r - rho u). Where P is the identity, F = rho u is used: a difference of r and
/// r would lose digits.
Vector3d residual(const Cone& cone, ConeLaw law, const Vector3d& r, const Vector3d& u, double rho) {
  if (cone.kind == ConeKind::Equality) return rho * u;
  const Vector3d z = r - rho * u;
  if (law == ConeLaw::Associated) return r - project(cone, z);
  // Normal part: r_n where open, rho u_n where closed.
  Vector3d F(r.x(), r.y(), z.z() > 0.0 ? rho * u.z() : r.z());
  const double radius = cone.mu * std::max(z.z(), 0.0) + cone.friction_offset;
  if (radius == 0.0) return F;
  if (cone.polygon != nullptr) {
    const PolygonPoint at = nearest_on_polygon(z.head<2>(), radius, *cone.polygon);
    F.head<2>() = at.inside ? Vector2d(rho * u.head<2>()) : polygon_residual(at, r, u, radius, rho);
    return F;
  }
  // Tangential part: rho u_t inside the disc, r_t minus the rim outside.
  const double length = z.head<2>().norm();
  if (length <= radius) {
    F.head<2>() = rho * u.head<2>();
  } else {
    F.head<2>() -= radius / length * z.head<2>();
  }
  return F;
}

/// Holds the linearization dr = -c - D du of F = 0.
struct Linearized {
  Vector3d c;
  Matrix3d D;
};

/// Sets dr = -(F + rho du) / ridge: the equation u = 0 of a row, softened.
void stiff_row(double F, double rho, double ridge, int k, Linearized& result) {
  result.c(k) = F / ridge;
  result.D(k, k) = rho / ridge;
}

/// Linearizes Coulomb's law at a contact.
Linearized linearize_coulomb(const Cone& cone, const Vector3d& r, const Vector3d& u, double rho,
                             double ridge) {
  const Vector3d F = residual(cone, ConeLaw::Coulomb, r, u, rho);
  Linearized result;
  result.D.setZero();
  // Equalities: all rows stick.
  if (cone.kind == ConeKind::Equality) {
    for (int k = 0; k < 3; ++k) stiff_row(F(k), rho, ridge, k, result);
    return result;
  }
  // Normal row: open dr_n = -F_n, closed u_n = 0 softened.
  const Vector3d z = r - rho * u;
  const bool closed = z.z() > 0.0;
  result.c.z() = F.z();
  if (closed) stiff_row(F.z(), rho, ridge, 2, result);
  // Without a disc there is no friction: dr_t = -F_t.
  const double radius = cone.mu * std::max(z.z(), 0.0) + cone.friction_offset;
  const double length = z.head<2>().norm();
  if (radius == 0.0) {
    result.c.head<2>() = F.head<2>();
    return result;
  }
  // Sticking: u_t = 0 softened.
  const bool on_polygon = cone.polygon != nullptr;
  const PolygonPoint at =
      on_polygon ? nearest_on_polygon(z.head<2>(), radius, *cone.polygon) : PolygonPoint{};
  if (on_polygon ? at.inside : length <= radius) {
    for (int k = 0; k < 2; ++k) stiff_row(F(k), rho, ridge, k, result);
    return result;
  }
  if (on_polygon) {
    // Along an edge as if sticking, across it:  (1 + ridge) dr_t - mu growth dz_n = -F_t.
    const Matrix2d along = at.along * at.along.transpose();
    const Matrix2d inverse = along / ridge + (Matrix2d::Identity() - along) / (1.0 + ridge);
    const Vector2d load = inverse * at.growth * (closed ? cone.mu : 0.0);
    result.c.head<2>() = inverse * F.head<2>() + load * result.c.z();
    result.D.topLeftCorner<2, 2>() = rho / ridge * along;
    result.D.block<2, 1>(0, 2) = load * (result.D(2, 2) + rho);
    return result;
  }
  // Sliding:  (I - P + ridge) dr_t - mu t dz_n + rho P du_t = -F_t,  dz_n = dr_n - rho du_n.
  const Vector2d t = z.head<2>() / length;
  const double share = radius / length;
  const Matrix2d along = t * t.transpose();
  const Matrix2d across = Matrix2d::Identity() - along;
  const Matrix2d inverse = across / (1.0 - share + ridge) + along / (1.0 + ridge);
  const Vector2d load = inverse * t * (closed ? cone.mu : 0.0);
  // dr_n = -c_n - D_nn du_n.
  result.c.head<2>() = inverse * F.head<2>() + load * result.c.z();
  result.D.topLeftCorner<2, 2>() = rho * share * inverse * across;
  result.D.block<2, 1>(0, 2) = load * (result.D(2, 2) + rho);
  return result;
}

/// Linearizes the associated law at a contact: (I - J + ridge) dr + rho J du = -F.
Linearized linearize_associated(const Cone& cone, const Vector3d& r, const Vector3d& u, double rho,
                                double ridge) {
  const ConeProjection at = cone_projection(cone, ConeLaw::Associated, r - rho * u);
  const Matrix3d A = (1.0 + ridge) * Matrix3d::Identity() - at.J;
  const Matrix3d inverse = A.inverse();
  const Matrix3d D = rho * inverse * at.J;
  return {inverse * (r - at.r), 0.5 * (D + D.transpose())};
}

/// Linearizes the problem's law at a contact.
Linearized linearize(const Cone& cone, ConeLaw law, const Vector3d& r, const Vector3d& u,
                     double rho, double ridge) {
  return law == ConeLaw::Coulomb || cone.kind == ConeKind::Equality
             ? linearize_coulomb(cone, r, u, rho, ridge)
             : linearize_associated(cone, r, u, rho, ridge);
}

/// Runs Newton's method with its ridge and line search.
class Newton {
 public:
  Newton(const ConeProblem& problem, const NewtonSettings& settings, ConeWorkspace& work,
         ConeIterate& best)
      : problem_(problem), settings_(settings), work_(work), best_(best) {
    present_ = best;
  }

  /// Iterates to the target residual, or until steps gain nothing.
  ConeResult run() {
    ConeResult result;
    // The first ridge follows the residual: close starts need a small one.
    const double least = settings_.least_ridge;
    double ridge = std::clamp(kRidgeShare * best_.residual, least, std::max(least, kFirstRidge));
    int failures = 0, small_gains = 0;
    work_.history.clear();
    while (result.iterations < settings_.max_iterations && has_effort() &&
           best_.residual > settings_.target_residual) {
      const double before = best_.residual;
      const bool is_acceptable = before <= settings_.tolerance;
      ++result.iterations;
      count_factorization();
      const double length = linearize_all(ridge) ? step() : 0.0;
      // Within the tolerance, two steps that gain less than a digit end the method.
      if (is_acceptable && best_.residual > 0.1 * before && ++small_gains > 1) break;
      // Failures stop the method; short steps raise the ridge, long ones lower it.
      failures = length > 0.0 ? 0 : failures + 1;
      if (failures > kMaxFailures) {
        result.status = SolveStatus::Stalled;
        return result;
      }
      if (length < kShort) ridge = std::min(ridge * kRidgeGrowth, kLargestRidge);
      if (length >= kLong) ridge = std::max(ridge * kRidgeFall, least);
    }
    result.status = best_.residual <= settings_.tolerance ? SolveStatus::Converged
                                                          : SolveStatus::IterationLimit;
    return result;
  }

 private:
  /// Returns half the squared natural map with the settings' step length.
  double merit(const Eigen::VectorXd& r, const Eigen::VectorXd& u) {
    double sum = 0.0;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Cone& cone = problem_.cones[static_cast<std::size_t>(i)];
      sum += residual(cone, problem_.law, r.segment<3>(3 * i), u.segment<3>(3 * i),
                      settings_.step_length)
                 .squaredNorm();
    }
    return 0.5 * sum;
  }

  /// Linearizes all contacts and factors the kernel; returns false where it is singular.
  bool linearize_all(double ridge) {
    const int n = problem_.num_blocks();
    work_.D.resize(static_cast<std::size_t>(n));
    work_.c.resize(3 * n);
    for (int i = 0; i < n; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const Linearized block =
          linearize(problem_.cones[k], problem_.law, present_.r.segment<3>(3 * i),
                    present_.u.segment<3>(3 * i), settings_.step_length, ridge);
      work_.c.segment<3>(3 * i) = block.c;
      work_.D[k] = block.D;
    }
    return problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated);
  }

  /// Takes one step along Newton's direction.
  /// @returns its length, 1 for a whole one and 0 where none helps.
  double step() {
    problem_.W->solve(work_.c, work_.dr, work_.du);
    if (!work_.du.allFinite() || !work_.dr.allFinite()) return 0.0;
    // Nonmonotone line search: below the worst of the last residuals, by a share of the slope.
    if (work_.history.empty()) work_.history.push_back(merit(present_.r, present_.u));
    const double start = work_.history.back();
    const std::size_t recent = std::min<std::size_t>(work_.history.size(), kMemory);
    const double worst =
        *std::max_element(work_.history.end() - static_cast<long>(recent), work_.history.end());
    double length = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, length *= 0.5) {
      work_.trial_r = present_.r + length * work_.dr;
      work_.trial_u = present_.u + length * work_.du;
      const double value = merit(work_.trial_r, work_.trial_u);
      if (!(value <= worst - 2.0 * kSufficient * length * start)) continue;
      work_.history.push_back(value);
      take_trial();
      return length;
    }
    return 0.0;
  }

  /// Makes the trial point the present one, and keeps its projection if it is the best.
  void take_trial() {
    present_.r = candidate_.r = work_.trial_r;
    project_on_cones(problem_, candidate_.r);
    evaluate(problem_, candidate_);
    if (candidate_.r == present_.r) {
      present_.u = candidate_.u;
    } else {
      // u comes from r itself, or the rounding of all steps would add up.
      problem_.W->apply(present_.r, present_.u);
      present_.u += problem_.q;
    }
    keep_best(candidate_, best_);
  }

  const ConeProblem& problem_;
  const NewtonSettings& settings_;
  ConeWorkspace& work_;
  ConeIterate& best_;
  ConeIterate& present_ = work_.present;
  ConeIterate& candidate_ = work_.candidate;
};

}  // namespace

ConeResult solve_semismooth_newton(const ConeProblem& problem, const NewtonSettings& settings,
                                   ConeWorkspace& work, ConeIterate& iterate) {
  return Newton(problem, settings, work, iterate).run();
}

}  // namespace amontons
