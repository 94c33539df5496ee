#include "amontons/simulation/effort_limits.h"
#include "amontons/simulation/joint_wrench.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/loop_joint_of.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

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
    return read_only(q.segment(own.q_offset, own.num_q));
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
    return read_only(v.segment(own.v_offset, own.num_v));
  }
  py::object effort() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0 && own.loop < 0) return py::none();
    const StepReport& report = model().report();
    if (own.v_offset < 0) {
      const StepKinematics known = model().known();
      return py::float_(loop_joint_efforts(model().system_of(report), report, &known)[own.loop]);
    }
    const Eigen::VectorXd efforts = joint_efforts(report);
    if (own.num_v == 1) return py::float_(efforts[own.v_offset]);
    return read_only(efforts.segment(own.v_offset, own.num_v));
  }
  py::object effort_limit() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0 && own.loop < 0) return py::none();
    const EffortLimits most = effort_limits(model().system());
    if (own.v_offset < 0) return py::float_(most.along_loops[own.loop]);
    if (own.num_v == 1) return py::float_(most.along_v[own.v_offset]);
    return read_only(most.along_v.segment(own.v_offset, own.num_v));
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
  /// Returns the wrench on the body that it moves.
  Wrench wrench() const {
    const StepReport& report = model().report();
    const System& system = model().system_of(report);
    const StepKinematics known = model().known();
    if (joint().v_offset >= 0) return joint_wrench(system, report, child(), &known);
    const int own = loop_joint_of(model().system(), joint());
    if (own >= 0) return loop_joint_wrench(system, report, own, &known);
    throw std::invalid_argument("'" + joint().name + "' is no joint between two bodies");
  }
};

void bind_joint(py::module_& module) {
  py::class_<JointView>(module, "Joint", "Views a joint of a simulator, and follows its state.",
                        collectable<JointView, &visit_owner<JointView>>())
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
          "[N m or N]; an array for several coordinates; None without one. It raises ValueError "
          "without a step, and after an impact.")
      .def_property_readonly(
          "effort_limit", &JointView::effort_limit,
          "Most effort along it [N m or N], the least of what it states and what its servos have; "
          "infinity without either, an array for several coordinates, None without one.")
      .def_property_readonly("limits", &JointView::limits,
                             "(lower, upper) [rad or m]; infinite where there is none.")
      .def_property_readonly(
          "attached",
          [](const JointView& self) {
            const System& system = self.model().system();
            const int own = loop_joint_of(system, self.joint());
            return own < 0 || system.loop_joints()[static_cast<std::size_t>(own)].is_attached;
          },
          "False while it is detached; attach() and detach() of the simulator change it.")
      .def_property_readonly(
          "wrench",
          [](const JointView& self) {
            const Wrench wrench = self.wrench();
            return std::pair{read_only(wrench.force_W), read_only(wrench.torque_W)};
          },
          "(force [3] [N], torque about the joint [3] [N m]) on the link that it moves from the "
          "one that carries it, in the last step, in world axes. Zero of a joint that was detached "
          "in that step.")
      .def("__repr__", [](const JointView& self) {
        return "<Joint '" + self.joint().name + "' at " + std::string(py::repr(self.position())) +
               ">";
      });
}

}  // namespace

void bind_joint_views(py::module_& module, SimulatorClass& simulator, ModelClass& model) {
  bind_joint(module);
  bind_named_views<JointView, &Model::joint, &Model::joint_names>(
      module, "Joints", "Lists the joints of a simulator by name.");
  constexpr const char* kJoints = "Joints by name: sim.joints['arm/elbow'].position.";
  simulator
      .def_property_readonly(
          "joints", [](const py::object& self) { return NamedViews<JointView>{handle_of(self)}; },
          kJoints)
      .def_property_readonly(
          "joint_names", [](const Simulator& self) { return extras_of(self).model.joint_names(); },
          "Names of all joints.");
  model.def_property_readonly(
      "joints", [](const Handle& self) { return NamedViews<JointView>{self}; }, kJoints);
}

}  // namespace amontons::python
