#pragma once

#include "amontons/optimization/ccp/capped/body_friction.h"
#include "amontons/optimization/ccp/capped/body_friction_kernel.h"
#include "amontons/optimization/ccp/capped/contact_cones.h"

#include <algorithm>
#include <vector>

namespace amontons {

/// Runs a primal-dual interior point method with Nesterov-Todd scaling and Mehrotra's correction
/// [Vandenberghe 2010] on a friction problem in units in which the largest speed is 1. x stays
/// inside its cones; the normal conditions and the cap have slacks of their own, so that no point
/// that satisfies all of them strictly is needed. Complementarity falls to 1e-16, where cones can
/// no longer be told from their boundary; residuals are its root where neither a reaction nor its
/// velocity is positive. Newton's method finds the other digits.
class BodyFrictionInterior {
 public:
  /// Starts near the normal reactions of the problem. The arguments must outlive the object.
  /// @param compliance  of reactions and multipliers within one step [-]. It bounds the kernel's
  ///   entries and with them its rounding, and vanishes with the steps: a proximal point iteration.
  /// @param kernel      kernel of the problem.
  BodyFrictionInterior(const BodyFrictionProblem& problem, double compliance,
                       BodyFrictionKernel& kernel);

  /// Takes steps until the residual is `enough` [-] or no step gains.
  /// @param best  receives the best point met, if it is better than what it holds.
  /// @returns the number of steps.
  int run(double enough, int max_steps, CappedFrictionPoint& best);

 private:
  /// Holds a slack and its multiplier, whose product shall vanish.
  struct Pair {
    double slack = 1.0, multiplier = 1.0, dslack = 0.0, dmultiplier = 0.0, aimed = 0.0;

    /// Returns -dmultiplier / dslack where both keep their product, softened by the compliance.
    double soft_slope(double compliance) const {
      return multiplier / (slack + compliance * multiplier);
    }
    /// Returns by how much the compliance shortens a change of the multiplier [-].
    double softening(double compliance) const { return slack / (slack + compliance * multiplier); }
    double gap_after(double step) const {
      return (slack + step * dslack) * (multiplier + step * dmultiplier);
    }
    /// Sets and returns what the target asks of the multiplier.
    double aim(double target, bool corrected) {
      aimed = (target - slack * multiplier - (corrected ? dslack * dmultiplier : 0.0)) / slack;
      return aimed;
    }
    /// Completes the direction. Complementarity gives the change of a small slack to more digits
    /// than the sums of which `linear` is made.
    void follow(double change, double linear) {
      dmultiplier = change;
      dslack = multiplier > slack ? slack * (aimed - change) / multiplier : linear;
    }
    double longest_step() const {
      double step = 1e30;
      if (dslack < 0.0) step = std::min(step, -slack / dslack);
      if (dmultiplier < 0.0) step = std::min(step, -multiplier / dmultiplier);
      return step;
    }
    void move(double step) {
      slack += step * dslack;
      multiplier += step * dmultiplier;
    }
  };

  void start();
  void update();
  void measure(CappedFrictionPoint& best);
  double gap_after(double step) const;
  bool step();
  bool solve(double target, bool corrected, int refinements);
  double longest_step() const;

  const BodyFrictionProblem& problem_;
  const double compliance_;
  BodyFrictionKernel& kernel_;
  const Eigen::Index n_;
  bool has_cap_ = false;
  Eigen::VectorXd x_;                // [3 n], inside its cones
  std::vector<ContactCones> cones_;  // [n]
  std::vector<Pair> lambda_;         // [n] normal conditions
  Pair price_;
  CappedFrictionPoint point_;
  BodyFrictionMaps maps_;
  std::vector<SymmetricBlock> D_;
  BodyFrictionKernel::Constants constants_;
  BodyFrictionKernel::Direction direction_;
  Eigen::VectorXd missed_;  // slack of the point less its variable
};

}  // namespace amontons
