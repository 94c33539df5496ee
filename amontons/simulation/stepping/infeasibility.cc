#include "amontons/simulation/stepping/infeasibility.h"

#include "amontons/simulation/stepping/assembly.h"

#include <algorithm>

namespace amontons {

Infeasibility measure_infeasibility(const System& system, const JointRows& joint_rows,
                                    const StepEvaluation& evaluation) {
  Infeasibility result;
  // Overlaps Phi_-, then limits of joints, then errors of loop joints and couplings.
  for (const Contact& contact : evaluation.contacts) {
    if (-contact.gap <= result.largest) continue;
    result.largest = -contact.gap;
    result.deepest = &contact;
  }
  result.largest = std::max(result.largest, joint_rows.largest_violation(evaluation.kinematics));
  if (system.num_joint_rows() == 0) return result;
  BlockSparseMatrix jacobian;
  Eigen::VectorXd error;
  assemble_joints(system, evaluation.kinematics, jacobian, error);
  if (error.size() > 0) result.largest = std::max(result.largest, error.lpNorm<Eigen::Infinity>());
  return result;
}

}  // namespace amontons
