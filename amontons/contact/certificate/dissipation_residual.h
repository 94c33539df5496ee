#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <algorithm>
#include <span>
#include <vector>

namespace amontons {

/// Holds one application of phases I and II [Drumwright, Shell 2010, QP3 and QP2, with errata DS-1,
/// DS-2, DS-5 and DS-6: additive viscous bound, cap per problem, no impulse across gaps that phase
/// I left open]:
///
///   I   0 <= y_i perp (A_N y + b_N + s)_i >= 0,    kappa = 1'y
///   II  min 1/2 x'A x + x'b0   subject to   A_N x + b_N + s >= 0,  x_i in K_i,  1'x_N <= kappa
///
/// The problem is an island; under LawKind::SystemDissipation it holds the contacts of all.
///
/// K_i = { x_n >= 0, |x_t| <= mu x_n + offset_i }; x_i = 0 where the contact stays open
/// (stays_open()). b and b0 are the contact velocities of the free motion with the loop joints
/// kept, b0 without what stabilization of the joints adds.
///
/// Bounded rows of joints, in the form of contacts, keep their own law (bounded_row.h) in both
/// phases and are no part of what is minimized. Phase I has impulses of its own for them. A and
/// A_N in phase II are those with the rows that hold kept as the loop joints are. With other
/// impulses than f of phase II, neither the effort of a drive nor the dry friction of a joint would
/// be the one that the joint's motion asks for.
struct DissipationPhase {
  Eigen::VectorXd before;      ///< impulses of earlier phases [3 nc] [N s]
  Eigen::VectorXd impulses;    ///< x [3 nc] [N s]
  Eigen::VectorXd offset;      ///< offsets of the discs [nc] [N s] (dissipation_offsets())
  Eigen::VectorXd gap_speeds;  ///< s [nc] [m/s]
  std::span<const DissipationWitness> witness;  ///< [nc]
};

/// Returns the normal impulse that makes a contact bounce though phase II may let it carry nothing:
/// that of phase I, or the multiplier of its normal condition [N s]. The rebound bounds both
/// phases.
inline double bouncing_load(const DissipationWitness& witness) {
  return std::max(witness.phase_one, witness.multiplier);
}

/// Returns the contacts with viscous friction [nc] that phase I loads, y > 0 in some solution of it
/// (contact_loads.h). Its velocity is unique, so the result does not depend on which of its
/// impulses were found.
/// @param slack  u_n(y) + s of phase I [nc] [m/s].
std::vector<char> loaded_by_phase_one(const ContactProblem& problem, const ProblemScaling& scaling,
                                      std::span<const DissipationWitness> witness,
                                      const Eigen::VectorXd& slack, double tolerance);

/// Returns u_n(y) + s of phase I [nc] [m/s].
Eigen::VectorXd phase_one_slack(const ContactProblem& problem, const ImpulseResponse& response,
                                const DissipationPhase& phase);

/// Returns the largest |x_t| without a normal impulse of its own [nc] [N s]: mu given_load +
/// friction_offset + h mu_v |b0_t|, the last at the contacts that phase I loads. After the first
/// phase it is the first term alone.
/// @param loaded  contacts that phase I loads [nc].
Eigen::VectorXd dissipation_offsets(const ContactProblem& problem,
                                    const Eigen::VectorXd& free_contact_velocity,
                                    const Eigen::VectorXd& given_load, bool first_phase,
                                    const std::vector<char>& loaded);

/// Returns by how much |x_t| exceeds the printed viscous bound, sqrt((mu x_n)^2 + (h mu_v
/// |b0_t|)^2)
/// + friction_offset [N s], >= 0. That bound is not convex where both terms act. The additive bound
/// is its convex hull: a solution of it that keeps the printed bound solves the printed law too
/// [Drumwright, Shell 2010, QP2, with errata DS-2].
/// @param offset  offset of the contact's disc in the first phase [N s].
double excess_over_literal_bound(const Contact& contact, double offset,
                                 const Eigen::Vector3d& impulse);

/// Holds contact velocities of the free motion with the loop joints kept [3 nc] [m/s].
struct FreeContactMotion {
  Eigen::VectorXd velocity;    ///< b
  Eigen::VectorXd correction;  ///< b - b0, by stabilization of the joints
};
/// Computes the free motion of the contacts of a problem.
FreeContactMotion free_contact_motion(const ContactProblem& problem, const ProblemScaling& scaling);

/// Returns true if a contact must carry nothing: it does not touch at the start, s > tolerance V,
/// and phase I leaves it open. Phase I's velocity is unique, so the result does not depend on which
/// of its impulses were found.
/// @param slack      u_n(y) + s [m/s].
/// @param tolerance  tolerance of the certificate, as a bound of slack / V [-].
bool stays_open(const ProblemScaling& scaling, std::size_t contact, double slack, double tolerance);

/// Holds how far a phase is from its optimality conditions, which the witness proves, with gamma =
/// A x + b0 - A_(:,N) lambda + eta n. The witness of a row holds its impulse of phase I and its
/// impulse phi in answer to lambda. With psi the velocity that lambda and all phi give the row, phi
/// is 0 where the row's u + s + R f is not, and psi is 0 where f is inside its bounds; where both
/// vanish, phi psi <= 0.
struct DissipationResidual {
  /// [nc] [m/s] The largest of |min(w y, u_n(y) + s)| and |min(w lambda, u_n(x) + s)|. It includes
  /// w |x| where the contact stays open, and the difference of its eta to the island's. For a limit
  /// of a joint it is the distance to its own law in both phases, and that of phi.
  Eigen::VectorXd normal;
  /// [nc] [m/s] |w x - P_K(w x - gamma)|. For other rows of joints it is the distance to their law.
  Eigen::VectorXd friction;
  /// |min(eta / V, (kappa - 1'x_N) / kappa)| [-], kappa not below 1e-6 of the impulses before.
  double cap = 0.0;
};
/// Evaluates the optimality conditions of one phase.
DissipationResidual dissipation_residual(const ContactProblem& problem,
                                         const ProblemScaling& scaling,
                                         const ImpulseResponse& response,
                                         const FreeContactMotion& free,
                                         const DissipationPhase& phase, double tolerance);

}  // namespace amontons
