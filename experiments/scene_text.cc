#include "experiments/scene_text.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/math/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace amontons::experiments {
namespace {

std::string number(double value) { return fmt::format("{:.17g}", value); }

std::string list(const Eigen::Ref<const Eigen::VectorXd>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + number(value);
  return "[" + out + "]";
}

std::string pose(const Pose& X) {
  return fmt::format("{{position: {}, quat_wxyz: {}}}", list(X.translation),
                     list(wxyz_from_quaternion(Eigen::Quaterniond(X.rotation))));
}

/// Writes a polyhedron as an OBJ file.
std::string obj(const ConvexPolyhedron& polyhedron) {
  std::string out;
  for (const Eigen::Vector3d& v : polyhedron.vertices()) {
    out += fmt::format("v {} {} {}\n", number(v.x()), number(v.y()), number(v.z()));
  }
  for (const ConvexPolyhedron::Face& face : polyhedron.faces()) {
    out += "f";
    for (const int vertex : face.vertices) out += fmt::format(" {}", vertex + 1);
    out += "\n";
  }
  return out;
}

/// Writes the heights of a terrain as a table.
std::string csv(const HeightField& terrain) {
  std::string out;
  for (const auto& row : terrain.heights().rowwise()) {
    std::string line;
    for (const double height : row) line += (line.empty() ? "" : ",") + number(height);
    out += line + "\n";
  }
  return out;
}

/// Returns the instants of a table [s]. @throws std::invalid_argument unless it is linear.
std::vector<double> linear_instants(const Trajectory& table) {
  constexpr double kRounding = 1e-9;  // of slopes
  std::vector<double> times;
  double time = table.next_instant(-std::numeric_limits<double>::infinity());
  for (; std::isfinite(time); time = table.next_instant(time)) times.push_back(time);
  for (std::size_t k = 1; k < times.size(); ++k) {
    const double from = times[k - 1], to = times[k];
    const double slope = (table.value(to) - table.value(from)) / (to - from);
    if (std::abs(table.rate(0.5 * (from + to)) - slope) > kRounding * (1.0 + std::abs(slope))) {
      throw std::invalid_argument("a cubic table has no text here");
    }
  }
  return times;
}

/// Writes linear tables that have the same instants.
std::string csv(const std::string& names, const std::vector<Trajectory>& tables) {
  std::string out = "time," + names + "\n";
  for (const double time : linear_instants(tables.front())) {
    out += number(time);
    for (const Trajectory& table : tables) out += "," + number(table.value(time));
    out += "\n";
  }
  return out;
}

/// Holds the files of a scene. Bodies that share a polyhedron share its file.
struct SceneFiles {
  std::string scene;  ///< name with which all of them begin
  io::MemoryFiles files;
  std::map<std::shared_ptr<const ConvexPolyhedron>, std::string> polyhedra;
};

/// Writes shapes; a polyhedron or a terrain becomes a file of `files`.
struct ShapeWriter {
  SceneFiles& files;
  std::string name;  // of that file, without its ending

  std::string operator()(const Sphere& s) const { return "sphere: " + number(s.radius); }
  std::string operator()(const Box& s) const { return "box: " + list(s.size); }
  std::string operator()(const Capsule& s) const {
    return fmt::format("capsule: [{}, {}]", number(s.radius), number(s.length));
  }
  std::string operator()(const Cylinder& s) const {
    return fmt::format("cylinder: [{}, {}]", number(s.radius), number(s.length));
  }
  std::string operator()(const Ellipsoid& s) const { return "ellipsoid: " + list(s.semi_axes); }
  std::string operator()(const HalfSpace& s) const {
    return fmt::format("half_space: {{normal: {}, offset: {}}}", list(s.normal), number(s.offset));
  }
  std::string operator()(const std::shared_ptr<const ConvexPolyhedron>& s) const {
    const auto [entry, is_new] = files.polyhedra.emplace(s, name + ".obj");
    if (is_new) files.files.add(entry->second, obj(*s));
    return fmt::format("mesh: {{file: {}, collide: hull}}", entry->second);
  }
  std::string operator()(const std::shared_ptr<const HeightField>& s) const {
    files.files.add(name + ".csv", csv(*s));
    return fmt::format("heightfield: {{size: [{}, {}], file: {}.csv}}", number(s->size_x()),
                       number(s->size_y()), name);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    throw std::invalid_argument("a scene with a mesh has no text here");
  }
};

std::string body(const SceneBody& b, SceneFiles& files) {
  std::string shapes;
  for (const SceneShape& shape : b.shapes) {
    const std::string file = fmt::format("{}-{}-{}", files.scene, b.name, &shape - b.shapes.data());
    shapes += fmt::format("{}{{{}, material: {}, pose: {}}}", shapes.empty() ? "" : ", ",
                          std::visit(ShapeWriter{files, file}, shape.shape), shape.material,
                          pose(shape.X_BG));
  }
  std::string out =
      fmt::format("  - {{name: {}, pose: {}, shapes: [{}]", b.name, pose(b.pose), shapes);
  if (b.base == BaseType::Fixed) return out + ", fixed: true}\n";
  if (b.base == BaseType::Planar) out += ", base: planar";
  const Eigen::Matrix3d& I = b.inertia.inertia;
  Eigen::VectorXd moments(6);
  moments << I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2);
  return out + fmt::format(
                   ", mass: {}, center_of_mass: {}, inertia: {}, velocity: {{linear: {}, angular: "
                   "{}}}}}\n",
                   number(b.inertia.mass), list(b.inertia.center_of_mass), list(moments),
                   list(b.linear_velocity), list(b.angular_velocity));
}

/// Returns the filters of shapes that collide with nothing, by their number in the body.
std::string filters(const Scene& scene) {
  std::string out;
  for (const SceneBody& b : scene.bodies) {
    for (std::size_t k = 0; k < b.shapes.size(); ++k) {
      const CollisionFilter& filter = b.shapes[k].filter;
      if (filter.is_none()) {
        out += fmt::format("  - {{shapes: {}/{}, category: 0, mask: 0}}\n", b.name, k);
      } else if (filter.category != 1 || filter.mask != 1) {
        throw std::invalid_argument("a shape that collides with some has no text here");
      }
    }
  }
  return out.empty() ? "" : "collision_filters:\n" + out;
}

std::string settings(const SimulationSettings& s) {
  std::string out = fmt::format("simulation: {{step: {}, duration: {}, method: {}",
                                number(s.steps.front()), number(s.duration), s.method);
  if (s.events.sustained == SustainedContact::CoulombAcceleration) {
    out += ", sustained_contact: coulomb-acceleration";
  }
  if (s.restitution_law == RestitutionLaw::Newton) out += ", restitution_law: newton";
  return out + "}\n";
}

std::string materials(const Scene& scene) {
  std::string out = "materials:\n";
  for (const Material& m : scene.materials) {
    out += fmt::format("  - {{name: {}, friction: {}, restitution: {}}}\n", m.name,
                       number(m.friction), number(m.restitution));
  }
  for (const MaterialPair& pair : scene.material_pairs) {
    out += fmt::format("  - {{pair: [{}, {}]", pair.first, pair.second);
    if (pair.friction) out += ", friction: " + number(*pair.friction);
    if (pair.restitution) out += ", restitution: " + number(*pair.restitution);
    out += "}\n";
  }
  return out;
}

std::string joints(const Scene& scene) {
  std::string out = scene.joints.empty() ? "" : "joints:\n";
  for (const SceneJoint& j : scene.joints) {
    if (j.type != JointType::Revolute && j.type != JointType::Prismatic) {
      throw std::invalid_argument("a joint other than revolute or prismatic has no text here");
    }
    const JointDynamics& d = j.dynamics;
    if (d.limits || d.coulomb_friction != 0.0 || d.rest_position != 0.0 || d.armature != 0.0) {
      throw std::invalid_argument("a joint with more than a damper and a spring has no text here");
    }
    // A prescribed motion gives the start itself.
    const bool is_driven = std::any_of(scene.joint_motions.begin(), scene.joint_motions.end(),
                                       [&](const JointMotion& m) { return m.joint == j.name; });
    const std::string start = is_driven
                                  ? ""
                                  : fmt::format("position: {}, rate: {}, ",
                                                number(j.position.value_or(0.0)), number(j.rate));
    out += fmt::format(
        "  - {{name: {}, type: {}, parent: {}, child: {}, axis: {}, at: {}, coordinates: {}, "
        "{}viscous_friction: {}, stiffness: {}}}\n",
        j.name, j.type == JointType::Revolute ? "revolute" : "prismatic", j.parent, j.child,
        list(j.axis_W), list(j.at_W), j.coordinates == Coordinates::Reduced ? "reduced" : "maximal",
        start, number(d.viscous_friction), number(d.stiffness));
  }
  return out;
}

std::string wrench(const BodyWrench& w, SceneFiles& files) {
  if (w.by_joint) throw std::invalid_argument("a wrench of a joint has no text here");
  std::string acts = fmt::format("force: {}, torque: {}", list(w.force_W), list(w.torque_W));
  if (!w.table.empty()) {
    const std::string file = files.scene + "-" + w.body + "-wrench.csv";
    for (const Trajectory& table : w.table) {
      if (linear_instants(table) != linear_instants(w.table.front())) {
        throw std::invalid_argument("tables of a wrench with several instants have no text here");
      }
    }
    files.files.add(file, csv("fx,fy,fz,tx,ty,tz", w.table));
    acts = fmt::format("table: {}, interpolation: linear", file);
  }
  if (!w.axes.empty()) acts += ", axes: " + w.axes;
  return fmt::format("  - {{body: {}, {}, at: {}}}\n", w.body, acts, list(w.at_B));
}

std::string motion(const JointMotion& m, SceneFiles& files) {
  std::string moves = fmt::format("sinusoid: {{amplitude: {}, period: {}, offset: {}}}",
                                  number(m.amplitude), number(m.period), number(m.offset));
  if (m.trajectory) {
    const std::string file = files.scene + "-" + m.joint + "-motion.csv";
    files.files.add(file, csv(m.joint, {*m.trajectory}));
    moves = fmt::format("trajectory: {}, interpolation: linear", file);
  }
  return fmt::format("  - {{joint: {}, motion: {{{}}}}}\n", m.joint, moves);
}

std::string actuators(const Scene& scene, SceneFiles& files) {
  const bool none = scene.servos.empty() && scene.wrenches.empty() && scene.joint_motions.empty();
  std::string out = none ? "" : "actuators:\n";
  for (const JointServo& s : scene.servos) {
    out += fmt::format("  - {{joint: {}, position: {{target: {}, kp: {}, kd: {}}}}}\n", s.joint,
                       number(s.target), number(s.kp), number(s.kd));
  }
  for (const BodyWrench& w : scene.wrenches) out += wrench(w, files);
  for (const JointMotion& m : scene.joint_motions) out += motion(m, files);
  return out;
}

}  // namespace

Scene with_text(const Scene& scene, const std::string& name) {
  if (!scene.models.empty() || !scene.couplings.empty() || !scene.efforts.empty() ||
      !scene.motions.empty() || !scene.collision_rules.empty()) {
    throw std::invalid_argument("a scene with models or moving fixed bodies has no text here");
  }
  SceneFiles files{name, {}, {}};
  std::string text = "amontons: 1\ngravity: " + list(scene.gravity) + "\n" +
                     settings(scene.simulation) + materials(scene) + "bodies:\n";
  for (const SceneBody& b : scene.bodies) text += body(b, files);
  text += joints(scene) + actuators(scene, files) + filters(scene);
  return io::parse_scene(text, name + ".yaml", files.files);
}

}  // namespace amontons::experiments
