#include "experiments/public/quadruped.h"

#include "experiments/public/scene_parts.h"

#include <cmath>

namespace amontons::experiments {
namespace {

using Eigen::Vector3d;

constexpr double kBend = 0.4, kThigh = 0.25, kShank = 0.3, kFoot = 0.03;                 // [rad, m]
constexpr double kTrunkMass = 16.0, kHipMass = 1.4, kThighMass = 2.2, kShankMass = 0.6;  // [kg]

const std::vector<std::string>& legs() {
  static const std::vector<std::string> names = {"front-left", "front-right", "rear-left",
                                                 "rear-right"};
  return names;
}

void add_joint(Scene& scene, const std::string& name, const std::string& parent,
               const std::string& child, const Vector3d& axis, const Vector3d& place,
               Coordinates coordinates) {
  SceneJoint joint = hinge(name, parent, child, axis);
  joint.at_W = place;
  joint.coordinates = coordinates;
  scene.joints.push_back(joint);
}

/// Returns a bar along its own z axis, in the middle of two places.
SceneBody bar(const std::string& name, const Vector3d& from, const Vector3d& to, double mass) {
  const Vector3d along = to - from;
  const Pose pose = turned(0.5 * (from + to), std::atan2(along.x(), along.z()));
  SceneBody body = solid_of_mass(name, Box{{0.05, 0.05, along.norm()}}, mass, pose);
  body.shapes.clear();
  return body;
}

void add_leg(Scene& scene, const std::string& leg, double fore, double side, double height,
             Coordinates coordinates) {
  // Front legs bend backwards at the knee, rear legs forwards.
  const Vector3d hip(0.3 * fore, 0.1 * side, height),
      shoulder = hip + Vector3d(0.0, 0.1 * side, 0.0);
  const double sine = std::sin(kBend) * fore, cosine = std::cos(kBend);
  const Vector3d knee = shoulder + kThigh * Vector3d(-sine, 0.0, -cosine);
  const Vector3d foot = knee + kShank * Vector3d(sine, 0.0, -cosine);
  SceneBody hip_body = solid_of_mass("hip-" + leg, Box{{0.1, 0.1, 0.1}}, kHipMass,
                                     {Eigen::Matrix3d::Identity(), 0.5 * (hip + shoulder)});
  hip_body.shapes.clear();
  scene.bodies.push_back(hip_body);
  scene.bodies.push_back(bar("thigh-" + leg, knee, shoulder, kThighMass));
  SceneBody shank = bar("shank-" + leg, foot, knee, kShankMass);
  shank.shapes.push_back({Sphere{kFoot}, at(0.0, 0.0, -0.5 * kShank)});
  scene.bodies.push_back(shank);
  const Vector3d roll = Vector3d::UnitX(), pitch = Vector3d::UnitY();
  add_joint(scene, "roll-" + leg, "trunk", "hip-" + leg, roll, hip, coordinates);
  add_joint(scene, "pitch-" + leg, "hip-" + leg, "thigh-" + leg, pitch, shoulder, coordinates);
  add_joint(scene, "knee-" + leg, "thigh-" + leg, "shank-" + leg, pitch, knee, coordinates);
}

}  // namespace

void add_quadruped(Scene& scene, double height, Coordinates coordinates) {
  scene.bodies.push_back(
      solid_of_mass("trunk", Box{{0.5, 0.2, 0.15}}, kTrunkMass, at(0.0, 0.0, height)));
  for (std::size_t k = 0; k < legs().size(); ++k) {
    add_leg(scene, legs()[k], k < 2 ? 1.0 : -1.0, k % 2 == 0 ? 1.0 : -1.0, height, coordinates);
  }
}

double feet_height() { return (kThigh + kShank) * std::cos(kBend) + kFoot; }

std::vector<std::string> quadruped_joints() {
  std::vector<std::string> names;
  for (const std::string& leg : legs()) {
    for (const char* joint : {"roll-", "pitch-", "knee-"}) names.push_back(joint + leg);
  }
  return names;
}

}  // namespace amontons::experiments
