#include "amontons/simulation/step_outcome.h"

#include "amontons/models/island_solver.h"
#include "amontons/simulation/assembly.h"
#include "amontons/simulation/infeasibility.h"
#include "amontons/simulation/pair_of_shapes.h"

#include <algorithm>

namespace amontons {
namespace {

// An overlap of shapes that no contact announced; anything smaller is rounding. [m]
constexpr double kMissedOverlap = 1e-9;

}  // namespace

void judge_outcome(const System& system, const JointRows& joint_rows, const StepEvaluation& end,
                   const std::vector<Contact>& touched, StepReport& report) {
  Certificate& certificate = report.certificate;
  certificate.missed_contacts = static_cast<int>(
      std::count_if(end.contacts.begin(), end.contacts.end(), [&](const Contact& contact) {
        return contact.gap < -kMissedOverlap && !has_pair(report.problem.contacts, contact.key) &&
               !has_pair(touched, contact.key);
      }));
  certificate.infeasibility = measure_infeasibility(system, joint_rows, end).largest;
  if (certificate.missed_contacts > 0) certificate.claimed = false;
}

void report_state(const System& system, const JointRows& joint_rows, const StepEvaluation& at,
                  const State& state, StepReport& report) {
  report.problem.free_velocity = state.v;
  report.solution.velocity = state.v;
  report.evaluation_velocity = Eigen::VectorXd::Zero(state.v.size());
  assemble_joints(system, at.kinematics, report.problem.joint_jacobian, report.problem.joint_error);
  report.solution.joint_impulses = Eigen::VectorXd::Zero(report.problem.joint_error.size());
  report.certificate = vacuous_certificate();
  report.certificate.infeasibility = measure_infeasibility(system, joint_rows, at).largest;
  const StoredEnergy energy = stored_energy(system, at.kinematics);
  report.energy.kinetic = energy.kinetic;
  report.energy.potential = energy.potential();
}

}  // namespace amontons
