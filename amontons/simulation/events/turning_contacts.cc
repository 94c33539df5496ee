#include "amontons/simulation/events/turning_contacts.h"

#include "amontons/geometry/shape_kinds.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/simulation/detection/shape_velocity.h"
#include "amontons/simulation/system/pair_of_shapes.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Turn of a body from which its contacts are looked at [rad].
constexpr double kLeastTurn = 0.05;
// Overlap from which another part has touched, as a share of the smaller bounding radius [-]. Less
// is the curvature of bodies that roll.
constexpr double kOverlapShare = 0.01;
// Halvings of the motion down to the instant of touch.
constexpr int kBisections = 40;

/// Measures how two shapes overlap along the motion of a solution.
class Overlap {
 public:
  Overlap(const System& system, const State& state, const StepReport& report,
          const PairOfShapes& pair)
      : system_(system), state_(state), report_(report), A_(at(pair.first)), B_(at(pair.second)) {}

  bool is_looked_at(const SystemKinematics& start) const {
    if (!is_bounded_convex(A_.shape) || !is_bounded_convex(B_.shape)) return false;
    const Eigen::VectorXd& v = report_.solution.velocity;
    const auto turn = [&](const CollisionShape& own) {
      const Pose X_WG = start.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
      const int index = static_cast<int>(&own - system_.shapes().data());
      return report_.step * shape_velocity(system_, start, index, X_WG, v).angular.norm();
    };
    return std::max(turn(A_), turn(B_)) > kLeastTurn;
  }
  double smaller_radius() const {
    return std::min(bounding_radius(A_.shape), bounding_radius(B_.shape));
  }
  /// Returns the overlap after a time [m]; 0 where they are apart.
  double after(double elapsed) {
    compute_kinematics(system_,
                       integrate_positions(system_, state_.q, report_.solution.velocity, elapsed),
                       report_.solution.velocity, state_.time + elapsed, kinematics_);
    const auto pose = [this](const CollisionShape& own) {
      return kinematics_.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
    };
    return std::max(0.0, -signed_distance(A_.shape, pose(A_), B_.shape, pose(B_)).distance);
  }

 private:
  const CollisionShape& at(std::int32_t shape) const {
    return system_.shapes()[static_cast<std::size_t>(shape)];
  }

  const System& system_;
  const State& state_;
  const StepReport& report_;
  const CollisionShape &A_, &B_;
  SystemKinematics kinematics_;
};

}  // namespace

double time_of_turning_contact(const System& system, const State& state,
                               const SystemKinematics& start, const StepReport& report,
                               double tolerance) {
  double first = report.step;
  for (const PairOfShapes& pair : pairs_of(report.problem.contacts)) {
    Overlap overlap(system, state, report, pair);
    if (!overlap.is_looked_at(start)) continue;
    const double least = overlap.after(0.0) + tolerance;
    if (overlap.after(first) <= least + kOverlapShare * overlap.smaller_radius()) continue;
    double apart = 0.0;
    for (int i = 0; i < kBisections && first - apart > 1e-9 * report.step; ++i) {
      const double middle = 0.5 * (apart + first);
      (overlap.after(middle) > least ? first : apart) = middle;
    }
  }
  return first;
}

}  // namespace amontons
