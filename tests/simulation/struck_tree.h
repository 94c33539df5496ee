#pragma once

#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

// Random trees that spin fast and strike planes, without gravity and drives.

namespace amontons::test {

/// Draws trees of two to six bodies in reduced coordinates, of mass ratios up to 1000, that fly
/// into a corner or hang on the world beside it.
class StruckTree {
 public:
  explicit StruckTree(std::uint64_t seed) : random_(seed) {}

  /// Selects what a tree has.
  struct Options {
    bool bounces = false;    ///< true: some contacts have restitution
    bool has_loops = false;  ///< true: some trees are closed by a joint of J
  };

  Scene draw(const std::string& model, const Options& options) {
    Scene scene = empty_scene(loguniform(1e-3, 0.02), 1e9, model);
    scene.gravity.setZero();
    default_material(scene, uniform(0.0, 1.0),
                     options.bounces && chance(0.5) ? uniform(0.0, 1.0) : 0.0);
    const int bodies = integer(2, 6);
    const bool anchored = chance(0.3);
    for (int i = 0; i < bodies; ++i) add_link(scene, i);
    if (!anchored) {
      scene.bodies.front().linear_velocity = uniform(0.0, 5.0) * direction();
      scene.bodies.front().angular_velocity = loguniform(1.0, 40.0) * direction();
    }
    for (int i = anchored ? 0 : 1; i < bodies; ++i) attach(scene, i);
    if (options.has_loops && chance(0.3)) close_loop(scene, bodies - 1);
    add_planes(scene, bodies);
    return scene;
  }

 private:
  void add_link(Scene& scene, int index) {
    Shape shape = Sphere{uniform(0.03, 0.1)};
    const int kind = integer(0, 2);
    if (kind == 1) shape = Capsule{uniform(0.02, 0.05), uniform(0.1, 0.4)};
    if (kind == 2) {
      shape = Box{Eigen::Vector3d(uniform(0.1, 0.4), uniform(0.05, 0.2), uniform(0.05, 0.2))};
    }
    parents_.push_back(index == 0 ? -1 : integer(0, index - 1));
    const Eigen::Vector3d center =
        index == 0
            ? Eigen::Vector3d(0.0, 0.0, 0.0)
            : Eigen::Vector3d(position(scene, parents_.back()) + uniform(0.1, 0.4) * direction());
    SceneBody& body =
        add_body(scene, "b" + std::to_string(index), shape, loguniform(0.01, 10.0), center);
    body.shapes.front().filter = {2u, 1u};
    body.pose.rotation = rotation_from_vector(uniform(0.0, kPi) * direction());
  }

  void attach(Scene& scene, int index) {
    const int parent = parents_[static_cast<std::size_t>(index)];
    SceneJoint joint;
    joint.name = "j" + std::to_string(index);
    joint.parent = parent < 0 ? "world" : "b" + std::to_string(parent);
    joint.child = "b" + std::to_string(index);
    const int kind = integer(0, 3);
    joint.type = kind == 0   ? JointType::Spherical
                 : kind == 1 ? JointType::Universal
                             : JointType::Revolute;
    joint.axis_W = direction();
    joint.axis2_W = joint.axis_W.cross(direction()).normalized();
    joint.at_W = position(scene, index) + uniform(0.0, 0.3) * direction();
    const double rate = loguniform(1.0, 40.0);
    if (kind == 0) joint.rates = rate * direction();
    if (kind == 1) joint.rates = rate * direction().head<2>();
    if (kind > 1) joint.rate = rate * uniform(-1.0, 1.0);
    if (kind > 1 && chance(0.3)) joint.dynamics.limits = {{-uniform(0.0, 1.0), uniform(0.0, 1.0)}};
    scene.joints.push_back(joint);
  }

  /// Joins the last body to the root again.
  void close_loop(Scene& scene, int index) {
    SceneJoint joint;
    joint.name = "loop";
    joint.type = JointType::Spherical;
    joint.parent = "b0";
    joint.child = "b" + std::to_string(index);
    joint.at_W = position(scene, index) + uniform(0.0, 0.2) * direction();
    joint.coordinates = Coordinates::Maximal;
    scene.joints.push_back(joint);
  }

  /// Puts one to three planes where they nearly touch the tree.
  void add_planes(Scene& scene, int bodies) {
    const int planes = integer(1, 3);
    for (int k = 0; k < planes; ++k) {
      const Eigen::Vector3d normal = direction();
      double lowest = 1e9;
      for (int i = 0; i < bodies; ++i) {
        const auto place = static_cast<std::size_t>(i);
        lowest = std::min(lowest, normal.dot(position(scene, i)) -
                                      bounding_radius(scene.bodies[place].shapes.front().shape));
      }
      add_half_space(scene, "plane" + std::to_string(k), normal, lowest - uniform(0.0, 0.02));
    }
  }

  Eigen::Vector3d direction() {
    std::normal_distribution<double> normal;
    const Eigen::Vector3d d(normal(random_), normal(random_), normal(random_));
    return d.norm() > 1e-3 ? Eigen::Vector3d(d.normalized()) : Eigen::Vector3d::UnitX();
  }
  static Eigen::Vector3d position(const Scene& scene, int body) {
    return scene.bodies[static_cast<std::size_t>(body)].pose.translation;
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double loguniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

  std::mt19937_64 random_;
  std::vector<int> parents_;  // [bodies], -1: the world
};

}  // namespace amontons::test
