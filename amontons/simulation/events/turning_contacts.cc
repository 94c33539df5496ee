#include "amontons/simulation/events/turning_contacts.h"

#include "amontons/geometry/shape_kinds.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/simulation/detection/passages.h"
#include "amontons/simulation/system/pair_of_shapes.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace amontons {
namespace {

// Turn of a body from which its contacts are looked at [rad].
constexpr double kLeastTurn = 0.05;
// Overlap from which another part has touched, as a share of the smaller bounding radius [-]. Less
// is the curvature of bodies that roll.
constexpr double kOverlapShare = 0.01;
// Halvings of the motion down to the instant of touch.
constexpr int kBisections = 40;

/// Follows the motion of a solution.
class Motion {
 public:
  Motion(const System& system, const State& state, const StepReport& report)
      : system_(system), state_(state), report_(report) {}

  /// Returns true if another part of one of the shapes could touch the other: one turns that is no
  /// ball.
  bool turns(const PairOfShapes& pair, const SystemKinematics& start) const {
    const auto turn = [&](std::int32_t index) {
      const CollisionShape& own = shape(index);
      if (std::holds_alternative<Sphere>(own.shape)) return 0.0;
      return turn_of(system_, start, own.body, report_.solution.velocity, report_.step);
    };
    return is_bounded_convex(shape(pair.first).shape) &&
           is_bounded_convex(shape(pair.second).shape) &&
           std::max(turn(pair.first), turn(pair.second)) > kLeastTurn;
  }
  double smaller_radius(const PairOfShapes& pair) const {
    return std::min(bounding_radius(shape(pair.first).shape),
                    bounding_radius(shape(pair.second).shape));
  }
  /// Places all after a time [s].
  void move(double elapsed, SystemKinematics& kinematics) const {
    const Eigen::VectorXd& velocity = report_.solution.velocity;
    compute_kinematics(system_, integrate_positions(system_, state_.q, velocity, elapsed), velocity,
                       state_.time + elapsed, kinematics);
  }
  /// Returns the overlap [m]; 0 where they are apart.
  double overlap(const PairOfShapes& pair, const SystemKinematics& at) const {
    const CollisionShape &A = shape(pair.first), &B = shape(pair.second);
    const auto pose = [&at](const CollisionShape& own) {
      return at.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
    };
    return std::max(0.0, -signed_distance(A.shape, pose(A), B.shape, pose(B)).distance);
  }

 private:
  const CollisionShape& shape(std::int32_t index) const {
    return system_.shapes()[static_cast<std::size_t>(index)];
  }

  const System& system_;
  const State& state_;
  const StepReport& report_;
};

}  // namespace

double time_of_turning_contact(const System& system, const State& state,
                               const SystemKinematics& start, const StepReport& report,
                               double tolerance) {
  const Motion motion(system, state, report);
  std::vector<PairOfShapes> pairs = pairs_of(report.problem.contacts);
  std::erase_if(pairs, [&](const PairOfShapes& pair) { return !motion.turns(pair, start); });
  if (pairs.empty()) return report.step;
  SystemKinematics end, between;
  motion.move(report.step, end);
  double first = report.step;
  for (const PairOfShapes& pair : pairs) {
    const double least = motion.overlap(pair, start) + tolerance;
    if (motion.overlap(pair, end) <= least + kOverlapShare * motion.smaller_radius(pair)) continue;
    double apart = 0.0, touch = report.step;
    for (int i = 0; i < kBisections && touch - apart > 1e-9 * report.step; ++i) {
      const double middle = 0.5 * (apart + touch);
      motion.move(middle, between);
      (motion.overlap(pair, between) > least ? touch : apart) = middle;
    }
    first = std::min(first, touch);
  }
  return first;
}

}  // namespace amontons
