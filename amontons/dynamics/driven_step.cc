#include "amontons/dynamics/driven_step.h"

#include "amontons/dynamics/coupled_inertia.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

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
  if (!equation.solve(work.start, h, work.given, work.end)) return false;
  // Where friction exceeds its bounds, once more within them.
  if (bound_friction(work)) {
    equation.factor();
    if (!equation.solve(work.start, h, work.given, work.end)) return false;
  }
  // Now with the part of I(w) that balances energy and momentum.
  work.given += coupled_inertial_impulse(tree, kinematics, q, v, work.end, M, h, work);
  work.middle = 0.5 * (work.start + work.end);
  tree.bias_forces(kinematics, work.middle, Eigen::Vector3d::Zero(), work.newton, work.bias);
  work.given += h * work.bias;
  return equation.solve(work.start, h, work.given, work.end) && work.end.allFinite();
}

}  // namespace amontons
