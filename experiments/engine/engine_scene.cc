#include "experiments/engine/engine_scene.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/math/rotation.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace amontons::experiments {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double kPitch = 0.1;   // between cylinders [m]
constexpr double kRing = 0.03;   // length of the rings of pins [m]
constexpr double kWall = 0.004;  // thickness of rings [m]
constexpr double kJournal = 0.02, kCrankPin = 0.015, kPistonPin = 0.01;  // radii [m]
constexpr double kSkirt = 0.05;                                          // height of a piston [m]

// Shapes meet only where they are one joint.
enum Joint : std::uint32_t { kBearing = 1, kBigEnd = 2, kSmallEnd = 4, kBore = 8 };

SceneShape part_of(Joint joint, Shape shape, const Pose& X_BG) {
  return {std::move(shape), X_BG, "default", {joint, joint}};
}

Pose along_y(const Vector3d& at) { return {rotation_from_vector({-0.5 * pi, 0.0, 0.0}), at}; }
Pose along_z(const Vector3d& at) { return {Eigen::Matrix3d::Identity(), at}; }

// A prism of n facets about z, its vertices at the radius.
Shape pin(int facets, double radius, double length) {
  std::vector<Vector3d> points;
  for (int k = 0; k < facets; ++k) {
    const double angle = 2.0 * pi * (k + 0.5) / facets;
    for (const double z : {-0.5 * length, 0.5 * length}) {
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

// Walls about z, their inner faces at the radius.
void add_ring(Joint joint, int facets, double radius, double length, const Pose& X_BR,
              SceneBody& body) {
  const double side = 2.0 * (radius + kWall) * std::tan(pi / facets);
  for (int k = 0; k < facets; ++k) {
    const double angle = 2.0 * pi * k / facets;
    Pose X_RG{rotation_from_vector({0.0, 0.0, angle}), Vector3d::Zero()};
    X_RG.translation = X_RG.rotation * Vector3d(radius + 0.5 * kWall, 0.0, 0.0);
    body.shapes.push_back(part_of(joint, Box{{kWall, side, length}}, X_BR * X_RG));
  }
}

// One solid of uniform density that all shapes of a body fill, of the given mass.
SpatialInertia solid_of(const SceneBody& body, double mass) {
  SpatialInertia sum;
  for (const SceneShape& shape : body.shapes) {
    sum = combine(sum, transform(shape.X_BG, with_density(shape_properties(shape.shape), 1.0)));
  }
  const double scale = mass / sum.mass;
  return {mass, sum.center_of_mass, scale * sum.inertia};
}

Vector3d crank_pin(const EngineParameters& engine, double angle, double y) {
  return {engine.crank * std::sin(angle), y, engine.crank * std::cos(angle)};
}

SceneBody make_case(const EngineParameters& engine) {
  SceneBody body;
  body.name = "case";
  body.base = BaseType::Fixed;
  for (int i = 0; i <= engine.cylinders; ++i) {
    add_ring(kBearing, engine.facets, kJournal + engine.clearance, kRing,
             along_y({0.0, kPitch * (i - 0.5), 0.0}), body);
  }
  const double middle = engine.rod;  // middle of the stroke
  for (int i = 0; i < engine.cylinders; ++i) {
    add_ring(kBore, engine.facets, 0.5 * engine.bore + engine.clearance,
             2.0 * engine.crank + 2.0 * kSkirt, along_z({0.0, kPitch * i, middle}), body);
  }
  return body;
}

SceneBody make_crank(const EngineParameters& engine) {
  SceneBody body;
  body.name = "crank";
  for (int i = 0; i <= engine.cylinders; ++i) {
    body.shapes.push_back(part_of(kBearing, pin(engine.facets, kJournal, 0.04),
                                  along_y({0.0, kPitch * (i - 0.5), 0.0})));
  }
  for (int i = 0; i < engine.cylinders; ++i) {
    body.shapes.push_back(part_of(kBigEnd, pin(engine.facets, kCrankPin, 0.04),
                                  along_y(crank_pin(engine, crank_phase(i), kPitch * i))));
  }
  body.inertia = solid_of(body, engine.mass);
  body.pose.rotation = rotation_from_vector({0.0, engine.start_angle, 0.0});
  return body;
}

SceneBody make_piston(const EngineParameters& engine, int cylinder) {
  SceneBody body;
  body.name = "piston" + std::to_string(cylinder);
  body.shapes.push_back(
      part_of(kBore, pin(engine.facets, 0.5 * engine.bore, kSkirt), along_z(Vector3d::Zero())));
  body.inertia = solid_of(body, engine.mass);
  body.shapes.push_back(
      part_of(kSmallEnd, pin(engine.facets, kPistonPin, 0.04), along_y(Vector3d::Zero())));
  body.pose.translation = {0.0, kPitch * cylinder,
                           piston_height(engine, engine.start_angle + crank_phase(cylinder))};
  return body;
}

SceneBody make_rod(const EngineParameters& engine, int cylinder) {
  SceneBody body;
  body.name = "rod" + std::to_string(cylinder);
  add_ring(kBigEnd, engine.facets, kCrankPin + engine.clearance, kRing, along_y(Vector3d::Zero()),
           body);
  add_ring(kSmallEnd, engine.facets, kPistonPin + engine.clearance, kRing,
           along_y({0.0, 0.0, engine.rod}), body);
  body.inertia = solid_of(body, engine.mass);
  const Vector3d low =
      crank_pin(engine, engine.start_angle + crank_phase(cylinder), kPitch * cylinder);
  body.pose = {rotation_from_vector({0.0, std::asin(-low.x() / engine.rod), 0.0}), low};
  return body;
}

}  // namespace

double piston_height(const EngineParameters& engine, double angle) {
  const double side = engine.crank * std::sin(angle);
  return engine.crank * std::cos(angle) + std::sqrt(engine.rod * engine.rod - side * side);
}

double height_play(const EngineParameters& engine) {
  const double facet = 1.0 - std::cos(pi / engine.facets), lean = engine.crank / engine.rod;
  // A journal moves furthest into a corner of its bore.
  const double play =
      (3.0 * engine.clearance + facet * (kJournal + kCrankPin + kPistonPin)) / (1.0 - facet);
  const double tilt = 2.0 * (engine.clearance + facet * kPistonPin) / kRing;
  return (play + 0.5 * tilt * tilt * engine.rod) / std::sqrt(1.0 - lean * lean);
}

FrameStrip::Lines engine_lines(const EngineParameters& engine, const Simulator& simulator) {
  constexpr int kPoints = 24;
  FrameStrip::Lines lines;
  const auto add = [&](const Pose& X_WB, const std::vector<Vector3d>& points_B) {
    std::vector<Eigen::Vector2d> line;
    for (const Vector3d& p_B : points_B) {
      const Vector3d p_W = X_WB * p_B;
      line.emplace_back(p_W.x(), p_W.z());
    }
    lines.push_back(std::move(line));
  };
  const auto circle = [&](const Vector3d& middle, double radius) {
    std::vector<Vector3d> points;
    for (int k = 0; k <= kPoints; ++k) {
      const double angle = 2.0 * pi * k / kPoints;
      points.push_back(middle + radius * Vector3d(std::cos(angle), 0.0, std::sin(angle)));
    }
    return points;
  };
  const Pose crank = pose_of_body(simulator, "crank");
  add(crank, circle(Vector3d::Zero(), kJournal));
  for (int i = 0; i < engine.cylinders; ++i) {
    const Vector3d throw_B = crank_pin(engine, crank_phase(i), 0.0);
    add(crank, {Vector3d::Zero(), throw_B});
    add(crank, circle(throw_B, kCrankPin));
    add(pose_of_body(simulator, fmt::format("rod{}", i)),
        {Vector3d::Zero(), {0.0, 0.0, engine.rod}});
    const double x = 0.5 * engine.bore, z = 0.5 * kSkirt;
    add(pose_of_body(simulator, fmt::format("piston{}", i)),
        {{-x, 0.0, -z}, {x, 0.0, -z}, {x, 0.0, z}, {-x, 0.0, z}, {-x, 0.0, -z}});
  }
  // The bore reaches half a stroke and a skirt beyond the middle of the stroke.
  const double side = 0.5 * engine.bore + kWall, half = engine.crank + kSkirt;
  for (const double x : {-side, side}) {
    add({}, {{x, 0.0, engine.rod - half}, {x, 0.0, engine.rod + half}});
  }
  return lines;
}

double crank_phase(int cylinder) { return cylinder == 1 || cylinder == 2 ? pi : 0.0; }

Scene engine_scene(const EngineParameters& engine) {
  Scene scene;
  scene.gravity = {0.0, 0.0, -engine.gravity};
  scene.materials = {{"default", 0.0, 0.0, 0.0}};
  scene.bodies.push_back(make_case(engine));
  scene.bodies.push_back(make_crank(engine));
  for (int i = 0; i < engine.cylinders; ++i) {
    scene.bodies.push_back(make_piston(engine, i));
    scene.bodies.push_back(make_rod(engine, i));
  }
  BodyWrench wrench;
  wrench.body = "crank";
  wrench.torque_W = {0.0, engine.torque, 0.0};
  scene.wrenches.push_back(wrench);
  return scene;
}

}  // namespace amontons::experiments
