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

Eigen::Vector3d position_of_body(const Simulator& simulator, const std::string& name) {
  const State& state = simulator.state();
  const int body = simulator.system().find_body(name);
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  return kinematics.X_WB.at(static_cast<std::size_t>(body)).translation;
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
