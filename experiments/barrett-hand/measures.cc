#include "experiments/barrett-hand/measures.h"

#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/kinematics.h"

namespace amontons::experiments {

double joint_infeasibility(const Simulator& simulator) {
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  BlockSparseMatrix jacobian;
  Eigen::VectorXd error;
  assemble_joints(simulator.system(), kinematics, jacobian, error);
  return error.size() == 0 ? 0.0 : error.lpNorm<Eigen::Infinity>();
}

std::set<std::pair<int, int>> pressing_pairs(const StepReport& report) {
  std::set<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    if (report.solution.impulses[ContactProblem::row(i) + 2] > 0.0) {
      pairs.emplace(contact.body_a, contact.body_b);
    }
  }
  return pairs;
}

}  // namespace amontons::experiments
