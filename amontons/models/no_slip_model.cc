#include "amontons/models/no_slip_model.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/certificate/motion_residual.h"
#include "amontons/contact/contact_name.h"
#include "amontons/contact/marks.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/restitution_share.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/acceptable_answer.h"
#include "amontons/models/formulation/hanging_contacts.h"
#include "amontons/models/formulation/limited_effort.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/rough_contacts.h"
#include "amontons/models/formulation/sticking_list_search.h"
#include "amontons/models/formulation/sticking_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Compliance of rows that nearly depend on each other, in units of the tolerance [-]: the slip that
// it allows is a share of it, and the impulses that it leaves cancel to less. The second has slips
// that are acceptable at best.
constexpr std::array<double, 2> kCompliances = {1.0, 10.0};

// Lists that are tried without the contacts that hang.
constexpr int kMostHangingLists = 3;

/// Holds the working memory of the model.
struct NoSlipMemory : ModelMemory {
  NormalImpulses normals;
  StickingListSearch lists;
  std::vector<char> all;
};

/// Holds a list [nc] to solve with. Contacts of it that hang are dropped unless it stays as it is.
struct GivenList {
  std::vector<char> contacts;
  bool stays = false;
};

/// States a step that is attempted: with overlaps opened, or left.
struct Statement {
  std::string name;
  ContactPhase phase;
  /// Smallest distance from the law of the attempts that missed it [-].
  double distance = std::numeric_limits<double>::infinity();
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
        law_{LawKind::NoSlip, 4, settings.restitution_of_steps()},
        normals_(memory.normals),
        lists_(memory.lists),
        has_bounded_friction_(
            std::any_of(problem.contacts.begin(), problem.contacts.end(),
                        [](const Contact& contact) { return contact.friction_offset > 0.0; })) {
    memory.all.assign(problem.num_contacts(), 1);
    normals_.begin(problem, scaling, memory.all, settings.tolerance);
    lists_.begin(problem, scaling, settings.tolerance);
    if (warm_start.size() == problem.contact_jacobian.rows()) warm_start_ = warm_start;
    certified_.solution.law = law_;
  }

  /// Returns the certified solution.
  CertifiedSolution solve() {
    Statement whole{"no slip", plain_phase(problem_, scaling_)};
    Statement left{"no slip, overlaps left", whole.phase};
    left.phase.gap_speeds = left.phase.gap_speeds.cwiseMax(0.0);
    const bool opens = scaling_.gap_speeds.size() > 0 && scaling_.gap_speeds.minCoeff() < 0.0;
    bool holds = attempt_with_compliance(whole);
    // Sticking contacts may hold what an overlap must open, or open it with haste: try with
    // overlaps left. The certificate decides if they are held.
    if (opens && (!holds || is_faster()) && !is_spent()) {
      std::optional<CertifiedSolution> opened;
      if (holds) opened = certified_;
      holds = attempt_with_compliance(left);
      if (!holds && opened) {
        keep_attempts(certified_.solution, opened->solution);
        return std::move(*opened);
      }
    }
    // Contacts held without a load may be those of a list that was changed in haste.
    if (!holds && has_locked_) {
      std::vector<Statement*> statements{&whole};
      // The one that came nearer to the law comes first.
      if (opens) statements.insert(statements.begin() + (left.distance >= whole.distance), &left);
      holds = attempt_patiently(statements);
    }
    // Loads without friction may lead to a list that no motion allows: try that of rough contacts.
    if (!holds && !acceptable_ && can_propose()) {
      proposes_ = true;
      whole.name = "no slip, list of coulomb";
      holds = attempt(whole, 0.0);
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
    // Where nothing that bears a load slips without friction, this is the law itself.
    if (settings_.sticking == StickingList::Loaded) {
      claim_law_if_met(problem_, scaling_, law_, settings_.tolerance, certified_.solution,
                       certified_.certificate);
    }
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
  bool attempt_with_compliance(Statement& statement) {
    bool holds = attempt(statement, 0.0);
    for (const double sine : kCompliances) {
      if (holds || is_contradiction_ || is_spent()) break;
      holds = attempt(statement, sine);
    }
    return holds;
  }

  /// Attempts the law with lists that change one by one. Each attempt has half of the effort that
  /// is left. Rows that nearly depend on each other are the rule here, so that they comply first;
  /// slips that are acceptable at best come last.
  bool attempt_patiently(const std::vector<Statement*>& statements) {
    bool holds = false;
    lists_.be_patient(true);
    for (Statement* statement : statements) statement->name += ", one by one";
    for (const double sine : {kCompliances[0], 0.0, kCompliances[1]}) {
      for (Statement* statement : statements) {
        if (holds || is_spent() || (sine == kCompliances[1] && acceptable_)) break;
        with_half_of_effort([&] { holds = attempt(*statement, sine); });
      }
    }
    lists_.be_patient(false);
    return holds;
  }

  /// Solves and certifies one attempt; returns true if its certificate holds.
  /// @param sine  compliance in units of the tolerance [-]; 0: no row complies.
  bool attempt(Statement& statement, double sine) {
    normals_.set_compliance(sine * settings_.tolerance);
    const Stopwatch watch;
    ContactSolution& solution = certified_.solution;
    const std::size_t place = solution.attempts.size();
    solution.attempts.push_back(
        {statement.name + (sine > 0.0 ? ", compliant" : ""), SolveStatus::NotRun, 0, 0.0, {}});
    SolveStatus status = solve_phase(statement.phase);
    std::string hanging;
    if (status == SolveStatus::Converged) hanging = drop_hanging(statement.phase);
    if (!hanging.empty()) status = SolveStatus::Stalled;
    is_contradiction_ = status == SolveStatus::Infeasible;
    has_locked_ = has_locked_ || lists_.has_locked();
    SolveAttempt& own = solution.attempts[place];
    own.status = status;
    own.iterations = pivots_;
    own.time_s = watch.seconds();
    solution.iterations += std::exchange(pivots_, 0);
    if (status == SolveStatus::Converged) return true;
    if (status != SolveStatus::Stalled) return false;
    own.remark = hanging.empty()
                     ? missed_condition(certified_.certificate, settings_.tolerance).text
                     : hanging;
    statement.distance = std::min(statement.distance, certified_.certificate.worst_of_laws());
    keep_if_acceptable();
    return false;
  }

  /// Drops contacts that hang from a list whose solution meets the law, where it meets it without
  /// them: first as the loads of the search show them, then by the rule itself. Else it solves with
  /// the contacts that join a list that starts empty, of which none hangs.
  /// @returns what to say of a contact that is left hanging, empty where none is.
  std::string drop_hanging(const ContactPhase& phase) {
    // A list without contacts that joined for good holds what is loaded, and nothing else.
    const bool may_hang = settings_.sticking == StickingList::Loaded && lists_.has_locked();
    if (!may_hang) return {};
    if (!is_spent()) solve_with_list({lists_.list()}, phase);
    std::vector<char> hangs = hanging();
    for (int pass = 0; pass < kMostHangingLists && any_marked(hangs) && !is_spent(); ++pass) {
      std::vector<char> list = sticking_list(certified_.solution);
      for (std::size_t c = 0; c < list.size(); ++c) list[c] = list[c] && !hangs[c];
      if (!solve_with_list({std::move(list)}, phase)) break;
      hangs = hanging();
    }
    if (any_marked(hangs) && !is_spent()) {
      std::vector<char> list = joining_contacts(problem_, scaling_, settings_.tolerance);
      if (solve_with_list({std::move(list), true}, phase)) hangs = hanging();
    }
    return text_of_hanging(hangs);
  }

  /// Returns the contacts of the last solution that hang [nc].
  std::vector<char> hanging() const {
    return hanging_contacts(problem_, scaling_, certified_.solution, settings_.tolerance);
  }

  /// Solves and certifies one phase with a list; what was found before stays where its certificate
  /// does not hold.
  bool solve_with_list(GivenList list, const ContactPhase& phase) {
    CertifiedSolution found = certified_;
    given_list_ = std::move(list);
    SolveStatus status = SolveStatus::NotRun;
    with_half_of_effort([&] { status = solve_phase(phase); });
    given_list_.reset();
    if (status != SolveStatus::Converged) certified_ = std::move(found);
    return status == SolveStatus::Converged;
  }

  /// Returns the list of a solution, whose modes are its list.
  static std::vector<char> sticking_list(const ContactSolution& solution) {
    std::vector<char> list(solution.modes.size(), 0);
    for (std::size_t c = 0; c < list.size(); ++c) list[c] = solution.modes[c] == ContactMode::Stick;
    return list;
  }

  /// Returns what to say of the first contact that hangs, empty where none does. The certificate
  /// allows it, because the published list does.
  std::string text_of_hanging(const std::vector<char>& hangs) const {
    const auto first = std::find(hangs.begin(), hangs.end(), 1);
    if (first == hangs.end()) return {};
    return contact_name(problem_, static_cast<std::size_t>(first - hangs.begin())) +
           " carries friction though nothing presses it";
  }

  /// Solves and certifies one phase; returns Converged if the certificate holds, Stalled where a
  /// solution misses it.
  SolveStatus solve_phase(const ContactPhase& phase) {
    // Dry friction of joints needs a solver with bounds on both sides.
    const SolveStatus status = has_bounded_friction_ ? solve_with_rows(phase) : solve_alone(phase);
    if (!is_solved(status)) return status;
    // The modes are the list, by which the certificate measures friction.
    write_sticking_modes(problem_, lists_.list(), certified_.solution.modes);
    certified_.certificate = certify(problem_, scaling_, certified_.solution, settings_.tolerance);
    if (!certified_.certificate.holds) return SolveStatus::Stalled;
    certified_.solution.status = SolveStatus::Converged;
    return SolveStatus::Converged;
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
    if (!own.certificate.holds) return;
    if (settings_.sticking == StickingList::Loaded &&
        !text_of_hanging(hanging_contacts(problem_, scaling_, own.solution, within)).empty()) {
      return;
    }
    acceptable_ = std::move(own);
  }

  /// Solves contacts and joint limits, without friction of joints.
  SolveStatus solve_alone(ContactPhase whole) {
    RestitutionSolution found;
    const auto solve_phase = [&](const ContactPhase& phase) {
      PhaseSolution phase_solution = normals_.solve(phase, pivots_left());
      pivots_ += phase_solution.iterations;
      return phase_solution;
    };
    const bool may_bounce = any_marked(scaling_.may_bounce);
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
          solution.bounces = any_marked(found.bounces);
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
          found = solve_with_sticking_rows(problem_, whole.gap_speeds, normals_.equality_tangents(),
                                           *frictionless);
          pivots_ += found.iterations;
          solution.status = found.status;
          solution.impulses = found.impulses;
          // u_n + s of the solution decides which contacts are unloaded.
          solution.slack = slack_at(problem_, whole.gap_speeds, found.velocity);
        });
    // The solution claims the law of this model, with the attempts of this step.
    found.law = certified_.solution.law;
    found.iterations = certified_.solution.iterations;
    found.attempts = certified_.solution.attempts;
    certified_.solution = std::move(found);
    return status;
  }

  /// Finds the list and solves with it, or with the list given, once contacts that hang are dropped
  /// unless it stays.
  SolveStatus choose_list(const StickingListSearch::Solver& solve_listed) {
    if (!given_list_) return find_list(solve_listed);
    const SolveStatus status = lists_.solve(given_list_->contacts, solve_listed);
    const bool drops = is_solved(status) && !given_list_->stays;
    return drops ? lists_.drop_hanging(solve_listed) : status;
  }

  /// Finds a list and solves with it.
  SolveStatus find_list(const StickingListSearch::Solver& solve_listed) {
    // The published list does not depend on the loads.
    if (settings_.sticking == StickingList::Touching)
      return lists_.solve(touching_contacts(problem_, scaling_), solve_listed);
    const std::vector<char> none(problem_.num_contacts(), 0);
    SolveStatus status =
        lists_.search(proposes_ ? list_under_large_friction() : none, solve_listed);
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

  /// Returns the list that Coulomb's law proposes.
  std::vector<char> list_under_large_friction() {
    has_proposed_ = true;
    RoughContacts rough = find_rough_contacts(problem_, scaling_, settings_, pivots_left());
    certified_.solution.iterations += rough.attempt.iterations;
    certified_.solution.attempts.push_back(std::move(rough.attempt));
    return std::move(rough.loaded);
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  const ContactLaw law_;
  VectorXd warm_start_;  // or empty
  NormalImpulses& normals_;
  StickingListSearch& lists_;
  bool is_contradiction_ = false;        // no motion obeys the list of the last attempt
  bool has_locked_ = false;              // a list had contacts that joined for good
  bool proposes_ = false;                // the first list is that of Coulomb's law
  bool has_proposed_ = false;            // Coulomb's law has proposed a list
  bool has_bounded_friction_;            // dry friction or effort bounds of joints
  std::optional<GivenList> given_list_;  // a list found
  int pivots_ = 0;                       // pivots of the running attempt
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
