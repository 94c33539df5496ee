#include "experiments/public/four-bar-clearance/linkage.h"

#include "amontons/simulation/system/kinematics.h"
#include "experiments/public/scene_parts.h"

#include <cmath>
#include <numbers>
#include <string>

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kMass = 1.0;                                // [m/s^2, kg]
constexpr double kGround = 3.0, kCrank = 1.0, kCoupler = 4.0, kRocker = 2.5;  // lengths [m]
constexpr double kBearing = 0.060, kJournal = kBearing - kClearance;          // radii [m]
constexpr double kSwing = 6.0, kPeriod = 8.0 / 3.0;  // of the crank's motion [rad, s]
constexpr int kPieces = 64;                          // of a bearing

/// Returns the direction of a rod, in x and z.
Eigen::Vector2d along(double angle) { return {std::cos(angle), std::sin(angle)}; }

/// Returns the direction in which the end of a rod moves.
Eigen::Vector2d across(double angle) { return {-std::sin(angle), std::cos(angle)}; }

/// Returns the moment of inertia of a rod about its center [kg m^2].
double moment(double length) { return kMass * length * length / 12.0; }

Eigen::Vector3d in_space(const Eigen::Vector2d& point) { return {point.x(), 0.0, point.y()}; }

/// Returns the centers of coupler and rocker [m].
Eigen::Vector2d coupler_center(const OfLinks& angles) {
  return kCrank * along(angles.crank) + 0.5 * kCoupler * along(angles.coupler);
}
Eigen::Vector2d rocker_center(const OfLinks& angles) {
  return Eigen::Vector2d(kGround, 0.0) + 0.5 * kRocker * along(angles.rocker);
}

/// Returns their velocities [m/s].
Eigen::Vector2d coupler_velocity(const OfLinks& angles, const OfLinks& rates) {
  return kCrank * rates.crank * across(angles.crank) +
         0.5 * kCoupler * rates.coupler * across(angles.coupler);
}
Eigen::Vector2d rocker_velocity(const OfLinks& angles, const OfLinks& rates) {
  return 0.5 * kRocker * rates.rocker * across(angles.rocker);
}

/// Appends a bearing about an axis along y: flat pieces that touch the circle of its radius.
void add_bearing(SceneBody& body, double x) {
  constexpr double kThickness = 0.01, kDepth = 0.02;  // [m]
  const double turn = 2.0 * std::numbers::pi / kPieces;
  const double width = 2.0 * (kBearing + kThickness) * std::tan(0.5 * turn);
  for (int k = 0; k < kPieces; ++k) {
    const Eigen::Vector2d middle = (kBearing + 0.5 * kThickness) * along(k * turn);
    body.shapes.push_back({Box{{kThickness, kDepth, width}},
                           turned(Eigen::Vector3d(x, 0.0, 0.0) + in_space(middle), -k * turn)});
  }
}

void add_journal(SceneBody& body, double x) {
  body.shapes.push_back({Sphere{kJournal}, at(x, 0.0, 0.0)});
}

/// Returns a rod, drawn as a bar that collides with nothing. Its frame lies at `origin`, its center
/// at `center` in that frame.
SceneBody rod(const std::string& name, double length, const Eigen::Vector2d& origin, double angle,
              double center) {
  SceneBody body;
  body.name = name;
  body.pose = turned(in_space(origin), -angle);
  body.inertia = {kMass, {center, 0.0, 0.0}, moment(length) * Eigen::Matrix3d::Identity()};
  constexpr double kThickness = 0.03;  // [m]
  body.shapes.push_back({Box{{length, kThickness, kThickness}}, at(center, 0.0, 0.0), "default",
                         CollisionFilter::none()});
  return body;
}

/// Returns a rod in the x-z plane, about its center.
SceneBody planar_rod(const std::string& name, double length, const Eigen::Vector2d& center,
                     const Eigen::Vector2d& velocity, double angle, double rate) {
  SceneBody body = rod(name, length, center, angle, 0.0);
  body.base = BaseType::Planar;
  body.linear_velocity = in_space(velocity);
  body.angular_velocity = {0.0, -rate, 0.0};
  return body;
}

}  // namespace

OfLinks ideal_angles(double crank) {
  // Law of cosines in the triangle of the crank's end, the rocker's end and the rocker's axle.
  const Eigen::Vector2d end = kCrank * along(crank);
  const Eigen::Vector2d axle = Eigen::Vector2d(kGround, 0.0) - end;
  const double r = axle.norm();
  const double inner =
      std::acos((kCoupler * kCoupler + r * r - kRocker * kRocker) / (2.0 * kCoupler * r));
  const double coupler = std::atan2(axle.y(), axle.x()) + inner;
  const Eigen::Vector2d rocker = kCoupler * along(coupler) - axle;
  return {crank, coupler, std::atan2(rocker.y(), rocker.x())};
}

OfLinks ideal_rates(const OfLinks& angles, double crank_rate) {
  const double inner = std::sin(angles.coupler - angles.rocker);
  return {crank_rate,
          crank_rate * kCrank * std::sin(angles.rocker - angles.crank) / (kCoupler * inner),
          crank_rate * kCrank * std::sin(angles.coupler - angles.crank) / (kRocker * inner)};
}

double ideal_energy(const OfLinks& angles, double crank_rate) {
  const OfLinks rates = ideal_rates(angles, crank_rate);
  const auto turning = [](double length, double rate) {
    return 0.5 * moment(length) * rate * rate;
  };
  const double kinetic = turning(kCrank, rates.crank) + turning(kCoupler, rates.coupler) +
                         turning(kRocker, rates.rocker) +
                         0.5 * kMass *
                             (0.25 * kCrank * kCrank * crank_rate * crank_rate +
                              coupler_velocity(angles, rates).squaredNorm() +
                              rocker_velocity(angles, rates).squaredNorm());
  const double height = 0.5 * kCrank * std::sin(angles.crank) + coupler_center(angles).y() +
                        rocker_center(angles).y();
  return kinetic + kMass * kGravity * height;
}

// The loop of the rods stays open by the sum of the three offsets. What of it lies along the
// rocker turns the coupler, and what lies along the coupler turns the rocker.
OfLinks largest_differences(const OfLinks& ideal) {
  const double open = kClearJoints * kClearance;
  const double inner = std::abs(std::sin(ideal.coupler - ideal.rocker));
  return {0.0, open / (kCoupler * inner), open / (kRocker * inner)};
}

Scene linkage_with_clearance(double step, double duration) {
  Scene scene = scene_of(step, duration, kLinkageFriction);
  scene.gravity = {0.0, 0.0, -kGravity};
  const OfLinks angles = ideal_angles(0.0);
  JointMotion motion;
  motion.joint = "drive";
  motion.amplitude = kSwing;
  motion.period = kPeriod;
  const OfLinks rates = ideal_rates(angles, motion.rate(0.0));

  SceneBody ground = fixed("ground", Sphere{kJournal}, at(kGround, 0.0, 0.0));
  ground.shapes.clear();
  add_bearing(ground, 0.0);
  SceneBody crank = rod("crank", kCrank, {0.0, 0.0}, angles.crank, 0.5 * kCrank);
  add_journal(crank, kCrank);
  SceneBody coupler = planar_rod("coupler", kCoupler, coupler_center(angles),
                                 coupler_velocity(angles, rates), angles.coupler, rates.coupler);
  add_bearing(coupler, -0.5 * kCoupler);
  add_journal(coupler, 0.5 * kCoupler);
  SceneBody rocker = planar_rod("rocker", kRocker, rocker_center(angles),
                                rocker_velocity(angles, rates), angles.rocker, rates.rocker);
  add_bearing(rocker, 0.5 * kRocker);
  add_journal(rocker, -0.5 * kRocker);
  scene.bodies = {ground, crank, coupler, rocker};

  scene.joints = {hinge("drive", "world", "crank", {0.0, -1.0, 0.0})};
  scene.joint_motions = {motion};
  return scene;
}

LinkageState measure_linkage(const Simulator& simulator) {
  const System& system = simulator.system();
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  LinkageState result;

  // Angle of a rod, and its share of the energy.
  const auto pose_of = [&](int body) -> const Pose& {
    return kinematics.X_WB[static_cast<std::size_t>(body)];
  };
  const auto angle_of = [&](const std::string& name, double length, double center) {
    const int body = system.find_body(name);
    const Pose& X = pose_of(body);
    const Eigen::Vector3d middle = X * Eigen::Vector3d(center, 0.0, 0.0);
    const Vector6d V = body_velocity(system, kinematics, body, middle, state.v);
    result.energy += 0.5 * kMass * V.tail<3>().squaredNorm() +
                     0.5 * moment(length) * V.head<3>().squaredNorm() +
                     kMass * kGravity * middle.z();
    return std::atan2(X.rotation(2, 0), X.rotation(0, 0));
  };
  result.angles = {angle_of("crank", kCrank, 0.5 * kCrank), angle_of("coupler", kCoupler, 0.0),
                   angle_of("rocker", kRocker, 0.0)};
  result.crank_rate = state.v[0];

  // Journals and the axes of their bearings.
  const auto point = [&](const std::string& name, double x) -> Eigen::Vector3d {
    return pose_of(system.find_body(name)) * Eigen::Vector3d(x, 0.0, 0.0);
  };
  result.offsets = {(point("coupler", -0.5 * kCoupler) - point("crank", kCrank)).norm(),
                    (point("rocker", 0.5 * kRocker) - point("coupler", 0.5 * kCoupler)).norm(),
                    (point("rocker", -0.5 * kRocker) - point("ground", 0.0)).norm()};
  return result;
}

}  // namespace amontons::experiments
