#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/normal_rows.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/common/restitution.h"
#include "amontons/optimization/lcp/dual_active_set.h"
#include "amontons/optimization/lcp/modified_pivoting.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Number of velocities above which the dense factor of NormalImpulses costs more than Lemke's
/// method on a working set.
inline constexpr Eigen::Index kMaxVelocitiesForNormals = 400;

/// Solves the frictionless problem of an island with some rows held
/// (contact/operators/normal_rows.h): find p_n and the impulses of the held rows with
///
///   0 <= p_n  perp  u_n + s >= 0,    J v = joint_target(),    u_t = 0 at the sticking contacts
///
/// Modified principal pivoting works on the rows N L^-1 (M = L'L), so that its cost follows the
/// velocities and not the contacts [Drumwright 2015, secs. V, VI]. Where those rows nearly depend
/// on each other it may wander; the dual active set method [Goldfarb, Idnani 1983] then solves the
/// same problem. Phase I of maximum dissipation, `frictionless`, `viscous` and `no-slip` are this
/// problem.
class NormalImpulses {
 public:
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

  /// Hold rows, make them comply, and say if their impulses may cancel, as NormalRows does.
  void hold(const std::vector<char>& sticking) { rows_.hold(sticking); }
  void set_compliance(double sine) {
    prefers_dual_ = prefers_dual_ || sine > 0.0;
    rows_.set_compliance(sine);
  }

  bool may_cancel() const { return rows_.may_cancel(); }

  /// Solves a phase of a step; friction and friction_offset are not read.
  /// @param max_pivots  as in ModifiedPivotingSettings.
  PhaseSolution solve(const ContactPhase& phase, std::optional<int> max_pivots = std::nullopt);

  /// Computes u_n + s [nc] [m/s] of the phase solved last; infinite at contacts that are not
  /// active.
  void slack(Eigen::VectorXd& result) const;

  /// Returns the rows of J_C that are held.
  std::vector<Eigen::Index> equality_tangents() const { return rows_.held_tangents(); }

  /// Return the pivoting's own problem and solution of the phase solved last.
  const FactoredLcp& problem() const { return rows_.problem(); }
  const FactoredLcpSolution& solution() const { return solution_; }
  Eigen::Index num_rows() const { return rows_.num_rows(); }

 private:
  void solve_rows(std::optional<int> max_pivots);

  std::size_t num_contacts_ = 0;
  bool prefers_dual_ = false;  // pivoting has wandered, or may
  NormalRows rows_;
  ModifiedPivoting method_;
  DualActiveSet dual_;
  FactoredLcpSolution solution_;
  DualActiveSetSolution dual_solution_;
  std::vector<int> guess_;
};

}  // namespace amontons
