#include "amontons/models/decorators/viscous_friction_model.h"

#include "amontons/contact/certificate/certified_phase.h"
#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/marks.h"
#include "amontons/contact/operators/damped_step.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/drag_share_search.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/decorators/drag_attempt.h"
#include "amontons/models/decorators/viscous_damping.h"
#include "amontons/models/formulation/limited_effort.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of the tolerance to which shares of the drag are found [-].
constexpr double kSearchShare = 0.1;
// Speed that closes the gap of a lifted contact, in units of V [-].
constexpr double kLiftedSpeed = 1e3;
// Largest number of shares of the rebound that are tried.
constexpr int kMaxRestitutionShares = 20;
// Velocities up to which a dense matrix costs no more than a sparse one.
constexpr Eigen::Index kDenseAsSparse = 100;
// Effort at least of the step without restitution [equivalent factorizations].
constexpr double kEffortWithoutRebound = 20.0;

/// Returns how many times as much a solve takes where drag makes M one dense block, as one of the
/// sparse matrix of the island.
std::int64_t cost_of_solve(const ContactProblem& problem) {
  if (!drag_couples(problem)) return 1;
  const std::int64_t n = problem.mass_matrix.size();
  return std::max<std::int64_t>(1, n * n / (kDenseAsSparse * kDenseAsSparse));
}

/// Returns u [3 nc] [m/s] at the end of Poisson's first phase.
VectorXd compressed_velocities(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactSolution& solution) {
  const VectorXd& p = solution.compression_impulses;
  if (problem.bounded_rows.empty()) return ImpulseResponse(problem, scaling).contact_velocities(p);
  const ContactProblem given = with_prescribed_rows(problem, solution.bounded_compression);
  return ImpulseResponse(given, scaling).contact_velocities(p);
}

/// Turns the solution of the damped problem into that of the original one.
void add_drag(const ContactProblem& problem, const ContactProblem& damped,
              const ProblemScaling& damped_scaling, ContactSolution& solution) {
  // Drag of each phase, -h mu_v u_t at the velocity that ends it.
  if (solution.compression_impulses.size() > 0) {
    const VectorXd u = compressed_velocities(damped, damped_scaling, solution);
    solution.compression_impulses += drag_impulses(problem, u);
  }
  const VectorXd drag = drag_impulses(problem, problem.contact_velocities(solution.velocity));
  solution.impulses += drag;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // An unloaded contact with drag slides.
    const bool slides = solution.modes[i] == ContactMode::Open &&
                        !drag.segment<2>(ContactProblem::row(i)).isZero(0.0);
    if (slides) solution.modes[i] = ContactMode::Slide;
  }
}

/// Returns what a model solves for the damped problem, as a solution of the original one.
/// @param step      its `problem` has the viscous friction that acts.
/// @param impulses  warm start, without drag; then those of a solution of the law, for the next
///                  shares: where the law has several solutions, it stays with one of them.
ContactSolution solve_with_drag(const ContactModel& model, const ProblemScaling& scaling,
                                const DampedStep& step, VectorXd& impulses) {
  const ContactProblem damped = with_viscous_damping(*step.problem);
  ProblemScaling damped_scaling(damped);
  damped_scaling.add_drag(step, scaling);
  ContactSolution solution = model.solve(damped, damped_scaling, impulses);
  if (claims_law(solution.status)) {
    impulses.resize(solution.impulses.size() + solution.bounded_impulses.size());
    impulses << solution.impulses, solution.bounded_impulses;
  }
  add_drag(*step.problem, damped, damped_scaling, solution);
  return solution;
}

/// Returns the same problem with the given shares of its viscous friction.
ContactProblem with_shares(const ContactProblem& problem, const VectorXd& shares) {
  ContactProblem result = problem;
  for (std::size_t c = 0; c < result.num_contacts(); ++c) {
    result.contacts[c].viscous_friction *= shares(static_cast<Index>(c));
  }
  return result;
}

}  // namespace

bool has_viscous_friction(const ContactProblem& problem) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (viscous_drag(problem, i) > 0.0) return true;
  }
  return false;
}

/// Searches the shares of the drag in one step, and keeps the last solution.
class ViscousFrictionModel::Search {
 public:
  Search(const ViscousFrictionModel& model, const ContactProblem& problem,
         const ProblemScaling& scaling, const Eigen::Ref<const VectorXd>& warm_start)
      : model_(model),
        problem_(problem),
        scaling_(scaling),
        warm_start_(warm_start),
        cost_(cost_of_solve(problem)),
        impulses_(warm_start),
        numbers_(VectorXd::Zero(static_cast<Index>(problem.num_contacts()))),
        shares_(numbers_) {
    // The search starts with the contacts that the free motion closes.
    for (Index i = 0; i < numbers_.size(); ++i) {
      numbers_(i) =
          scaling.scales.inverse_mass(i) * viscous_drag(problem, static_cast<std::size_t>(i));
      const bool closes = scaling.free_contact_velocity(3 * i + 2) + scaling.gap_speeds(i) < 0.0;
      if (numbers_(i) > 0.0 && closes) shares_(i) = 1.0;
    }
  }

  CertifiedSolution run() {
    if (std::optional<CertifiedSolution> found = continue_from_free_motion()) return *found;
    agrees_ = find_shares();
    certificate_ = certify(problem_, scaling_, solution_, model_.tolerance_);
    if (agrees_ && !certificate_.holds && is_frozen_) lower_restitution();
    if (agrees_ && !certificate_.holds) solve_again();
    if (!certificate_.holds && gains_energy(certificate_)) answer_without_rebound();
    solution_.iterations = iterations_;
    solution_.attempts = std::move(attempts_);
    if (!certificate_.holds && claims_law(solution_.status)) {
      solution_.status = SolveStatus::Stalled;
      if (!solution_.attempts.empty()) {
        solution_.attempts.back().remark = missed_condition(certificate_, model_.tolerance_).text;
      }
    }
    return {std::move(solution_), certificate_};
  }

 private:
  /// Solves large islands by continuation, with half of the effort. Without a solution its attempt
  /// is kept.
  std::optional<CertifiedSolution> continue_from_free_motion() {
    const ContactLaw law = model_.traits().law;
    if (!model_.continues_ || !prefers_continuation(problem_, scaling_, law)) return std::nullopt;
    CertifiedSolution found;
    with_half_of_effort([&] { found = solve_drag(problem_, scaling_, law, model_.tolerance_); });
    if (found.solution.status == SolveStatus::Converged) return found;
    attempts_ = std::move(found.solution.attempts);
    iterations_ = found.solution.iterations;
    return std::nullopt;
  }

  /// Finds shares that agree with the loads of the solution that they lead to. Each problem starts
  /// from the last solution: where the law has several, loads would jump between them. Where that
  /// fails all start alike, which shares the load of an edge among its contacts.
  bool find_shares() {
    const VectorXd first = shares_;
    if (search_shares()) return true;
    if (!has_effort()) return false;
    starts_alike_ = true;
    shares_ = first;
    const bool found = search_shares();
    starts_alike_ = false;
    return found;
  }

  /// Searches the shares once, from those at hand.
  bool search_shares() {
    const auto loads = [this](const VectorXd& of, bool accurate) { return loads_of(of, accurate); };
    const auto overlaps = [this](const VectorXd& of, const std::vector<Index>& lifted) {
      return overlaps_of(of, lifted);
    };
    return find_drag_shares(shares_, numbers_, loads, overlaps);
  }

  /// Returns z for some shares, or none without a solution.
  std::optional<VectorXd> loads_of(const VectorXd& shares, bool accurate) {
    solve(shares, accurate, {});
    if (!claims_law(solution_.status)) return std::nullopt;
    // Shares are found to a tenth of the tolerance that judges them.
    const double tolerance = accurate ? kSearchShare * model_.tolerance_ : model_.tolerance_;
    return contact_drag(problem_, scaling_, solution_, tolerance).loads;
  }

  /// Returns -(u_n + s) / V for some shares where some contacts are out of reach.
  std::optional<VectorXd> overlaps_of(const VectorXd& shares, const std::vector<Index>& lifted) {
    solve(shares, true, lifted);
    if (!claims_law(solution_.status)) return std::nullopt;
    VectorXd slack =
        contact_drag(problem_, scaling_, solution_, kSearchShare * model_.tolerance_).slack;
    for (const Index i : lifted) {
      // A contact that bounces by Newton's law touches at the speed of its rebound.
      if (bounces_[static_cast<std::size_t>(i)] &&
          solution_.law.restitution == RestitutionLaw::Newton) {
        slack(i) += gap_speed_of_bounce(problem_, scaling_, solution_, i) - scaling_.gap_speeds(i);
      }
    }
    return VectorXd(-slack.cwiseQuotient(scaling_.scales.speed));
  }

  /// Solves with some shares. An accurate solve keeps the restitution of those before it, because z
  /// jumps where a contact begins to bounce.
  /// @param lifted  contacts that are moved out of reach.
  void solve(const VectorXd& shares, bool accurate, const std::vector<Index>& lifted) {
    if (solution_.status != SolveStatus::NotRun && !attempts_.empty()) {
      attempts_.back().status = SolveStatus::Stalled;
      attempts_.back().remark = "viscous friction with other shares than the loads ask for";
    }
    ContactProblem dragged = with_shares(problem_, shares);
    for (const Index i : lifted) {
      dragged.contacts[static_cast<std::size_t>(i)].gap =
          kLiftedSpeed * scaling_.scales.speed(i) * problem_.step;
    }
    DampedStep step{&dragged, restitution_share_, {}};
    is_frozen_ = accurate || restitution_share_;
    if (is_frozen_) {
      step.bounces = bounces_;
      for (const Index i : lifted) step.bounces[static_cast<std::size_t>(i)] = 0;
      if (!step.restitution_share) step.restitution_share = last_share_;
    }
    if (starts_alike_) impulses_ = warm_start_;
    const ContactModel& model = accurate ? *model_.tighter_ : *model_.model_;
    solve_at_cost([&] { solution_ = solve_with_drag(model, scaling_, step, impulses_); });
    // A share that was given means nothing where nothing may bounce.
    const std::vector<char>& may_bounce = scaling_.may_bounce;
    if (!any_marked(may_bounce)) {
      solution_.restitution_shares.resize(0);
    }
    note_restitution();
    iterations_ += std::exchange(solution_.iterations, 0);
    attempts_.insert(attempts_.end(), solution_.attempts.begin(), solution_.attempts.end());
  }

  /// Calls a function whose work counts as much as that of a sparse matrix would.
  template <typename Function>
  void solve_at_cost(const Function& function) const {
    if (cost_ == 1) return function();
    WorkCounts work;
    {
      const EffortBudget part(effort_left() / static_cast<double>(cost_));
      function();
      work = part.spent();
    }
    add_work({cost_ * work.factorizations, cost_ * work.sweeps, cost_ * work.pivots});
  }

  /// Notes the contacts that have bounced in some solve, and the share of the last rebound.
  void note_restitution() {
    bounces_.resize(problem_.num_contacts(), 0);
    for (std::size_t c = 0; c < bounces_.size(); ++c) {
      if (!scaling_.may_bounce[c]) continue;
      if (bears_load(scaling_, static_cast<Index>(c), solution_.impulses, model_.tolerance_)) {
        bounces_[c] = 1;
      }
    }
    const VectorXd& shares = solution_.restitution_shares;
    last_share_ = shares.size() > 0 ? shares.minCoeff() : 1.0;
  }

  /// Returns true if contact creates more energy than rounding may seem to.
  bool gains_energy(const Certificate& certificate) const {
    return certificate.energy_gained > energy_allowance(certificate, model_.tolerance_);
  }

  /// Finds the largest share of the rebound with which the step adds no energy, where the accurate
  /// solves have kept one that does.
  void lower_restitution() {
    if (!gains_energy(certificate_)) return;
    double low = 0.0, high = last_share_;
    std::optional<CertifiedSolution> best;
    for (int k = 0; k < kMaxRestitutionShares && has_effort(); ++k) {
      restitution_share_ = best ? 0.5 * (low + high) : 0.0;
      agrees_ = find_shares();
      certificate_ = certify(problem_, scaling_, solution_, model_.tolerance_);
      if (agrees_ && certificate_.holds) {
        low = *restitution_share_;
        best = {solution_, certificate_};
      } else {
        if (!best) return;
        high = *restitution_share_;
      }
    }
    if (!best) return;
    agrees_ = true;
    solution_ = std::move(best->solution);
    certificate_ = best->certificate;
  }

  /// Solves again to a smaller tolerance what misses the original one.
  void solve_again() {
    ContactSolution first = solution_;
    const bool solved = loads_of(shares_, true).has_value();
    Certificate second = certify(problem_, scaling_, solution_, model_.tolerance_);
    if (solved && second.holds) {
      certificate_ = second;
    } else {
      solution_ = std::move(first);
    }
  }

  /// Answers without restitution where the law has no answer and the last solution gains energy:
  /// whatever the shares, a step without rebound gains none.
  void answer_without_rebound() {
    const EffortReserve reserve(kEffortWithoutRebound);
    ContactSolution last = solution_;
    restitution_share_ = 0.0;
    solve(shares_, false, {});
    const Certificate own = certify(problem_, scaling_, solution_, model_.tolerance_);
    if (gains_energy(own)) {
      solution_ = std::move(last);
    } else {
      certificate_ = own;
    }
  }

  const ViscousFrictionModel& model_;
  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const Eigen::Ref<const VectorXd>& warm_start_;
  const std::int64_t cost_;    // of one solve, in those of a sparse matrix of this size
  VectorXd impulses_;          // warm start of the next problem, without drag
  bool starts_alike_ = false;  // the warm start is that of the step
  VectorXd numbers_, shares_;  // h mu_v w and theta [nc]
  ContactSolution solution_;
  Certificate certificate_;
  std::vector<SolveAttempt> attempts_;
  int iterations_ = 0;
  bool agrees_ = false;     // the shares agree with the loads of `solution_`
  bool is_frozen_ = false;  // the last solve was given its restitution
  std::vector<char> bounces_;
  double last_share_ = 1.0;
  std::optional<double> restitution_share_;  // given to all solves
};

CertifiedSolution ViscousFrictionModel::solve_and_certify(
    const ContactProblem& problem, const ProblemScaling& scaling,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return Search(*this, problem, scaling, warm_start).run();
}

ContactSolution ViscousFrictionModel::solve(
    const ContactProblem& problem, const ProblemScaling& scaling,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return solve_and_certify(problem, scaling, warm_start).solution;
}

CertifiedSolution ViscousFrictionModel::solve_certified(const ContactProblem& problem,
                                                        const ProblemScaling& scaling,
                                                        const Eigen::VectorXd& warm_start,
                                                        double tolerance,
                                                        ModelMemory& /*memory*/) const {
  CertifiedSolution certified = solve_and_certify(problem, scaling, warm_start);
  if (tolerance != tolerance_) {
    certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  }
  return certified;
}

}  // namespace amontons
