#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/restitution.h"
#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/contact_space_operator.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Assembles a contact problem as a cone problem in units of sqrt(J).
///
/// With M = L'L per articulation, w_i = trace(A_ii)/3 and G_i = J_i L^-1 / sqrt(w_i):
///
///   r_i = sqrt(w_i) p_i,   W = G G',   q_i = (J_i v_free + bias_i + s_i n) / sqrt(w_i)
///
/// Heavy and light bodies then look alike, and every block of W has trace 3. Where contacts are few
/// and bodies large, or loop joints act, W is formed in contact space (ContactSpace). Else it stays
/// in body space with the rows of J as equalities.
///
/// Contacts that touch no moving body carry nothing. The contact problem, its scaling and its space
/// must outlive the assembly.
class ConeAssembly {
 public:
  ConeAssembly() = default;
  // Its cones point to its own polygon.
  ConeAssembly(const ConeAssembly&) = delete;
  ConeAssembly& operator=(const ConeAssembly&) = delete;

  /// Returns true if W is better formed in contact space.
  static bool prefers_contact_space(const ContactProblem& problem);

  /// Assembles another problem; memory is kept.
  /// @param space  space of the problem, where loop joints act on a W in contact space; else it may
  /// be null.
  /// @param law  Coulomb, ConvexCone, Pyramid or Frictionless; contacts beyond its activation gap
  /// are left out.
  void reset(const ContactProblem& problem, const ProblemScaling& scaling,
             const ContactSpace* space, const ContactLaw& law);

  /// Returns the cone problem of one phase; it is valid until the next call.
  /// @param energy_tolerance  work that contact may add beyond the law's [J].
  const ConeProblem& phase(const ContactPhase& phase, double tolerance, double energy_tolerance);

  /// Returns the contacts that take part, ascending: the first blocks of W.
  const std::vector<int>& members() const { return members_; }
  /// Returns sqrt(w_i) of a block [kg^-1/2].
  double root(Eigen::Index block) const { return root_(block); }

  /// Computes r of impulses p [3 nc], and p of reactions r.
  void to_reactions(const Eigen::VectorXd& impulses, Eigen::VectorXd& reactions) const;
  Eigen::VectorXd to_impulses(const Eigen::VectorXd& reactions) const;

 private:
  void compute_delassus();
  void build_in_contact_space(const ContactSpace* space);
  void build_in_body_space();

  const ContactProblem* problem_ = nullptr;
  const ProblemScaling* scaling_ = nullptr;
  std::vector<int> members_;    // contacts that take part, ascending
  Eigen::VectorXd root_;        // sqrt(w_i) of the members, then of the joint blocks
  Eigen::VectorXd free_speed_;  // unscaled J v_free + bias, members then joint rows
  Eigen::MatrixXd A_;           // J M^-1 J' of the members, in contact space
  Eigen::VectorXd given_;
  std::vector<int> sizes_;  // velocities of each body
  BodySpaceOperator body_space_;
  ContactSpaceOperator contact_space_;
  Eigen::Matrix2Xd directions_;  // directions of the polygon, if the law has one
  ConeProblem cones_;            // refers to one of the two operators
};

}  // namespace amontons
