#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/scene/scene.h"
#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

// Random small mechanisms in contact with slopes, grooves and walls, for both forms of joints.

namespace amontons::test {

/// Draws one mechanism after the other. Lengths, masses and steps span several powers of ten.
class MechanismGenerator {
 public:
  explicit MechanismGenerator(std::uint64_t seed) : random_(seed) {}

  /// Selects what a mechanism starts with.
  struct Options {
    bool at_rest = true;  ///< false: its joints and free bodies move at the start
    bool driven = true;   ///< false: no servos and no springs, energy can only fall
  };

  /// Returns a mechanism of one to five bodies that touches one to three planes.
  Scene draw(const Options& options) {
    length_ = std::pow(10.0, uniform(-1.5, 0.5));
    mass_ = std::pow(10.0, uniform(-1.0, 1.5));
    const double gravity = kGravity;
    time_ = std::sqrt(length_ / gravity);
    Scene scene = empty_scene(time_ * std::pow(10.0, uniform(-3.0, -1.5)), 1e9);
    scene.gravity = {gravity * uniform(-0.3, 0.3), gravity * uniform(-0.3, 0.3), -gravity};
    default_material(scene, uniform(0.1, 0.9));

    const int bodies = integer(1, 5);
    const bool anchored = chance(0.6);
    for (int i = 0; i < bodies; ++i) add_link(scene, i);
    if (!options.at_rest && !anchored) {
      scene.bodies.front().linear_velocity = 0.5 * length_ / time_ * direction();
      scene.bodies.front().angular_velocity = 0.5 / time_ * direction();
    }
    for (int i = anchored ? 0 : 1; i < bodies; ++i) attach(scene, i, options);
    if (bodies > (anchored ? 1 : 2) && chance(0.4)) close_loop(scene, bodies - 1);
    add_planes(scene);
    return scene;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

 private:
  Eigen::Vector3d direction() {
    std::normal_distribution<double> normal;
    const Eigen::Vector3d d(normal(random_), normal(random_), normal(random_));
    return d.norm() > 1e-3 ? Eigen::Vector3d(d.normalized()) : Eigen::Vector3d::UnitX();
  }

  /// Adds a body beside an earlier one. Bodies of the mechanism touch the planes alone.
  void add_link(Scene& scene, int index) {
    Shape shape = Sphere{length_ * uniform(0.1, 0.3)};
    const int kind = integer(0, 2);
    if (kind == 1) shape = Capsule{length_ * uniform(0.05, 0.15), length_ * uniform(0.3, 0.8)};
    if (kind == 2) {
      shape =
          Box{length_ * Eigen::Vector3d(uniform(0.2, 0.8), uniform(0.2, 0.5), uniform(0.1, 0.3))};
    }
    Eigen::Vector3d center = Eigen::Vector3d::Zero();
    if (index > 0) {
      parents_.push_back(integer(0, index - 1));
      const Eigen::Vector3d way = direction().cwiseProduct(Eigen::Vector3d(1.0, 1.0, 0.4));
      center = scene.bodies[static_cast<std::size_t>(parents_.back())].pose.translation +
               length_ * uniform(0.6, 1.2) * way;
    } else {
      parents_.assign(1, -1);
    }
    SceneBody& body =
        add_body(scene, "b" + std::to_string(index), shape, mass_ * uniform(0.2, 3.0), center);
    body.shapes.front().filter = {2u, 1u};
    if (chance(0.7)) body.pose.rotation = rotation_from_vector(uniform(0.0, kPi) * direction());
  }

  /// Joins a body to its parent, with dynamics along the joint.
  void attach(Scene& scene, int index, const Options& options) {
    const Eigen::Vector3d center = position(scene, index);
    const int parent = parents_[static_cast<std::size_t>(index)];
    SceneJoint joint;
    joint.name = "j" + std::to_string(index);
    joint.parent = parent < 0 ? "world" : "b" + std::to_string(parent);
    joint.child = "b" + std::to_string(index);
    joint.type = chance(0.75) ? JointType::Revolute : JointType::Prismatic;
    joint.axis_W = chance(0.5) ? Eigen::Vector3d::UnitY() : direction();
    joint.at_W = parent < 0 ? Eigen::Vector3d(center + 0.5 * length_ * direction())
                            : Eigen::Vector3d(0.5 * (center + position(scene, parent)));
    const bool turns = joint.type == JointType::Revolute;
    // Units of the coordinate: an angle, or a length; the load of gravity on it.
    const double unit = turns ? 1.0 : length_;
    const double load = mass_ * kGravity * (turns ? length_ : 1.0);
    if (chance(0.3))
      joint.dynamics.limits = {{-unit * uniform(0.0, 0.5), unit * uniform(0.0, 0.5)}};
    if (chance(0.3)) joint.dynamics.coulomb_friction = load * uniform(0.0, 0.5);
    if (chance(0.4)) joint.dynamics.viscous_friction = load * time_ / unit * loguniform(1e-2, 10.0);
    if (options.driven && chance(0.3)) {
      joint.dynamics.stiffness = load / unit * loguniform(0.1, 100.0);
      joint.dynamics.rest_position = unit * uniform(-0.5, 0.5);
    }
    if (!options.at_rest) joint.rate = unit / time_ * uniform(-0.5, 0.5);
    if (options.driven && chance(0.4)) {
      JointServo servo;
      servo.joint = joint.name;
      servo.target = unit * uniform(-0.5, 0.5);
      servo.kp = load / unit * loguniform(1.0, 1e4);
      servo.kd = load * time_ / unit * loguniform(0.1, 100.0);
      servo.effort = EffortRange::symmetric(load * loguniform(0.05, 20.0));
      scene.servos.push_back(servo);
    }
    scene.joints.push_back(joint);
  }

  /// Pins the last body to the world where it is: a loop, or a second way to the ground.
  void close_loop(Scene& scene, int index) {
    SceneJoint joint;
    joint.name = "loop";
    joint.parent = "world";
    joint.child = "b" + std::to_string(index);
    joint.type = chance(0.5) ? JointType::Spherical : JointType::Revolute;
    joint.axis_W = Eigen::Vector3d::UnitY();
    joint.at_W = position(scene, index) + 0.3 * length_ * direction();
    joint.coordinates = Coordinates::Maximal;
    scene.joints.push_back(joint);
  }

  /// Puts planes where they touch the mechanism: a floor or a groove, and perhaps a wall.
  void add_planes(Scene& scene) {
    const std::size_t bodies = scene.bodies.size();
    const auto add = [&](const std::string& name, const Eigen::Vector3d& normal) {
      double lowest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < bodies; ++i) {
        lowest = std::min(lowest, support(scene.bodies[i], normal));
      }
      add_half_space(scene, name, normal, lowest);
    };
    if (chance(0.6)) {
      add("ground", Eigen::Vector3d::UnitZ());
    } else {
      const double slope = uniform(0.3, 1.2);
      add("left", Eigen::Vector3d(0.0, std::sin(slope), std::cos(slope)));
      add("right", Eigen::Vector3d(0.0, -std::sin(slope), std::cos(slope)));
    }
    if (chance(0.3)) add("wall", Eigen::Vector3d::UnitX());
  }

  /// Returns the lowest coordinate of a body's shape along a unit normal [m].
  static double support(const SceneBody& body, const Eigen::Vector3d& normal) {
    const Eigen::Vector3d local = body.pose.rotation.transpose() * normal;
    const double center = normal.dot(body.pose.translation);
    const Shape& shape = body.shapes.front().shape;
    if (const auto* ball = std::get_if<Sphere>(&shape)) return center - ball->radius;
    if (const auto* box = std::get_if<Box>(&shape)) {
      return center - 0.5 * local.cwiseAbs().dot(box->size);
    }
    const Capsule& capsule = std::get<Capsule>(shape);
    return center - 0.5 * std::abs(local.z()) * capsule.length - capsule.radius;
  }

  static Eigen::Vector3d position(const Scene& scene, int body) {
    return scene.bodies[static_cast<std::size_t>(body)].pose.translation;
  }
  double loguniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }

  std::mt19937_64 random_;
  double length_ = 1.0, mass_ = 1.0, time_ = 1.0;  // units of one mechanism [m, kg, s]
  std::vector<int> parents_;                       // [bodies], -1: the world
};

/// Returns the scene with its joints in another form.
inline Scene with_coordinates(Scene scene, Coordinates coordinates) {
  for (SceneJoint& joint : scene.joints) joint.coordinates = coordinates;
  return scene;
}

/// Returns a random mechanism whose joints have everything at once, at the same coordinate: a stop
/// where it starts, dry friction, a spring, and a servo beyond its effort. Its masses differ by up
/// to 1e4, its first body touches many planes, and a second loop joint may repeat the first one.
inline Scene overloaded(std::uint64_t seed) {
  MechanismGenerator generator(seed);
  Scene scene = generator.draw({});
  const double gravity = scene.gravity.norm();
  for (SceneBody& body : scene.bodies) {
    if (body.base == BaseType::Fixed) continue;
    const double ratio = std::pow(10.0, generator.uniform(-2.0, 2.0));
    body.inertia.mass *= ratio;
    body.inertia.inertia *= ratio;
  }
  std::vector<SceneJoint> copies;
  for (SceneJoint& joint : scene.joints) {
    if (joint.name == "loop") {
      // The same joint again: all of its rows repeat.
      if (generator.chance(0.5)) copies.push_back(joint);
      continue;
    }
    const double length = bounding_radius(scene.bodies.front().shapes.front().shape);
    const double load = scene.bodies.front().inertia.mass * gravity *
                        (joint.type == JointType::Revolute ? length : 1.0);
    joint.dynamics.limits = {{0.0, generator.chance(0.3) ? 0.0 : 0.5 * length}};
    joint.dynamics.coulomb_friction = load * generator.uniform(0.0, 1.0);
    scene.servos.erase(
        std::remove_if(scene.servos.begin(), scene.servos.end(),
                       [&](const JointServo& own) { return own.joint == joint.name; }),
        scene.servos.end());
    JointServo servo;
    servo.joint = joint.name;
    servo.target = generator.uniform(-1.0, 1.0);
    servo.kp = 1e3 * load;
    servo.effort = EffortRange::symmetric(load * generator.uniform(0.1, 3.0));
    scene.servos.push_back(servo);
  }
  for (SceneJoint& joint : copies) {
    joint.name = "loop again";
    scene.joints.push_back(joint);
  }
  return scene;
}

}  // namespace amontons::test
