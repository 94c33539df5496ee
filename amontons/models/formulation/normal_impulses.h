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

/// Number of velocities above which the dense factor of NormalImpulses costs more than Lemke's
/// method on a working set.
inline constexpr Eigen::Index kMaxVelocitiesForNormals = 400;

/// Solves the frictionless problem of an island with some rows held: find p_n and the impulses of
/// the held rows with
///
///   0 <= p_n  perp  u_n + s >= 0,    J v = joint_target(),    u_t = 0 at the sticking contacts
///
/// Modified principal pivoting works on the rows N L^-1 (M = L'L), so that its cost follows the
/// velocities and not the contacts [Drumwright 2015, secs. V, VI]. Phase I of maximum dissipation,
/// `frictionless`, `viscous` and `no-slip` are this problem.
class NormalImpulses {
 public:
  /// Sine up to which a tangent row depends on others unless set otherwise [-].
  static constexpr double kDependentTangent = 1e-9;

  NormalImpulses() = default;
  /// Begins with a problem.
  NormalImpulses(const ContactProblem& problem, const ProblemScaling& scaling,
                 const std::vector<char>& active, double tolerance) {
    begin(problem, scaling, active, tolerance);
  }
  NormalImpulses(const NormalImpulses&) = delete;  // problem() refers to members
  NormalImpulses& operator=(const NormalImpulses&) = delete;

  /// Begins another problem, with the loop joints held alone; memory is kept. Problem and scaling
  /// must stay constant while it is used.
  /// @param active     contacts that take part [nc]; the others carry nothing and are not checked.
  /// @param tolerance  bound of the certificate's residuals [-].
  void begin(const ContactProblem& problem, const ProblemScaling& scaling,
             const std::vector<char>& active, double tolerance);

  /// Holds the loop joints, as ContactSpace does (independent_joint_rows.h). It also holds the
  /// tangent rows of these contacts [nc], as many of them as are independent [Drumwright 2015,
  /// Algorithm 2]: rows that depend on others hold with them.
  void hold(const std::vector<char>& sticking);

  /// Sets the sine up to which a tangent row depends on others, for the lists that follow [-]. A
  /// row left out slips by less than that share of the free motion.
  void set_least_sine(double sine) { least_sine_ = sine; }

  /// Solves a phase of a step; friction and friction_offset are not read.
  /// @param max_pivots  as in ModifiedPivotingSettings.
  PhaseSolution solve(const ContactPhase& phase, std::optional<int> max_pivots = std::nullopt);

  /// Computes u_n + s [nc] [m/s] of the phase solved last; infinite at contacts that are not
  /// active.
  void slack(Eigen::VectorXd& result) const;

  /// Returns the rows of J_C that are held.
  std::vector<Eigen::Index> equality_tangents() const;

  /// Return the pivoting's own problem and solution of the phase solved last.
  const FactoredLcp& problem() const { return problem_; }
  const FactoredLcpSolution& solution() const { return solution_; }
  Eigen::Index num_rows() const { return problem_.rows.rows(); }

 private:
  /// Describes a held row.
  struct EqualityRow {
    Eigen::Index row;  // row of J_C, or -1: of a joint
    double target;     // target of the row times v
  };

  void use_free_motion();
  void add_rows_of(const std::vector<char>& active);
  void hold_joints();
  void start_at_equalities();

  const ContactProblem* contacts_ = nullptr;
  const ProblemScaling* scaling_ = nullptr;
  double tolerance_ = 0.0, least_sine_ = kDependentTangent;
  std::vector<int> contact_of_;  // contact of each row of the problem
  Eigen::VectorXd free_;         // L v_free
  RowFactor held_;
  std::vector<EqualityRow> equality_rows_;
  std::vector<Eigen::Index> left_tangents_;  // rows of J_C that are not held yet
  FactoredLcp problem_;
  ModifiedPivoting method_;
  FactoredLcpSolution solution_;
  std::vector<int> guess_;
  Eigen::VectorXd row_, before_, target_;
};

}  // namespace amontons
