#include "amontons/simulation/events/system_motion.h"

#include "amontons/simulation/system/swing_rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace amontons {
namespace {

constexpr double kLargestTurn = 0.5;  // largest turn of the joints within a part [rad]
constexpr double kMaxParts = 64.0;    // beyond it the bounds of fast motions become wider

/// Extends a bound so that it also covers another one.
void widen(MotionBound& bound, const MotionBound& other) {
  const auto merge = [](Eigen::Vector3d& center, double& radius, const Eigen::Vector3d& c,
                        double r) {
    // Smallest ball around both balls of velocities.
    const double between = (c - center).norm();
    if (between + r <= radius) return;
    if (between + radius <= r) {
      center = c;
      radius = r;
      return;
    }
    const double wide = 0.5 * (between + radius + r);
    center += (wide - radius) / between * (c - center);
    radius = wide;
  };
  merge(bound.velocity, bound.deviation, other.velocity, other.deviation);
  merge(bound.angular_velocity, bound.angular_deviation, other.angular_velocity,
        other.angular_deviation);
}

}  // namespace

void SystemMotion::begin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double time,
                         double duration) {
  duration_ = duration;
  q_ = &q;
  v_ = &v;
  time_ = time;
  trees_.resize(system_->articulations().size());
  axes_.clear();
  if (!system_->loop_joints().empty()) axes_ = spin_axes(*system_, q, v);
  for (std::size_t a = 0; a < trees_.size(); ++a) {
    const bool is_free = system_->articulations()[a].is_free_body_in_W() &&
                         spin_axis(static_cast<int>(a)).isZero(0.0);
    trees_[a].restart(nullptr,
                      is_free ? std::optional(Eigen::Vector3d::Zero().eval()) : std::nullopt);
  }
  bounds_of_parts_.assign(system_->bodies().size(), {});
}

Eigen::Vector3d SystemMotion::spin_axis(int articulation) const {
  return axes_.empty() ? Eigen::Vector3d::Zero().eval()
                       : axes_[static_cast<std::size_t>(articulation)];
}

void SystemMotion::follow(int articulation, TreeMotion& motion) {
  trees_[static_cast<std::size_t>(articulation)].restart(&motion, motion.free_fall());
}

void SystemMotion::mark_falling_trees(std::vector<char>& falls) const {
  falls.resize(trees_.size());
  for (std::size_t a = 0; a < trees_.size(); ++a) falls[a] = falls_freely(static_cast<int>(a));
}

const ConstantMotion* SystemMotion::formula_of(const Body& body) const {
  Tree& tree = trees_[static_cast<std::size_t>(body.articulation)];
  // Another frame on the link moves otherwise.
  if (!tree.acceleration || !body.X_LB.translation.isZero(0.0)) return nullptr;
  if (!tree.formula) {
    const ArticulationKinematics& start = kinematics_at(body.articulation, 0.0);
    const Vector6d& V = start.V_WB[0];
    tree.formula.emplace(start.X_WB[0], V.head<3>(), V.tail<3>(), *tree.acceleration);
  }
  return &*tree.formula;
}

const ArticulationKinematics& SystemMotion::kinematics_at(int articulation, double elapsed) const {
  // A ring buffer of the last instants, which all bodies of a tree request in turn.
  Tree& own = trees_[static_cast<std::size_t>(articulation)];
  for (const Instant& instant : own.instants) {
    if (instant.elapsed == elapsed) return instant.kinematics;
  }
  Instant& instant = own.instants[own.next];
  own.next = (own.next + 1) % own.instants.size();
  const Articulation& tree = system_->articulations()[static_cast<std::size_t>(articulation)];
  const Eigen::Index nq = tree.num_positions(), nv = tree.num_velocities();
  q_tree_.resize(nq);
  v_tree_.resize(nv);
  if (own.smooth) {
    own.smooth->state_at(elapsed, q_tree_, v_tree_);
  } else {
    v_tree_ = v_->segment(system_->v_offset(articulation), nv);
    const Eigen::Vector3d axis = spin_axis(articulation);
    integrate_swinging(tree, axis, q_->segment(system_->q_offset(articulation), nq), v_tree_,
                       elapsed, q_tree_);
    if (!axis.isZero(0.0)) {
      v_tree_.head<3>() = swinging_velocity(axis, v_tree_.head<3>().eval(), elapsed);
    }
  }
  tree.compute_motion(q_tree_, v_tree_, instant.kinematics);
  instant.elapsed = elapsed;
  return instant.kinematics;
}

int SystemMotion::effort(int body) const {
  const int tree = system_->bodies()[static_cast<std::size_t>(body)].articulation;
  if (tree < 0) return 0;
  const auto a = static_cast<std::size_t>(tree);
  if (trees_[a].smooth) return trees_[a].smooth->effort();
  // The motion of a single body at constant rates has a closed form.
  const int links = system_->articulations()[a].num_links();
  return links > 1 || !spin_axis(tree).isZero(0.0) ? 4 * links : 0;
}

Pose SystemMotion::pose(int body, double elapsed) const {
  const Body& own = system_->bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) {
    Pose X_WB = own.X_LB;
    X_WB.translation += prescribed_displacement(*system_, own, time_ + elapsed);
    return X_WB;
  }
  if (const ConstantMotion* formula = formula_of(own)) return formula->pose(elapsed) * own.X_LB;
  return kinematics_at(own.articulation, elapsed).X_WB[static_cast<std::size_t>(own.link)] *
         own.X_LB;
}

Vector6d SystemMotion::velocity_at(const Body& body, double elapsed) const {
  const ArticulationKinematics& at = kinematics_at(body.articulation, elapsed);
  const auto link = static_cast<std::size_t>(body.link);
  Vector6d V = at.V_WB[link];
  const Eigen::Vector3d arm = at.X_WB[link].rotation * body.X_LB.translation;
  V.tail<3>() += V.head<3>().cross(arm);
  return V;
}

/// Returns the curvature bounds of a body on a tree with constant rates, over the whole motion.
VelocityCurvature SystemMotion::curvature_of(const Body& body) const {
  const Articulation& tree = system_->articulations()[static_cast<std::size_t>(body.articulation)];
  const Eigen::Index v0 = system_->v_offset(body.articulation);
  VelocityCurvature result = velocity_curvature(
      tree, body.link, q_->segment(system_->q_offset(body.articulation), tree.num_positions()),
      v_->segment(v0, tree.num_velocities()), duration_, body.X_LB.translation.norm());
  // A swing turns the axis of the spin; the bound of the origin's velocity covers that.
  const Eigen::Vector3d axis = spin_axis(body.articulation);
  if (!axis.isZero(0.0)) result.angular += swinging_curvature(axis, v_->segment<3>(v0));
  return result;
}

MotionBound SystemMotion::bound_of_part(const Body& body, double begin, double end) const {
  const Vector6d a = velocity_at(body, begin);
  if (begin == end) return {a.tail<3>(), 0.0, a.head<3>(), 0.0};
  const Vector6d b = velocity_at(body, end);
  // v(t) differs from the chord by at most (b - a)^2/8 times its second derivative.
  const Vector6d mean = 0.5 * (a + b), half = 0.5 * (b - a);
  if (!trees_[static_cast<std::size_t>(body.articulation)].smooth) {
    const VelocityCurvature most = curvature_of(body);
    const double bend = (end - begin) * (end - begin) / 8.0;
    return {mean.tail<3>(), half.tail<3>().norm() + bend * most.linear, mean.head<3>(),
            half.head<3>().norm() + bend * most.angular};
  }
  // An integrator gives no bound of the derivative, so the middle estimates it, with a factor 2.
  const Vector6d missed = velocity_at(body, begin + 0.5 * (end - begin)) - mean;
  return {mean.tail<3>(), half.tail<3>().norm() + 2.0 * missed.tail<3>().norm(), mean.head<3>(),
          half.head<3>().norm() + 2.0 * missed.head<3>().norm()};
}

MotionBound SystemMotion::bound_of_fixed(const Body& body, double begin, double end) const {
  MotionBound result;
  if (body.motion < 0) return result;
  const BodyMotion& motion = system_->motions()[static_cast<std::size_t>(body.motion)];
  // Sinusoid: the acceleration is at most amplitude rate^2.
  const double rate = 2.0 * std::numbers::pi / motion.period;
  result.velocity = prescribed_velocity(*system_, body, time_ + begin + 0.5 * (end - begin), 0.0);
  result.deviation = 0.5 * (end - begin) * rate * rate * std::abs(motion.amplitude);
  return result;
}

/// Returns the bound of a body on a tree with constant rates, over equal parts of the interval.
MotionBound SystemMotion::bound_at_constant_rates(const Body& body, double begin,
                                                  double end) const {
  const Articulation& tree = system_->articulations()[static_cast<std::size_t>(body.articulation)];
  // The origin of a single free body moves at constant velocities, unless it swings.
  const bool is_alone = tree.num_links() == 1 && tree.links()[0].joint == JointType::Free &&
                        spin_axis(body.articulation).isZero(0.0);
  const double rates =
      v_->segment(system_->v_offset(body.articulation), tree.num_velocities()).lpNorm<1>();
  const double count =
      is_alone ? 1.0 : std::clamp(std::ceil(rates * (end - begin) / kLargestTurn), 1.0, kMaxParts);
  MotionBound result;
  double first = begin;
  for (double i = 1.0; i <= count; ++i) {
    const double last = i < count ? begin + i / count * (end - begin) : end;
    const MotionBound part = bound_of_part(body, first, last);
    if (i == 1.0) result = part;
    widen(result, part);
    first = last;
  }
  return result;
}

/// Returns the bound of a body whose tree an integrator moves. Bounds of whole parts are kept,
/// because searches of many pairs ask for the same ones.
MotionBound SystemMotion::bound_of_smooth(int body, double begin, double end) const {
  const Body& own = system_->bodies()[static_cast<std::size_t>(body)];
  const std::vector<double>& breaks =
      trees_[static_cast<std::size_t>(own.articulation)].smooth->breaks();
  std::vector<std::optional<MotionBound>>& known = bounds_of_parts_[static_cast<std::size_t>(body)];
  known.resize(breaks.size());
  // Part k lies between breaks k and k + 1; beyond the last break the last part continues.
  const auto after = std::upper_bound(breaks.begin(), breaks.end() - 1, begin);
  auto k = static_cast<std::size_t>(after - breaks.begin()) - 1;
  std::optional<MotionBound> result;
  for (double first = begin; first < end; ++k) {
    const double last = k + 1 < breaks.size() ? std::min(end, breaks[k + 1]) : end;
    const bool is_whole = first == breaks[k] && k + 1 < breaks.size() && last == breaks[k + 1];
    if (is_whole && !known[k]) known[k] = bound_of_part(own, first, last);
    const MotionBound part = is_whole ? *known[k] : bound_of_part(own, first, last);
    if (!result) result = part;
    widen(*result, part);
    first = last;
  }
  return *result;
}

MotionBound SystemMotion::bound(int body, double begin, double end) const {
  const Body& own = system_->bodies()[static_cast<std::size_t>(body)];
  if (own.articulation < 0) return bound_of_fixed(own, begin, end);
  if (const ConstantMotion* formula = formula_of(own)) return formula->bound(begin, end);
  if (begin == end) return bound_of_part(own, begin, end);
  return trees_[static_cast<std::size_t>(own.articulation)].smooth
             ? bound_of_smooth(body, begin, end)
             : bound_at_constant_rates(own, begin, end);
}

}  // namespace amontons
