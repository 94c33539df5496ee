#include "amontons/simulation/smooth/force_equation.h"

#include "amontons/dynamics/displacement.h"
#include "amontons/models/acceleration/acceleration_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Newton's method converges quadratically from a drift of one part.
constexpr int kMaxCorrections = 4;

// Share of the largest singular value below which slips across their directions repeat others:
// those of one rigid motion do, to the accuracy of the directions [-].
constexpr double kRepeatedSlip = 1e-3;

// Share of the largest change of velocity below which a sum with it is rounding.
constexpr double kCancelled = 1e-13;

// Share of the touching speed above which a contact slips at the end of a motion [-]: a slip that
// ends has fallen to the touching speed itself.
constexpr double kSlipAtEnd = 0.5;

// Largest overlaps of followed contacts, and of others, in contact tolerances. An integrator drifts
// on followed ones; others must be found early.
constexpr double kOverlapOfFollowed = 4.0, kOverlapOfOthers = 0.5;

}  // namespace

void ForceEquation::begin(const SystemKinematics& at, TreeGroup group,
                          std::vector<PairOfShapes> pairs, const std::vector<ContactKey>& contacts,
                          const VectorXd& q, const VectorXd& v) {
  sustained_.begin(at, std::move(group), std::move(pairs));
  // Keys are those of the contacts at the start.
  sustained_.place(q, v);
  contacts_ = sustained_.follow(contacts);
}

void ForceEquation::set_modes(const std::vector<ForceMode>& modes) {
  closed_.clear();
  is_closed_.clear();
  modes_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    is_closed_.push_back(modes[c].mode != ContactMode::Open);
    if (!is_closed_[c]) continue;
    closed_.push_back(contacts_[c]);
    modes_.push_back(modes[c]);
  }
}

ContactForces ForceEquation::solve(double time, const VectorXd& q, const VectorXd& v,
                                   const std::vector<FollowedContact>& contacts,
                                   const ServoPart& part, double slip_speed) {
  if (!sustained_.assemble(time, q, v, contacts, part, instant_)) return {};
  return law_.solve(instant_, slip_speed);
}

ContactForces ForceEquation::solve(double time, const VectorXd& q, const VectorXd& v,
                                   const ServoPart& part) {
  return solve(time, q, v, contacts_, part, law_.touching_speed());
}

ContactForces ForceEquation::solve_present(double time, const VectorXd& q, const VectorXd& v,
                                           const ServoPart& part) {
  sustained_.place(q, v);
  // A contact that has opened bears nothing, even where it is about to close again.
  std::vector<FollowedContact> present, closed;
  std::vector<Index> place_of_closed;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (!sustained_.has(contacts_[c])) continue;
    if (is_closed_[c]) {
      place_of_closed.push_back(static_cast<Index>(present.size()));
      closed.push_back(contacts_[c]);
    }
    present.push_back(contacts_[c]);
  }
  ContactForces found = solve(time, q, v, closed, part, kSlipAtEnd * law_.touching_speed());
  if (found.status != SolveStatus::Converged || closed.size() == present.size()) return found;
  if (!sustained_.assemble(time, q, v, present, part, instant_)) return {};
  ContactForces result = found;
  result.forces.setZero(3 * static_cast<Index>(present.size()));
  result.modes.assign(present.size(), ForceMode());
  for (std::size_t k = 0; k < closed.size(); ++k) {
    result.forces.segment<3>(3 * place_of_closed[k]) =
        found.forces.segment<3>(3 * static_cast<Index>(k));
    result.modes[static_cast<std::size_t>(place_of_closed[k])] = found.modes[k];
  }
  return result;
}

bool ForceEquation::rate(double time, const VectorXd& q_base, const VectorXd& y,
                         const ServoPart& part, VectorXd& rate) {
  const TreeGroup& group = sustained_.group();
  const Index nv = group.nv;
  // Displacement coordinates keep quaternions unit at every stage.
  const VectorXd v = y.segment(nv, nv), q = group.integrate(*system_, q_base, y.head(nv));
  if (!sustained_.assemble(time, q, v, closed_, part, stage_)) return false;
  rate.resize(3 * nv);
  for (std::size_t k = 0; k < group.trees.size(); ++k) {
    const Articulation& tree = system_->articulations()[static_cast<std::size_t>(group.trees[k])];
    const Index v0 = group.v_offset[k], n = tree.num_velocities();
    displacement_rate(tree, y.segment(v0, n), v.segment(v0, n), rate.segment(v0, n));
  }
  // vdot by the law, in fixed modes; servo impulses are integrated along.
  rate.segment(nv, nv) = law_.acceleration(stage_, modes_);
  rate.tail(nv) = stage_.servo_forces;
  return true;
}

bool ForceEquation::project(VectorXd& q, VectorXd& v) {
  const TreeGroup& group = sustained_.group();
  ContactProblem& problem = instant_.problem;
  // All closed contacts act as loaded. A sliding one has no tangential condition.
  std::vector<ForceMode> closed = modes_;
  for (ForceMode& own : closed) {
    if (own.mode == ContactMode::Slide) own.slip.setZero();
    own.is_loaded = true;
    own.shares_drag = false;
  }
  // Positions have normal conditions alone: a gap has no tangential part.
  std::vector<ForceMode> normals = closed;
  for (ForceMode& own : normals) {
    if (own.mode == ContactMode::Stick) own.mode = ContactMode::Slide;
  }
  for (int i = 0; i < kMaxCorrections; ++i) {
    if (!sustained_.assemble(q, v, closed_, problem)) return false;
    VectorXd gaps = VectorXd::Zero(3 * static_cast<Index>(problem.num_contacts()));
    double largest = 0.0;
    for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
      if (has_blocked_normal(problem, c)) continue;  // nothing changes its gap
      gaps(ContactProblem::row(c) + 2) = problem.contacts[c].gap;
      largest = std::max(largest, std::abs(problem.contacts[c].gap));
    }
    // dq = M^-1 J' x with N dq = -gap, dv = M^-1 J' x with J dv = -u: least in the norm of M.
    const ForcesInModes system(problem);
    if (largest < kClosedGap || i + 1 == kMaxCorrections) {
      VectorXd change =
          system.response(system.solve(closed, problem.contact_velocities(problem.velocity)));
      align_slow_slips(system, closed, v, change);
      // What a change has cancelled is zero, not its rounding, which no law could judge.
      const double rounding = kCancelled * change.lpNorm<Eigen::Infinity>();
      v += change;
      for (double& own : v) {
        if (std::abs(own) <= rounding) own = 0.0;
      }
      return true;
    }
    q = group.integrate(*system_, q, system.response(system.solve(normals, gaps)));
  }
  return false;
}

/// Adds to a change of velocity what takes away slip across the direction of its friction, where a
/// contact is slower than a slip counts. Friction would do so at once: it turns by the slip over
/// its speed, too stiff to integrate.
void ForceEquation::align_slow_slips(const ForcesInModes& system,
                                     const std::vector<ForceMode>& closed, const VectorXd& v,
                                     VectorXd& change) const {
  const ContactProblem& problem = instant_.problem;
  const VectorXd u = problem.contact_velocities(v + change);
  std::vector<ForceMode> aligned = closed;
  bool any = false;
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    const Eigen::Vector2d& along = modes_[c].slip;
    if (modes_[c].mode != ContactMode::Slide || along.isZero(0.0)) continue;
    if (u.segment<2>(ContactProblem::row(c)).norm() > law_.touching_speed()) continue;
    aligned[c].held = {-along.y(), along.x()};
    any = true;
  }
  if (!any) return;
  change += system.response(system.solve(aligned, u, kRepeatedSlip));
  // The coarse threshold may leave a rest of what must be zero.
  change += system.response(system.solve(closed, problem.contact_velocities(v + change)));
}

bool ForceEquation::still_holds(double time, const VectorXd& q, const VectorXd& v,
                                const ServoPart& part, double contact_tolerance) {
  for (const Contact& contact : sustained_.place(q, v)) {
    // An overlap of other points of the pairs, or of a contact that has opened, is a landing.
    const double share =
        sustained_.is_one_of(closed_, contact) ? kOverlapOfFollowed : kOverlapOfOthers;
    if (contact.gap < -share * contact_tolerance) return false;
  }
  if (!sustained_.assemble(time, q, v, closed_, part, instant_)) return false;
  const VectorXd u = instant_.problem.contact_velocities(v);
  for (std::size_t c = 0; c < modes_.size(); ++c) {
    if (modes_[c].mode != ContactMode::Slide || modes_[c].slip.isZero(0.0)) continue;
    // A slip that has reversed has passed zero, where the contact may stick.
    if (!(u.segment<2>(ContactProblem::row(c)).dot(modes_[c].slip) > 0.0)) return false;
  }
  return law_.agrees(instant_, modes_);
}

void ForceEquation::place(const VectorXd& q, const VectorXd& v, SystemKinematics& kinematics) {
  sustained_.place(q, v);
  kinematics.trees = sustained_.kinematics().trees;
  kinematics.X_WB = sustained_.kinematics().X_WB;
}

}  // namespace amontons
