#include "amontons/math/rotation.h"
#include "amontons/simulation/sensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

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
  /// of a free or planar base. Else null, as where a planar joint of the scene carries it.
  const Link* base() const {
    const Body& own = body();
    if (own.articulation < 0 || own.link != 0) return nullptr;
    const System& system = model().system();
    const Link& root =
        system.articulations()[static_cast<std::size_t>(own.articulation)].links()[0];
    const int first = system.v_offset(own.articulation);
    const bool is_joint = std::ranges::any_of(system.joints(), [&](const JointCoordinate& joint) {
      return joint.num_v > 0 && joint.v_offset == first;
    });
    const bool is_base =
        root.joint == JointType::Free || (root.joint == JointType::Planar && !is_joint);
    return is_base && own.X_LB.translation.isZero(0.0) && own.X_LB.rotation.isIdentity(0.0)
               ? &root
               : nullptr;
  }
  /// Returns the mean (angular, linear) acceleration of its origin over the last step, in W.
  Vector6d acceleration() const {
    const StepReport& report = model().report();
    require_step(report);
    const SystemKinematics& start = model().at_start(report);
    const Vector6d before =
        body_velocity(model().system(), start, index,
                      start.X_WB[static_cast<std::size_t>(index)].translation, report.start->v);
    return (model().twist(index, Eigen::Vector3d::Zero()) - before) / report.step;
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
          "Mass [kg] of the link that it is part of: its own and those of all bodies that fixed "
          "joints "
          "merge with it, so that each of these has the same. None of a fixed body.")
      .def_property_readonly(
          "center_of_mass",
          [](const BodyView& self) -> py::object {
            const auto inertia = inertia_of(self);
            return inertia ? py::object(read_only(inertia->center_of_mass)) : py::none();
          },
          "Center of that mass [3] [m], from the body's origin along its axes; None of a fixed "
          "body.")
      .def_property_readonly(
          "inertia",
          [](const BodyView& self) -> py::object {
            const auto inertia = inertia_of(self);
            return inertia ? py::object(read_only(inertia->inertia)) : py::none();
          },
          "Inertia of that mass [3, 3] [kg m^2] about its center, along the body's axes; None of a "
          "fixed body.");
}

/// Binds its pose, and how it moves.
void bind_body_motion(py::class_<BodyView>& body) {
  body.def_property_readonly(
          "position", [](const BodyView& self) { return read_only(self.pose().translation); },
          "Position of its origin [3] [m], in world axes.")
      .def_property_readonly(
          "quat_wxyz", [](const BodyView& self) { return read_only(self.quat_wxyz()); },
          "Orientation in the world [4].")
      .def_property_readonly(
          "rotation", [](const BodyView& self) { return read_only(self.pose().rotation); },
          "Orientation in the world [3, 3]; its columns are the body's axes.")
      .def_property_readonly(
          "pose",
          [](const BodyView& self) {
            return std::pair{read_only(self.pose().translation), read_only(self.quat_wxyz())};
          },
          "(position [3] [m], quat_wxyz [4]), in world axes.")
      .def_property_readonly(
          "velocity",
          [](const BodyView& self) {
            return read_only(self.model().twist(self.index, Eigen::Vector3d::Zero()).tail<3>());
          },
          "Velocity of its origin [3] [m/s], in world axes.")
      .def_property_readonly(
          "angular_velocity",
          [](const BodyView& self) {
            return read_only(self.model().twist(self.index, Eigen::Vector3d::Zero()).head<3>());
          },
          "Angular velocity [3] [rad/s], in world axes.")
      .def_property_readonly(
          "twist",
          [](const BodyView& self) {
            return read_only(self.model().twist(self.index, Eigen::Vector3d::Zero()));
          },
          "(angular velocity, velocity of its origin) [6], in world axes.")
      .def_property_readonly(
          "acceleration", [](const BodyView& self) { return read_only(self.acceleration()); },
          "Mean (angular, linear) acceleration of its origin over the last step "
          "[6] [rad/s^2, m/s^2], in world axes. It raises ValueError without a step, and after an "
          "impact.")
      .def(
          "point",
          [](const BodyView& self, const Triple& at) {
            const Eigen::Vector3d point(at[0], at[1], at[2]);
            if (!point.allFinite()) throw std::invalid_argument("at must be a finite point [m]");
            return Eigen::Vector3d(self.pose() * point);
          },
          py::arg("at"), "Returns a point given in the body's axes, in world axes [3] [m].");
}

/// Binds what acts on it in the last step.
void bind_body_readings(py::class_<BodyView>& body) {
  body.def_property_readonly(
          "contact_wrench",
          [](const BodyView& self) {
            const StepKinematics known = self.model().known();
            const Wrench wrench =
                contact_wrench(self.model().system(), self.model().report(), self.index, &known);
            return std::pair{read_only(wrench.force_W), read_only(wrench.torque_W)};
          },
          "(force [3] [N], torque [3] [N m]) of all contacts on it, means over the last step, in "
          "world "
          "axes. The torque is about the body's origin where it was at the start of that step. It "
          "raises ValueError without a step, and after an impact.")
      .def_property_readonly(
          "imu",
          [](const BodyView& self) {
            Model& model = self.model();
            const StepReport& report = model.report();
            const StepKinematics known = model.known();
            const ImuReading reading =
                imu_reading(model.system_of(report), report, self.index, {}, &known);
            return std::pair{read_only(reading.acceleration_B),
                             read_only(reading.angular_velocity_B)};
          },
          "(acceleration less gravity [3] [m/s^2], angular velocity [3] [rad/s]) of its origin, in "
          "the body's axes at the end of the last step: the mean acceleration over that step, and "
          "the angular velocity at its end. Gravity is that of the step. It raises ValueError "
          "without a step, and after an impact.");
}

void bind_body(py::module_& module) {
  py::class_<BodyView> body(module, "Body", "Views a body of a simulator, and follows its state.",
                            collectable<BodyView, &visit_owner<BodyView>>());
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
          "True if it is fixed to the world.");
  bind_body_motion(body);
  bind_body_readings(body);
  body.def("__repr__", [](const BodyView& self) {
    return "<Body '" + self.body().name + "' at " + text_of(self.pose().translation) + ">";
  });
}

}  // namespace

void bind_views(py::module_& module, SimulatorClass& simulator, ModelClass& model) {
  bind_body(module);
  bind_named_views<BodyView, &Model::body, &Model::body_names>(
      module, "Bodies", "Lists the bodies of a simulator by name.");
  constexpr const char* kBodies = "Bodies by name: sim.bodies['mug'].position.";
  simulator.def_property_readonly(
      "bodies", [](const py::object& self) { return NamedViews<BodyView>{handle_of(self)}; },
      kBodies);
  model.def_property_readonly(
      "bodies", [](const Handle& self) { return NamedViews<BodyView>{self}; }, kBodies);
}

}  // namespace amontons::python
