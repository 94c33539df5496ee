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

/// Holds J and Theta at a state.
struct JointRows {
  SystemKinematics kinematics;
  BlockSparseMatrix jacobian;
  Eigen::VectorXd error;
};

JointRows joint_rows(const System& system, const State& state) {
  JointRows rows;
  compute_kinematics(system, state.q, state.v, state.time, rows.kinematics);
  assemble_joints(system, rows.kinematics, rows.jacobian, rows.error);
  return rows;
}

JointError largest_error(const System& system, const Eigen::VectorXd& error) {
  Eigen::Index worst = 0;
  const double largest = error.cwiseAbs().maxCoeff(&worst);
  return {largest, joint_of_row(system, worst)};
}

/// Returns the number of rows of joints that are not detached.
int num_attached_rows(const System& system, const std::vector<char>& is_detached) {
  return system.num_joint_rows() -
         static_cast<int>(std::count(is_detached.begin(), is_detached.end(), 1));
}

}  // namespace

JointError compute_joint_error(const System& system, const State& state) {
  if (num_attached_rows(system, detached_rows(system)) == 0) return {};
  return largest_error(system, joint_rows(system, state).error);
}

JointRank compute_joint_rank(const System& system, const State& state) {
  JointRank result;
  const std::vector<char> is_detached = detached_rows(system);
  result.rows = num_attached_rows(system, is_detached);
  if (result.rows == 0) return result;
  const auto [kinematics, jacobian, error] = joint_rows(system, state);
  const JointError worst = largest_error(system, error);
  result.error = worst.error;
  result.worst_joint = worst.worst_joint;

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
