#include "amontons/simulation/detection/passages.h"

#include "amontons/geometry/shape_kinds.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/geometry/time_of_impact.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

// Turn up to which a step, and a part of a step that turns further, is short [rad]. A rod of length
// L then passes a peg that it should meet by L turn^3/3 at most, half a percent of L.
constexpr double kShortTurn = 0.25;
// Limit of the number of parts of one step.
constexpr int kMaxParts = 64;
// Limit of the distances of one search for a touch. A search that it ends has come near enough.
constexpr int kMaxDistances = 200;
// Share of the distances at both ends of a part at which shapes count as touching.
constexpr double kTouch = 1e-6;

/// Returns how far a body turns in a step [rad], where it turns at its rate at the end: one that
/// the kinematics hold already.
double turn_at_end(const System& system, const SystemKinematics& end, int body, double step) {
  const Body& own = system.bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) return 0.0;
  const ArticulationKinematics& tree = end.trees[static_cast<std::size_t>(own.articulation)];
  return step * tree.V_WB[static_cast<std::size_t>(own.link)].head<3>().norm();
}

/// Follows two shapes along a step.
class FollowedPair {
 public:
  /// @param is_left_out  its contacts are: it must not touch at all.
  FollowedPair(const System& system, const PairOfShapes& pair, bool is_left_out)
      : pair_(pair),
        A_(shape(system, pair.first)),
        B_(shape(system, pair.second)),
        is_left_out_(is_left_out) {}

  const PairOfShapes& pair() const { return pair_; }

  /// Notes the poses at the next instant; returns true if the shapes are apart there on the other
  /// side than before, or have touched where they must not.
  bool passes(const SystemKinematics& at) {
    const Instant now = instant(at);
    bool has_touched = false;
    if (is_followed_ && (is_left_out_ || is_reversed(now))) has_touched = meets(now);
    last_ = now;
    is_followed_ = true;
    if (is_left_out_) return has_touched;
    if (has_touched) is_beyond_ = !is_beyond_;
    if (now.overlaps() || !is_beyond_) return false;
    is_beyond_ = false;
    return true;
  }

  /// Returns true if the shapes overlap at the last instant, and would part to the other side.
  bool ends_beyond() const { return is_beyond_; }

 private:
  struct Instant {
    double time = 0.0;  // [s]
    Pose X_WA, X_WB;    // of the bodies
    SignedDistance distance;
    bool overlaps() const { return distance.distance <= 0.0; }
  };

  static const CollisionShape& shape(const System& system, std::int32_t index) {
    return system.shapes()[static_cast<std::size_t>(index)];
  }
  Instant instant(const SystemKinematics& at) const {
    Instant now{at.time,
                at.X_WB[static_cast<std::size_t>(A_.body)],
                at.X_WB[static_cast<std::size_t>(B_.body)],
                {}};
    now.distance = signed_distance(A_.shape, now.X_WA * A_.X_BG, B_.shape, now.X_WB * B_.X_BG);
    return now;
  }
  /// Returns true if the normal has turned by more than a right angle since the last instant, as
  /// seen from both bodies. Where shapes overlap, it is that of the shortest way out.
  bool is_reversed(const Instant& now) const {
    const auto cosine = [&](const Pose& before, const Pose& after) {
      return (before.rotation.transpose() * last_.distance.normal_W)
          .dot(after.rotation.transpose() * now.distance.normal_W);
    };
    return cosine(last_.X_WA, now.X_WA) < 0.0 && cosine(last_.X_WB, now.X_WB) < 0.0;
  }
  /// Returns true if the shapes touch from the last instant to this one.
  bool meets(const Instant& now) const {
    if (last_.overlaps() || now.overlaps()) return true;
    const double duration = now.time - last_.time;
    const ConstantMotion A = motion(last_.X_WA, now.X_WA, duration);
    const ConstantMotion B = motion(last_.X_WB, now.X_WB, duration);
    const double tolerance = kTouch * (last_.distance.distance + now.distance.distance);
    return find_time_of_impact({A_.shape, A_.X_BG, A}, {B_.shape, B_.X_BG, B}, 0.0, duration,
                               tolerance, 0.0, kMaxDistances)
               .status != ImpactStatus::Clear;
  }
  static ConstantMotion motion(const Pose& from, const Pose& to, double duration) {
    const Eigen::Matrix3d turn = to.rotation * from.rotation.transpose();
    return {from, vector_from_quaternion(Eigen::Quaterniond(turn)) / duration,
            (to.translation - from.translation) / duration};
  }

  PairOfShapes pair_;
  const CollisionShape &A_, &B_;
  bool is_left_out_;
  Instant last_;
  bool is_followed_ = false;  // the last instant is known
  bool is_beyond_ = false;    // the normal has reversed since they were apart
};

}  // namespace

double turn_of(const System& system, const SystemKinematics& at, int body,
               const Eigen::VectorXd& velocity, double step) {
  if (system.bodies()[static_cast<std::size_t>(body)].articulation < 0) return 0.0;
  const Eigen::Vector3d& origin = at.X_WB[static_cast<std::size_t>(body)].translation;
  return step * body_velocity(system, at, body, origin, velocity).head<3>().norm();
}

std::vector<PairOfShapes> passed_pairs(const System& system, const SystemKinematics& start,
                                       const Eigen::VectorXd& q, const Eigen::VectorXd& velocity,
                                       double step, const SystemKinematics& end,
                                       const std::vector<Contact>& contacts,
                                       const std::vector<PairOfShapes>& left_out) {
  const auto turn_of_pair = [&](const PairOfShapes& pair) {
    const auto turn = [&](std::int32_t shape) {
      return turn_at_end(system, end, system.shapes()[static_cast<std::size_t>(shape)].body, step);
    };
    return std::max(turn(pair.first), turn(pair.second));
  };
  // Pairs of convex shapes with a body that turns far, and those left out. Most steps have none.
  std::vector<FollowedPair> followed;
  double largest_turn = kShortTurn;
  const Contact* last = nullptr;
  for (const Contact& contact : contacts) {
    const bool is_known = last != nullptr && pair_of(last->key) == pair_of(contact.key);
    last = &contact;
    if (is_known) continue;
    const PairOfShapes pair = pair_of(contact.key);
    const double turn = turn_of_pair(pair);
    if (turn <= kShortTurn ||
        !is_bounded_convex(system.shapes()[static_cast<std::size_t>(pair.first)].shape) ||
        !is_bounded_convex(system.shapes()[static_cast<std::size_t>(pair.second)].shape)) {
      continue;
    }
    largest_turn = std::max(largest_turn, turn);
    followed.emplace_back(system, pair, false);
  }
  for (const PairOfShapes& pair : left_out) {
    largest_turn = std::max(largest_turn, turn_of_pair(pair));
    followed.emplace_back(system, pair, true);
  }
  std::vector<PairOfShapes> passed;
  if (followed.empty()) return passed;

  // Their way, in parts that turn little.
  const int num_parts =
      static_cast<int>(std::min<double>(kMaxParts, std::ceil(largest_turn / kShortTurn)));
  const auto follow = [&](const SystemKinematics& at) {
    for (FollowedPair& pair : followed) {
      if (pair.passes(at)) passed.push_back(pair.pair());
    }
  };
  follow(start);
  SystemKinematics between;
  for (int part = 1; part < num_parts; ++part) {
    const double elapsed = step * part / num_parts;
    compute_kinematics(system, integrate_positions(system, q, velocity, elapsed), velocity,
                       start.time + elapsed, between);
    follow(between);
  }
  follow(end);
  for (const FollowedPair& pair : followed) {
    if (pair.ends_beyond()) passed.push_back(pair.pair());
  }
  std::sort(passed.begin(), passed.end());
  passed.erase(std::unique(passed.begin(), passed.end()), passed.end());
  return passed;
}

bool passes_through(const System& system, const SystemKinematics& start, const Eigen::VectorXd& q,
                    const Eigen::VectorXd& velocity, double step,
                    const std::vector<Contact>& contacts) {
  const bool turns_far = std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
    return std::max(turn_of(system, start, contact.body_a, velocity, step),
                    turn_of(system, start, contact.body_b, velocity, step)) > kShortTurn;
  });
  if (!turns_far) return false;
  SystemKinematics end;
  compute_kinematics(system, integrate_positions(system, q, velocity, step), velocity,
                     start.time + step, end);
  return !passed_pairs(system, start, q, velocity, step, end, contacts, {}).empty();
}

}  // namespace amontons
