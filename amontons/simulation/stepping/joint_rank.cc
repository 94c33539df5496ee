#include "amontons/simulation/stepping/joint_rank.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

/// Returns the name of the joint or coupling that holds a row of J.
const std::string& joint_of_row(const System& system, Eigen::Index row) {
  const auto found = std::find_if(
      system.joints().begin(), system.joints().end(), [row](const JointCoordinate& joint) {
        return row >= joint.first_row && row < joint.first_row + joint.num_rows;
      });
  return found->name;
}

/// Returns 1 for each row of J of a detached joint, else 0.
std::vector<char> detached_rows(const System& system) {
  std::vector<char> result;
  for (const LoopJoint& joint : system.loop_joints()) {
    const auto rows = static_cast<std::size_t>(num_loop_rows(joint.geometry.type));
    result.insert(result.end(), rows, joint.is_attached ? 0 : 1);
  }
  result.resize(static_cast<std::size_t>(system.num_joint_rows()), 0);
  return result;
}

}  // namespace

JointRank compute_joint_rank(const System& system, const State& state) {
  JointRank result;
  result.rows = system.num_joint_rows();
  const std::vector<char> is_detached = detached_rows(system);
  result.rows -= static_cast<int>(std::count(is_detached.begin(), is_detached.end(), 1));
  if (result.rows == 0) return result;
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  BlockSparseMatrix jacobian;
  Eigen::VectorXd error;
  // J and Theta at the given state.
  assemble_joints(system, kinematics, jacobian, error);
  Eigen::Index worst = 0;
  result.error = error.cwiseAbs().maxCoeff(&worst);
  result.worst_joint = joint_of_row(system, worst);

  // The same choice of independent rows as in a step, with the mass matrix M of the state.
  std::vector<Eigen::Index> kept =
      independent_joint_rows(jacobian, error,
                             BlockDiagonalFactor(compute_mass_matrix(system, kinematics)))
          .indices;
  std::sort(kept.begin(), kept.end());
  result.rank = static_cast<int>(kept.size());
  // Joints of dropped rows, each once.
  for (Eigen::Index row = 0; row < jacobian.rows(); ++row) {
    if (std::binary_search(kept.begin(), kept.end(), row) ||
        is_detached[static_cast<std::size_t>(row)] != 0) {
      continue;
    }
    const std::string& name = joint_of_row(system, row);
    std::vector<std::string>& names = result.redundant_joints;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return result;
}

}  // namespace amontons
