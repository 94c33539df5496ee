#include "amontons/math/rotation.h"
#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/sensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/frame_argument.h"
#include "python/bindings/views/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Lists the frames of a simulator by name.
struct FrameViews {
  Handle owner;
};

FrameView make_frame(const py::object& simulator, const FrameArgument& parent,
                     const Triple& position, const std::array<double, 4>& quat_wxyz,
                     const std::string& name) {
  const Handle owner = handle_of(simulator);
  const FramePlace place = parent.in(*owner.model);
  const Eigen::Vector4d q(quat_wxyz[0], quat_wxyz[1], quat_wxyz[2], quat_wxyz[3]);
  if (!to_vector(position).allFinite() || !(q.norm() > 0.0) || !std::isfinite(q.norm())) {
    throw std::invalid_argument("frame: position and quaternion must be finite, and not zero");
  }
  const Pose X_PF{quaternion_from_wxyz(q.normalized()).toRotationMatrix(), to_vector(position)};
  return {owner, {place.body, place.X_BF * X_PF}, name};
}

std::pair<Eigen::Vector3d, Eigen::Vector3d> imu(const Simulator& simulator,
                                                const FrameArgument& frame) {
  Model& model = extras_of(simulator).model;
  const FramePlace place = frame.in(model);
  const StepReport& report = model.report();
  const StepKinematics known = model.known();
  const ImuReading reading =
      imu_reading(model.system_of(report), report, place.body, place.X_BF, &known);
  return {reading.acceleration_B, reading.angular_velocity_B};
}

std::pair<Eigen::Vector3d, Eigen::Vector3d> contact_wrench_on(const Simulator& simulator,
                                                              const std::string& body,
                                                              const FrameArgument& frame) {
  Model& model = extras_of(simulator).model;
  const int index = model.body(body);
  const StepKinematics known = model.known();
  const Wrench wrench = contact_wrench(model.system(), model.report(), index, &known);
  if (frame.is_none()) return {wrench.force_W, wrench.torque_W};
  // It is about the body's origin, and moves to that of the frame; both at the start of the step.
  const FramePlace place = frame.in(model);
  const SystemKinematics& start = model.at_start(model.report());
  const Eigen::Vector3d& p_WB = start.X_WB[static_cast<std::size_t>(index)].translation;
  const Pose X_WF = frame_pose(start, place.body, place.X_BF);
  const Eigen::Vector3d torque = wrench.torque_W + (p_WB - X_WF.translation).cross(wrench.force_W);
  return {X_WF.rotation.transpose() * wrench.force_W, X_WF.rotation.transpose() * torque};
}

std::pair<Eigen::Vector3d, Eigen::Vector3d> force_torque(const Simulator& simulator,
                                                         const FrameArgument& frame) {
  Model& model = extras_of(simulator).model;
  const FramePlace place = frame.in(model);
  const StepReport& report = model.report();
  const StepKinematics known = model.known();
  const FrameWrench wrench =
      joint_wrench_in_frame(model.system_of(report), report, place.body, place.X_BF, &known);
  return {wrench.force_F, wrench.torque_F};
}

void bind_frame(py::module_& module) {
  py::class_<FrameView>(module, "Frame",
                        "Views a frame that is fixed to a body of a simulator, and follows its "
                        "state: a site, a frame of the scene, or one that frame() makes.",
                        collectable<FrameView, &visit_owner<FrameView>>())
      .def_readonly("name", &FrameView::name, "Name in the scene, model/site, or as it was made.")
      .def_property_readonly(
          "body",
          [](const FrameView& self) {
            return self.model().system().bodies()[static_cast<std::size_t>(self.place.body)].name;
          },
          "Name of its body.")
      .def_property_readonly(
          "position", [](const FrameView& self) { return read_only(self.pose().translation); },
          "Position of its origin [3] [m], in world axes.")
      .def_property_readonly(
          "rotation", [](const FrameView& self) { return read_only(self.pose().rotation); },
          "Orientation in the world [3, 3]; its columns are the axes.")
      .def_property_readonly(
          "quat_wxyz",
          [](const FrameView& self) {
            return read_only(
                wxyz_from_quaternion(Eigen::Quaterniond(self.pose().rotation).normalized()));
          },
          "Orientation in the world [4].")
      .def_property_readonly(
          "velocity",
          [](const FrameView& self) {
            return read_only(
                self.model().twist(self.place.body, self.place.X_BF.translation).tail<3>());
          },
          "Velocity of its origin [3] [m/s], in world axes.")
      .def_property_readonly(
          "angular_velocity",
          [](const FrameView& self) {
            return read_only(
                self.model().twist(self.place.body, Eigen::Vector3d::Zero()).head<3>());
          },
          "Angular velocity [3] [rad/s], in world axes.")
      .def("__repr__", [](const FrameView& self) {
        return "<Frame '" + self.name + "' at " + text_of(self.pose().translation) + ">";
      });
}

void bind_frame_list(py::module_& module) {
  const auto names = [](const FrameViews& self) { return self.owner.model->frame_names(); };
  py::class_<FrameViews> type(
      module, "Frames", "Lists the frames of the scene, and the sites of its models, by name.",
      collectable<FrameViews, &visit_owner<FrameViews>>());
  type.def("__getitem__", [=](const FrameViews& self, const std::string& key) {
    const System& system = self.owner.model->system();
    const int index = system.find_frame(key);
    if (index < 0) throw UnknownNameError("frame", key, names(self));
    const SystemFrame& own = system.frames()[static_cast<std::size_t>(index)];
    return FrameView{self.owner, {own.body, own.X_BF}, own.name};
  });
  bind_map_of_names(type, names);
}

}  // namespace

void bind_frames(py::module_& module, SimulatorClass& simulator, ModelClass& model) {
  bind_frame(module);
  bind_frame_list(module);
  constexpr const char* kFrames = "Frames by name: those of the scene, and model/site.";
  model.def_property_readonly(
      "frames", [](const Handle& self) { return FrameViews{self}; }, kFrames);
  simulator
      .def_property_readonly(
          "frames", [](const py::object& self) { return FrameViews{handle_of(self)}; }, kFrames)
      .def("frame", &make_frame, py::arg("parent"), py::arg("position") = Triple{},
           py::arg("quat_wxyz") = std::array<double, 4>{1.0, 0.0, 0.0, 0.0}, py::arg("name") = "",
           "Makes a frame that is fixed to a body or another frame; position [m] and orientation "
           "are in its axes. Functions take it where they take a name.")
      .def("imu", &imu, py::arg("frame"),
           "Returns (acceleration of the frame's origin less gravity [3] [m/s^2], angular velocity "
           "[3] [rad/s]) of the last step, in the frame's axes at its end: the mean acceleration "
           "over the step less the gravity of that step, and the angular velocity at its end. "
           "Raises ValueError without a step, and after an impact, which takes no time.")
      .def("contact_wrench", &contact_wrench_on, py::arg("body"), py::arg("frame") = py::none(),
           "Returns (force [3] [N], torque [3] [N m]) of all contacts on a body, means over the "
           "last "
           "step: about the origin and in the axes of a frame, or about the body's origin in world "
           "axes. Frame and origin are those at the start of the step, where its contacts are. "
           "Raises ValueError without a step, and after an impact, which takes no time.")
      .def("force_torque", &force_torque, py::arg("frame"),
           "Returns (force [3] [N], torque about the frame's origin [3] [N m]) on the frame's link "
           "from the one that carries it, a mean over the last step, in the frame's axes at its "
           "start. "
           "Links that fixed joints join count as one. Raises ValueError as imu(), and for a fixed "
           "body.");
}

}  // namespace amontons::python
