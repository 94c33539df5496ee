#include "amontons/math/rotation.h"
#include "amontons/simulation/forces/inverse_dynamics.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/frame_argument.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Positions = std::optional<Eigen::VectorXd>;

/// Returns a point of a body or frame in the axes of the body.
/// @throws std::invalid_argument  unless it is finite.
Eigen::Vector3d point_of(const FramePlace& place, const Triple& at) {
  const Eigen::Vector3d point = to_vector(at);
  if (!point.allFinite()) throw std::invalid_argument("at must be a finite point [m]");
  return place.X_BF * point;
}

py::array jacobian(Model& model, const FrameArgument& frame, const Triple& at, const Positions& q) {
  const FramePlace place = frame.in(model);
  return copy_of(model.jacobian(model.at(q), place.body, point_of(place, at)));
}

py::array jacobian_rate(Model& model, const FrameArgument& frame, const Triple& at,
                        const Positions& q, const Positions& v) {
  const FramePlace place = frame.in(model);
  return copy_of(model.jacobian_rate(model.at(q, v), place.body, point_of(place, at)));
}

py::array mass_matrix(Model& model, const Positions& q) {
  return copy_of(model.mass_matrix(model.at(q)));
}

py::array bias(Model& model, const Positions& q, const Positions& v) {
  const SystemKinematics& at = model.at(q, v);
  return copy_of(model.bias(at, v ? *v : model.state().v));
}

py::object forward_kinematics(Model& model, const Eigen::VectorXd& q, const FrameArgument& frame) {
  const SystemKinematics& at = model.at(q);
  if (!frame.is_none()) {
    const FramePlace place = frame.in(model);
    const Pose X = at.X_WB[static_cast<std::size_t>(place.body)] * place.X_BF;
    return py::cast(std::pair{X.translation, X.rotation});
  }
  std::map<std::string, std::pair<Eigen::Vector3d, Eigen::Matrix3d>> poses;
  for (std::size_t i = 0; i < at.X_WB.size(); ++i) {
    poses[model.system().bodies()[i].name] = {at.X_WB[i].translation, at.X_WB[i].rotation};
  }
  return py::cast(poses);
}

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Rows4 = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;

py::array positions(const Simulator& simulator) {
  const SystemKinematics& now = extras_of(simulator).model.now();
  Rows3 rows(static_cast<Eigen::Index>(now.X_WB.size()), 3);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) = now.X_WB[static_cast<std::size_t>(i)].translation.transpose();
  }
  return read_only(rows);
}

py::array orientations(const Simulator& simulator) {
  const SystemKinematics& now = extras_of(simulator).model.now();
  Rows4 rows(static_cast<Eigen::Index>(now.X_WB.size()), 4);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::Matrix3d& R = now.X_WB[static_cast<std::size_t>(i)].rotation;
    rows.row(i) = wxyz_from_quaternion(Eigen::Quaterniond(R).normalized()).transpose();
  }
  return read_only(rows);
}

}  // namespace

ModelClass bind_model(py::module_& module, SimulatorClass& simulator) {
  ModelClass model(module, "Model",
                   "Answers questions about a simulator's model: kinematics and dynamics at its "
                   "state, or at positions q and velocities v given to a function, which leave "
                   "the state as it is. Simulator has the same functions.",
                   collectable<Handle, &visit_handle>());
  simulator
      .def_property_readonly(
          "model", [](const py::object& self) { return handle_of(self); },
          "Kinematics and dynamics of the model.")
      .def_property_readonly(
          "positions", &positions,
          "Positions of all bodies [nB, 3] [m], in world axes, a read-only copy.")
      .def_property_readonly(
          "orientations", &orientations,
          "Orientations of all bodies as quaternions w, x, y, z [nB, 4], a read-only copy.");
  model.def("__repr__", [](const Handle& self) {
    const System& system = self.model->system();
    return "<Model of " + std::to_string(system.bodies().size()) + " bodies, nq " +
           std::to_string(system.num_positions()) + ", nv " +
           std::to_string(system.num_velocities()) + ">";
  });
  define_on_both(
      simulator, model, "jacobian", &jacobian, py::arg("frame"), py::arg("at") = Triple{},
      py::arg("q") = py::none(),
      "Returns the Jacobian [6, nv] from v to (angular velocity, velocity) of a point of "
      "a body or frame, in world axes; at: the point in its axes [m].");
  define_on_both(simulator, model, "jacobian_rate", &jacobian_rate, py::arg("frame"),
                 py::arg("at") = Triple{}, py::arg("q") = py::none(), py::arg("v") = py::none(),
                 "Returns the rate dJ/dt [6, nv] of the Jacobian while the system moves at its "
                 "velocities: the acceleration of the point is J vdot + (dJ/dt) v.");
  define_on_both(simulator, model, "mass_matrix", &mass_matrix, py::arg("q") = py::none(),
                 "Returns M(q) [nv, nv].");
  define_on_both(simulator, model, "bias", &bias, py::arg("q") = py::none(),
                 py::arg("v") = py::none(),
                 "Returns C(q, v) v - gravity [nv]: the forces that keep the acceleration zero, "
                 "without springs, dampers and contacts [N m or N].");
  define_on_both(simulator, model, "forward_kinematics", &forward_kinematics, py::arg("q"),
                 py::arg("frame") = py::none(),
                 "Returns (position [3] [m], rotation [3, 3]) of a body or frame at q, in world "
                 "axes; without one {name: (position, rotation)} of every body.");
  return model;
}

}  // namespace amontons::python
