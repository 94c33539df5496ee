#include "amontons/models/no_slip_model.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/restitution_share.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/sticking_rows.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Friction under which Coulomb's law proposes a list where the loads alone find none [-].
constexpr double kLargeFriction = 1e6;

// Sine up to which rows nearly depend on others, in units of the tolerance [-].
constexpr double kNearlyDependent = 3.0;

// Budget of that solve: a proposal that takes more is not worth it.
constexpr int kMaxIterationsForList = 600;

/// Holds the working memory of the model.
struct NoSlipMemory : ModelMemory {
  NormalImpulses normals;
  std::vector<char> all, list, dropped, locked;
  VectorXd impulses, slack;
};

/// Runs one call of solve(): the law, with overlaps left, or the fallback.
class NoSlipStep {
 public:
  NoSlipStep(const ContactProblem& problem, const ProblemScaling& scaling,
             const ModelSettings& settings, const Eigen::Ref<const VectorXd>& warm_start,
             NoSlipMemory& memory)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        normals_(memory.normals),
        list_(memory.list),
        dropped_(memory.dropped),
        locked_(memory.locked),
        impulses_(memory.impulses),
        slack_(memory.slack),
        has_bounded_friction_(
            std::any_of(problem.contacts.begin(), problem.contacts.end(),
                        [](const Contact& contact) { return contact.friction_offset > 0.0; })) {
    memory.all.assign(problem.num_contacts(), 1);
    normals_.begin(problem, scaling, memory.all, settings.tolerance);
    if (warm_start.size() == problem.contact_jacobian.rows()) warm_start_ = warm_start;
    certified_.solution.law = {LawKind::NoSlip, 4, settings.restitution_of_steps()};
  }

  /// Returns the certified solution.
  CertifiedSolution solve() {
    ContactPhase whole = plain_phase(problem_, scaling_);
    if (attempt("no slip", whole)) return std::move(certified_);
    // Rows that nearly depend on others have impulses that cancel. Without them a contact may slip
    // by a share of the tolerance.
    if (certified_.certificate.rounding.value > settings_.tolerance && !is_spent()) {
      normals_.set_least_sine(kNearlyDependent * settings_.tolerance);
      if (attempt("no slip, clear rows", whole)) return std::move(certified_);
    }
    // Loads without friction may lead to a list that no motion allows: try that of rough contacts.
    if (can_propose()) {
      proposes_ = true;
      const bool holds = attempt("no slip, list of coulomb", whole);
      proposes_ = false;
      if (holds) return std::move(certified_);
    }
    // Sticking contacts may hold what an overlap must open: try with overlaps left.
    if (scaling_.gap_speeds.size() > 0 && scaling_.gap_speeds.minCoeff() < 0.0 && !is_spent()) {
      whole.gap_speeds = whole.gap_speeds.cwiseMax(0.0);
      if (attempt("no slip, overlaps left", whole)) return std::move(certified_);
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

  /// Solves and certifies one attempt; returns true if its certificate holds.
  bool attempt(const char* name, ContactPhase& whole) {
    const Stopwatch watch;
    ContactSolution& solution = certified_.solution;
    const std::size_t place = solution.attempts.size();
    solution.attempts.push_back({name, SolveStatus::NotRun, 0, 0.0, {}});
    // Dry friction of joints needs a solver with bounds on both sides.
    const SolveStatus status = has_bounded_friction_ ? solve_with_rows(whole) : solve_alone(whole);
    SolveAttempt& own = solution.attempts[place];
    own.status = status;
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
    return false;
  }

  /// Solves contacts and joint limits, without friction of joints.
  SolveStatus solve_alone(ContactPhase& whole) {
    RestitutionSolution found;
    const auto solve_phase = [&](const ContactPhase& phase) {
      PhaseSolution phase_solution = normals_.solve(phase, pivots_left());
      pivots_ += phase_solution.iterations;
      return phase_solution;
    };
    const bool may_bounce = std::find(scaling_.may_bounce.begin(), scaling_.may_bounce.end(), 1) !=
                            scaling_.may_bounce.end();
    bool is_first = true;
    // Each list starts from the impulses of the last one. What restitution loads must stick, too.
    const SolveStatus status = choose_list([&] {
      whole.guess = is_first ? warm_start_ : impulses_;
      is_first = false;
      found.compression.resize(0);
      found.bounces.assign(problem_.num_contacts(), 0);
      found.total = solve_phase(whole);
      normals_.slack(slack_);
      if (may_bounce && found.total.status == SolveStatus::Converged) {
        whole.guess.resize(0);
        found = solve_without_energy_gain(problem_, scaling_, nullptr, whole, scaling_.may_bounce,
                                          settings_.restitution_of_steps(), settings_.tolerance,
                                          solve_phase);
      }
      impulses_ = found.total.impulses;
      bounces_ = std::find(found.bounces.begin(), found.bounces.end(), 1) != found.bounces.end();
      return found.total.status;
    });
    whole.guess.resize(0);
    write_solution(problem_, scaling_, nullptr, found, certified_.solution);
    return status;
  }

  /// Solves with dry friction of joints, which bounds impulses on both sides. The sticking rows
  /// become rows of J, and `frictionless` solves the rest.
  SolveStatus solve_with_rows(const ContactPhase& whole) {
    ModelSettings settings = settings_;
    settings.minimum_norm = false;
    const auto frictionless = make_model("frictionless", settings);
    ContactSolution found;
    const SolveStatus status = choose_list([&] {
      if (is_spent()) return SolveStatus::IterationLimit;
      const std::vector<Index> rows = normals_.equality_tangents();
      const ContactProblem held = with_sticking_rows(problem_, rows);
      ProblemScaling scaling(held);
      scaling.gap_speeds = whole.gap_speeds;
      found = without_sticking_rows(problem_, held, rows,
                                    frictionless->solve(held, scaling, VectorXd()));
      pivots_ += found.iterations;
      impulses_ = found.impulses;
      // u_n + s of the solution decides which contacts are unloaded.
      slack_ = whole.gap_speeds;
      const VectorXd u = problem_.contact_velocities(found.velocity);
      for (Index i = 0; i < slack_.size(); ++i) slack_(i) += u(3 * i + 2);
      return found.status;
    });
    // The solution claims the law of this model, with the attempts of this step.
    found.law = certified_.solution.law;
    found.iterations = certified_.solution.iterations;
    found.attempts = certified_.solution.attempts;
    certified_.solution = std::move(found);
    return status;
  }

  /// Finds the list and solves with it. The solver writes impulses_, slack_ and bounces_ of each
  /// solve.
  template <typename Solver>
  SolveStatus choose_list(const Solver& solve_listed) {
    list_.assign(problem_.num_contacts(), 0);
    // The published list does not depend on the loads.
    if (settings_.sticking == StickingList::Touching) {
      const double touching = touching_gap(problem_);
      for (std::size_t c = 0; c < list_.size(); ++c) {
        list_[c] = can_hold(c) && problem_.contacts[c].gap <= touching;
      }
      normals_.hold(list_);
      return solve_listed();
    }
    if (proposes_) list_ = list_under_large_friction();
    SolveStatus status = search_list(solve_listed);
    if (proposes_ || !is_solved(status) || !has_locked() || holds_open_gap() || is_spent())
      return status;
    // Friction without a load is left where no other list is consistent.
    const std::vector<char> first = list_;
    list_ = list_under_large_friction();
    status = search_list(solve_listed);
    if (is_solved(status) && !has_locked()) return status;
    list_ = first;
    normals_.hold(list_);
    return solve_listed();
  }

  /// Returns true if Coulomb's law may propose a list, and has not proposed one in vain.
  bool can_propose() const {
    return settings_.sticking != StickingList::Touching && !has_proposed_ && !is_spent();
  }

  static bool is_solved(SolveStatus status) {
    return status == SolveStatus::Converged || status == SolveStatus::Stalled;
  }
  /// Returns true if a contact that was open at the start joined for good: where normals differ,
  /// held tangents may keep gaps from closing, which is no reason to let the others slip.
  bool holds_open_gap() const {
    for (std::size_t c = 0; c < locked_.size(); ++c) {
      const Index i = static_cast<Index>(c);
      if (locked_[c] && scaling_.gap_speeds(i) > settings_.tolerance * scaling_.scales.speed(i)) {
        return true;
      }
    }
    return false;
  }
  bool has_locked() const { return std::find(locked_.begin(), locked_.end(), 1) != locked_.end(); }

  /// Returns the contacts that Coulomb's law loads at a friction beyond measure: a consistent list,
  /// if none of them slips.
  std::vector<char> list_under_large_friction() {
    has_proposed_ = true;
    ContactProblem rough = problem_;
    for (std::size_t c = 0; c < list_.size(); ++c) {
      rough.contacts[c].friction = can_hold(c) ? kLargeFriction : 0.0;
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
    std::vector<char> result(list_.size(), 0);
    for (std::size_t c = 0; c < result.size(); ++c) {
      result[c] = can_hold(c) &&
                  bears_load(scaling_, static_cast<Index>(c), found.impulses, settings_.tolerance);
    }
    return result;
  }

  /// Solves with one list after the other, until every loaded contact is listed and no listed one
  /// is unloaded. A contact joins, is dropped at most once, and then joins for good: at most
  /// 3 nc + 1 solves.
  template <typename Solver>
  SolveStatus search_list(const Solver& solve_listed) {
    dropped_.assign(list_.size(), 0);
    locked_.assign(list_.size(), 0);
    // Bound: 3 nc + 1 solves, and the effort.
    while (true) {
      normals_.hold(list_);
      const SolveStatus status = solve_listed();
      if (!is_solved(status) || (!add_loaded() && !drop_unloaded())) return status;
      if (!has_effort()) return SolveStatus::IterationLimit;
    }
  }

  /// Returns true if the tangents of a contact can be held at all.
  bool can_hold(std::size_t c) const {
    return may_stick(problem_.contacts[c]) &&
           scaling_.scales.inverse_mass(static_cast<Index>(c)) > 0.0;
  }

  /// Returns the contacts of `candidates` that some solution with the present velocity loads.
  std::vector<char> loaded_of(const std::vector<char>& candidates, SelfStress self_stress) const {
    return loaded_contacts(problem_, scaling_, {impulses_, slack_, list_}, candidates, self_stress,
                           settings_.tolerance);
  }

  /// Adds the contacts that bear a load, or do so in another solution, to the list.
  /// @returns true if any was added.
  bool add_loaded() {
    bool added = false;
    std::vector<char> candidates(list_.size(), 0);
    const auto add = [&](std::size_t c) {
      list_[c] = 1;
      locked_[c] = dropped_[c];
      added = true;
    };
    for (std::size_t c = 0; c < list_.size(); ++c) {
      if (list_[c] || !can_hold(c)) continue;
      if (bears_load(scaling_, static_cast<Index>(c), impulses_, settings_.tolerance)) {
        add(c);
      } else {
        candidates[c] = 1;
      }
    }
    // Other solutions belong to the step without restitution.
    if (bounces_) return added;
    const std::vector<char> loaded = loaded_of(candidates, SelfStress::IsNoLoad);
    for (std::size_t c = 0; c < list_.size(); ++c) {
      if (loaded[c]) add(c);
    }
    return added;
  }

  /// Drops the contacts that no solution loads from the list.
  /// @returns true if any was dropped.
  bool drop_unloaded() {
    if (bounces_) return false;
    std::vector<char> candidates(list_.size(), 0);
    for (std::size_t c = 0; c < list_.size(); ++c) {
      candidates[c] = list_[c] && !locked_[c] &&
                      !bears_load(scaling_, static_cast<Index>(c), impulses_, settings_.tolerance);
    }
    if (std::find(candidates.begin(), candidates.end(), 1) == candidates.end()) return false;
    const std::vector<char> loaded = loaded_of(candidates, SelfStress::IsLoad);
    bool dropped = false;
    for (std::size_t c = 0; c < list_.size(); ++c) {
      if (!candidates[c] || loaded[c]) continue;
      list_[c] = 0;
      dropped_[c] = 1;
      dropped = true;
    }
    return dropped;
  }

  /// Writes the list as modes, whatever the speeds.
  void write_modes() {
    for (std::size_t c = 0; c < list_.size(); ++c) {
      ContactMode& mode = certified_.solution.modes[c];
      if (problem_.contacts[c].is_joint_row) continue;
      if (list_[c]) {
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
  std::vector<char>& list_;     // contacts that stick [nc]
  std::vector<char>& dropped_;  // contacts that were dropped once [nc]
  std::vector<char>& locked_;   // contacts that joined again after that, for good [nc]
  VectorXd &impulses_, &slack_;
  bool bounces_ = false;       // restitution acted in the last solve
  bool proposes_ = false;      // the first list is that of Coulomb's law
  bool has_proposed_ = false;  // Coulomb's law has proposed a list
  bool has_bounded_friction_;  // dry friction or effort bounds of joints
  int pivots_ = 0;             // pivots of the running attempt
  CertifiedSolution certified_;
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
