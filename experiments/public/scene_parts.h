#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/simulator.h"

#include <Eigen/Core>

#include <string>

namespace amontons::experiments {

/// Returns a scene without bodies, with one material.
/// @param step, duration  [s].
/// @param friction, restitution  mu and e of the material [-].
Scene scene_of(double step, double duration, double friction, double restitution = 0.0);

/// Returns a moving body of one shape and uniform density [kg/m^3].
SceneBody solid(const std::string& name, Shape shape, double density, const Pose& pose);

/// Returns a moving body of one shape and uniform density, of a mass [kg].
SceneBody solid_of_mass(const std::string& name, Shape shape, double mass, const Pose& pose);

/// Returns a fixed body of one shape.
SceneBody fixed(const std::string& name, Shape shape, const Pose& pose = {});

/// Returns a revolute joint between two bodies, or a body and "world", about an axis in W.
SceneJoint hinge(const std::string& name, const std::string& parent, const std::string& child,
                 const Eigen::Vector3d& axis);

/// Returns the pose of a position [m] without rotation.
Pose at(double x, double y, double z);

/// Returns the pose of a position [m], turned about y [rad].
Pose turned(const Eigen::Vector3d& position, double angle_about_y);

/// Returns the pose of the free body number `body`, counting moving bodies of a scene whose moving
/// bodies are all free.
Pose pose_of(const Simulator& simulator, int body);

/// Returns the linear velocity of its origin, in W [m/s].
Eigen::Vector3d velocity_of(const Simulator& simulator, int body);

/// Returns its angular velocity, in W [rad/s].
Eigen::Vector3d spin_of(const Simulator& simulator, int body);

/// Returns the largest distance of the origin of a free body from its start [m].
double largest_displacement(const Simulator& simulator, const Scene& scene);

}  // namespace amontons::experiments
