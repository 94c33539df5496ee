#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace amontons {

/// Holds the parameters of a step's problem that do not depend on its contacts.
struct StepParameters {
  double step = 0.0;           ///< h [s]
  double gamma = 1.0;          ///< share of an overlap that the step removes [-]
  bool literal_gamma = false;  ///< true: gamma scales positive gaps, too
  double rest_speed = 0.0;     ///< approach above which a contact bounces [m/s]
  /// Limits the speed at which overlaps are removed [m/s].
  double overlap_speed = std::numeric_limits<double>::infinity();
};

/// Assembles contacts, loop joints, couplings and prescribed motions into a ContactProblem. Bodies
/// and matrices meet here alone.
///
/// J and the gaps belong to the evaluation's configuration. It may lie ahead of the start of the
/// step, to which M belongs, by the displacement h * evaluation_velocity (Stewart-Trinkle; position
/// iterations). Gaps and joint errors are then linearized back to the start:
///
///   gap = Phi(q_eval) - h (N evaluation_velocity + bias_n)
///
/// For a problem evaluated at the start itself, evaluation_velocity is zero and
/// evaluation.kinematics.time is start_time. Else evaluation.kinematics.time is that of the end.
///
/// Errors of rows of J lose what is rounding and what no impulse could remove
/// (joint_error_rounding.h).
///
/// @param v_start     velocity at the start [nv].
void assemble(const System& system, const StepEvaluation& evaluation,
              const Eigen::Ref<const Eigen::VectorXd>& v_start,
              const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity, double start_time,
              const StepParameters& parameters, ContactProblem& problem);

/// Adds the block row (t1, t2, n) of a contact, whose product with v is the velocity of body B
/// against body A at the contact point, in the contact's axes: J = R_CW (J_B - J_A)  [3 x nv].
/// @param column_of  returns the first column of a tree, by its articulation.
void add_contact_rows(const System& system, const SystemKinematics& kinematics,
                      const Contact& contact, const std::function<Eigen::Index(int)>& column_of,
                      BlockSparseMatrix& jacobian);

/// Names the rows of a contact that clear_blocked_rows() reads.
enum class BlockedRows : std::uint8_t { Normal, All };
/// Sets rows of a contact to zero along which its joints allow no motion (a normal through the axis
/// of the only hinge, a tangent across a rail). Left as rounding, they would seem to move at the
/// price of any speed. Entries are levers, of the size of the coordinates, and cosines.
/// @param contact   index in problem.contacts; nothing else of the problem is read.
/// @param jacobian  J_C, whose last block row is that of the contact.
void clear_blocked_rows(const ContactProblem& problem, std::size_t contact, BlockedRows which,
                        BlockSparseMatrix& jacobian);

/// Computes errors and Jacobian of the loop joints, couplings and prescribed motions at
/// `kinematics`, without bias.
void assemble_joints(const System& system, const SystemKinematics& kinematics,
                     BlockSparseMatrix& jacobian, Eigen::VectorXd& error);

}  // namespace amontons
