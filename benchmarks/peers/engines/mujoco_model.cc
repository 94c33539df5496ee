#include "benchmarks/peers/engines/mujoco_model.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"

#include <Eigen/Geometry>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr double kPi = 3.14159265358979323846;

std::string text(const Eigen::Vector3d& v) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
}

std::string pose_attributes(const Pose& X) {
  const Eigen::Quaterniond q(X.rotation);
  return fmt::format("pos=\"{}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"", text(X.translation),
                     q.w(), q.x(), q.y(), q.z());
}

// MuJoCo has no restitution. Its contacts are springs; an underdamped one of natural frequency
// 0.2 / h rebounds with e = exp(-pi zeta / sqrt(1 - zeta^2)).
std::string contact_parameters(const World& world, const MujocoOptions& options) {
  if (world.restitution > 0.0) {
    const double log_e = std::log(world.restitution);
    const double zeta = -log_e / std::sqrt(kPi * kPi + log_e * log_e);
    const double frequency = 0.2 / world.step;
    return fmt::format("solref=\"{:.17g} {:.17g}\"", -frequency * frequency,
                       -2.0 * zeta * frequency);
  }
  if (options.stiff) {
    return fmt::format("solref=\"{:.17g} 1\" solimp=\"0.99 0.9999 0.001\"", 2.0 * world.step);
  }
  return "";
}

// Memory is fixed before the run and counted in 32-bit numbers: rows x dofs for J and its transpose
// with their column indices, rows x rows for A.
std::string size_element(const World& world) {
  constexpr double kMaxBytes = 1.6e9, kContactsPerBody = 10.0, kRowsPerContact = 4.0;
  const double num_bodies = static_cast<double>(world.moving.size());
  const double dofs = 6.0 * num_bodies;
  const double contacts = kContactsPerBody * num_bodies + 100.0;
  const double b = 24.0 * dofs, a = 12.0;
  const double affordable = (-b + std::sqrt(b * b + 4.0 * a * kMaxBytes)) / (2.0 * a);
  const double rows = std::min(kRowsPerContact * contacts, affordable);
  return fmt::format("<size nconmax=\"{:.0f}\" njmax=\"{:.0f}\"/>", contacts, rows);
}

/// Returns the name of the asset of a shape of a body of the scene.
std::string mesh_name(const WorldBody& body, std::size_t shape) {
  return fmt::format("mesh {} {}", body.name, shape);
}

/// Returns the vertices of all polyhedra as meshes. MuJoCo takes their convex hulls.
std::string asset_elements(const World& world) {
  std::string elements;
  for (const std::vector<WorldBody>* bodies : {&world.moving, &world.fixed_bodies}) {
    for (const WorldBody& body : *bodies) {
      for (std::size_t k = 0; k < body.shapes.size(); ++k) {
        const auto* hull =
            std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&body.shapes[k].shape);
        if (hull == nullptr) continue;
        elements += fmt::format("<mesh name=\"{}\" vertex=\"", mesh_name(body, k));
        for (const Eigen::Vector3d& vertex : (*hull)->vertices()) elements += text(vertex) + " ";
        elements += "\"/>\n";
      }
    }
  }
  return elements.empty() ? "" : "<asset>\n" + elements + "</asset>\n";
}

/// Returns a shape as a geom.
/// @param mesh  name of the mesh of a polyhedron.
std::string geom(const WorldShape& shape, const std::string& mesh, const std::string& parameters) {
  const auto round = [](const char* name, double radius, double length) {
    return fmt::format("type=\"{}\" size=\"{:.17g} {:.17g}\"", name, radius, 0.5 * length);
  };
  std::string type;
  if (const auto* sphere = std::get_if<Sphere>(&shape.shape)) {
    type = fmt::format("type=\"sphere\" size=\"{:.17g}\"", sphere->radius);
  } else if (const auto* box = std::get_if<Box>(&shape.shape)) {
    type = fmt::format("type=\"box\" size=\"{}\"", text(0.5 * box->size));
  } else if (const auto* capsule = std::get_if<Capsule>(&shape.shape)) {
    type = round("capsule", capsule->radius, capsule->length);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape.shape)) {
    type = round("cylinder", cylinder->radius, cylinder->length);
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape.shape)) {
    type = fmt::format("type=\"ellipsoid\" size=\"{}\"", text(ellipsoid->semi_axes));
  } else if (std::holds_alternative<std::shared_ptr<const ConvexPolyhedron>>(shape.shape)) {
    type = fmt::format("type=\"mesh\" mesh=\"{}\"", mesh);
  } else {
    throw std::invalid_argument("MuJoCo: shape " + shape_type_name(shape.shape));
  }
  return fmt::format("<geom {} {} {}/>", type, pose_attributes(shape.X_BG), parameters);
}

// Poses are relative to the parent. Stiff settings apply to friction of joints, too.
std::string joint_element(const World& world, const WorldBody& body, const WorldJoint& joint,
                          const MujocoOptions& options) {
  const Pose X_BJ = body.X_WB.inverse() * joint.frame();
  const std::string stiff =
      options.stiff
          ? fmt::format("solreffriction=\"{:.17g} 1\" solimpfriction=\"0.99 0.9999 0.001\"",
                        2.0 * world.step)
          : "";
  const double drive = joint.motion ? kMotionDamping : joint.servo ? joint.servo->kd : 0.0;
  const std::string limits = joint.limits
                                 ? fmt::format("limited=\"true\" range=\"{:.17g} {:.17g}\"",
                                               joint.limits->at(0), joint.limits->at(1))
                                 : "";
  return fmt::format(
      "<joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\" frictionloss=\"{:.17g}\" "
      "damping=\"{:.17g}\" armature=\"{:.17g}\" {} {}/>",
      joint.name, joint.type == JointType::Revolute ? "hinge" : "slide", text(X_BJ.translation),
      text(X_BJ.rotation * joint.axis_W), joint.friction, joint.damping + drive, joint.armature,
      limits, stiff);
}

// Writes a body with all bodies that joints connect to it.
std::string body_element(const World& world, std::size_t i, const std::string& parameters,
                         const MujocoOptions& options) {
  const WorldBody& body = world.moving[i];
  const WorldJoint* carrier = world.joint_of(i);
  std::string joints = "<freejoint/>";
  Pose X_PB = body.X_WB;
  if (body.planar) {
    joints =
        "<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>"
        "<joint type=\"hinge\" axis=\"0 1 0\"/>";
  } else if (carrier != nullptr) {
    joints = joint_element(world, body, *carrier, options);
    if (carrier->parent >= 0) {
      X_PB = world.moving[static_cast<std::size_t>(carrier->parent)].X_WB.inverse() * X_PB;
    }
  }
  std::string contents;
  for (std::size_t k = 0; k < body.shapes.size(); ++k) {
    contents += geom(body.shapes[k], mesh_name(body, k), parameters);
  }
  for (const WorldJoint& joint : world.joints) {
    if (joint.parent == static_cast<int>(i)) {
      contents += body_element(world, static_cast<std::size_t>(joint.child), parameters, options);
    }
  }
  return fmt::format(
      "<body name=\"{}\" {}>{}<inertial pos=\"0 0 0\" mass=\"{:.17g}\" diaginertia=\"{}\"/>{}"
      "</body>\n",
      body.name, pose_attributes(X_PB), joints, body.mass, text(body.inertia), contents);
}

std::string actuator_elements(const World& world) {
  std::string elements;
  for (const WorldJoint& joint : world.joints) {
    if (!joint.is_driven()) continue;
    elements += fmt::format("<position joint=\"{}\" kp=\"{:.17g}\"/>\n", joint.name,
                            joint.motion ? kMotionStiffness : joint.servo->kp);
  }
  return elements.empty() ? "" : "<actuator>\n" + elements + "</actuator>\n";
}

/// Returns the pairs of bodies that do not collide, where the world names them.
std::string exclude_elements(const World& world) {
  if (!world.excluded || world.excluded->empty()) return "";
  std::string elements = "<contact>\n";
  for (const auto& [a, b] : *world.excluded) {
    elements += fmt::format("<exclude body1=\"{}\" body2=\"{}\"/>\n",
                            world.moving[static_cast<std::size_t>(a)].name,
                            world.moving[static_cast<std::size_t>(b)].name);
  }
  return elements + "</contact>\n";
}

/// Returns the gears.
std::string coupling_elements(const World& world) {
  std::string elements;
  for (const WorldCoupling& coupling : world.couplings) {
    const auto name = [&world](int joint) {
      return world.joints[static_cast<std::size_t>(joint)].name;
    };
    const std::string reference =
        coupling.reference < 0 ? "" : "joint2=\"" + name(coupling.reference) + "\"";
    elements += fmt::format("<joint joint1=\"{}\" {} polycoef=\"{:.17g} {:.17g} 0 0 0\"/>\n",
                            name(coupling.joint), reference, coupling.offset, coupling.multiplier);
  }
  return elements.empty() ? "" : "<equality>\n" + elements + "</equality>\n";
}

// A plane is drawn in its local x-y plane, its normal along z.
std::string plane_element(const HalfSpace& plane, const std::string& parameters) {
  Pose X;
  X.rotation =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.normal).toRotationMatrix();
  X.translation = plane.offset * plane.normal;
  return fmt::format("<geom type=\"plane\" size=\"0 0 1\" {} {}/>\n", pose_attributes(X),
                     parameters);
}

}  // namespace

MujocoOptions mujoco_options(const std::string& setting) {
  MujocoOptions options;
  if (setting == "newton") return options;
  if (setting == "elliptic") {
    options.cone = "elliptic";
  } else if (setting == "pgs") {
    options.solver = "PGS";
  } else if (setting == "cg") {
    options.solver = "CG";
  } else if (setting == "tuned") {
    options = {"elliptic", "Newton", 50, 10.0, true};
  } else {
    throw std::invalid_argument("unknown setting of MuJoCo: " + setting);
  }
  return options;
}

std::string mujoco_model(const World& world, const MujocoOptions& options) {
  const std::string parameters = fmt::format("condim=\"3\" friction=\"{:.17g} 0 0\" {}",
                                             world.friction, contact_parameters(world, options));
  std::string elements;
  for (const WorldBody& body : world.fixed_bodies) {
    for (std::size_t k = 0; k < body.shapes.size(); ++k) {
      const WorldShape& shape = body.shapes[k];
      elements += std::holds_alternative<HalfSpace>(shape.shape)
                      ? plane_element(half_space_in_world(body, shape), parameters)
                      : geom({shape.shape, body.X_WB * shape.X_BG}, mesh_name(body, k), parameters);
    }
  }
  for (std::size_t i = 0; i < world.moving.size(); ++i) {
    const WorldJoint* carrier = world.joint_of(i);
    if (carrier == nullptr || carrier->parent < 0) {
      elements += body_element(world, i, parameters, options);
    }
  }
  // MuJoCo's own filter of parents and children gives way to the pairs that the world names.
  const std::string filter = world.excluded ? "<flag filterparent=\"disable\"/>" : "";
  return fmt::format(
      "<mujoco>\n<compiler angle=\"radian\"/>\n"
      "<option timestep=\"{:.17g}\" gravity=\"{}\" cone=\"{}\" solver=\"{}\" impratio=\"{:.17g}\""
      " noslip_iterations=\"{}\">{}</option>\n{}\n{}<worldbody>\n{}</worldbody>\n{}{}{}</mujoco>\n",
      world.step, text(world.gravity), options.cone, options.solver, options.impratio,
      options.noslip_iterations, filter, size_element(world), asset_elements(world), elements,
      exclude_elements(world), coupling_elements(world), actuator_elements(world));
}

}  // namespace amontons::peers
