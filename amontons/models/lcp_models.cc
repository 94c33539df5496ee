#include "amontons/models/lcp_models.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/certificate/motion_residual.h"
#include "amontons/math/effort.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/acceptable_answer.h"
#include "amontons/models/formulation/lcp_attempts.h"
#include "amontons/models/formulation/least_violation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace amontons {
namespace {

// Effort that is left to weaker laws [equivalent factorizations]. Usual: below 20.
constexpr double kFallbackEffort = 200.0;

using Eigen::Index;

// Effort relative to the scale of the impulses that no solution could need [-]. Conditions that ask
// for more contradict each other (least_violation.h). Walls that meet at 1e-4 rad may ask for 1e4.
constexpr double kHopelessEffort = 1e5;

// Softness of the last resort, whose solution always exists: u_n + s + this w p_n >= 0 [-].
constexpr double kSoftContact = 1e-6;

// Numbers of freedoms from which the cone solvers come first, and beyond which pivoting is not
// tried. Pivoting on working sets costs the cube of the contacts that are not redundant, and there
// are no more of these than freedoms.
constexpr Index kManyFreedoms = 150, kMaxFreedomsForPivoting = 400;

// Larger coefficients of friction take the digits of an LCP, whose other entries are near 1.
constexpr double kLargeFriction = 1e4;

/// Returns true if a problem has normal impulses alone, for modified pivoting.
bool is_normals_alone(const PolyhedralProblem& problem) {
  return problem.problem->mass_matrix.size() <= kMaxVelocitiesForNormals &&
         problem.friction.isZero(0.0) && problem.friction_offset.isZero(0.0) &&
         problem.ridge == 0.0;
}

/// Runs one call of solve(): a list of attempts, each certified, until one holds.
class LcpStep {
 public:
  LcpStep(const ContactProblem& problem, const ProblemScaling& scaling, const ContactLaw& law,
          const ModelSettings& settings, const Eigen::Ref<const Eigen::VectorXd>& warm_start)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        attempts_(problem, scaling, settings, solution_),
        acceptable_(problem, scaling, law, settings),
        law_(law),
        is_large_(std::min<Index>(problem.mass_matrix.size(),
                                  3 * static_cast<Index>(problem.num_contacts())) > kManyFreedoms) {
    // A warm start of zeros is none.
    const Index nc = static_cast<Index>(problem.num_contacts());
    if (warm_start.size() == 3 * nc && !warm_start.isZero(0.0)) warm_start_ = warm_start;
    solution_.law = law;
    asked_ = {&problem_,
              nullptr,  // set by LcpAttempts where needed
              &scaling_.scales,
              polygon_directions(law.directions),
              lifts(law.kind),
              std::vector<char>(problem.num_contacts(), 0),
              Eigen::VectorXd::Zero(nc),
              scaling.gap_speeds,
              Eigen::VectorXd::Zero(3 * nc),
              Eigen::VectorXd::Zero(nc),
              plain_phase(problem, scaling).friction_offset,
              settings.tolerance};
    for (Index i = 0; i < nc; ++i) {
      const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
      asked_.active[static_cast<std::size_t>(i)] =
          scaling.scales.inverse_mass(i) > 0.0 && is_active(law, contact);
      asked_.friction(i) = has_coulomb_friction(law.kind) ? contact.friction : 0.0;
    }
  }

  /// Returns the first solution in the order law, nearly the law, relaxation, frictionless, relaxed
  /// gaps. An acceptable iterate of the law replaces the others where it is nearer.
  ContactSolution solve() {
    if (solve_asked()) return solution_;
    // Weaker laws have a reserve, so that a step always has an answer.
    const EffortReserve reserve(kFallbackEffort);
    const bool is_stalled = !acceptable_.found() && accept_stalled();
    if (!is_stalled && !convexify() && !solve_without_friction()) solve_relaxed();
    Certificate certificate = certify(problem_, scaling_, solution_, settings_.tolerance);
    acceptable_.choose(solution_, certificate);
    return solution_;
  }

 private:
  /// Solves the law asked: from the guess of the warm start, by pivoting in two orders, with less
  /// friction, with overlaps left, and by the cone solvers. With overlaps left there always is a
  /// solution, which is as good where overlaps are rounding.
  bool solve_asked() {
    if (is_large_ && !asked_.convex) {
      const RestitutionSolution best = attempts_.by_cone_solvers(warm_start_);
      if (accept(best)) return true;
      if (best.total.status != SolveStatus::Converged) consider_unfinished(best);
      if (problem_.mass_matrix.size() > kMaxFreedomsForPivoting) return false;
    }
    // A basis near the solution saves most pivots.
    if (is_normals_alone(asked_)) {
      if (accept(attempts_.by_pivoting("modified pivoting", asked_, warm_start_))) return true;
    } else if (warm_start_.size() > 0 && !is_spent() &&
               accept(attempts_.by_lemke("basis of the last step", asked_,
                                         {warm_start_, true, false, pivots_left()}))) {
      return true;
    }
    if (is_spent()) return false;
    const RestitutionSolution restitution =
        attempts_.by_lemke("Lemke", asked_, {{}, false, false, pivots_left()});
    if (accept(restitution)) return true;
    if (is_spent()) return false;
    if ((asked_.friction.array() > kLargeFriction).any() && solve_with_less_friction()) return true;
    if (is_spent()) return false;
    if (restitution.total.status != SolveStatus::Infeasible &&
        accept(attempts_.by_lemke("Lemke, reversed order", asked_,
                                  {{}, false, true, pivots_left()}))) {
      return true;
    }
    if (is_spent()) return false;
    // s >= 0 removes the demand to open overlaps, which may have no solution with friction.
    PolyhedralProblem with_overlaps_left = asked_;
    with_overlaps_left.gap_speeds = asked_.gap_speeds.cwiseMax(0.0);
    if (accept(attempts_.by_lemke("Lemke, overlaps left", with_overlaps_left,
                                  {{}, false, false, pivots_left()}))) {
      return true;
    }
    // A ray of Lemke's method is no proof that overlaps contradict friction: the cone solvers may
    // still find a solution.
    if (is_large_ || asked_.convex || is_spent()) return false;
    return restitution.total.status == SolveStatus::RayTermination &&
           accept(attempts_.by_cone_solvers(warm_start_));
  }

  /// Solves with coefficients that leave the LCP its digits. Where no loaded contact slides the
  /// solution is one of the coefficients asked, too.
  bool solve_with_less_friction() {
    PolyhedralProblem problem = asked_;
    problem.friction = asked_.friction.cwiseMin(kLargeFriction);
    return accept(
        attempts_.by_lemke("Lemke, less friction", problem, {{}, false, false, pivots_left()}));
  }

  /// Returns true if the law asked has used its iterations. Normals alone have no limit.
  bool is_spent() const {
    const bool is_counted_out = is_limited() && solution_.iterations >= *settings_.max_iterations;
    return is_counted_out || !has_effort();
  }
  int pivots_left() const {
    return is_limited() ? *settings_.max_iterations - solution_.iterations : 0;
  }
  bool is_limited() const {
    return settings_.max_iterations && has_coulomb_friction(solution_.law.kind);
  }

  /// Solves the relaxation on the round cone, which is convex, where pivoting is too expensive.
  bool convexify() {
    if (!is_large_ || asked_.convex || !has_coulomb_friction(solution_.law.kind)) return false;
    return accept_instead(LawKind::ConvexCone, SolveStatus::Convexified);
  }

  /// Solves without friction: a monotone problem with a solution unless its conditions contradict.
  bool solve_without_friction() {
    if (is_large_ && accept_instead(LawKind::Frictionless, SolveStatus::Safe)) return true;
    if (is_normals_alone(normals()) && has_coulomb_friction(solution_.law.kind) &&
        use_fallback(attempts_.by_pivoting("modified pivoting, normals only", normals(), {}))) {
      return true;
    }
    const RestitutionSolution restitution =
        attempts_.by_lemke("Lemke, normals only", normals(), {});
    if (restitution.total.status == SolveStatus::Infeasible) contradiction_ = true;
    if (use_fallback(restitution)) return true;
    // Rebounds may ask for more than the conditions allow: try without them.
    if (!attempts_.may_anything_bounce()) return false;
    contradiction_ = false;
    attempts_.let_nothing_bounce();
    const RestitutionSolution plastic =
        attempts_.by_lemke("Lemke, normals only, without restitution", normals(), {});
    if (plastic.total.status == SolveStatus::Infeasible) contradiction_ = true;
    return use_fallback(plastic);
  }

  /// Solves the least relaxation that has a solution, with friction if that can be found.
  void solve_relaxed() {
    // Raise s where nonpenetration cannot hold, and name the contacts if the conditions contradict.
    PolyhedralProblem normals_alone = normals();
    normals_alone.space = attempts_.space();
    const Relaxation relaxation = relax_least(normals_alone);
    if (relaxation.least_effort > kHopelessEffort) contradiction_ = true;
    if (contradiction_ && !relaxation.contacts.empty()) {
      solution_.attempts.back().remark = name_squeeze(problem_, relaxation.contacts);
    }
    // With friction, then normals alone, then soft normals.
    PolyhedralProblem relaxed = asked_;
    relaxed.gap_speeds = relaxation.gap_speeds;
    RestitutionSolution restitution = attempts_.by_lemke("Lemke, relaxed", relaxed, {});
    if (!contradiction_ && accept(restitution)) return;
    if (restitution.total.status != SolveStatus::Converged) {
      relaxed = normals();
      relaxed.gap_speeds = relaxation.gap_speeds;
      restitution = attempts_.by_lemke("Lemke, relaxed, normals only", relaxed, {});
      if (!contradiction_ && use_fallback(restitution)) return;
    }
    if (restitution.total.status != SolveStatus::Converged) {
      relaxed = normals();
      relaxed.ridge = kSoftContact;
      restitution = attempts_.by_lemke("Lemke, soft normals", relaxed, {});
    }
    if (restitution.total.status != SolveStatus::Converged) {
      restitution.total.impulses.setZero(problem_.contact_jacobian.rows());
    }
    write_solution(problem_, scaling_, attempts_.space_of_joints(), restitution, solution_);
    // The status says why nothing was certified: a contradiction, or no convergence.
    solution_.status = contradiction_ ? SolveStatus::Infeasible
                       : restitution.total.status == SolveStatus::Converged
                           ? SolveStatus::Stalled
                           : SolveStatus::NumericalFailure;
  }

  /// Returns the problem without friction.
  PolyhedralProblem normals() const {
    PolyhedralProblem result = asked_;
    result.friction.setZero();
    result.convex = false;
    return result;
  }

  /// Keeps a solution of the law asked if its certificate holds.
  bool accept(const RestitutionSolution& restitution) {
    if (restitution.total.status != SolveStatus::Converged) return false;
    write_solution(problem_, scaling_, attempts_.space_of_joints(), restitution, solution_);
    const Certificate certificate = certify(problem_, scaling_, solution_, settings_.tolerance);
    SolveAttempt& attempt = solution_.attempts.back();
    if (certificate.holds) {
      solution_.status = SolveStatus::Converged;
      return true;
    }
    // A law that is missed is a failure of the solver; energy or motion missed is rounding.
    attempt.remark = missed_condition(certificate, settings_.tolerance).text;
    acceptable_.consider(restitution, certificate, attempts_.space_of_joints());
    if (std::max({certificate.normal.value, certificate.friction.value, certificate.limit.value,
                  certificate.joint_friction.value, certificate.rounding.value}) >
        settings_.tolerance) {
      attempt.status = SolveStatus::NumericalFailure;
      return false;
    }
    attempt.status = SolveStatus::Stalled;
    if (joints_contradict()) {
      // No impulse of a contact can satisfy joints that contradict.
      attempt.status = solution_.status = SolveStatus::Infeasible;
      return true;
    }
    if (!stalled_) stalled_ = restitution;
    return false;
  }

  /// Considers the best iterate of a method that has not converged.
  void consider_unfinished(const RestitutionSolution& best) {
    write_solution(problem_, scaling_, attempts_.space_of_joints(), best, solution_);
    acceptable_.consider(best, certify(problem_, scaling_, solution_, settings_.tolerance),
                         attempts_.space_of_joints());
  }

  /// Returns true if the joints cannot all hold even without contact impulses.
  bool joints_contradict() {
    ContactSolution alone;
    alone.impulses = Eigen::VectorXd::Zero(problem_.contact_jacobian.rows());
    attempts_.space()->apply(alone.impulses, alone.velocity, alone.joint_impulses);
    return joint_residual(problem_, scaling_, alone).value > settings_.tolerance;
  }

  /// Keeps a solution that obeys the laws and misses only the energy bound or the equation of
  /// motion. Huge impulses that cancel each other, in a body held from both sides, leave their
  /// rounding there.
  bool accept_stalled() {
    if (!stalled_) return false;
    write_solution(problem_, scaling_, attempts_.space_of_joints(), *stalled_, solution_);
    solution_.status = SolveStatus::Stalled;
    return true;
  }

  /// Keeps normal impulses alone, as a solution of the frictionless law, if its certificate holds.
  bool use_fallback(const RestitutionSolution& restitution) {
    if (restitution.total.status != SolveStatus::Converged) return false;
    const LawKind asked = std::exchange(solution_.law.kind, LawKind::Frictionless);
    if (accept_certified(restitution, SolveStatus::Safe)) return true;
    solution_.law.kind = asked;
    return false;
  }

  /// Solves another law than the one asked by the cone solvers, and keeps a certified solution.
  bool accept_instead(LawKind law, SolveStatus status) {
    const LawKind asked = std::exchange(solution_.law.kind, law);
    if (accept_certified(attempts_.by_cone_solvers(warm_start_), status)) return true;
    solution_.law.kind = asked;
    return false;
  }

  /// Keeps a solution of the present law if its certificate holds.
  bool accept_certified(const RestitutionSolution& restitution, SolveStatus status) {
    write_solution(problem_, scaling_, attempts_.space_of_joints(), restitution, solution_);
    if (!certify(problem_, scaling_, solution_, settings_.tolerance).holds) return false;
    solution_.status = status;
    return true;
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  ContactSolution solution_;
  LcpAttempts attempts_;
  AcceptableAnswer acceptable_;
  Eigen::VectorXd warm_start_;  // or empty
  const ContactLaw law_;
  PolyhedralProblem asked_;
  const bool is_large_;
  std::optional<RestitutionSolution> stalled_;
  bool contradiction_ = false;  // the normal conditions cannot all hold
};

}  // namespace

LcpModel::LcpModel(const LcpModelOptions& options, const ModelSettings& settings)
    : options_(options), settings_(settings) {
  check_settings(settings);
}

/// Returns the law that the options ask for.
ContactLaw LcpModel::law() const {
  return {options_.law, settings_.friction_directions.value_or(4),
          settings_.restitution_of_steps()};
}

ContactSolution LcpModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  ContactLaw own = law();
  if (options_.touching_only) own.activation_gap = touching_gap(problem);
  return LcpStep(problem, scaling, own, settings_, warm_start).solve();
}

}  // namespace amontons
