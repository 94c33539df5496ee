#include "amontons/models/formulation/drag_system.h"

#include "amontons/math/effort.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Steps to one zero, and steps that may fail to reduce the residual.
constexpr int kMaxSteps = 40, kMaxFailures = 2;
// Least part of a step, and the share of the promised decrease.
constexpr double kLeastPart = 0.02, kSufficient = 1e-4;
// Residual that ends the steps, and its rounding at eps = 1, in units of the size of the motion.
constexpr double kResidual = 1e-11, kRounding = 1e-15;
// Residual that a point may have where no step reduces it, in units of the one that ends them.
constexpr double kAcceptable = 1e3;

}  // namespace

DragSystem::DragSystem(const DragProblem& problem)
    : base(VectorXd::Zero(problem.drag_numbers.size())),
      whole(static_cast<std::size_t>(problem.drag_numbers.size()), 0),
      problem_(&problem),
      D_(whole.size()) {}

/// Returns the reaction of a contact at z by one piece of the law.
Vector3d DragSystem::reaction(Index i, const VectorXd& u, double z, double piece) const {
  if (!is_whole(i) && !(piece > 0.0)) return Vector3d::Zero();
  const bool is_loaded = piece > first_load(i);
  const double share = is_whole(i) || is_loaded ? 1.0 : z;
  Vector3d r;
  r.head<2>() = -share * problem_->drag_numbers(i) * u.segment<2>(3 * i);
  r.z() = is_loaded ? problem_->speeds(i) * (z - first_load(i)) : 0.0;
  return r;
}

/// Measures a point whose r and u are known.
void DragSystem::measure(Point& point, const VectorXd* pieces) {
  const Index n = num_contacts();
  point.z.resize(n);
  point.x.resize(3 * n);
  for (Index i = 0; i < n; ++i) {
    point.z(i) = base(i) - point.u(3 * i + 2) / (problem_->speeds(i) * eps);
    const double piece = pieces != nullptr ? (*pieces)(i) : point.z(i);
    point.x.segment<3>(3 * i) = point.r.segment<3>(3 * i) - reaction(i, point.u, point.z(i), piece);
  }
  problem_->W->apply(point.x, scratch_);
  point.residual = std::sqrt(std::max(0.0, point.x.dot(scratch_)));
}

void DragSystem::move_to(const VectorXd& r, const VectorXd* pieces) {
  // u comes from r itself, or the rounding of all steps would add up.
  at.r = r;
  problem_->W->apply(at.r, at.u);
  at.u += problem_->q;
  measure(at, pieces);
}

bool DragSystem::find_step(const VectorXd& pieces) {
  ++steps_;
  bool symmetric = true;
  for (Index i = 0; i < num_contacts(); ++i) {
    // D = -dr/du of the piece.
    Matrix3d& D = D_[static_cast<std::size_t>(i)];
    D.setZero();
    const double z = pieces(i), b = problem_->drag_numbers(i);
    if (!is_whole(i) && !(z > 0.0)) continue;
    D(0, 0) = D(1, 1) = is_whole(i) ? b : std::min(z, 1.0) * b;
    if (z > first_load(i)) {
      D(2, 2) = 1.0 / eps;
    } else if (!is_whole(i) && b > 0.0) {
      // The share grows as the contact closes.
      D.block<2, 1>(0, 2) = -b / (eps * problem_->speeds(i)) * at.u.segment<2>(3 * i);
      symmetric = false;
    }
  }
  if (!problem_->W->factor(D_, symmetric)) return false;
  problem_->W->solve(at.x, dr, du);
  return dr.allFinite() && du.allFinite();
}

void DragSystem::find_tangent(Index contact, const VectorXd& pieces) {
  // x changes by minus that of the reaction, whose z grows as z_0.
  VectorXd c = VectorXd::Zero(at.r.size());
  if (pieces(contact) > first_load(contact)) {
    c(3 * contact + 2) = -problem_->speeds(contact);
  } else if (!is_whole(contact) && pieces(contact) > 0.0) {
    c.segment<2>(3 * contact) = problem_->drag_numbers(contact) * at.u.segment<2>(3 * contact);
  }
  problem_->W->solve(c, dr, du);
}

bool DragSystem::find_zero() {
  const double aim = std::max(kResidual, kRounding / eps) * problem_->size;
  int failures = 0;
  for (int k = 0; at.residual > aim; ++k) {
    if (k >= kMaxSteps || !has_effort()) return false;
    count_factorization();
    if (!find_step(at.z)) return false;
    const double before = at.residual;
    take_part_of_step();
    if (at.residual < before) continue;
    if (++failures > kMaxFailures) return at.residual <= kAcceptable * aim;
  }
  return true;
}

/// Takes the longest part of a step that reduces the residual enough, or the least part.
void DragSystem::take_part_of_step() {
  double part = 1.0;
  // Bound: halvings down to the least part.
  while (true) {
    trial_.r = at.r + part * dr;
    trial_.u = at.u + part * du;
    measure(trial_, nullptr);
    if (trial_.residual < (1.0 - kSufficient * part) * at.residual) break;
    if (part < kLeastPart) break;
    part *= 0.5;
  }
  move_to(trial_.r);
}

}  // namespace amontons
