#include "amontons/dynamics/loop_joint.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/sensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Triple = std::array<double, 3>;

/// Views one body of a simulator, and follows its state.
struct BodyView {
  Handle owner;
  int index = -1;

  Model& model() const { return *owner.model; }
  const Body& body() const { return model().system().bodies()[static_cast<std::size_t>(index)]; }
  const Pose& pose() const { return model().now().X_WB[static_cast<std::size_t>(index)]; }
  Eigen::Vector4d quat_wxyz() const {
    return wxyz_from_quaternion(Eigen::Quaterniond(pose().rotation).normalized());
  }
  /// Returns the root joint of its tree if its coordinates are pose and velocity of this body: that
  /// of a free or planar base. Else null.
  const Link* base() const {
    const Body& own = body();
    if (own.articulation < 0 || own.link != 0) return nullptr;
    const Link& root =
        model().system().articulations()[static_cast<std::size_t>(own.articulation)].links()[0];
    const bool is_base = root.joint == JointType::Free || root.joint == JointType::Planar;
    return is_base && own.X_LB.translation.isZero(0.0) && own.X_LB.rotation.isIdentity(0.0)
               ? &root
               : nullptr;
  }
  /// Returns the mean (angular, linear) acceleration of its origin over the last step, in W.
  Vector6d acceleration() const {
    const StepReport& report = model().report();
    require_step(report);
    SystemKinematics start;
    compute_kinematics(model().system(), report.start->q, report.start->v, report.start->time,
                       start);
    const Vector6d before =
        body_velocity(model().system(), start, index,
                      start.X_WB[static_cast<std::size_t>(index)].translation, report.start->v);
    return (model().twist(index, Eigen::Vector3d::Zero()) - before) / report.step;
  }
};

/// Views one joint of a simulator, and follows its state.
struct JointView {
  Handle owner;
  int index = -1;

  Model& model() const { return *owner.model; }
  const JointCoordinate& joint() const {
    return model().system().joints()[static_cast<std::size_t>(index)];
  }
  /// Returns its place in the coordinates' dynamics, or null.
  const CoordinateDynamics* dynamics() const {
    for (const CoordinateDynamics& one : model().system().coordinate_dynamics()) {
      if (one.joint == joint().name) return &one;
    }
    return nullptr;
  }
  py::object position() const {
    const JointCoordinate& own = joint();
    if (own.q_offset < 0 && own.loop < 0) return py::none();
    if (own.q_offset < 0) return py::float_(model().now().loops.position[own.loop]);
    const Eigen::VectorXd& q = model().state().q;
    if (own.num_q == 1) return py::float_(q[own.q_offset]);
    return py::cast(Eigen::VectorXd(q.segment(own.q_offset, own.num_q)));
  }
  py::object velocity() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0 && own.loop < 0) return py::none();
    const Eigen::VectorXd& v = model().state().v;
    if (own.v_offset < 0) {
      const LoopCoordinates& loops = model().now().loops;
      return py::float_((loops.jacobian * v)[own.loop]);
    }
    if (own.num_v == 1) return py::float_(v[own.v_offset]);
    return py::cast(Eigen::VectorXd(v.segment(own.v_offset, own.num_v)));
  }
  py::object effort() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0) return py::none();
    const Eigen::VectorXd efforts = joint_efforts(model().report());
    if (own.num_v == 1) return py::float_(efforts[own.v_offset]);
    return py::cast(Eigen::VectorXd(efforts.segment(own.v_offset, own.num_v)));
  }
  std::pair<double, double> limits() const {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const CoordinateDynamics* own = dynamics();
    if (own == nullptr || !own->dynamics.limits) return {-kNone, kNone};
    return {(*own->dynamics.limits)[0], (*own->dynamics.limits)[1]};
  }
  /// Returns a body on the link that the joint moves.
  int child() const {
    const System& system = model().system();
    const int tree = system.articulation_of(joint().v_offset);
    const Articulation& links = system.articulations()[static_cast<std::size_t>(tree)];
    const int own = joint().v_offset - system.v_offset(tree);
    const auto rates_end = [&links](int link) {
      return links.v_offset(link) +
             num_velocities(links.links()[static_cast<std::size_t>(link)].joint);
    };
    // A universal joint has two links, the first of which has no body.
    for (const int last : {own, own + joint().num_v - 1}) {
      for (std::size_t b = 0; b < system.bodies().size(); ++b) {
        const Body& body = system.bodies()[b];
        if (body.articulation == tree && links.v_offset(body.link) <= last &&
            last < rates_end(body.link))
          return static_cast<int>(b);
      }
    }
    throw std::invalid_argument("joint '" + joint().name + "' moves no body of its own");
  }
  /// Returns the index of a joint that is rows of J into System::loop_joints().
  int loop_joint() const {
    const std::vector<LoopJoint>& joints = model().system().loop_joints();
    int row = 0;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (row == joint().first_row) return static_cast<int>(k);
      row += num_loop_rows(joints[k].geometry.type);
    }
    throw std::invalid_argument("'" + joint().name + "' is no joint between two bodies");
  }
  /// Returns the wrench on the body that it moves.
  Wrench wrench() const {
    const System& system = model().system();
    if (joint().v_offset < 0) return loop_joint_wrench(system, model().report(), loop_joint());
    return joint_wrench(system, model().report(), child());
  }
};

/// Returns the inertia of the link that a body belongs to, in the body's frame; none if it is
/// fixed.
std::optional<SpatialInertia> inertia_of(const BodyView& view) {
  const Body& body = view.body();
  if (body.articulation < 0) return std::nullopt;
  const Articulation& tree =
      view.model().system().articulations()[static_cast<std::size_t>(body.articulation)];
  return transform(body.X_LB.inverse(), tree.links()[static_cast<std::size_t>(body.link)].inertia);
}

void bind_body_inertia(py::class_<BodyView>& body) {
  body.def_property_readonly(
          "mass",
          [](const BodyView& self) -> std::optional<double> {
            const auto inertia = inertia_of(self);
            return inertia ? std::optional(inertia->mass) : std::nullopt;
          },
          "Mass [kg], with the bodies that are fixed to it; None of a fixed body.")
      .def_property_readonly(
          "center_of_mass",
          [](const BodyView& self) -> std::optional<Eigen::Vector3d> {
            const auto inertia = inertia_of(self);
            return inertia ? std::optional(inertia->center_of_mass) : std::nullopt;
          },
          "Center of that mass [3] [m], in the body's frame.")
      .def_property_readonly(
          "inertia",
          [](const BodyView& self) -> std::optional<Eigen::Matrix3d> {
            const auto inertia = inertia_of(self);
            return inertia ? std::optional(inertia->inertia) : std::nullopt;
          },
          "Inertia of that mass [3, 3] [kg m^2] about its center, along the body's axes.");
}

void bind_body(py::module_& module) {
  py::class_<BodyView> body(module, "Body", "Views a body of a simulator, and follows its state.");
  bind_body_inertia(body);
  body.def_property_readonly(
          "name", [](const BodyView& self) { return self.body().name; },
          "Name in the scene; a link's is model/link.")
      .def_readonly("index", &BodyView::index, "Index, as body_a and body_b of contacts.")
      .def_property_readonly(
          "q_index",
          [](const BodyView& self) -> std::optional<int> {
            if (self.base() == nullptr) return std::nullopt;
            return self.model().system().q_offset(self.body().articulation);
          },
          "Index of its first coordinate in q: of (quat_wxyz, position) of a free body or base, or "
          "of (x, z, angle) of a planar one. None where a joint, or nothing, carries it.")
      .def_property_readonly(
          "v_index",
          [](const BodyView& self) -> std::optional<int> {
            if (self.base() == nullptr) return std::nullopt;
            return self.model().system().v_offset(self.body().articulation);
          },
          "Index of its first rate in v: of (angular velocity, velocity) of a free body or base, "
          "or "
          "of the rates of a planar one's coordinates. None as that of q_index.")
      .def_property_readonly(
          "fixed", [](const BodyView& self) { return self.body().articulation < 0; },
          "True if it is fixed to the world.")
      .def_property_readonly(
          "position", [](const BodyView& self) { return self.pose().translation; },
          "Position of its origin [3] [m], in world axes.")
      .def_property_readonly("quat_wxyz", &BodyView::quat_wxyz, "Orientation in the world [4].")
      .def_property_readonly(
          "rotation", [](const BodyView& self) { return self.pose().rotation; },
          "Orientation in the world [3, 3]; its columns are the body's axes.")
      .def_property_readonly(
          "pose",
          [](const BodyView& self) {
            return std::pair{self.pose().translation, self.quat_wxyz()};
          },
          "(position [3] [m], quat_wxyz [4]), in world axes.")
      .def_property_readonly(
          "velocity",
          [](const BodyView& self) {
            return Eigen::Vector3d(
                self.model().twist(self.index, Eigen::Vector3d::Zero()).tail<3>());
          },
          "Velocity of its origin [3] [m/s], in world axes.")
      .def_property_readonly(
          "angular_velocity",
          [](const BodyView& self) {
            return Eigen::Vector3d(
                self.model().twist(self.index, Eigen::Vector3d::Zero()).head<3>());
          },
          "Angular velocity [3] [rad/s], in world axes.")
      .def_property_readonly(
          "twist",
          [](const BodyView& self) {
            return self.model().twist(self.index, Eigen::Vector3d::Zero());
          },
          "(angular velocity, velocity of its origin) [6], in world axes.")
      .def_property_readonly("acceleration", &BodyView::acceleration,
                             "Mean (angular, linear) acceleration of its origin over the last step "
                             "[6] [rad/s^2, m/s^2], in world axes.")
      .def(
          "point",
          [](const BodyView& self, const Triple& at) {
            return Eigen::Vector3d(self.pose() * Eigen::Vector3d(at[0], at[1], at[2]));
          },
          py::arg("at"), "Returns a point given in the body's axes, in world axes [3] [m].")
      .def_property_readonly(
          "contact_wrench",
          [](const BodyView& self) {
            const Wrench wrench =
                contact_wrench(self.model().system(), self.model().report(), self.index);
            return std::pair{wrench.force_W, wrench.torque_W};
          },
          "(force [3] [N], torque about its origin [3] [N m]) of all contacts in the last step, in "
          "world axes.")
      .def_property_readonly(
          "imu",
          [](const BodyView& self) {
            const ImuReading reading =
                imu_reading(self.model().system(), self.model().report(), self.index);
            return std::pair{reading.acceleration_B, reading.angular_velocity_B};
          },
          "(acceleration less gravity [3] [m/s^2], angular velocity [3] [rad/s]) of the last step, "
          "in the body's axes.")
      .def("__repr__", [](const BodyView& self) {
        return "<Body '" + self.body().name + "' at " + text_of(self.pose().translation) + ">";
      });
}

void bind_joint(py::module_& module) {
  py::class_<JointView>(module, "Joint", "Views a joint of a simulator, and follows its state.")
      .def_property_readonly(
          "name", [](const JointView& self) { return self.joint().name; },
          "Name in the scene; a model's joint is model/joint.")
      .def_property_readonly(
          "index",
          [](const JointView& self) -> std::optional<int> {
            if (self.joint().v_offset < 0) return std::nullopt;
            return self.joint().v_offset;
          },
          "Index of its first rate in v; None for a joint that is rows of J.")
      .def_property_readonly(
          "q_index",
          [](const JointView& self) -> std::optional<int> {
            if (self.joint().q_offset < 0) return std::nullopt;
            return self.joint().q_offset;
          },
          "Index of its first coordinate in q; None for a joint that is rows of J.")
      .def_property_readonly("position", &JointView::position,
                             "Coordinate [rad or m]; an array for several; None without one.")
      .def_property_readonly("velocity", &JointView::velocity,
                             "Rate [rad/s or m/s]; an array for several; None without one.")
      .def_property_readonly(
          "effort", &JointView::effort,
          "Mean force along it in the last step, of actuators, springs, dampers and rows of J "
          "[N m or N].")
      .def_property_readonly("limits", &JointView::limits,
                             "(lower, upper) [rad or m]; infinite where there is none.")
      .def_property_readonly(
          "wrench",
          [](const JointView& self) {
            const Wrench wrench = self.wrench();
            return std::pair{wrench.force_W, wrench.torque_W};
          },
          "(force [3] [N], torque about the joint [3] [N m]) on the link that it moves from the "
          "one "
          "that carries it, in the last step, in world axes. Zero of a joint that is detached.")
      .def("__repr__", [](const JointView& self) {
        return "<Joint '" + self.joint().name + "' at " + std::string(py::repr(self.position())) +
               ">";
      });
}

}  // namespace

void bind_views(py::module_& module, SimulatorClass& simulator, ModelClass& model) {
  bind_body(module);
  bind_joint(module);
  bind_named_views<BodyView, &Model::body, &Model::body_names>(
      module, "Bodies", "Lists the bodies of a simulator by name.");
  bind_named_views<JointView, &Model::joint, &Model::joint_names>(
      module, "Joints", "Lists the joints of a simulator by name.");
  constexpr const char* kBodies = "Bodies by name: sim.bodies['mug'].position.";
  constexpr const char* kJoints = "Joints by name: sim.joints['arm/elbow'].position.";
  simulator
      .def_property_readonly(
          "bodies", [](const py::object& self) { return NamedViews<BodyView>{handle_of(self)}; },
          kBodies)
      .def_property_readonly(
          "joints", [](const py::object& self) { return NamedViews<JointView>{handle_of(self)}; },
          kJoints)
      .def_property_readonly(
          "joint_names", [](const Simulator& self) { return extras_of(self).model.joint_names(); },
          "Names of all joints.");
  model
      .def_property_readonly(
          "bodies", [](const Handle& self) { return NamedViews<BodyView>{self}; }, kBodies)
      .def_property_readonly(
          "joints", [](const Handle& self) { return NamedViews<JointView>{self}; }, kJoints);
}

}  // namespace amontons::python
