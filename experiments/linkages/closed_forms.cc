#include "experiments/linkages/closed_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons::experiments {

using Eigen::Vector3d;

Poses::Poses(const Simulator& simulator) : system_(&simulator.system()) {
  const State& state = simulator.state();
  compute_kinematics(*system_, state.q, state.v, state.time, kinematics_);
}

const Pose& Poses::operator[](const std::string& body) const {
  return kinematics_.X_WB[static_cast<std::size_t>(system_->find_body(body))];
}

Vector3d Poses::along(const std::string& body, double x) const {
  return (*this)[body] * Vector3d(x, 0.0, 0.0);
}

Vector3d Poses::velocity(const std::string& body, const Eigen::VectorXd& v) const {
  const Vector3d origin = (*this)[body].translation;
  return body_velocity(*system_, kinematics_, system_->find_body(body), origin, v).tail<3>();
}

namespace {

/// Where circles about two points in the x-z plane meet, above the line from a to b.
Vector3d upper_intersection(const Vector3d& a, double radius_a, const Vector3d& b,
                            double radius_b) {
  const Vector3d d = b - a, u = d.normalized();
  const double along =
      (radius_a * radius_a - radius_b * radius_b + d.squaredNorm()) / (2.0 * d.norm());
  const double height = std::sqrt(radius_a * radius_a - along * along);
  return a + along * u + height * Vector3d(-u.z(), 0.0, u.x());
}

}  // namespace

double four_bar_error(const Poses& at) {
  constexpr double kCrank = 0.3, kCoupler = 0.8, kRocker = 0.6, kGround = 0.9;
  const Vector3d center = at["crank"].translation;
  const Vector3d tip = kCrank * center.normalized();
  const Vector3d joint = upper_intersection(tip, kCoupler, {kGround, 0.0, 0.0}, kRocker);
  return std::max({(at.along("crank", -0.5 * kCrank)).norm(),
                   (at.along("coupler", -0.5 * kCoupler) - tip).norm(),
                   (at.along("coupler", 0.5 * kCoupler) - joint).norm(),
                   (at.along("rocker", -0.5 * kRocker) - joint).norm(),
                   (at.along("rocker", 0.5 * kRocker) - Vector3d(kGround, 0.0, 0.0)).norm()});
}

double slider_crank_error(const Poses& at) {
  constexpr double kCrank = 0.3, kRod = 0.9;
  const Vector3d tip = kCrank * at["crank"].translation.normalized();
  const double x = tip.x() + std::sqrt(kRod * kRod - tip.z() * tip.z());
  const Vector3d pin(x, 0.0, 0.0);
  return std::max({(at.along("rod", -0.5 * kRod) - tip).norm(),
                   (at.along("rod", 0.5 * kRod) - pin).norm(),
                   (at["slider"].translation - pin).norm()});
}

// The coupler only translates, each of its points on a circle of the cranks' length.
double parallel_cranks_error(const Poses& at) {
  constexpr double kCrank = 0.2;
  const Vector3d arm = at["coupler"].translation - Vector3d(0.5, 0.0, 0.0);
  double error = std::max(std::abs(arm.norm() - kCrank),
                          (at["coupler"].rotation - Eigen::Matrix3d::Identity()).norm());
  const double feet[] = {0.0, 0.4, 1.0};
  for (int i = 0; i < 3; ++i) {
    const Vector3d foot(feet[i], 0.0, 0.0);
    const std::string crank = fmt::format("crank-{}", i + 1);
    error = std::max(error, (at[crank].translation - foot - 0.5 * arm).norm());
  }
  return error;
}

// Inverse kinematics of the platform: each leg points from its foot to its head; its two halves lie
// on that line, at the places where they were at the start.
std::function<double(const Poses&)> stewart_error(const Scene& scene) {
  struct Leg {
    std::string lower, upper;
    Vector3d foot, head_P;           // in the world, in the platform
    double to_lower, upper_to_head;  // along the leg [m]
  };
  const Simulator start(scene);
  const Poses at(start);
  std::vector<Leg> legs;
  for (int i = 1; i <= 6; ++i) {
    const auto joint = [&](const std::string& name) -> const SceneJoint& {
      return *std::find_if(scene.joints.begin(), scene.joints.end(),
                           [&](const SceneJoint& j) { return j.name == name; });
    };
    Leg leg{fmt::format("lower-{}", i),
            fmt::format("upper-{}", i),
            joint(fmt::format("foot-{}", i)).at_W,
            {},
            0.0,
            0.0};
    const Vector3d head = joint(fmt::format("head-{}", i)).at_W;
    leg.head_P = at["platform"].inverse() * head;
    leg.to_lower = (at[leg.lower].translation - leg.foot).norm();
    leg.upper_to_head = (head - at[leg.upper].translation).norm();
    legs.push_back(leg);
  }
  return [legs](const Poses& poses) {
    double error = 0.0;
    for (const Leg& leg : legs) {
      const Vector3d head = poses["platform"] * leg.head_P;
      const Vector3d u = (head - leg.foot).normalized();
      error = std::max({error, (poses[leg.lower].translation - leg.foot - leg.to_lower * u).norm(),
                        (head - leg.upper_to_head * u - poses[leg.upper].translation).norm()});
    }
    return error;
  };
}

}  // namespace amontons::experiments
