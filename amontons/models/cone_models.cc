#include "amontons/models/cone_models.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/certificate/law_distance.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/math/effort.h"
#include "amontons/models/closed_form/warm_start_equilibrium.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/acceptable_answer.h"
#include "amontons/models/formulation/cone_assembly.h"
#include "amontons/models/formulation/cone_phases.h"
#include "amontons/models/formulation/limited_effort.h"
#include "amontons/models/lcp_models.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

// Tolerance from which the answer of sweeps counts although it is not reached [-], and contacts
// above which it does.
constexpr double kSweptTolerance = 2e-5;
constexpr std::size_t kFewToSweep = 50;

// Share of the tolerance for a solution that meets its law, but not its bound on the energy, with
// few contacts and with many: a large stack has no digits below a tenth of the usual tolerance, and
// every method would be tried for them.
constexpr double kMoreDigits = 1e-2, kMoreDigitsOfMany = 1e-1;

// Effort that such digits are worth [equivalent factorizations].
constexpr double kDigitsEffort = 400.0;

// Largest number of contacts on the polygon, where the cost grows with its cube.
constexpr std::size_t kMaxContactsOnPolygon = 40;

/// Holds the working memory of the cones, of the impulses of the last step, and of certificates.
class ConeStepMemory : public ConeMemory {
 public:
  Eigen::VectorXd warm_start;  // as given, or empty
  WarmStartWorkspace last;
  CertificateWorkspace certificate;
};

/// Runs one call of solve(): a list of attempts, each certified, until one holds.
class ConeStep {
 public:
  ConeStep(const ContactProblem& problem, const ProblemScaling& scaling, LawKind law,
           const ModelSettings& settings, const SingleConeMethod* method,
           const Eigen::Ref<const Eigen::VectorXd>& warm_start, ConeStepMemory& memory)
      : problem_(problem),
        scaling_(scaling),
        law_(law),
        settings_(settings),
        method_(method),
        warm_start_(memory.warm_start),
        memory_(memory),
        solution_(std::move(memory.spare)) {
    solution_.reset();
    // A warm start of zeros is none.
    const bool warm =
        warm_start.size() == problem.contact_jacobian.rows() && !warm_start.isZero(0.0);
    if (warm) {
      warm_start_ = warm_start;
    } else {
      warm_start_.resize(0);
    }
    // Loop joints need a contact space where the cones are solved in it.
    const bool jointed = problem.joint_jacobian.rows() > 0;
    if (jointed && ConeAssembly::prefers_contact_space(problem)) space_.emplace(problem, scaling);
    solution_.law = {law, 4, settings.restitution_of_steps()};
  }

  /// Returns the first certified solution, in the order rest, law, polygon, relaxation,
  /// frictionless. An acceptable iterate of the law replaces the last two where it is nearer.
  CertifiedSolution solve() {
    if (method_ != nullptr) {
      return attempt(law_, SolveStatus::Converged) ? certified() : best_iterate();
    }
    if (try_last_impulses()) return certified();
    if (attempt(law_, SolveStatus::Converged)) return certified();
    // The law may be met and its bound on the energy missed by a little: more digits give both.
    const bool needs_digits = certificate_.worst_of_laws() <= settings_.tolerance;
    const double share = problem_.num_contacts() > kFewToSweep ? kMoreDigitsOfMany : kMoreDigits;
    if (needs_digits) {
      bool found = false;
      with_effort(kDigitsEffort,
                  [&] { found = attempt(law_, SolveStatus::Converged, nullptr, share); });
      if (found) return certified();
    }
    if (!has_effort()) return best_without_effort();
    if (stops_early()) return best_iterate();
    // Normals alone cost the cube of the contacts: of many, only where the relaxation fails too.
    const bool many = problem_.num_contacts() > kMaxContactsOnPolygon;
    if (many && !lifts(law_) && relax()) return nearest();
    const ContactSolution safe = frictionless_fallback(problem_, scaling_, settings_);
    // A certified frictionless solution shows that the normal conditions have one: friction may be
    // found from a polygon.
    if (!many && safe.status == SolveStatus::Safe && !lifts(law_)) {
      if (solve_from_polygon()) return certified();
      if (relax()) return nearest();
    }
    solution_ = fallback_after(solution_, safe);
    certificate_ = certify(problem_, scaling_, solution_, settings_.tolerance, memory_.certificate);
    return nearest();
  }

 private:
  /// Returns true if the impulses of the last step solve this one as well as new ones could.
  bool try_last_impulses() {
    if (lifts(law_)) return false;
    // As good as new ones: no worse than the digits that Newton's method aims at.
    const double target = cone_solver_settings(settings_, true).target_residual;
    const WarmStartAnswer answer = try_warm_start(
        problem_, scaling_, warm_start_, std::min(target, kAtRest), memory_.last, solution_);
    if (answer == WarmStartAnswer::None) return false;
    certificate_ = certify(problem_, scaling_, solution_, settings_.tolerance, memory_.certificate);
    const double worst = std::max(certificate_.worst_of_laws(), certificate_.dynamics.value);
    if (!certificate_.holds || worst > kAtRest) return false;
    solution_.status = SolveStatus::Converged;
    solution_.attempts.push_back({"warm start", SolveStatus::Converged, 0, 0.0, {}});
    return true;
  }

  /// Solves the law and keeps the solution if its certificate holds.
  /// @param share  of the tolerance to which it is solved [-].
  bool attempt(LawKind law, SolveStatus status, const ContactSolution* neighbor = nullptr,
               double share = 1.0) {
    solution_.law.kind = law;
    ModelSettings settings = settings_;
    settings.tolerance *= share;
    const RestitutionSolution restitution =
        solve_in_cones({problem_, scaling_, solution_.law, settings, scaling_.may_bounce,
                        warm_start_, neighbor, method_},
                       space(), memory_, solution_);
    write_solution(problem_, scaling_, space(), restitution, solution_);
    certificate_ = certify(problem_, scaling_, solution_, settings_.tolerance, memory_.certificate);
    if (certificate_.holds) {
      solution_.status = status;
      return true;
    }
    if (!solution_.attempts.empty())
      solution_.attempts.back().remark = missed_condition(certificate_, settings_.tolerance).text;
    if (law == law_) {
      acceptable().consider(restitution, certificate_, space());
      iterate_ = restitution;
    }
    return false;
  }

  /// Returns true where a coarse tolerance has been left to sweeps: a weaker law would cost more,
  /// and be farther from the law asked.
  bool stops_early() const {
    return settings_.tolerance >= kSweptTolerance && problem_.num_contacts() > kFewToSweep &&
           !solution_.attempts.empty() &&
           solution_.attempts.back().status == SolveStatus::IterationLimit;
  }

  /// Returns the best iterate of the law asked after its methods were stopped, Acceptable where its
  /// certificate holds.
  CertifiedSolution best_iterate() {
    if (acceptable().found()) return nearest();
    CertifiedSolution best = acceptable().made_to_obey(iterate_, space());
    best.solution.iterations = solution_.iterations;
    best.solution.attempts = std::move(solution_.attempts);
    best.solution.status = SolveStatus::IterationLimit;
    return best;
  }

  /// Returns the best iterate, or the fallback where that is nearer to the law: an iterate may be
  /// far from everything where the effort ends early.
  CertifiedSolution best_without_effort() {
    CertifiedSolution best = best_iterate();
    if (best.certificate.holds) return best;
    ContactSolution tried;
    tried.iterations = best.solution.iterations;
    tried.attempts = best.solution.attempts;
    CertifiedSolution safe;
    safe.solution = fallback_after(tried, frictionless_fallback(problem_, scaling_, settings_));
    safe.certificate = certify(problem_, scaling_, safe.solution, settings_.tolerance);
    const Residual distance = law_distance(problem_, scaling_, safe.solution, safe.certificate,
                                           asked(), settings_.tolerance);
    return best.certificate.worst_of_laws() <= distance.value ? best : safe;
  }

  /// Solves the convex relaxation after Coulomb's law has failed.
  bool relax() { return attempt(LawKind::ConvexCone, SolveStatus::Convexified); }

  /// Solves on polygons close to the circle, and from their solutions on the circle. Pivoting finds
  /// solutions where descent does not.
  bool solve_from_polygon() {
    if (problem_.num_contacts() > kMaxContactsOnPolygon) return false;
    ModelSettings on_polygon = settings_;
    for (const int directions : {8, 16, 4, 32, 64}) {
      on_polygon.friction_directions = directions;
      const ContactSolution on_polygon_solution =
          LcpModel({}, on_polygon).solve(problem_, scaling_, Eigen::VectorXd());
      solution_.attempts.insert(solution_.attempts.end(), on_polygon_solution.attempts.begin(),
                                on_polygon_solution.attempts.end());
      solution_.iterations += on_polygon_solution.iterations;
      if (on_polygon_solution.status != SolveStatus::Converged)
        break;  // the circle then has no solution either
      if (attempt(law_, SolveStatus::Converged, &on_polygon_solution)) return true;
    }
    return false;
  }

  /// Returns the present solution of another law, or the acceptable one where that is nearer.
  CertifiedSolution nearest() {
    acceptable().choose(solution_, certificate_);
    return certified();
  }

  CertifiedSolution certified() { return {std::move(solution_), certificate_}; }

  /// Returns what keeps acceptable iterates, which most steps do not need.
  AcceptableAnswer& acceptable() {
    if (!acceptable_) acceptable_.emplace(problem_, scaling_, asked(), settings_);
    return *acceptable_;
  }

  ContactLaw asked() const { return {law_, 4, settings_.restitution_of_steps()}; }
  const ContactSpace* space() const { return space_ ? &*space_ : nullptr; }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const LawKind law_;
  const ModelSettings& settings_;
  const SingleConeMethod* method_;     // solves alone; or null
  std::optional<ContactSpace> space_;  // present where the cones are in contact space
  Eigen::VectorXd& warm_start_;        // or empty
  ConeStepMemory& memory_;
  ContactSolution solution_;
  Certificate certificate_;      // certificate of solution_
  RestitutionSolution iterate_;  // best iterate of the last attempt at the law asked
  std::optional<AcceptableAnswer> acceptable_;
};

}  // namespace

ConeModel::ConeModel(LawKind law, const ModelSettings& settings, const SingleConeMethod* method)
    : law_(law), settings_(settings), method_(method) {
  check_settings(settings);
}

ContactSolution ConeModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  ConeStepMemory memory;
  return ConeStep(problem, scaling, law_, settings_, method_, warm_start, memory).solve().solution;
}

CertifiedSolution ConeModel::solve_certified(const ContactProblem& problem,
                                             const ProblemScaling& scaling,
                                             const Eigen::VectorXd& warm_start, double tolerance,
                                             ModelMemory& memory) const {
  CertifiedSolution certified = ConeStep(problem, scaling, law_, settings_, method_, warm_start,
                                         dynamic_cast<ConeStepMemory&>(memory))
                                    .solve();
  // The certificate depends on the tolerance through loaded contacts and `holds`.
  if (tolerance != settings_.tolerance) {
    certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  }
  return certified;
}

ModelTraits ConeModel::traits() const {
  ModelTraits traits;
  traits.law = {law_, 4, settings_.restitution_of_steps()};
  if (is_round_coulomb_law(law_) && method_ == nullptr) traits.closed_form = traits.law;
  return traits;
}

std::unique_ptr<ModelMemory> ConeModel::make_memory() const {
  return std::make_unique<ConeStepMemory>();
}

}  // namespace amontons
