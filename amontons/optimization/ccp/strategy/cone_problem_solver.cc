#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include "amontons/optimization/ccp/near_contacts.h"
#include "amontons/optimization/ccp/strategy/cone_solver_attempts.h"

#include <algorithm>
#include <utility>

namespace amontons {
namespace {

constexpr int kFewContacts = 3;  // up to here Newton's step costs little more than a sweep
constexpr int kFirstSweeps = 4;  // more of them gain less than Newton's method does
constexpr int kMaxColdSweptContacts =
    100;                             // contacts of a heap that need not be swept for long before
constexpr double kStackRatio = 2.5;  // rows per degree of freedom

constexpr double kSteadyResidual =
    1e-4;                                // residual of a warm start below which a heap hardly moves
constexpr int kMaxPairs = 1000;          // of sweeps there, as much as a relaxation,
constexpr int kPatience = 50;            // unless the residual does not even halve in so many
constexpr double kCloseResidual = 1e-5;  // residual from which Newton's method may still end there
constexpr double kCoarseResidual = 1e-6;  // of an interior point in the largest heaps, where a step
                                          // costs as much as 100 sweeps
constexpr double kWarmShare = 0.9;        // of the last answer in its first point
constexpr int kVeryMany = 1000;           // contacts from which on a step of Newton's takes 0.1 s
constexpr int kWarmPairs = 400;  // of sweeps in a stack that slides, near the last answer: as
                                 // much as an interior point
constexpr int kPathSteps = 200;  // along the central path
constexpr int kNearbySteps = 6;  // of proximal Newton from the last step: mostly one or two
constexpr int kHeapSteps = 60;   // in a moving heap, which comes again in the next step

constexpr double kRestShare =
    1e-6;  // share of the free motion below which an answer slides nowhere
constexpr int kMaxContactsForRest = 400;  // contacts up to which rest is worth an interior point

constexpr int kMaxContactsForSticking =
    40;  // contacts that may be asked in each step to go on sticking
constexpr double kToSpare = 1.0 - 1e-6;  // share of the friction that sticking left unused

constexpr double kSteepFriction = 1e3;  // from here on cones are nearly half-spaces

constexpr double kLostDigits = 10.0;  // times the goal: Newton's method should have done better

class ConeProblemSolver : private ConeSolverAttempts {
 public:
  using ConeSolverAttempts::ConeSolverAttempts;

  SolveStatus solve() {
    const bool found = start() || (problem_.law == ConeLaw::Coulomb ? coulomb() : associated());
    if (found && best_.residual > settings_.target_residual && !polished_) polish();
    if (found && has_lost_digits()) prefer_equilibrium(best_);
    if (found && slips_although_it_may_stick()) prefer_sticking();
    if (found && settings_.warm && has_lost_digits() && slides_nowhere(best_))
      restart_from_interior();
    if (found) zero_open_contacts();
    if (found) return SolveStatus::Converged;
    return left_ > 0 ? SolveStatus::Stalled : SolveStatus::IterationLimit;
  }

 private:
  bool has_lost_digits() const { return best_.residual > kLostDigits * settings_.target_residual; }

  /// What slides together, stacked, has friction on the rim of every cone: Newton's method gains
  /// nothing there. Of many contacts, where its step is dear, only one is tried then.
  void polish() {
    const double before = best_.residual;
    const bool costly = problem_.num_blocks() > kManyContacts;
    newton("Newton, last digits", best_, costly ? 1 : 4, 1.0);
    if (costly && best_.residual < 0.1 * before) newton("Newton, last digits", best_, 3, 1.0);
  }

  /// The free motion, the warm start as it is, and Newton from there.
  bool start() {
    const bool warm = settings_.warm && best_.r.size() == problem_.q.size();
    ConeIterate& guess = work_.guess;
    if (warm) std::swap(guess, best_);
    start_from_zero(problem_, best_);
    if (accept_without_iterating("free motion", best_)) return true;
    is_heap_ = has_few_conditions(problem_.cones.size());
    if (!warm) return false;
    project_on_cones(problem_, guess.r);
    evaluate(problem_, guess);
    keep_best(guess, best_);
    if (accept_without_iterating("warm start", guess)) return true;
    if (problem_.num_blocks() <= kManyContacts) {
      return newton("Newton, warm", guess, 8, 1.0) || prefer_equilibrium(guess);
    }
    // A step of Newton's costs as much as many sweeps, in the largest heaps as all that are needed:
    // those have it only where little changes, so that nothing creeps.
    const double before = guess.residual;
    restricts_to_near_ = is_heap_ = has_few_conditions(count_near(guess));
    is_moving_heap_ = is_heap_ && !(before < kSteadyResidual);
    is_large_moving_heap_ = is_moving_heap_ && problem_.num_blocks() > kVeryMany;
    if (is_large_moving_heap_) return false;
    if (newton("Newton, warm", guess, is_heap_ ? 2 : 1, 1.0) || prefer_equilibrium(guess))
      return true;
    return best_.residual < 0.1 * before && newton("Newton, warm", best_, 6, 1.0);
  }

  /// Many contacts, and about as many conditions as freedoms.
  /// @param closed  how many contacts give conditions.
  bool has_few_conditions(std::size_t closed) const {
    const double conditions = 3.0 * static_cast<double>(closed);
    return problem_.num_blocks() > kManyContacts &&
           conditions <= kStackRatio * static_cast<double>(problem_.W->kernel_size());
  }

  std::size_t count_near(const ConeIterate& point) {
    find_near_contacts(problem_, point.r, point.u, kFarOpen, work_.near);
    return work_.near.size();
  }

  // Where nothing need slide the relaxation decides: without sliding Coulomb's law and the
  // relaxation are one, and of the relaxation's answers all have one velocity.

  /// What may stand stands, with reactions from the inside of their cones. Other ways lose digits
  /// there, and may end at an answer of Coulomb's that falls.
  bool prefer_equilibrium(const ConeIterate& point) {
    if (problem_.law != ConeLaw::Coulomb || problem_.num_blocks() > kMaxContactsForRest)
      return false;
    if (!are_round_cones(problem_) || !slides_nowhere(point)) return false;
    ConeIterate before = best_;
    const bool stands = relaxation_then_newton();
    keep_best(before, best_);
    return stands;
  }

  /// Beside an answer that sticks Coulomb's law may have one that slides: in a grip whose normal
  /// forces are not determined. If everything can stick the relaxation's does.
  void prefer_sticking() {
    ConeIterate sliding = best_;
    if (!relaxation_then_newton() || slips_although_it_may_stick()) best_ = std::move(sliding);
  }

  /// Whether a contact slides that stuck with friction to spare in the step before, or that begins
  /// at rest.
  bool slips_although_it_may_stick() const {
    if (problem_.law != ConeLaw::Coulomb) return false;
    if (!settings_.warm && !settings_.from_rest) return false;
    const int most = settings_.from_rest ? kMaxContactsForRest : kMaxContactsForSticking;
    if (problem_.num_blocks() > most || has_polygons(problem_)) return false;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Cone& cone = problem_.cones[static_cast<std::size_t>(i)];
      if (cone.friction_offset > 0.0 || !slides(i, best_)) continue;
      if (settings_.from_rest) return true;
      const Eigen::Vector3d before = work_.guess.r.segment<3>(3 * i);
      if (before.head<2>().norm() < kToSpare * cone.mu * before.z()) return true;
    }
    return false;
  }

  bool slides(int i, const ConeIterate& point) const {
    return problem_.cones[static_cast<std::size_t>(i)].kind == ConeKind::Friction &&
           point.r(3 * i + 2) > 0.0 &&
           point.u.segment<2>(3 * i).norm() > kRestShare * problem_.q.lpNorm<Eigen::Infinity>();
  }

  bool slides_nowhere(const ConeIterate& point) const {
    double slip = 0.0;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      if (problem_.cones[static_cast<std::size_t>(i)].kind != ConeKind::Friction) continue;
      slip = std::max(slip, point.u.segment<2>(3 * i).norm());
    }
    return slip <= kRestShare * problem_.q.lpNorm<Eigen::Infinity>();
  }

  /// A warm start may lead redundant reactions to the rims of their cones, where Newton's method
  /// loses digits, in each step more: bodies creep. Reactions from the inside have them.
  void restart_from_interior() {
    if (problem_.law != ConeLaw::Coulomb || problem_.num_blocks() > kManyContacts) return;
    if (!are_round_cones(problem_)) return;
    interior_then_newton();
    if (best_.residual > settings_.target_residual)
      newton("Newton, from inside", work_.inner, 8, 1.0);
  }

  bool on_polygon() {
    ConeIterate& swept = work_.swept;
    if (is_large_moving_heap_) {
      // Where the relaxation will do, one interior point is tried: others fail there, too.
      swept = best_;
      return accelerated_sweep(swept, kMaxPairs, kPatience) ||
             (best_.residual < kCloseResidual && newton("Newton", swept, 5, 1.0)) ||
             polygon_interior_point(1.0) ||
             (work_.inner.residual < kCloseResidual &&
              newton("Newton, from interior point", work_.inner, 20, 1.0));
    }
    start_from_zero(problem_, swept);
    if (accelerated_sweep(swept, 60) || newton("Newton", swept, 20, 1.0)) return true;
    for (const double start : {1.0, 10.0, 0.1, 100.0}) {
      if (polygon_interior_point(start) ||
          newton("Newton, from interior point", work_.inner, 20, 1.0)) {
        return true;
      }
    }
    return newton("Newton, best point", best_, 40, 1.0);
  }

  bool coulomb() {
    if (has_polygons(problem_)) return on_polygon();
    // Stacks have far more conditions than freedoms: interior point first. Heaps have not.
    const bool many = problem_.num_blocks() > kManyContacts;
    const bool stack = many && !is_heap_;
    ConeIterate& swept = work_.swept;
    if (stack && settings_.warm) {
      swept = best_;
      if (accelerated_sweep(swept, kWarmPairs)) return true;
    }
    if (stack && (interior_then_sweeps(settings_.tolerance) ||
                  newton("Newton, from interior point", work_.inner, 20, 1.0))) {
      return true;
    }
    if (is_heap_ && !settings_.warm && problem_.num_blocks() <= kMaxColdSweptContacts &&
        sweep_then_newton(kFirstSweeps, 40)) {
      return true;
    }
    if (many) {
      swept = best_;
      if (is_moving_heap_ ? accelerated_sweep(swept, kMaxPairs, kPatience)
                          : accelerated_sweep(swept, 60)) {
        polished_ = is_large_moving_heap_;
        return true;
      }
      if (is_large_moving_heap_) return false;
      if (newton("Newton", swept, 20, 1.0)) return true;
    } else {
      if (problem_.num_blocks() <= kFewContacts && sweep_then_newton(1, 8)) return true;
      if (sweep_then_newton(kFirstSweeps, 40)) return true;
    }
    if (is_heap_ && settings_.warm && are_round_cones(problem_)) {
      return central_path(kHeapSteps);
    }
    if (!stack && interior_then_newton()) return true;
    if (central_path(kPathSteps)) return true;
    if (many) swept = best_;
    if (accelerated_sweep(swept, 400) || newton("Newton, swept", swept, 40, 3.0)) return true;
    if (lagrangian("proximal Newton", stopped(), 60)) return true;
    if (newton("Newton, best point", best_, 40, 1.0)) return true;
    return !many && convex_sequence(best_);
  }

  bool sweep_then_newton(int sweeps, int steps) {
    ConeIterate& swept = work_.swept;
    start_from_zero(problem_, swept);
    return sweep(swept, sweeps, sweeps) || newton("Newton", swept, steps, 1.0);
  }

  bool associated() {
    // On nearly flat cones interior points run away into reactions that balance each other.
    if (is_steep() && newton("Newton, stopped", stopped(), 20, 1.0)) return true;
    if (is_large_moving_heap_ && are_round_cones(problem_) &&
        interior_then_sweeps(kCoarseResidual, kWarmShare)) {
      polished_ = true;
      return true;
    }
    const bool near =
        settings_.warm && !is_large_moving_heap_ && problem_.num_blocks() > kManyContacts;
    if (near && lagrangian("proximal Newton, best point", best_, kNearbySteps)) return true;
    // Of many contacts some are about to open or to slip, where second-order steps stop short.
    const bool round = are_round_cones(problem_);
    const bool many = problem_.num_blocks() > kManyContacts && round;
    if (many && interior_then_sweeps(settings_.tolerance)) return true;
    if (!many && interior_then_newton()) return true;
    if (lagrangian("proximal Newton, best point", best_, 60)) return true;
    if (round && sweep_best_point()) return true;
    if (newton("Newton, best point", best_, 20, 1.0)) return true;
    if (lagrangian("proximal Newton", stopped(), 300)) return true;
    return newton("Newton, best point", best_, 20, 1.0);
  }

  bool sweep_best_point() {
    work_.swept = best_;
    return accelerated_sweep(work_.swept, kWarmPairs);
  }

  bool is_steep() const {
    return std::any_of(problem_.cones.begin(), problem_.cones.end(),
                       [](const Cone& cone) { return cone.mu > kSteepFriction; });
  }

  /// Contacts that open carry exactly nothing.
  void zero_open_contacts() {
    ConeIterate& point = work_.point;
    point = best_;
    bool changed = false;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Cone& cone = problem_.cones[static_cast<std::size_t>(i)];
      if (cone.kind != ConeKind::Friction || cone.friction_offset > 0.0) continue;
      if (point.r(3 * i + 2) < point.u(3 * i + 2)) {
        const bool opens =
            problem_.law == ConeLaw::Coulomb ||
            project(cone, point.r.segment<3>(3 * i) - point.u.segment<3>(3 * i)).isZero(0.0);
        if (!opens || point.r.segment<3>(3 * i).isZero(0.0)) continue;
        point.r.segment<3>(3 * i).setZero();
        changed = true;
      }
    }
    if (!changed) return;
    evaluate(problem_, point);
    if (point.residual <= std::max(best_.residual, settings_.target_residual)) best_ = point;
  }

  bool is_heap_ = false;
  bool is_moving_heap_ = false;        // one whose last answer is far from this step's
  bool is_large_moving_heap_ = false;  // a very large one
};

}  // namespace

SolveStatus solve_cone_problem(const ConeProblem& problem, const ConeSolverSettings& settings,
                               ConeWorkspace& work, ConeIterate& iterate,
                               std::vector<ConeAttempt>& attempts) {
  return ConeProblemSolver(problem, settings, work, iterate, attempts).solve();
}

}  // namespace amontons
