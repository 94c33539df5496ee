#pragma once

#include <limits>

/// Holds the thresholds of the strategy, each with its unit, usual values and reason. Limits of
/// iterations of single attempts are in the table of cone_problem_solver.h, which also defines the
/// classes of problems.
namespace amontons::cone_strategy {

// Patience without end [pairs].
inline constexpr int kNoLimit = std::numeric_limits<int>::max();
// Contacts above which the order of methods matters: a factorization costs as much as many sweeps.
// Usual: one to 50 in an island of a robot, hundreds and more in heaps and walls.
inline constexpr int kManyContacts = 50;
// Contacts of the class few. Usual: one for a ball, four for a box on a plane. A step of Newton's
// method costs little more than a sweep there, so one sweep is enough before it.
inline constexpr int kFewContacts = 3;
// Sweeps before Newton's method from the free motion. More of them gain less than Newton does.
inline constexpr int kFirstSweeps = 4;
// Contacts of a cold heap up to which these few sweeps and Newton are tried before long sweeps.
inline constexpr int kMaxColdSweptContacts = 100;
// Rows per degree of freedom [-] that divide heaps (below) from stacks. Usual: about 1 to 1.5 in a
// settled heap of balls, 4 in a wall of bricks. Redundant rows slow sweeps down, but not interior
// points.
inline constexpr double kStackRatio = 2.5;

// Residual [-] of a warm start that divides steady heaps (below) from moving ones. A small one says
// that the last solution nearly holds, so that Newton's local convergence helps.
inline constexpr double kSteadyResidual = 1e-4;
// Pairs of sweeps in a moving heap at most. They cost as much as the relaxation, the fallback.
inline constexpr int kMaxPairs = 1000;
// Pairs within which the residual of these sweeps must halve. Without progress they end early.
inline constexpr int kPatience = 50;
// Residual [-] from which Newton may still finish in a large moving heap on the polygon. Above it
// steps of Newton's method fail, and each costs 0.1 s and more.
inline constexpr double kCloseResidual = 1e-5;
// Residual [-] at which an interior point may end under the associated law in a large moving heap.
// Usual: sweeps finish from there; one of its steps costs as much as 100 sweeps.
inline constexpr double kCoarseResidual = 1e-6;
// Share [-] of the last solution in the first interior point there [Skajaa, Andersen, Ye 2013]. The
// rest keeps the point inside the cones.
inline constexpr double kWarmShare = 0.9;
// Contacts above which a moving heap is large. A step of Newton's method then takes 0.1 s and more.
inline constexpr int kVeryMany = 1000;
// Pairs of sweeps in a warm stack, and from the best point under the associated law. Stacks that
// slide are near the last solution; the sweeps cost as much as an interior point.
inline constexpr int kWarmPairs = 400;
// Steps of Newton's method before the path of a cold heap. Usual: it converges in three or not at
// all.
inline constexpr int kColdHeapSteps = 4;
// Steps along the central path, one factorization each. A turn of the curve needs many short ones.
inline constexpr int kPathSteps = 200;
// The same along the whole path, in a narrow tube (share of tau): of 27 steps of a pouring hopper
// that the path of the near contacts misses it finds 11. Contacts above which it takes too long,
// and in a moving heap a softened path, too.
inline constexpr int kWholePathSteps = 300;
inline constexpr double kNarrowTube = 0.05;
inline constexpr int kMaxContactsForSlowPaths = 2500;
// Steps of Newton's method that show where the relaxation slips. Usual: three to six.
inline constexpr int kRelaxationSteps = 8;
// Steps of proximal Newton from the last step's solution. Usual: one or two.
inline constexpr int kNearbySteps = 6;
// Compliances [-] at tau = 1 of the second and the third central path.
inline constexpr double kLargeCompliance = 0.1, kSmallCompliance = 0.01;

// Tolerance [-] from which many contacts are left to sweeps. Usual: they reach 1e-3 in 30 to
// 150 sweeps of a heap, and below 1e-5 they crawl while it settles.
inline constexpr double kCoarseTolerance = 1e-5;
// Sweeps at most where the tolerance is coarse, and where it is at least kVeryCoarse [-].
inline constexpr int kCoarseSweeps = 800, kVeryCoarseSweeps = 400;
inline constexpr double kVeryCoarse = 5e-4;

// What few contacts and stacks are solved to where less would do [-]: tolerance, acceptable
// residual, and Newton's target. Usual: those of a tolerance of 1e-8.
inline constexpr double kFineTolerance = 5e-9, kFineAcceptable = 9e-9, kFineTarget = 1e-13;
// Residual [-] of a warm start below which a stack, or few contacts, have nearly come to rest.
// Usual: 1 and more while they settle.
inline constexpr double kNearRest = 0.1;
// Slip [-], in the unit of the residual, above which a stack slides. Usual: below 0.01 where it
// settles, above 1 where it slides.
inline constexpr double kSlidingStack = 0.1;

// Share [-] of the largest |q_i| below which a slip counts as none. Usual: 1e-8 and less, the
// tolerance of the residual, where contacts stick.
inline constexpr double kRestShare = 1e-6;
// Contacts up to which missing digits are worth an interior point that finds an equilibrium. Its
// cost grows faster than that of the step.
inline constexpr int kMaxContactsForRest = 400;

// Contacts up to which a slip that need not be is solved once more in every step. Usual: a grip has
// 2 to 20 contacts.
inline constexpr int kMaxContactsForSticking = 40;
// Share [-] of the cone's radius below which the last friction left some unused. A normal that
// turns by 4e-3 rad in the step takes the friction of a contact that slid as far from its rim.
inline constexpr double kUnusedFrictionShare = 0.99;

// Coefficient of friction [-] above which cones are nearly half-spaces. Usual: 0.1 to 1; larger
// ones are set to forbid slip.
inline constexpr double kSteepFriction = 1e3;

// Factor [-] over the target residual from which digits are missing. Usual: Newton's last steps
// reach the target itself.
inline constexpr double kMissingDigits = 100.0;
// Share [-] of the residual before, below which another solution has gained digits. Usual: 1e-2 and
// less, or 0.99 and more.
inline constexpr double kGainOfDigits = 0.5;
// What misses digits in heaps. Usual: 4e-11 at rest with 300 contacts, and no method gains more.
inline constexpr double kHeapResidual = 1e-10;
// Residual [-] below which no other method would gain more: rounding of r and u. A certificate with
// a stricter tolerance reports that itself.
inline constexpr double kResidualRounding = 1e-11;
// Steps of an interior point method at most. Usual: 8 to 25.
inline constexpr int kInteriorSteps = 80;
// Pairs of sweeps after an interior point. They cost as much as the interior point itself.
inline constexpr int kFinishingPairs = 400;
// Pairs of sweeps that show which contacts may close. They need not converge: contacts left out
// that close join later (restricted_solution.h).
inline constexpr int kDetectionPairs = 20;
// Penalties of the augmented Lagrangian [-], first and largest. Scaled rows have W_ii about 1: the
// first weighs the constraint 1e3 times the energy, and the largest leaves six digits of a double.
inline constexpr double kFirstPenalty = 1e3, kLargestPenalty = 1e10;

}  // namespace amontons::cone_strategy
