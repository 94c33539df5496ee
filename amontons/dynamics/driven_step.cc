#include "amontons/dynamics/driven_step.h"

#include "amontons/dynamics/coupled_inertia.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Accuracy of w, as a share of the speed of the step. The inertial forces of any w keep momentum
// and energy; those of this one miss the motion that is made by far more, of order h^3.
constexpr double kAccuracy = 1e-11;
// The same of the first solutions, whose inertial forces the last one has: a share h of it shows.
constexpr double kFirstAccuracy = 1e-8;

/// Adds dry friction to the gains, as implicit dampers.
void damp_by_friction(const Eigen::Ref<const Eigen::VectorXd>& v,
                      const Eigen::Ref<const Eigen::MatrixXd>& M, InertialWorkspace& work) {
  work.holding.setZero(v.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    if (!(work.friction[i] > 0.0)) continue;
    work.holding[i] = std::min(work.friction[i] / std::abs(v[i]), kHoldingGain * M(i, i));
    work.gain[i] += work.holding[i];
  }
}

/// Replaces the dampers that exceed their bounds at the velocity found; returns true if there are
/// any.
bool bound_friction(InertialWorkspace& work) {
  bool any = false;
  for (Eigen::Index i = 0; i < work.end.size(); ++i) {
    if (work.holding[i] * std::abs(work.end[i]) <= work.friction[i]) continue;
    work.gain[i] -= work.holding[i];
    work.given[i] -= std::copysign(work.friction[i], work.end[i]);
    any = true;
  }
  return any;
}

}  // namespace

bool driven_step(const Articulation& tree, const ArticulationKinematics& kinematics,
                 const Eigen::Ref<const Eigen::VectorXd>& q,
                 const Eigen::Ref<const Eigen::VectorXd>& v,
                 const Eigen::Ref<const Eigen::MatrixXd>& M, double h, InertialWorkspace& work) {
  work.start = v;
  damp_by_friction(v, M, work);
  MotionEquation equation(tree, kinematics, M, work.gain, work);
  equation.set_accuracy(kFirstAccuracy);
  if (!equation.solve(work.start, h, work.given, work.end)) return false;
  // Where friction exceeds its bounds, once more within them.
  if (bound_friction(work)) {
    equation.factor();
    if (!equation.solve(work.start, h, work.given, work.end, true)) return false;
  }
  // Now with the part of I(w) that balances energy and momentum.
  work.given += coupled_inertial_impulse(tree, kinematics, q, v, work.end, M, h, work);
  work.given += h * work.bias;
  equation.set_accuracy(kAccuracy);
  return equation.solve(work.start, h, work.given, work.end, true) && work.end.allFinite();
}

}  // namespace amontons
