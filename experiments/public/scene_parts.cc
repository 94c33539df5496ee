#include "experiments/public/scene_parts.h"

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <utility>

namespace amontons::experiments {
namespace {

constexpr Eigen::Index kPositions = 7, kRates = 6;  // of a free body

SceneBody body_of(const std::string& name, Shape shape, const Pose& pose) {
  SceneBody body;
  body.name = name;
  body.pose = pose;
  body.shapes.push_back({std::move(shape), Pose{}});
  return body;
}

}  // namespace

Scene scene_of(double step, double duration, double friction, double restitution) {
  Scene scene;
  scene.simulation.steps = {step};
  scene.simulation.duration = duration;
  scene.materials = {{"default", friction, restitution, 0.0}};
  return scene;
}

SceneBody solid(const std::string& name, Shape shape, double density, const Pose& pose) {
  const SpatialInertia inertia = with_density(shape_properties(shape), density);
  SceneBody body = body_of(name, std::move(shape), pose);
  body.inertia = inertia;
  return body;
}

SceneBody solid_of_mass(const std::string& name, Shape shape, double mass, const Pose& pose) {
  const SpatialInertia inertia = with_mass(shape_properties(shape), mass);
  SceneBody body = body_of(name, std::move(shape), pose);
  body.inertia = inertia;
  return body;
}

SceneBody fixed(const std::string& name, Shape shape, const Pose& pose) {
  SceneBody body = body_of(name, std::move(shape), pose);
  body.base = BaseType::Fixed;
  return body;
}

SceneJoint hinge(const std::string& name, const std::string& parent, const std::string& child,
                 const Eigen::Vector3d& axis) {
  SceneJoint joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  joint.axis_W = axis;
  return joint;
}

Pose at(double x, double y, double z) { return {Eigen::Matrix3d::Identity(), {x, y, z}}; }

Pose turned(const Eigen::Vector3d& position, double angle_about_y) {
  return {rotation_about(Eigen::Vector3d::UnitY(), angle_about_y), position};
}

Pose pose_of(const Simulator& simulator, int body) {
  const auto q = simulator.state().q.segment<kPositions>(kPositions * body);
  return {quaternion_from_wxyz(q.head<4>()).toRotationMatrix(), q.tail<3>()};
}

Eigen::Vector3d velocity_of(const Simulator& simulator, int body) {
  return simulator.state().v.segment<3>(kRates * body + 3);
}

Eigen::Vector3d spin_of(const Simulator& simulator, int body) {
  return simulator.state().v.segment<3>(kRates * body);
}

double largest_displacement(const Simulator& simulator, const Scene& scene) {
  double largest = 0.0;
  int moving = 0;
  for (const SceneBody& body : scene.bodies) {
    if (body.base != BaseType::Free) continue;
    const Eigen::Vector3d now = pose_of(simulator, moving++).translation;
    largest = std::max(largest, (now - body.pose.translation).norm());
  }
  return largest;
}

}  // namespace amontons::experiments
