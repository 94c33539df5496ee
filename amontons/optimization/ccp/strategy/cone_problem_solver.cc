#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include "amontons/optimization/ccp/methods/central_path_point.h"
#include "amontons/optimization/ccp/near_contacts.h"
#include "amontons/optimization/ccp/strategy/cone_solver_attempts.h"
#include "amontons/optimization/ccp/strategy/problem_class.h"
#include "amontons/optimization/ccp/strategy/thresholds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using namespace cone_strategy;

/// Runs the attempts in the order of the problem's class.
class ConeProblemSolver : private ConeSolverAttempts {
 public:
  using ConeSolverAttempts::ConeSolverAttempts;

  /// Solves, then improves a solution in the order of docs/theory/cone-solver.md.
  SolveStatus solve() {
    enough_ = acceptance_threshold();
    // Few contacts give all digits at the price of some.
    if (problem_.num_blocks() <= kManyContacts) refine();
    // The attempts themselves, until one meets the acceptance threshold.
    const bool found =
        start() || stack() || coarse() ||
        (!ends_coarse() && (problem_.law == ConeLaw::Coulomb ? coulomb() : associated())) ||
        best_.residual <= enough_;
    // Last digits, unless the last method continued to the target residual by itself.
    if (found && best_.residual > settings_.target_residual && !polished_) polish();
    // Where digits or sticking are missing, the relaxation offers another solution of the same law.
    const double before = best_.residual;
    const bool at_equilibrium = found && misses_digits() && prefer_equilibrium(best_);
    if (found && slips_although_it_may_stick(best_)) prefer_sticking();
    // Reactions from inside the cones that leave the same residual show that no reactions leave
    // less: what contacts of one rigid pair ask for agrees up to rounding only.
    const bool gains = !at_equilibrium || best_.residual < kGainOfDigits * before;
    if (found && settings_.warm && gains && misses_digits() && slides_nowhere(problem_, best_))
      restart_from_interior();
    if (found) zero_open_contacts();
    if (found) return SolveStatus::Converged;
    // The budget of iterations is spent, or that of the sweeps of a heap, or every attempt ended.
    return is_spent() || ends_coarse() ? SolveStatus::IterationLimit : SolveStatus::Stalled;
  }

 private:
  /// Returns true if the residual is far above what Newton's method usually reaches.
  bool misses_digits() const {
    const double usual = kMissingDigits * settings_.target_residual;
    return best_.residual > (is_heap_ ? std::max(usual, kHeapResidual) : usual);
  }

  /// Continues with Newton's method to the target residual. Stacks that slide have friction on the
  /// rim of every cone, where Newton gains nothing. With many contacts a step is expensive, so one
  /// is tried first and three more follow if it gains a digit.
  void polish() {
    const double before = best_.residual;
    const bool costly = problem_.num_blocks() > kManyContacts;
    newton("Newton, last digits", best_, costly ? 1 : 4, 1.0);
    if (costly && best_.residual < 0.1 * before) newton("Newton, last digits", best_, 3, 1.0);
  }

  /// Tries the free motion, the warm start as it is, and Newton from there; finds the class.
  bool start() {
    const bool warm = settings_.warm && best_.r.size() == problem_.q.size();
    // The free motion r = 0 is the first best point.
    ConeIterate& guess = work_.guess;
    if (warm) std::swap(guess, best_);
    if (warm && is_coarse(problem_, settings_.tolerance)) return start_coarse();
    start_from_zero(problem_, best_);
    if (accept_without_iterating("free motion", best_)) return true;
    // Cold: all contacts count as conditions. This class holds unless a warm start refines it.
    is_heap_ = has_few_conditions(problem_, problem_.cones.size());
    is_stack_ = !is_heap_ && is_stack(problem_, all_contacts());
    if (!warm) return false;
    // The warm start, projected on the cones of this step, may be the solution already.
    project_on_cones(problem_, guess.r);
    evaluate(problem_, guess);
    keep_best(guess, best_);
    is_near_rest_ = guess.residual < kNearRest;
    if (accept_without_iterating("warm start", guess)) return true;
    // Up to 50 contacts a step of Newton's method is cheap: it is given enough of them.
    if (problem_.num_blocks() <= kManyContacts) {
      return newton("Newton, warm", guess, 8, 1.0) || prefer_equilibrium(guess);
    }
    // Warm: only near contacts count, since far open ones give no conditions.
    const double before = guess.residual;
    classify_warm(guess);
    if (is_stack_) return false;
    // With many contacts a step of Newton's method costs as much as many sweeps, in the largest
    // heaps as much as all sweeps that are needed. There only steady heaps get it, so that nothing
    // creeps.
    is_moving_heap_ = is_heap_ && !(before < kSteadyResidual);
    is_large_moving_heap_ = is_moving_heap_ && problem_.num_blocks() > kVeryMany;
    if (is_large_moving_heap_) return false;
    // Few steps first; more only if they gained a digit.
    if (newton("Newton, warm", guess, is_heap_ ? 2 : 1, 1.0) || prefer_equilibrium(guess))
      return true;
    return best_.residual < 0.1 * before && newton("Newton, warm", best_, 6, 1.0);
  }

  /// Tries the warm start as it is. The free motion is farther from the law where something closes.
  bool start_coarse() {
    project_on_cones(problem_, work_.guess.r);
    evaluate(problem_, work_.guess);
    best_ = work_.guess;
    if (accept_without_iterating("warm start", best_)) return true;
    classify_warm(best_);
    is_heap_ = !is_stack_;
    return false;
  }

  /// Finds the class from the contacts near a warm start.
  void classify_warm(const ConeIterate& point) {
    find_near_contacts(problem_, point.r, point.u, kFarOpen, work_.near);
    restricts_to_near_ = is_heap_ = has_few_conditions(problem_, work_.near.size());
    is_stack_ = is_stack(problem_, work_.near);
  }

  /// Returns the numbers of all contacts, in the memory of the near ones.
  const std::vector<int>& all_contacts() {
    work_.near.resize(problem_.cones.size());
    std::iota(work_.near.begin(), work_.near.end(), 0);
    return work_.near;
  }

  /// Solves a stack to more digits than a coarse tolerance asks for, unless it slides: then the
  /// next steps find their solution near the last one. At a coarse tolerance it trembles, and each
  /// step costs as much as the first.
  bool stack() {
    if (!is_stack_) return false;
    const ConeSolverSettings asked = settings_;
    const double before = best_.residual;
    const bool near_rest = settings_.warm && before < kNearRest;
    const bool coarse = settings_.warm && is_coarse(problem_, settings_.tolerance);
    refine();
    bool fine = settings_.warm &&
                (newton("Newton, warm", best_, near_rest ? 4 : 1, 1.0) ||
                 (best_.residual < 0.1 * before && newton("Newton, warm", best_, 6, 1.0)));
    settings_ = asked;
    if (!fine && coarse) {
      polished_ = true;
      if (stack_sweeps() && is_sliding_stack(problem_, best_)) return true;
    }
    refine();
    // While a stack settles, reactions from inside the cones share every load, and Newton's method
    // finds the next ones from there; those of sweeps lie on the rims.
    const bool sweeps = coarse ? near_rest : settings_.warm || asked.tolerance > kFineTolerance;
    if (!fine && sweeps) fine = stack_sweeps();
    // Near rest the tolerance asked is enough where sweeps gain no more.
    if (!fine && !(near_rest && best_.residual <= enough_)) fine = from_inside();
    if (fine && best_.residual > settings_.target_residual && !polished_) polish();
    polished_ = true;
    settings_ = asked;
    return done();
  }

  /// Solves a stack from inside the cones: by the path where few contacts are near.
  bool from_inside() {
    return restricts_to_near_ ? central_path("central path", 0.0)
                              : interior_point(settings_.tolerance);
  }

  /// Sweeps from the best point of a stack, as long as they are fast enough to arrive.
  bool stack_sweeps() {
    work_.swept = best_;
    const double halvings = std::log2(best_.residual / acceptance_threshold());
    return accelerated_sweep(work_.swept, kWarmPairs,
                             static_cast<int>(kWarmPairs / std::max(halvings, 1.0)));
  }

  /// Runs the sweeps of a coarse tolerance.
  bool coarse() {
    if (!ends_coarse()) return false;
    const bool is_very_coarse = settings_.tolerance >= kVeryCoarse;
    const bool found = momentum_sweeps(is_very_coarse ? kVeryCoarseSweeps : kCoarseSweeps);
    polished_ = found;  // a step of Newton's method would cost more than all sweeps
    return found;
  }
  /// Returns true where nothing else is tried: heaps pay for accuracy only if it is asked for.
  bool ends_coarse() const { return is_coarse(problem_, settings_.tolerance) && is_heap_; }

  // Where nothing slides the relaxation decides: without sliding it agrees with Coulomb's law, and
  // all solutions of the relaxation have one velocity.

  /// Prefers equilibrium: solves the relaxation, whose reactions lie inside their cones, where
  /// nothing slides at a point. Other methods lose digits there, and may end at a solution of
  /// Coulomb's law that falls.
  bool prefer_equilibrium(const ConeIterate& point) {
    if (problem_.law != ConeLaw::Coulomb || problem_.num_blocks() > kMaxContactsForRest)
      return false;
    if (!are_round_cones(problem_) || !slides_nowhere(problem_, point)) return false;
    // Warm heap: the last reactions are mostly one or two proximal steps away, and an interior
    // point from scratch ends with fewer digits.
    if (is_heap_ && settings_.warm && nearby_relaxation(point) && slides_nowhere(problem_, best_))
      return true;
    const ConeIterate before = best_;
    const bool at_equilibrium = relaxation_then_newton();
    keep_best(before, best_);  // the relaxation has replaced the best point
    return at_equilibrium;
  }

  /// Prefers sticking: besides a solution that sticks, Coulomb's law may have one that slides, in a
  /// grip whose normal forces are not determined. If everything can stick, the relaxation sticks.
  void prefer_sticking() {
    // The velocity of the relaxation is unique: what slips in it needs no interior point.
    if (newton_on_relaxation() && slips_although_it_may_stick(work_.point)) return;
    ConeIterate sliding = best_;
    if (!relaxation_then_newton() || slips_although_it_may_stick(best_)) best_ = std::move(sliding);
  }

  /// Returns true if a contact slips at a point although its last friction force was strictly
  /// inside the cone, or although the scene begins at rest.
  bool slips_although_it_may_stick(const ConeIterate& point) const {
    if (problem_.law != ConeLaw::Coulomb || !(settings_.warm || settings_.from_rest)) return false;
    // The check costs a relaxation where it fails, so it is bounded by size.
    const int most = settings_.from_rest ? kMaxContactsForRest : kMaxContactsForSticking;
    if (problem_.num_blocks() > most || has_polygons(problem_)) return false;
    const double no_slip = kRestShare * problem_.q.lpNorm<Eigen::Infinity>();
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      // Discs without a load (joint rows) slip at a fixed force: nothing is undetermined there.
      const Cone& cone = problem_.cones[static_cast<std::size_t>(i)];
      if (cone.friction_offset > 0.0 || !slides(problem_, i, point, no_slip)) continue;
      // The warm start holds the last reactions: strictly inside the cone means friction to spare.
      if (settings_.from_rest) return true;
      const Eigen::Vector3d before = work_.guess.r.segment<3>(3 * i);
      if (before.head<2>().norm() < kUnusedFrictionShare * cone.mu * before.z()) return true;
    }
    return false;
  }

  /// Restarts from inside the cones. A warm start may lead redundant reactions to the rims of their
  /// cones, where Newton's method loses digits, more in each step: bodies creep.
  void restart_from_interior() {
    if (problem_.law != ConeLaw::Coulomb || problem_.num_blocks() > kManyContacts) return;
    if (!are_round_cones(problem_)) return;
    interior_then_newton();
    if (best_.residual > settings_.target_residual)
      newton("Newton, from inside", work_.inner, 8, 1.0);
  }

  /// Runs the attempts of the class polygon.
  bool on_polygon() {
    ConeIterate& swept = work_.swept;
    if (is_large_moving_heap_) {
      // One interior point is tried, others fail, too: the relaxation is an acceptable fallback.
      swept = best_;
      return accelerated_sweep(swept, kMaxPairs, kPatience) ||
             (best_.residual < kCloseResidual && newton("Newton", swept, 5, 1.0)) ||
             polygon_interior_point(1.0) ||
             (work_.inner.residual < kCloseResidual &&
              newton("Newton, from interior point", work_.inner, 20, 1.0));
    }
    // Sweeps from the free motion, then Newton on the piecewise linear map.
    start_from_zero(problem_, swept);
    if (accelerated_sweep(swept, 60) || newton("Newton", swept, 20, 1.0)) return true;
    // The law is not monotone: a path that ends may pass from a start of another size.
    for (const double start : {1.0, 10.0, 0.1, 100.0}) {
      if (polygon_interior_point(start) ||
          newton("Newton, from interior point", work_.inner, 20, 1.0)) {
        return true;
      }
    }
    return newton("Newton, best point", best_, 40, 1.0);
  }

  /// Runs the attempts under Coulomb's law; the header's table names their order.
  bool coulomb() {
    if (has_polygons(problem_)) return on_polygon();
    // Stacks have far more conditions than freedoms: interior point first. Heaps have not.
    const bool many = problem_.num_blocks() > kManyContacts;
    const bool stack = many && !is_heap_;
    ConeIterate& swept = work_.swept;
    // Stack: what stack() tries first, if it has not; then sweeps or Newton from its end.
    if (stack && !is_stack_ &&
        ((settings_.warm && stack_sweeps()) || interior_point(settings_.tolerance)))
      return true;
    if (stack && (accelerated_sweep(work_.inner, kFinishingPairs) ||
                  newton("Newton, from interior point", work_.inner, 20, 1.0))) {
      return true;
    }
    // Cold heap of moderate size: few sweeps and Newton, as below 50 contacts.
    if (is_heap_ && !settings_.warm && problem_.num_blocks() <= kMaxColdSweptContacts &&
        sweep_then_newton(kFirstSweeps, 40)) {
      return true;
    }
    // More than 50 contacts: accelerated sweeps from the best point, long ones in moving heaps.
    if (many) {
      swept = best_;
      if (is_moving_heap_ ? accelerated_sweep(swept, kMaxPairs, kPatience)
                          : accelerated_sweep(swept, 60)) {
        // A polish would cost as much as the sweeps of a large moving heap.
        polished_ = is_large_moving_heap_;
        return true;
      }
      if (is_large_moving_heap_) {
        return central_path("central path", 0.0) || whole_central_path() ||
               (problem_.num_blocks() <= kMaxContactsForSlowPaths && softened_paths());
      }
      // In a moving heap most of Newton's steps from there fail; the path does not.
      const int steps = is_heap_ && !settings_.warm ? kColdHeapSteps : 20;
      if (!is_moving_heap_ && newton("Newton", swept, steps, 1.0)) return true;
    } else {
      // Few and moderate: sweeps from the free motion, then Newton.
      if (problem_.num_blocks() <= kFewContacts && sweep_then_newton(1, 8)) return true;
      // Where these do not give all digits, others that do are dear. They are worth it near rest:
      // what trembles within a coarse tolerance never rests, and needs them in each step.
      if (sweep_then_newton(kFirstSweeps, 40)) return true;
      if (best_.residual <= enough_ && !is_near_rest_) return true;
    }
    // Heap: an interior point would stall where the path turns back.
    const bool by_path = is_heap_ && CentralPathPoint::supports(problem_);
    if (by_path && settings_.warm) return central_paths() || whole_central_path();
    if (by_path && central_path("central path", 0.0)) return true;
    // Moderate, or a cold heap: interior point and Newton from its end.
    if (!stack && interior_then_newton()) return true;
    // The tail. With few contacts a sequence of convex problems costs less than a softened path.
    const bool found = many ? (by_path ? softened_paths() : central_paths())
                            : central_path("central path", 0.0) || convex_sequence(best_) ||
                                  central_path("central path, softened", kLargeCompliance);
    if (found) return true;
    if (many) swept = best_;
    if (accelerated_sweep(swept, 400) || newton("Newton, swept", swept, 40, 3.0)) return true;
    if (proximal_point("proximal Newton", least_squares_start(), 60)) return true;
    return newton("Newton, best point", best_, 40, 1.0);
  }

  /// Sweeps from the free motion, then Newton.
  bool sweep_then_newton(int sweeps, int steps) {
    ConeIterate& swept = work_.swept;
    start_from_zero(problem_, swept);
    return sweep(swept, sweeps, sweeps) || newton("Newton", swept, steps, 1.0);
  }

  /// Runs the attempts under the associated law, the relaxation.
  bool associated() {
    // On nearly flat cones interior points diverge along reactions that balance each other.
    if (is_steep(problem_) && newton("Newton, stopped", least_squares_start(), 20, 1.0))
      return true;
    // Large moving heap: a coarse interior point near the last solution, finished by sweeps.
    if (is_large_moving_heap_ && are_round_cones(problem_) &&
        interior_then_sweeps(kCoarseResidual, kWarmShare)) {
      polished_ = true;
      return true;
    }
    // Warm and many: the last solution is mostly one or two proximal steps away.
    const bool near =
        settings_.warm && !is_large_moving_heap_ && problem_.num_blocks() > kManyContacts;
    if (near && proximal_point("proximal Newton, best point", best_, kNearbySteps)) return true;
    // With many contacts some are about to open or to slip, where second-order steps stop short.
    const bool round = are_round_cones(problem_);
    const bool many = problem_.num_blocks() > kManyContacts && round;
    if (many && interior_then_sweeps(settings_.tolerance)) return true;
    if (!many && interior_then_newton()) return true;
    // Proximal points converge for any convex problem; sweeps and Newton finish them.
    if (proximal_point("proximal Newton, best point", best_, 60)) return true;
    work_.swept = best_;
    if (round && accelerated_sweep(work_.swept, kWarmPairs)) return true;
    if (newton("Newton, best point", best_, 20, 1.0)) return true;
    if (proximal_point("proximal Newton", least_squares_start(), 300)) return true;
    return newton("Newton, best point", best_, 20, 1.0);
  }

  /// Sets the reactions of contacts that open to zero, so that they carry exactly nothing.
  void zero_open_contacts() {
    ConeIterate& point = work_.point;
    point = best_;
    // The changed point replaces the best one only if its residual is no worse.
    if (!drop_open_reactions(problem_, point)) return;
    evaluate(problem_, point);
    if (point.residual <= std::max(best_.residual, settings_.target_residual)) best_ = point;
  }

  double enough_ = 0.0;        // residual [-] that was asked for
  bool is_near_rest_ = false;  // the last solution nearly holds
  bool is_heap_ = false;
  bool is_stack_ = false;              // stack() solves it
  bool is_moving_heap_ = false;        // a heap whose last solution is far from this step's
  bool is_large_moving_heap_ = false;  // a moving heap of more than kVeryMany contacts
};

}  // namespace

SolveStatus solve_cone_problem(const ConeProblem& problem, const ConeSolverSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate,
                               std::vector<ConeAttempt>& attempts) {
  return ConeProblemSolver(problem, settings, work, iterate, attempts).solve();
}

}  // namespace amontons
