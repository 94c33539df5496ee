#include "amontons/models/common/restitution_share.h"

#include "amontons/contact/marks.h"
#include "amontons/contact/operators/damped_step.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/viscous_drag.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Largest number of solves with a share below 1.
constexpr int kMaxShares = 12;

// Share of the kinetic energy that counts as rounding, and the one up to which the energy may stay
// below its bound [-].
constexpr double kEnergyRounding = 1e-10, kEnergyLeft = 1e-7;

/// Holds the kinetic energy that a step may have, and what its impulses make of it.
class EnergyGain {
 public:
  EnergyGain(const ContactProblem& problem, const ProblemScaling& scaling,
             const ContactSpace* space)
      : problem_(scaling.damped != nullptr ? scaling.damped->problem : &problem),
        scaling_(&scaling),
        response_(problem, scaling, space) {
    free_ = kinetic_energy(problem_->free_velocity);
    largest_ = std::max(free_, kinetic_energy(problem_->velocity));
  }

  /// Returns the energy that counts as rounding [J].
  double rounding() const { return kEnergyRounding * largest_; }
  /// Returns the distance to the bound from which the search ends [J].
  double near() const { return kEnergyLeft * largest_; }

  /// Returns the kinetic energy above its bound [J], negative below it.
  double of(const RestitutionSolution& step, const VectorXd& gap_speeds) const {
    VectorXd velocity, joint_impulses;
    const VectorXd& p = step.total.impulses;
    response_.apply(p, velocity, joint_impulses);
    // KE(v+) - KE(v_free) without cancellation of large terms.
    const VectorXd change = velocity - problem_->free_velocity;
    double gain =
        change.dot(problem_->mass_matrix * (problem_->free_velocity + 0.5 * change).eval()) -
        (largest_ - free_);
    // Prescribed motions do work on the bodies, by their drag too, and so does stabilization.
    gain += p.dot(problem_->contact_bias) + work_of_drag(velocity);
    for (std::size_t c = 0; c < problem_->num_contacts(); ++c) {
      const Index i = static_cast<Index>(c);
      if (scaling_->is_elastic[c]) continue;
      gain -= std::max(0.0, p(3 * i + 2)) * std::max(0.0, -gap_speeds(i));
    }
    if (joint_impulses.size() > 0) {
      gain += joint_impulses.dot(problem_->joint_bias);
      gain -= std::abs(joint_impulses.dot(problem_->joint_target() + problem_->joint_bias));
    }
    return gain;
  }

 private:
  double kinetic_energy(const VectorXd& velocity) const {
    return 0.5 * velocity.dot(problem_->mass_matrix * velocity);
  }

  /// Returns the work of the drag that is part of M on prescribed motions [J].
  double work_of_drag(const VectorXd& velocity) const {
    if (scaling_->damped == nullptr) return 0.0;
    const VectorXd u = problem_->contact_velocities(velocity);
    double work = 0.0;
    for (std::size_t c = 0; c < problem_->num_contacts(); ++c) {
      const Index row = ContactProblem::row(c);
      work -= viscous_drag(*problem_, c) *
              u.segment<2>(row).dot(problem_->contact_bias.segment<2>(row));
    }
    return work;
  }

  const ContactProblem* problem_;  // its M has no drag
  const ProblemScaling* scaling_;
  ImpulseResponse response_;           // of the M that the step is solved with
  double free_ = 0.0, largest_ = 0.0;  // kinetic energies of v_free, and of it or v [J]
};

/// Holds a share with the energy above the bound that it leads to [J].
struct Trial {
  double share = 0.0, gain = 0.0;
};

/// Returns the share between two trials where the parabola through three has no gain; the middle
/// where it has no such root. `low` has no gain, `high` has one.
double next_share(const Trial& low, const Trial& high, const Trial& third) {
  const double middle = 0.5 * (low.share + high.share);
  const double width = high.share - low.share;
  const double secant = (high.gain - low.gain) / width;
  // Newton's form: low.gain + secant (x - low) + bend (x - low)(x - high).
  double bend = 0.0;
  if (third.share != low.share && third.share != high.share) {
    bend =
        ((third.gain - low.gain) / (third.share - low.share) - secant) / (third.share - high.share);
  }
  // With x = low + t:  bend t^2 + (secant - bend width) t + low.gain = 0.
  const double slope = secant - bend * width;
  const double root = slope * slope - 4.0 * bend * low.gain;
  if (!(root >= 0.0)) return middle;
  const double denominator = slope + std::copysign(std::sqrt(root), slope);
  const double t = denominator != 0.0 ? -2.0 * low.gain / denominator : 0.5 * width;
  return t > 0.0 && t < width ? low.share + t : middle;
}

}  // namespace

RestitutionSolution solve_without_energy_gain(
    const ContactProblem& problem, const ProblemScaling& scaling, const ContactSpace* space,
    const ContactPhase& phase, const std::vector<char>& may_bounce, RestitutionLaw law,
    double tolerance, const PhaseSolver& solve, const ContactSolution* neighbor) {
  int iterations = 0;
  const auto solve_share = [&](double share) {
    RestitutionSolution step =
        solve_with_restitution(scaling, share, phase, may_bounce, law, tolerance, solve, neighbor);
    iterations += step.total.iterations;
    step.total.iterations = iterations;
    return step;
  };
  if (scaling.damped != nullptr && scaling.damped->restitution_share) {
    return solve_share(*scaling.damped->restitution_share);
  }
  // All of the rebound, unless it adds energy.
  RestitutionSolution whole = solve_share(1.0);
  const bool bounced = any_marked(whole.bounces);
  if (whole.total.status != SolveStatus::Converged || !bounced) return whole;
  const EnergyGain energy(problem, scaling, space);
  Trial high{1.0, energy.of(whole, phase.gap_speeds)};
  if (!(high.gain > energy.rounding())) return whole;

  // Without restitution no energy is added. The largest share lies between.
  RestitutionSolution best = solve_share(0.0);
  if (best.total.status != SolveStatus::Converged) return whole;
  Trial low{0.0, energy.of(best, phase.gap_speeds)}, third = low;
  for (int k = 0; k < kMaxShares && low.gain < -energy.near(); ++k) {
    // Half of what counts as rounding is the target, so that rounding cannot miss it.
    const double target = 0.5 * energy.rounding();
    const double share =
        k % 4 == 3 ? 0.5 * (low.share + high.share)
                   : next_share({low.share, low.gain - target}, {high.share, high.gain - target},
                                {third.share, third.gain - target});
    RestitutionSolution step = solve_share(share);
    const Trial trial{share, energy.of(step, phase.gap_speeds)};
    if (step.total.status == SolveStatus::Converged && trial.gain <= energy.rounding()) {
      third = low;
      low = trial;
      best = std::move(step);
    } else {
      third = high;
      high = trial;
    }
  }
  best.total.iterations = iterations;
  return best;
}

}  // namespace amontons
