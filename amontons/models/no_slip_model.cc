#include "amontons/models/no_slip_model.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/motion_residual.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/restitution_share.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/sticking_list_search.h"
#include "amontons/models/formulation/sticking_rows.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Friction under which Coulomb's law proposes a list where the loads alone find none [-].
constexpr double kLargeFriction = 1e6;

// Compliance of rows that nearly depend on each other, in units of the tolerance [-]: the slip that
// it allows is a share of it, and the impulses that it leaves cancel to less. The second has slips
// that are acceptable at best.
constexpr std::array<double, 2> kCompliances = {1.0, 10.0};

// Budget of that solve: a proposal that takes more is not worth it.
constexpr int kMaxIterationsForList = 600;

// Contacts up to which more lists are tried although an acceptable answer is in hand.
constexpr std::size_t kFewContacts = 200;

/// Holds the working memory of the model.
struct NoSlipMemory : ModelMemory {
  NormalImpulses normals;
  StickingListSearch lists;
  std::vector<char> all;
};

/// Runs one call of solve(): the law, with overlaps left where they are held, or the fallback.
class NoSlipStep {
 public:
  NoSlipStep(const ContactProblem& problem, const ProblemScaling& scaling,
             const ModelSettings& settings, const Eigen::Ref<const VectorXd>& warm_start,
             NoSlipMemory& memory)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        normals_(memory.normals),
        lists_(memory.lists),
        has_bounded_friction_(
            std::any_of(problem.contacts.begin(), problem.contacts.end(),
                        [](const Contact& contact) { return contact.friction_offset > 0.0; })) {
    memory.all.assign(problem.num_contacts(), 1);
    normals_.begin(problem, scaling, memory.all, settings.tolerance);
    lists_.begin(problem, scaling, settings.tolerance);
    if (warm_start.size() == problem.contact_jacobian.rows()) warm_start_ = warm_start;
    certified_.solution.law = {LawKind::NoSlip, 4, settings.restitution_of_steps()};
  }

  /// Returns the certified solution.
  CertifiedSolution solve() {
    const ContactPhase whole = plain_phase(problem_, scaling_);
    const bool opens = scaling_.gap_speeds.size() > 0 && scaling_.gap_speeds.minCoeff() < 0.0;
    bool holds = attempt_with_compliance("no slip", whole);
    // Sticking contacts may hold what an overlap must open, or open it with haste: try with
    // overlaps left. The certificate decides if they are held.
    if (opens && (!holds || is_faster()) && !is_spent()) {
      std::optional<CertifiedSolution> opened;
      if (holds) opened = certified_;
      ContactPhase left = whole;
      left.gap_speeds = left.gap_speeds.cwiseMax(0.0);
      holds = attempt_with_compliance("no slip, overlaps left", left);
      if (!holds && opened) {
        keep_attempts(certified_.solution, opened->solution);
        return std::move(*opened);
      }
    }
    // Contacts that stay held without a load may be those of a list that was changed in haste.
    const bool is_worth_it = !acceptable_ || problem_.num_contacts() <= kFewContacts;
    if (!holds && is_worth_it && lists_.has_locked()) {
      lists_.be_patient(true);
      if (!is_spent()) holds = attempt_with_compliance("no slip, one by one", whole);
      lists_.be_patient(false);
    }
    // Loads without friction may lead to a list that no motion allows: try that of rough contacts.
    if (!holds && !acceptable_ && can_propose()) {
      proposes_ = true;
      holds = attempt("no slip, list of coulomb", whole);
      proposes_ = false;
    }
    if (holds) return std::move(certified_);
    if (acceptable_) {
      keep_attempts(certified_.solution, acceptable_->solution);
      return std::move(*acceptable_);
    }
    certified_.solution =
        fallback_after(certified_.solution, frictionless_fallback(problem_, scaling_, settings_));
    certified_.certificate = certify(problem_, scaling_, certified_.solution, settings_.tolerance);
    return std::move(certified_);
  }

 private:
  /// Returns the rest of the budget, after all attempts and the pivots of the running one; none: no
  /// limit.
  std::optional<int> pivots_left() const {
    if (!settings_.max_iterations) return std::nullopt;
    return std::max(0, *settings_.max_iterations - certified_.solution.iterations - pivots_);
  }
  bool is_spent() const { return pivots_left() == 0 || !has_effort(); }

  /// Gives a solution the attempts and iterations of a later one of the same step.
  static void keep_attempts(const ContactSolution& later, ContactSolution& solution) {
    solution.attempts = later.attempts;
    solution.iterations = later.iterations;
  }

  /// Returns true if the step has more kinetic energy than its start and its free motion.
  bool is_faster() const {
    const auto energy = [this](const VectorXd& v) { return v.dot(problem_.mass_matrix * v); };
    return energy(certified_.solution.velocity) >
           std::max(energy(problem_.velocity), energy(problem_.free_velocity));
  }

  /// Attempts the law; where that fails, with rows that comply: impulses of rows that nearly depend
  /// on each other have no measure and cancel, and a contact that complies slips by a share of the
  /// tolerance.
  bool attempt_with_compliance(const std::string& name, const ContactPhase& whole) {
    bool holds = attempt(name, whole);
    for (const double sine : kCompliances) {
      if (holds || is_contradiction_ || is_spent()) break;
      normals_.set_compliance(sine * settings_.tolerance);
      holds = attempt(name + ", compliant", whole);
    }
    normals_.set_compliance(0.0);
    return holds;
  }

  /// Solves and certifies one attempt; returns true if its certificate holds.
  bool attempt(const std::string& name, const ContactPhase& whole) {
    const Stopwatch watch;
    ContactSolution& solution = certified_.solution;
    const std::size_t place = solution.attempts.size();
    solution.attempts.push_back({name, SolveStatus::NotRun, 0, 0.0, {}});
    // Dry friction of joints needs a solver with bounds on both sides.
    const SolveStatus status = has_bounded_friction_ ? solve_with_rows(whole) : solve_alone(whole);
    SolveAttempt& own = solution.attempts[place];
    own.status = status;
    is_contradiction_ = status == SolveStatus::Infeasible;
    own.iterations = pivots_;
    own.time_s = watch.seconds();
    solution.iterations += std::exchange(pivots_, 0);
    if (status != SolveStatus::Converged && status != SolveStatus::Stalled) return false;
    // The modes are the list, by which the certificate measures friction.
    write_modes();
    certified_.certificate = certify(problem_, scaling_, solution, settings_.tolerance);
    if (certified_.certificate.holds) {
      own.status = solution.status = SolveStatus::Converged;
      return true;
    }
    own.status = SolveStatus::Stalled;
    own.remark = describe_failure(certified_.certificate, settings_.tolerance);
    keep_if_acceptable();
    return false;
  }

  /// Keeps the solution of the last attempt if it obeys every inequality, misses the law by at most
  /// the acceptable tolerance, and is the nearest so far.
  void keep_if_acceptable() {
    const double within = settings_.acceptable_tolerance;
    const double distance = certified_.certificate.worst_of_laws();
    if (!(within > settings_.tolerance) || !(distance <= within)) return;
    if (acceptable_ && !(distance < acceptable_->certificate.worst_of_laws())) return;
    CertifiedSolution own = certified_;
    own.solution.law.within = within;
    own.solution.status = SolveStatus::Acceptable;
    own.certificate = certify(problem_, scaling_, own.solution, settings_.tolerance);
    if (own.certificate.holds) acceptable_ = std::move(own);
  }

  /// Solves contacts and joint limits, without friction of joints.
  SolveStatus solve_alone(ContactPhase whole) {
    RestitutionSolution found;
    const auto solve_phase = [&](const ContactPhase& phase) {
      PhaseSolution phase_solution = normals_.solve(phase, pivots_left());
      pivots_ += phase_solution.iterations;
      return phase_solution;
    };
    const bool may_bounce = std::find(scaling_.may_bounce.begin(), scaling_.may_bounce.end(), 1) !=
                            scaling_.may_bounce.end();
    whole.guess = warm_start_;
    const SolveStatus status =
        choose_list([&](const std::vector<char>& list, ListedSolution& solution) {
          normals_.hold(list);
          found.compression.resize(0);
          found.bounces.assign(problem_.num_contacts(), 0);
          found.total = solve_phase(whole);
          normals_.slack(solution.slack);
          // What restitution loads must stick, too.
          if (may_bounce && found.total.status == SolveStatus::Converged) {
            whole.guess.resize(0);
            found = solve_without_energy_gain(problem_, scaling_, nullptr, whole,
                                              scaling_.may_bounce, settings_.restitution_of_steps(),
                                              settings_.tolerance, solve_phase);
          }
          solution.status = cancels(found) ? SolveStatus::NumericalFailure : found.total.status;
          solution.impulses = found.total.impulses;
          solution.bounces =
              std::find(found.bounces.begin(), found.bounces.end(), 1) != found.bounces.end();
          // The next list starts from these impulses.
          whole.guess = found.total.impulses;
        });
    write_solution(problem_, scaling_, nullptr, found, certified_.solution);
    return status;
  }

  /// Returns true if impulses cancel so that nothing could be certified, however the list goes on.
  bool cancels(const RestitutionSolution& found) {
    if (!normals_.may_cancel()) return false;
    write_solution(problem_, scaling_, nullptr, found, certified_.solution);
    const Residual rounding = motion_residuals(problem_, scaling_, certified_.solution).rounding;
    return rounding.value > settings_.tolerance;
  }

  /// Solves with dry friction of joints, which bounds impulses on both sides. The sticking rows
  /// become rows of J, and `frictionless` solves the rest.
  SolveStatus solve_with_rows(const ContactPhase& whole) {
    ModelSettings settings = settings_;
    settings.minimum_norm = false;
    const auto frictionless = make_model("frictionless", settings);
    ContactSolution found;
    const SolveStatus status =
        choose_list([&](const std::vector<char>& list, ListedSolution& solution) {
          solution.status = SolveStatus::IterationLimit;
          if (is_spent()) return;
          normals_.hold(list);
          const std::vector<Index> rows = normals_.equality_tangents();
          const ContactProblem held = with_sticking_rows(problem_, rows);
          ProblemScaling scaling(held);
          scaling.gap_speeds = whole.gap_speeds;
          found = without_sticking_rows(problem_, held, rows,
                                        frictionless->solve(held, scaling, VectorXd()));
          pivots_ += found.iterations;
          solution.status = found.status;
          solution.impulses = found.impulses;
          // u_n + s of the solution decides which contacts are unloaded.
          solution.slack = whole.gap_speeds;
          const VectorXd u = problem_.contact_velocities(found.velocity);
          for (Index i = 0; i < solution.slack.size(); ++i) solution.slack(i) += u(3 * i + 2);
        });
    // The solution claims the law of this model, with the attempts of this step.
    found.law = certified_.solution.law;
    found.iterations = certified_.solution.iterations;
    found.attempts = certified_.solution.attempts;
    certified_.solution = std::move(found);
    return status;
  }

  /// Finds the list and solves with it.
  SolveStatus choose_list(const StickingListSearch::Solver& solve_listed) {
    const std::size_t nc = problem_.num_contacts();
    // The published list does not depend on the loads.
    if (settings_.sticking == StickingList::Touching) {
      const double touching = touching_gap(problem_);
      std::vector<char> list(nc, 0);
      for (std::size_t c = 0; c < nc; ++c) {
        list[c] = lists_.can_hold(c) && problem_.contacts[c].gap <= touching;
      }
      return lists_.solve(std::move(list), solve_listed);
    }
    std::vector<char> first(nc, 0);
    if (proposes_) first = list_under_large_friction();
    SolveStatus status = lists_.search(std::move(first), solve_listed);
    if (proposes_ || !is_solved(status) || !lists_.has_locked() || lists_.holds_open_gap() ||
        is_spent()) {
      return status;
    }
    // Friction without a load is left where no other list is consistent.
    const std::vector<char> locked = lists_.list();
    status = lists_.search(list_under_large_friction(), solve_listed);
    if (is_solved(status) && !lists_.has_locked()) return status;
    return lists_.solve(locked, solve_listed);
  }

  /// Returns true if Coulomb's law may propose a list, and has not proposed one in vain.
  bool can_propose() const {
    return settings_.sticking != StickingList::Touching && !has_proposed_ && !is_spent();
  }

  static bool is_solved(SolveStatus status) {
    return status == SolveStatus::Converged || status == SolveStatus::Stalled;
  }
  /// Returns the contacts that Coulomb's law loads at a friction beyond measure: a consistent list,
  /// if none of them slips.
  std::vector<char> list_under_large_friction() {
    has_proposed_ = true;
    ContactProblem rough = problem_;
    for (std::size_t c = 0; c < rough.num_contacts(); ++c) {
      rough.contacts[c].friction = lists_.can_hold(c) ? kLargeFriction : 0.0;
    }
    ModelSettings settings = settings_;
    settings.minimum_norm = false;
    settings.max_iterations =
        std::clamp(pivots_left().value_or(kMaxIterationsForList), 1, kMaxIterationsForList);
    // The lists keep the other half of the effort.
    const Stopwatch watch;
    ContactSolution found;
    WorkCounts work;
    {
      const EffortBudget half(0.5 * effort_left());
      found = make_model("coulomb", settings)->solve(rough, VectorXd());
      work = half.spent();
    }
    add_work(work);
    certified_.solution.iterations += found.iterations;
    certified_.solution.attempts.push_back(
        {"list of coulomb", found.status, found.iterations, watch.seconds(), {}});
    std::vector<char> result(rough.num_contacts(), 0);
    for (std::size_t c = 0; c < result.size(); ++c) {
      result[c] = lists_.can_hold(c) &&
                  bears_load(scaling_, static_cast<Index>(c), found.impulses, settings_.tolerance);
    }
    return result;
  }

  /// Writes the list as modes, whatever the speeds.
  void write_modes() {
    for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
      ContactMode& mode = certified_.solution.modes[c];
      if (problem_.contacts[c].is_joint_row) continue;
      if (lists_.list()[c]) {
        if (mode != ContactMode::Impact) mode = ContactMode::Stick;
      } else if (mode == ContactMode::Stick ||
                 (mode == ContactMode::Impact && may_stick(problem_.contacts[c]))) {
        mode = ContactMode::Slide;
      }
    }
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  VectorXd warm_start_;  // or empty
  NormalImpulses& normals_;
  StickingListSearch& lists_;
  bool is_contradiction_ = false;  // no motion obeys the list of the last attempt
  bool proposes_ = false;          // the first list is that of Coulomb's law
  bool has_proposed_ = false;      // Coulomb's law has proposed a list
  bool has_bounded_friction_;      // dry friction or effort bounds of joints
  int pivots_ = 0;                 // pivots of the running attempt
  CertifiedSolution certified_;
  std::optional<CertifiedSolution> acceptable_;  // the nearest acceptable one
};

}  // namespace

NoSlipModel::NoSlipModel(const ModelSettings& settings) : CertifyingModel(settings) {
  check_settings(settings);
}

CertifiedSolution NoSlipModel::solve_and_certify(const ContactProblem& problem,
                                                 const ProblemScaling& scaling,
                                                 const Eigen::Ref<const VectorXd>& warm_start,
                                                 ModelMemory& memory) const {
  return NoSlipStep(problem, scaling, settings_, warm_start, dynamic_cast<NoSlipMemory&>(memory))
      .solve();
}

std::unique_ptr<ModelMemory> NoSlipModel::make_memory() const {
  return std::make_unique<NoSlipMemory>();
}

}  // namespace amontons
