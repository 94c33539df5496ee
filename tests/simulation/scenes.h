#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/simulator.h"

#include <algorithm>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

// Scenes built in code, for tests of the stepper that need no file.

namespace amontons::test {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kGravity = 9.81;

inline Scene empty_scene(double step, double duration, const std::string& model = "anitescu-hart") {
  Scene scene;
  scene.simulation.steps = {step};
  scene.simulation.duration = duration;
  scene.simulation.model = model;
  return scene;
}

inline Material& default_material(Scene& scene, double friction, double restitution = 0.0) {
  scene.materials = {{"default", friction, restitution, 0.0}};
  return scene.materials.back();
}

inline SceneBody& add_body(Scene& scene, const std::string& name, const Shape& shape, double mass,
                           const Eigen::Vector3d& position) {
  SceneBody body;
  body.name = name;
  body.shapes.push_back({shape, Pose{}, "default"});
  body.inertia = with_mass(shape_properties(shape), mass);
  body.pose.translation = position;
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

inline SceneBody& add_half_space(Scene& scene, const std::string& name,
                                 const Eigen::Vector3d& normal, double offset = 0.0) {
  SceneBody body;
  body.name = name;
  body.base = BaseType::Fixed;
  body.shapes.push_back({HalfSpace{normal.normalized(), offset}, Pose{}, "default"});
  scene.bodies.push_back(body);
  return scene.bodies.back();
}

inline SceneBody& add_ground(Scene& scene) {
  return add_half_space(scene, "ground", Eigen::Vector3d::UnitZ());
}

/// Adds four walls about the z axis, at half_x and half_y from it [m].
inline void add_walls(Scene& scene, double half_x, double half_y) {
  add_half_space(scene, "left", {1.0, 0.0, 0.0}, -half_x);
  add_half_space(scene, "right", {-1.0, 0.0, 0.0}, -half_x);
  add_half_space(scene, "front", {0.0, 1.0, 0.0}, -half_y);
  add_half_space(scene, "back", {0.0, -1.0, 0.0}, -half_y);
}

/// Runs to the end; returns the number of steps whose certificate was missed.
inline int run(Simulator& simulator, const std::function<void(const StepReport&)>& each = nullptr) {
  int missed = 0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    if (!report.certificate.holds) ++missed;
    if (each) each(report);
  }
  return missed;
}

/// Returns the position of the free body whose coordinates start the state vectors; the next two
/// return its velocities.
inline Eigen::Vector3d position(const Simulator& simulator) {
  return simulator.state().q.segment<3>(4);
}
inline Eigen::Vector3d velocity(const Simulator& simulator) {
  return simulator.state().v.segment<3>(3);
}
inline Eigen::Vector3d angular_velocity(const Simulator& simulator) {
  return simulator.state().v.head<3>();
}

}  // namespace amontons::test
