#include "amontons/math/rotation.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/bindings.h"
#include "python/bindings/model.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <memory>
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
  Model* model;
  int index;
  const Body& body() const { return model->system().bodies()[static_cast<std::size_t>(index)]; }
  const Pose& pose() const { return model->now().X_WB[static_cast<std::size_t>(index)]; }
};

/// Views one joint of a simulator, and follows its state.
struct JointView {
  Model* model;
  int index;

  const JointCoordinate& joint() const {
    return model->system().joints()[static_cast<std::size_t>(index)];
  }
  /// Returns its place in the coordinates' dynamics, or null.
  const CoordinateDynamics* dynamics() const {
    for (const CoordinateDynamics& one : model->system().coordinate_dynamics()) {
      if (one.joint == joint().name) return &one;
    }
    return nullptr;
  }
  py::object position() const {
    const JointCoordinate& own = joint();
    if (own.q_offset < 0 && own.loop < 0) return py::none();
    if (own.q_offset < 0) return py::float_(model->now().loops.position[own.loop]);
    const Eigen::VectorXd& q = model->state().q;
    if (own.num_q == 1) return py::float_(q[own.q_offset]);
    return py::cast(Eigen::VectorXd(q.segment(own.q_offset, own.num_q)));
  }
  py::object velocity() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0 && own.loop < 0) return py::none();
    const Eigen::VectorXd& v = model->state().v;
    if (own.v_offset < 0) {
      const LoopCoordinates& loops = model->now().loops;
      return py::float_((loops.jacobian * v)[own.loop]);
    }
    if (own.num_v == 1) return py::float_(v[own.v_offset]);
    return py::cast(Eigen::VectorXd(v.segment(own.v_offset, own.num_v)));
  }
  py::object effort() const {
    const JointCoordinate& own = joint();
    if (own.v_offset < 0) return py::none();
    const Eigen::VectorXd efforts = joint_efforts(model->report());
    if (own.num_v == 1) return py::float_(efforts[own.v_offset]);
    return py::cast(Eigen::VectorXd(efforts.segment(own.v_offset, own.num_v)));
  }
  std::pair<double, double> limits() const {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const CoordinateDynamics* own = dynamics();
    if (own == nullptr || !own->dynamics.limits) return {-kNone, kNone};
    return {(*own->dynamics.limits)[0], (*own->dynamics.limits)[1]};
  }
};

/// Lists views by name, in the order of the scene.
template <typename View>
struct Views {
  Model* model;
  int (Model::*find)(const std::string&) const;
  std::vector<std::string> (Model::*names)() const;
};
using BodyViews = Views<BodyView>;
using JointViews = Views<JointView>;

template <typename View>
void bind_views(py::module_& module, const char* name, const char* doc) {
  using Own = Views<View>;
  py::class_<Own>(module, name, doc)
      .def("__len__", [](const Own& self) { return (self.model->*self.names)().size(); })
      .def(
          "__getitem__",
          [](const Own& self, const std::string& key) {
            return View{self.model, (self.model->*self.find)(key)};
          },
          py::keep_alive<0, 1>())
      .def("__iter__",
           [](const Own& self) { return py::iter(py::cast((self.model->*self.names)())); })
      .def("__contains__",
           [](const Own& self, const std::string& key) {
             const std::vector<std::string> names = (self.model->*self.names)();
             return std::find(names.begin(), names.end(), key) != names.end();
           })
      .def("__repr__", [name = std::string(name)](const Own& self) {
        return "<" + name + " " + std::string(py::repr(py::cast((self.model->*self.names)()))) +
               ">";
      });
}

std::string number(double value) { return std::string(py::repr(py::float_(value))); }

/// Returns the inertia of the link that a body belongs to, in the body's frame; none if it is
/// fixed.
std::optional<SpatialInertia> inertia_of(const BodyView& view) {
  const Body& body = view.body();
  if (body.articulation < 0) return std::nullopt;
  const Articulation& tree =
      view.model->system().articulations()[static_cast<std::size_t>(body.articulation)];
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

void bind_body_view(py::module_& module) {
  py::class_<BodyView> body(module, "Body", "Views a body of a simulator, and follows its state.");
  bind_body_inertia(body);
  body.def_property_readonly(
          "name", [](const BodyView& self) { return self.body().name; },
          "Name in the scene; a link's is model/link.")
      .def_readonly("index", &BodyView::index, "Index, as body_a and body_b of contacts.")
      .def_property_readonly(
          "fixed", [](const BodyView& self) { return self.body().articulation < 0; },
          "True if it is fixed to the world.")
      .def_property_readonly(
          "position", [](const BodyView& self) { return self.pose().translation; },
          "Position of its origin [3] [m], in world axes.")
      .def_property_readonly(
          "quat_wxyz",
          [](const BodyView& self) {
            return Eigen::Vector4d(
                wxyz_from_quaternion(Eigen::Quaterniond(self.pose().rotation).normalized()));
          },
          "Orientation in the world [4].")
      .def_property_readonly(
          "rotation", [](const BodyView& self) { return self.pose().rotation; },
          "Orientation in the world [3, 3]; its columns are the body's axes.")
      .def_property_readonly(
          "velocity",
          [](const BodyView& self) {
            return Eigen::Vector3d(
                self.model->twist(self.index, Eigen::Vector3d::Zero()).tail<3>());
          },
          "Velocity of its origin [3] [m/s], in world axes.")
      .def_property_readonly(
          "angular_velocity",
          [](const BodyView& self) {
            return Eigen::Vector3d(
                self.model->twist(self.index, Eigen::Vector3d::Zero()).head<3>());
          },
          "Angular velocity [3] [rad/s], in world axes.")
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
                contact_wrench(self.model->system(), self.model->report(), self.index);
            return std::pair{wrench.force_W, wrench.torque_W};
          },
          "(force [3] [N], torque about its origin [3] [N m]) of all contacts in the last step, in "
          "world axes.")
      .def_property_readonly(
          "imu",
          [](const BodyView& self) {
            const ImuReading reading =
                imu_reading(self.model->system(), self.model->report(), self.index);
            return std::pair{reading.acceleration_B, reading.angular_velocity_B};
          },
          "(acceleration less gravity [3] [m/s^2], angular velocity [3] [rad/s]) of the last step, "
          "in the body's axes.")
      .def("__repr__", [](const BodyView& self) {
        const Eigen::Vector3d p = self.pose().translation;
        return "<Body '" + self.body().name + "' at [" + number(p.x()) + ", " + number(p.y()) +
               ", " + number(p.z()) + "]>";
      });
}

void bind_joint_view(py::module_& module) {
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
      .def("__repr__", [](const JointView& self) {
        return "<Joint '" + self.joint().name + "' at " + std::string(py::repr(self.position())) +
               ">";
      });
}

}  // namespace

void bind_model(py::module_& module, py::class_<Simulator>& simulator) {
  bind_body_view(module);
  bind_joint_view(module);
  bind_views<BodyView>(module, "Bodies", "Lists the bodies of a simulator by name.");
  bind_views<JointView>(module, "Joints", "Lists the joints of a simulator by name.");
  using Positions = std::optional<Eigen::VectorXd>;
  py::class_<Model>(module, "Model",
                    "Answers questions about a simulator's model: kinematics and dynamics at its "
                    "state, or at positions q and velocities v given to a function, which leave "
                    "the state as it is.")
      .def_property_readonly("bodies",
                             py::cpp_function(
                                 [](Model& self) {
                                   return BodyViews{&self, &Model::body, &Model::body_names};
                                 },
                                 py::keep_alive<0, 1>()),
                             "Bodies by name.")
      .def_property_readonly("joints",
                             py::cpp_function(
                                 [](Model& self) {
                                   return JointViews{&self, &Model::joint, &Model::joint_names};
                                 },
                                 py::keep_alive<0, 1>()),
                             "Joints by name.")
      .def(
          "jacobian",
          [](Model& self, const std::string& body, const Triple& at, const Positions& q) {
            return self.jacobian(self.at(q), self.body(body), {at[0], at[1], at[2]});
          },
          py::arg("body"), py::arg("at") = Triple{}, py::arg("q") = py::none(),
          "Returns the Jacobian [6, nv] from v to (angular velocity, velocity) of a point of a "
          "body, in world axes; at: the point in the body's axes [m].")
      .def(
          "mass_matrix",
          [](Model& self, const Positions& q) { return self.mass_matrix(self.at(q)); },
          py::arg("q") = py::none(), "Returns M(q) [nv, nv].")
      .def(
          "bias",
          [](Model& self, const Positions& q, const Positions& v) {
            const SystemKinematics& at = self.at(q, v);
            return self.bias(at, v ? *v : self.state().v);
          },
          py::arg("q") = py::none(), py::arg("v") = py::none(),
          "Returns C(q, v) v - gravity [nv]: the forces that keep the acceleration zero, without "
          "springs, dampers and contacts [N m or N].")
      .def(
          "forward_kinematics",
          [](Model& self, const Eigen::VectorXd& q) {
            const SystemKinematics& at = self.at(q);
            std::map<std::string, std::pair<Eigen::Vector3d, Eigen::Matrix3d>> poses;
            for (std::size_t i = 0; i < at.X_WB.size(); ++i) {
              poses[self.system().bodies()[i].name] = {at.X_WB[i].translation, at.X_WB[i].rotation};
            }
            return poses;
          },
          py::arg("q"),
          "Returns {name: (position [3] [m], rotation [3, 3])} of every body at q, in world axes.");
  // A model keeps its simulator alive, and not the other way round: no object keeps itself.
  // Properties pass call policies on to functions alone.
  simulator
      .def_property_readonly(
          "model",
          py::cpp_function([](const Simulator& self) { return std::make_unique<Model>(self); },
                           py::keep_alive<0, 1>()),
          "Kinematics and dynamics of the model; keep it for many questions.")
      .def_property_readonly(
          "bodies",
          [](const py::object& self) { return py::object(self.attr("model").attr("bodies")); },
          "Bodies by name: sim.bodies['mug'].position.")
      .def_property_readonly(
          "joints",
          [](const py::object& self) { return py::object(self.attr("model").attr("joints")); },
          "Joints by name: sim.joints['arm/elbow'].position.")
      .def_property_readonly(
          "joint_names", [](const Simulator& self) { return Model(self).joint_names(); },
          "Names of all joints.");
}

}  // namespace amontons::python
