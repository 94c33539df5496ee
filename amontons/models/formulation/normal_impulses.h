#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/row_factor.h"
#include "amontons/models/common/restitution.h"
#include "amontons/optimization/lcp/modified_pivoting.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Beyond so many velocities the dense factor of normal_impulses costs more than Lemke's method on
/// a working set.
inline constexpr Eigen::Index kMaxVelocitiesForNormals = 400;

/// The frictionless problem of an island with some rows held: find p_n and the impulses of the held
/// rows with
///
///   0 <= p_n  perp  u_n + s >= 0,    J v = joint_target(),    u_t = 0 at the sticking contacts
///
/// Solved by modified principal pivoting on the rows N L^-1 (M = L'L), so that the cost is driven
/// by the velocities and not by the contacts [Drumwright 2015, secs. V, VI]. Phase I of maximum
/// dissipation, `frictionless`, `viscous` and `no-slip` are this problem.
class NormalImpulses {
 public:
  NormalImpulses() = default;
  /// Begins with a problem.
  NormalImpulses(const ContactProblem& problem, const ProblemScaling& scaling,
                 const std::vector<char>& active, double tolerance) {
    begin(problem, scaling, active, tolerance);
  }
  NormalImpulses(const NormalImpulses&) = delete;  // problem() refers to what is held here
  NormalImpulses& operator=(const NormalImpulses&) = delete;

  /// Takes up another problem, with the loop joints held alone; memory is kept. Problem and scaling
  /// must stay as they are while it is used.
  /// @param active     [nc]; the others carry nothing and are not looked at.
  /// @param tolerance  of the certificate.
  void begin(const ContactProblem& problem, const ProblemScaling& scaling,
             const std::vector<char>& active, double tolerance);

  /// Holds the loop joints, as ContactSpace does (independent_joint_rows.h), and the tangent rows
  /// of these contacts [nc], as many of them as are independent [Drumwright 2015, Algorithm 2]:
  /// rows that depend on others hold with them.
  void hold(const std::vector<char>& sticking);

  /// A phase of a step; friction and friction_offset are not looked at.
  /// @param max_pivots  as in ModifiedPivotingSettings.
  PhaseSolution solve(const ContactPhase& phase, std::optional<int> max_pivots = std::nullopt);

  /// Contacts [nc] that carry a load in the least-norm one of all solutions with a velocity: min
  /// sum w_i p_n,i^2, which is unique. Up to `tolerance` of V an impulse is none.
  /// @param impulses  p of one of the solutions [3 nc].
  /// @param slack     u_n + s of its velocity [nc].
  std::vector<char> loaded_contacts(const Eigen::VectorXd& impulses, const Eigen::VectorXd& slack);

  /// u_n + s [nc] of the phase solved last; infinite at what is not active.
  void slack(Eigen::VectorXd& result) const;

  /// Rows of J_C that are held.
  std::vector<Eigen::Index> equality_tangents() const;

  /// Of the phase solved last: the problem as it was given to the pivoting, and its answer.
  const FactoredLcp& problem() const { return problem_; }
  const FactoredLcpSolution& solution() const { return solution_; }
  Eigen::Index num_rows() const { return problem_.rows.rows(); }

 private:
  struct EqualityRow {
    Eigen::Index row;  // of J_C, or -1: of a joint
    double target;     // of the row times v
  };

  void use_free_motion();
  void add_rows_of(const std::vector<char>& active);
  Eigen::VectorXd least_norm_on_face(const Eigen::VectorXd& impulses) const;
  void hold_joints();
  void start_at_equalities();

  const ContactProblem* contacts_ = nullptr;
  const ProblemScaling* scaling_ = nullptr;
  double tolerance_ = 0.0;
  std::vector<int> contact_of_;  // of each row of the problem
  Eigen::VectorXd free_;         // L v_free
  RowFactor held_;
  std::vector<EqualityRow> equality_rows_;
  FactoredLcp problem_;
  ModifiedPivoting method_;
  FactoredLcpSolution solution_;
  std::vector<int> guess_, face_;
  Eigen::VectorXd row_, before_, target_;
};

}  // namespace amontons
