#include "amontons/math/rotation.h"
#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/system/parked_bodies.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/frame_argument.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Optional = std::optional<double>;
using OptionalTriple = std::optional<Triple>;

/// Holds where and how fast a body is to be released, in W.
struct Release {
  OptionalTriple position;  // without: where it is
  std::optional<std::array<double, 4>> quat_wxyz;
  Triple velocity, angular_velocity;
};

/// Throws std::invalid_argument unless all numbers are finite, and the quaternion turns.
void require_possible(const Release& to) {
  const Eigen::Vector3d position = to_vector(to.position.value_or(Triple{}));
  if (!position.allFinite() || !to_vector(to.velocity).allFinite() ||
      !to_vector(to.angular_velocity).allFinite()) {
    throw std::invalid_argument("release: position and velocities must be finite");
  }
  if (!to.quat_wxyz) return;
  const auto& [w, x, y, z] = *to.quat_wxyz;
  const double norm = Eigen::Vector4d(w, x, y, z).norm();
  if (!(norm > 0.0) || !std::isfinite(norm)) {
    throw std::invalid_argument("release: the quaternion must be finite, and not zero");
  }
}

/// Writes pose and velocity of a body of a free tree, whose joints keep their positions and stop.
void place(Model& model, int body, const Release& to, State& state) {
  const System& system = model.system();
  const Body& own = system.bodies()[static_cast<std::size_t>(body)];
  const int a = own.articulation;
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(a)];
  const Link& root = tree.links()[0];
  const Eigen::Index q0 = system.q_offset(a), v0 = system.v_offset(a);
  const Pose X_WL =
      root.X_PF * joint_transform(root.geometry(), state.q.segment(q0, 7)) * root.X_MB;
  const Pose X_LB = own.link == 0
                        ? own.X_LB
                        : model.now().trees[static_cast<std::size_t>(a)].X_WB[0].inverse() *
                              model.now().X_WB[static_cast<std::size_t>(body)];
  Pose X_WB = X_WL * X_LB;
  if (to.position) X_WB.translation = to_vector(*to.position);
  if (to.quat_wxyz) {
    const auto& [w, x, y, z] = *to.quat_wxyz;
    X_WB.rotation =
        quaternion_from_wxyz(Eigen::Vector4d(w, x, y, z).normalized()).toRotationMatrix();
  }
  const Pose X_BM = X_LB.inverse() * root.X_MB.inverse();
  const Pose X_FM = root.X_PF.inverse() * X_WB * X_BM;
  state.q.segment<4>(q0) = wxyz_from_quaternion(Eigen::Quaterniond(X_FM.rotation).normalized());
  state.q.segment<3>(q0 + 4) = X_FM.translation;
  state.v.segment(v0, tree.num_velocities()).setZero();
  // Velocity of M's origin, in F.
  const Eigen::Matrix3d R_FW = root.X_PF.rotation.transpose();
  const Eigen::Vector3d w = to_vector(to.angular_velocity);
  const Eigen::Vector3d arm = X_WB.rotation * X_BM.translation;
  state.v.segment<3>(v0) = R_FW * w;
  state.v.segment<3>(v0 + 3) = R_FW * (to_vector(to.velocity) + w.cross(arm));
}

void release(Simulator& simulator, const std::string& name, const OptionalTriple& position,
             const std::optional<std::array<double, 4>>& quat_wxyz, const Triple& velocity,
             const Triple& angular_velocity) {
  Model& model = extras_of(simulator).model;
  free_tree(model.system(), model.body(name));
  const Release to{position, quat_wxyz, velocity, angular_velocity};
  require_possible(to);  // nothing is changed where it is not
  State state = simulator.state();
  place(model, model.body(name), to, state);
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
          "gravity", [](const Simulator& self) { return read_only(self.system().gravity()); },
          "Gravity now [3] [m/s^2], in world axes; set_gravity() changes it.")
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
          "Changes the mass [kg] of the link that a body is part of: its own and those of all "
          "bodies "
          "that fixed joints merge with it. The link's inertia scales with it.")
      .def("mass", &mass_of, py::arg("body"),
           "Returns that mass now [kg], as bodies[body].mass; ValueError for a fixed body.")
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
          // None is no answer, and would count as False.
          py::arg("a"), py::arg("b"), py::arg("collide").noconvert(),
          "Lets two bodies collide or not, whatever the scene's filters say.")
      .def(
          "attach",
          [](Simulator& self, const std::string& joint) {
            self.change(attachment_change(self, joint, true));
          },
          py::arg("joint"),
          "Attaches a joint that is rows of J: a fixed joint at the pose that its bodies have now, "
          "others in the scene's frames. Raises ValueError where one of them is parked, and for a "
          "joint that is not rows of J.")
      .def(
          "detach",
          [](Simulator& self, const std::string& joint) {
            self.change(attachment_change(self, joint, false));
          },
          py::arg("joint"),
          "Detaches a joint that is rows of J (coordinates: maximal). Its limits, friction, "
          "spring, "
          "servo and efforts do not act until attach(); its angle counts turns as before. Raises "
          "ValueError for a joint with a coupling, a prescribed motion or a tendon.")
      .def(
          "park",
          [](Simulator& self, const std::string& body) {
            self.change(parking_change(self, body, true));
          },
          py::arg("body"),
          "Stops a free body, ends the wrenches and efforts on it, takes it out of all contact and "
          "carries its weight, until release(). Wrenches, efforts and velocities of a parked body "
          "raise ValueError; set_state() may place it. Parked bodies are the spares of a scene. "
          "What joints join to it is parked with it, and no spring, servo, effort or muscle of "
          "these joints acts. Raises ValueError for a body that is fixed, or that a joint holds.")
      .def("release", &release, py::arg("body"), py::arg("position") = py::none(),
           py::arg("quat_wxyz") = py::none(), py::arg("velocity") = Triple{},
           py::arg("angular_velocity") = Triple{},
           "Lets a parked body take part, at a position [m] and orientation (where it is, without) "
           "with a velocity [m/s] of its origin and an angular velocity [rad/s], in world axes. "
           "What "
           "it carries by joints comes with it; these keep their positions, and stop. A free body "
           "that is not parked is placed alike. Raises ValueError for numbers that are not finite.")
      .def(
          "is_parked",
          [](const Simulator& self, const std::string& body) {
            return self.system().is_parked(extras_of(self).model.body(body));
          },
          py::arg("body"), "Returns True if a body is parked.");
}

}  // namespace amontons::python
