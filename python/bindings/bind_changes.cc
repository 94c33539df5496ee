#include "amontons/math/rotation.h"
#include "amontons/simulation/property_changes.h"
#include "python/bindings/bindings.h"
#include "python/bindings/frame_argument.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Optional = std::optional<double>;
using OptionalTriple = std::optional<Triple>;

/// Returns the tree of a body without joints, or throws.
int free_tree(const Simulator& simulator, const std::string& name) {
  Model& model = extras_of(simulator).model;
  const Body& body = model.system().bodies()[static_cast<std::size_t>(model.body(name))];
  if (body.articulation < 0) throw std::invalid_argument("'" + name + "' is fixed");
  const Articulation& tree =
      model.system().articulations()[static_cast<std::size_t>(body.articulation)];
  if (tree.links()[0].joint != JointType::Free) {
    throw std::invalid_argument("'" + name + "' hangs on the world; only free bodies are parked");
  }
  return body.articulation;
}

void park(Simulator& simulator, const std::string& name) {
  const int a = free_tree(simulator, name);
  const System& system = simulator.system();
  State state = simulator.state();
  state.v
      .segment(system.v_offset(a),
               system.articulations()[static_cast<std::size_t>(a)].num_velocities())
      .setZero();
  simulator.change(parking_change(simulator, name, true));
  simulator.set_state(state.q, state.v);
}

/// Writes pose and velocity of the root link of a free tree. The body is the root's own.
void place(const System& system, int a, const OptionalTriple& position,
           const std::optional<std::array<double, 4>>& quat_wxyz, const Triple& velocity,
           const Triple& angular_velocity, State& state) {
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(a)];
  const Link& root = tree.links()[0];
  const Eigen::Index q0 = system.q_offset(a), v0 = system.v_offset(a);
  const Pose before =
      root.X_PF * joint_transform(root.geometry(), state.q.segment(q0, 7)) * root.X_MB;
  Pose X_WB = before;
  if (position) X_WB.translation = to_vector(*position);
  if (quat_wxyz) {
    const Eigen::Vector4d q((*quat_wxyz)[0], (*quat_wxyz)[1], (*quat_wxyz)[2], (*quat_wxyz)[3]);
    if (!(q.norm() > 0.0)) throw std::invalid_argument("release: the quaternion must not be zero");
    X_WB.rotation = quaternion_from_wxyz(q.normalized()).toRotationMatrix();
  }
  const Pose X_FM = root.X_PF.inverse() * X_WB * root.X_MB.inverse();
  state.q.segment<4>(q0) = wxyz_from_quaternion(Eigen::Quaterniond(X_FM.rotation).normalized());
  state.q.segment<3>(q0 + 4) = X_FM.translation;
  state.v.segment(v0, tree.num_velocities()).setZero();
  // Velocity of M's origin, in F.
  const Eigen::Matrix3d R_FW = root.X_PF.rotation.transpose();
  const Eigen::Vector3d w = to_vector(angular_velocity);
  const Eigen::Vector3d arm = X_WB.rotation * root.X_MB.inverse().translation;
  state.v.segment<3>(v0) = R_FW * w;
  state.v.segment<3>(v0 + 3) = R_FW * (to_vector(velocity) + w.cross(arm));
}

void release(Simulator& simulator, const std::string& name, const OptionalTriple& position,
             const std::optional<std::array<double, 4>>& quat_wxyz, const Triple& velocity,
             const Triple& angular_velocity) {
  const int a = free_tree(simulator, name);
  State state = simulator.state();
  place(simulator.system(), a, position, quat_wxyz, velocity, angular_velocity, state);
  simulator.change(parking_change(simulator, name, false));
  simulator.set_state(state.q, state.v);
}

py::dict contact_properties(const Simulator& simulator, const std::string& first,
                            const std::string& second) {
  const PairProperties own = properties_of(simulator, first, second);
  return py::dict(py::arg("friction") = own.friction, py::arg("restitution") = own.restitution,
                  py::arg("viscous_friction") = own.viscous_friction);
}

void bind_values(SimulatorClass& simulator) {
  simulator
      .def_property_readonly(
          "gravity", [](const Simulator& self) { return self.system().gravity(); },
          "Gravity now [3] [m/s^2], in world axes.")
      .def(
          "set_gravity",
          [](Simulator& self, const Triple& gravity) {
            self.change(gravity_change(to_vector(gravity)));
          },
          py::arg("gravity"), "Changes gravity [3] [m/s^2], in world axes.")
      .def(
          "set_material",
          [](Simulator& self, const std::string& material, Optional friction, Optional restitution,
             Optional viscous_friction) {
            self.change(material_change(self, material, {friction, restitution, viscous_friction}));
          },
          py::arg("material"), py::arg("friction") = py::none(),
          py::arg("restitution") = py::none(), py::arg("viscous_friction") = py::none(),
          "Changes a material: mu, e, mu_v [N s/m]. Pairs that the scene lists keep theirs.")
      .def(
          "set_material_pair",
          [](Simulator& self, const std::string& first, const std::string& second,
             Optional friction, Optional restitution, Optional viscous_friction) {
            self.change(material_pair_change(self, first, second,
                                             {friction, restitution, viscous_friction}));
          },
          py::arg("first"), py::arg("second"), py::arg("friction") = py::none(),
          py::arg("restitution") = py::none(), py::arg("viscous_friction") = py::none(),
          "Changes the contacts of two materials: mu, e, mu_v [N s/m].")
      .def("material_pair", &contact_properties, py::arg("first"), py::arg("second"),
           "Returns {friction, restitution, viscous_friction} of two materials now.")
      .def(
          "set_mass",
          [](Simulator& self, const std::string& body, double mass) {
            self.change(mass_change(self, body, mass));
          },
          py::arg("body"), py::arg("mass"),
          "Changes the mass of a body [kg], with those that fixed joints merge with it; its "
          "inertia "
          "scales with it.")
      .def("mass", &mass_of, py::arg("body"), "Returns that mass now [kg].")
      .def(
          "set_servo_gains",
          [](Simulator& self, const std::string& joint, Optional kp, Optional kd,
             Optional effort_limit) {
            self.change(servo_gains_change(self, joint, {kp, kd, effort_limit}));
          },
          py::arg("joint"), py::arg("kp") = py::none(), py::arg("kd") = py::none(),
          py::arg("effort_limit") = py::none(), "Changes the gains of a joint's servo.");
}

}  // namespace

void bind_changes(py::module_&, SimulatorClass& simulator) {
  bind_values(simulator);
  simulator
      .def(
          "set_collision",
          [](Simulator& self, const std::string& a, const std::string& b, bool collide) {
            self.change(collision_change(self, a, b, collide));
          },
          py::arg("a"), py::arg("b"), py::arg("collide"),
          "Lets two bodies collide or not, whatever the scene's filters say.")
      .def(
          "attach",
          [](Simulator& self, const std::string& joint) {
            self.change(attachment_change(self, joint, true));
          },
          py::arg("joint"),
          "Attaches a joint that is rows of J: a fixed joint at the pose that its bodies "
          "have "
          "now, others in the scene's frames.")
      .def(
          "detach",
          [](Simulator& self, const std::string& joint) {
            self.change(attachment_change(self, joint, false));
          },
          py::arg("joint"),
          "Detaches a joint that is rows of J (coordinates: maximal); it must have no limits, "
          "friction or drives.")
      .def(
          "park", &park, py::arg("body"),
          "Stops a free body, takes it out of all contact and carries its weight, until release(). "
          "Parked bodies are the spares of a scene.")
      .def("release", &release, py::arg("body"), py::arg("position") = py::none(),
           py::arg("quat_wxyz") = py::none(), py::arg("velocity") = Triple{},
           py::arg("angular_velocity") = Triple{},
           "Lets a parked body take part, at a position [m] and orientation (where it is, without) "
           "with a velocity [m/s] and angular velocity [rad/s], in world axes.")
      .def(
          "is_parked",
          [](const Simulator& self, const std::string& body) {
            return self.system().is_parked(extras_of(self).model.body(body));
          },
          py::arg("body"), "Returns True if a body is parked.");
}

}  // namespace amontons::python
