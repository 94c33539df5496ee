#pragma once

#include "amontons/math/rotation.h"
#include "tests/geometry/mesh_zoo.h"
#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>

#include <cmath>

namespace amontons::test {

/// Describes a slider-crank engine of triangle meshes, whose joints are contact alone: journals of
/// n facets in eyes of n walls, and a piston in its bore. Lengths are in m.
struct MeshEngine {
  int facets = 24;
  double clearance = 2e-4;  ///< from the vertices of a journal to the walls of its eye
  double crank = 0.05, rod = 0.15, bore = 0.04;
  double journal = 0.02, crank_pin = 0.015, piston_pin = 0.01;  ///< radii
  double wall = 0.004;
  double start_angle = 0.5;  ///< of the crank from the top dead center [rad]

  /// Returns the height of the piston's pin above the crank's axis at a crank angle.
  double piston_height(double angle) const {
    const double side = crank * std::sin(angle);
    return crank * std::cos(angle) + std::sqrt(rod * rod - side * side);
  }

  /// Returns how far play can carry the piston from that height: three clearances, what the facets
  /// leave free beside them, the tilt of the rod along its pins, and its lean.
  double height_play() const {
    const double facet = 1.0 - std::cos(kPi / facets), lean = crank / rod;
    const double play =
        (3.0 * clearance + facet * (journal + crank_pin + piston_pin)) / (1.0 - facet);
    const double tilt = 2.0 * (clearance + facet * piston_pin) / kEye;
    return (play + 0.5 * tilt * tilt * rod) / std::sqrt(1.0 - lean * lean);
  }

  /// Returns the case, the crank, the piston and the rod; a torque about y drives the crank.
  Scene scene(double torque) const {
    Scene scene;
    scene.gravity = {0.0, 0.0, -kGravity};
    scene.materials = {{"default", 0.0, 0.0, 0.0}};
    const Vector3d pin(crank * std::sin(start_angle), 0.0, crank * std::cos(start_angle));
    const double height = piston_height(start_angle);
    TriangleMesh housing = moved(tube(bore + clearance, 0.195), at(0.0, 0.0, 0.1825));
    TriangleMesh shaft = moved(cylinder(crank_pin, 0.04), along_y(0.0, crank));
    for (const double y : {-0.05, 0.05}) {
      housing = both(housing, moved(tube(journal + clearance, kEye), along_y(y, 0.0)));
      shaft = both(shaft, moved(cylinder(journal, 0.04), along_y(y, 0.0)));
    }
    add(scene, "case", housing).base = BaseType::Fixed;
    add(scene, "crank", shaft).pose.rotation = rotation_from_vector({0.0, start_angle, 0.0});
    // A crown, a skirt and a pin.
    TriangleMesh piston = moved(cylinder(bore, 0.05), at(0.0, 0.0, 0.045));
    piston = both(piston, moved(tube(bore - wall, 0.042, bore), at(0.0, 0.0, 0.0)));
    piston = both(piston, moved(cylinder(piston_pin, 2.0 * bore - wall), along_y(0.0, 0.0)));
    add(scene, "piston", piston).pose.translation = {0.0, 0.0, height};
    // Two eyes and a shank between them.
    const double big = crank_pin + clearance, small = piston_pin + clearance;
    const double low = big + 0.5 * wall, high = rod - small - 0.5 * wall;
    TriangleMesh rod_mesh = both(moved(tube(big, kEye), along_y(0.0, 0.0)),
                                 moved(tube(small, kEye), along_y(0.0, rod)));
    rod_mesh =
        both(rod_mesh, moved(box_mesh({0.01, 0.01, high - low}), at(0.0, 0.0, 0.5 * (low + high))));
    add(scene, "rod", rod_mesh).pose = {rotation_from_vector({0.0, std::asin(-pin.x() / rod), 0.0}),
                                        pin};
    BodyWrench wrench;
    wrench.body = "crank";
    wrench.torque_W = {0.0, torque, 0.0};
    scene.wrenches.push_back(wrench);
    return scene;
  }

 private:
  using Vector3d = Eigen::Vector3d;
  static constexpr double kEye = 0.03;  // length of the eyes and bearings

  static Pose along_y(double y, double z) {
    return {rotation_from_vector({-0.5 * kPi, 0.0, 0.0}), {0.0, y, z}};
  }

  /// Makes a prism about z, its vertices at the radius.
  TriangleMesh cylinder(double radius, double length) const {
    std::vector<std::vector<Vector3d>> ends(2);
    for (int k = 0; k < facets; ++k) {
      const double angle = 2.0 * kPi * k / facets;
      const double x = radius * std::cos(angle), y = radius * std::sin(angle);
      ends[0].emplace_back(x, y, -0.5 * length);
      ends[1].emplace_back(x, y, 0.5 * length);
    }
    return loft(ends);
  }

  /// Makes a tube about z. Its walls are at the inner radius, its outer vertices a wall farther or
  /// at the outer radius.
  TriangleMesh tube(double inner, double length, double outer = 0.0) const {
    const double corner = inner / std::cos(kPi / facets), half = 0.5 * length;
    if (outer == 0.0) outer = corner + wall;
    return revolved({{corner, -half}, {outer, -half}, {outer, half}, {corner, half}}, facets);
  }

  /// Adds a body of 1 kg; returns it. Its inertia is that of the mesh.
  static SceneBody& add(Scene& scene, const std::string& name, const TriangleMesh& mesh) {
    return add_body(scene, name, mesh_shape(mesh), 1.0, Vector3d::Zero());
  }
};

}  // namespace amontons::test
