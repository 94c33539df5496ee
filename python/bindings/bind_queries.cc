#include "amontons/math/rotation.h"
#include "amontons/simulation/effort_limits.h"
#include "amontons/simulation/forces/inverse_dynamics.h"
#include "amontons/simulation/geometry_queries.h"
#include "amontons/simulation/supported_efforts.h"
#include "amontons/simulation/system/tree_base.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/views/frame_argument.h"
#include "python/bindings/views/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Holds where a ray meets a body.
struct RayHitView {
  std::string body;
  Eigen::Vector3d point, normal;
  double distance = 0.0;
};

BodyDistance distance(const Simulator& simulator, const std::string& a, const std::string& b) {
  Model& model = extras_of(simulator).model;
  const int body_a = model.body(a), body_b = model.body(b);
  if (body_a == body_b)
    throw std::invalid_argument("distance: two bodies are needed, not '" + a + "' twice");
  return distance_of_bodies(model.system(), model.now(), body_a, body_b);
}

std::optional<RayHitView> ray(const Simulator& simulator, const Triple& origin,
                              const Triple& direction, double max_distance,
                              const std::vector<std::string>& exclude) {
  Model& model = extras_of(simulator).model;
  std::vector<int> left_out;
  for (const std::string& name : exclude) left_out.push_back(model.body(name));
  const std::optional<SystemRayHit> hit = cast_ray(model.system(), model.now(), to_vector(origin),
                                                   to_vector(direction), max_distance, left_out);
  if (!hit) return std::nullopt;
  return RayHitView{model.system().bodies()[static_cast<std::size_t>(hit->body)].name, hit->point_W,
                    hit->normal_W, hit->distance};
}

/// Holds efforts and contact forces of a motion, in world axes.
struct SupportedView {
  Eigen::VectorXd efforts, missing;
  Rows3 forces, positions, normals;
  Eigen::VectorXd friction;
  std::vector<int> body_a, body_b;
};

/// Returns true along the coordinates of free and planar bases, which have no actuator [nv].
std::vector<bool> base_coordinates(const Simulator& simulator) {
  const System& system = simulator.system();
  std::vector<bool> is_base(static_cast<std::size_t>(system.num_velocities()), false);
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    if (!has_moving_base(system, static_cast<int>(a))) continue;
    const JointType root = system.articulations()[a].links()[0].joint;
    const auto first = is_base.begin() + system.v_offset(static_cast<int>(a));
    std::fill_n(first, num_velocities(root), true);
  }
  return is_base;
}

py::object inverse_dynamics_of(const Simulator& simulator, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v, const Eigen::VectorXd& vdot, bool contacts,
                               double touching) {
  const System& system = simulator.system();
  const Eigen::VectorXd tau = evaluated(inverse_dynamics(system, q, v, vdot));
  if (!contacts) return py::cast(tau);
  const SystemKinematics& kinematics = extras_of(simulator).model.at(q, v);
  const SupportedEfforts found = interruptible_under_lock(
      [&] { return supported_efforts(system, kinematics, tau, touching); });
  const auto nc = static_cast<Eigen::Index>(found.contacts.size());
  SupportedView view{found.efforts, found.missing,       Rows3(nc, 3), Rows3(nc, 3),
                     Rows3(nc, 3),  Eigen::VectorXd(nc), {},           {}};
  for (Eigen::Index i = 0; i < nc; ++i) {
    const Contact& contact = found.contacts[static_cast<std::size_t>(i)];
    view.forces.row(i) =
        (contact_frame(contact.normal_W) * found.forces.segment<3>(3 * i)).transpose();
    view.positions.row(i) = contact.position_W.transpose();
    view.normals.row(i) = contact.normal_W.transpose();
    view.friction[i] = contact.friction;
    view.body_a.push_back(contact.body_a);
    view.body_b.push_back(contact.body_b);
  }
  return py::cast(view);
}

void bind_results(py::module_& module) {
  py::class_<BodyDistance>(module, "Distance",
                           "Holds where two bodies are nearest, or how deep they overlap.")
      .def_readonly("distance", &BodyDistance::distance,
                    "Signed distance [m]; negative: the depth of the deepest overlap.")
      .def_readonly("point_a", &BodyDistance::point_a_W, "Nearest point of the first body [3] [m].")
      .def_readonly("point_b", &BodyDistance::point_b_W,
                    "Nearest point of the second [3] [m]: point_a + distance * normal.")
      .def_readonly("normal", &BodyDistance::normal_W, "Unit vector from the first to the second.")
      .def("__float__", [](const BodyDistance& self) { return self.distance; })
      .def("__repr__", [](const BodyDistance& self) {
        return "<Distance " + std::string(py::repr(py::float_(self.distance))) + " m along " +
               text_of(self.normal_W) + ">";
      });
  py::class_<RayHitView>(module, "RayHit", "Holds the first point along a ray.")
      .def_readonly("body", &RayHitView::body, "Name of the body.")
      .def_readonly("point", &RayHitView::point, "The point [3] [m], in world axes.")
      .def_readonly("normal", &RayHitView::normal, "Outward unit normal there [3].")
      .def_readonly("distance", &RayHitView::distance, "Distance from the origin [m].")
      .def("__repr__", [](const RayHitView& self) {
        return "<RayHit of '" + self.body + "' at " + text_of(self.point) + ">";
      });
  py::class_<SupportedView>(module, "SupportedEfforts",
                            "Holds efforts of joints and forces of contacts that give a motion of "
                            "bases without actuators.")
      .def_readonly("efforts", &SupportedView::efforts,
                    "Efforts along all velocities [nv] [N m or N]; zero along free bases.")
      .def_readonly("forces", &SupportedView::forces,
                    "Forces on the second body of each contact [nc, 3] [N], in world axes.")
      .def_readonly("positions", &SupportedView::positions, "Their points [nc, 3] [m].")
      .def_readonly("normals", &SupportedView::normals,
                    "Unit normals from the first body into the second [nc, 3].")
      .def_readonly("friction", &SupportedView::friction, "Coefficients of friction mu [nc].")
      .def_readonly("body_a", &SupportedView::body_a, "Indices of the first bodies [nc].")
      .def_readonly("body_b", &SupportedView::body_b, "Indices of the second bodies [nc].")
      .def_readonly(
          "missing", &SupportedView::missing,
          "Forces that the bases need and no contact can give [nv] [N m or N]; zero where "
          "the motion is possible.")
      .def("__repr__", [](const SupportedView& self) {
        return "<SupportedEfforts by " + std::to_string(self.forces.rows()) +
               " contacts, missing " + std::string(py::repr(py::float_(self.missing.norm()))) + ">";
      });
}

}  // namespace

void bind_queries(py::module_& module, SimulatorClass& simulator) {
  bind_results(module);
  simulator
      .def("distance", &distance, py::arg("a"), py::arg("b"),
           "Returns the signed distance of two bodies, over all their shapes, with the nearest "
           "points and the normal; collision filters do not matter. Raises ValueError for a body "
           "without "
           "shapes, two unbounded ones, and a body twice.")
      .def("cast_ray", &ray, py::arg("origin"), py::arg("direction"),
           py::arg("max_distance") = std::numeric_limits<double>::infinity(),
           py::arg("exclude") = std::vector<std::string>(),
           "Returns the first point of any shape along a ray, with body, normal and distance; None "
           "without one. Exact for all shapes. A ray that starts inside a shape meets its surface "
           "from within, where it leaves it; the normal points out of the shape there, too. origin "
           "[3] [m] and direction [3], of any length, are in world axes; "
           "max_distance [m]; exclude: names of bodies that it passes through. Raises ValueError "
           "for a direction of zero and a negative distance.")
      .def(
          "inverse_dynamics", &inverse_dynamics_of, py::arg("q"), py::arg("v"), py::arg("vdot"),
          py::arg("contacts") = false, py::arg("touching") = 1e-4,
          "Returns the generalized forces [nv] that actuators must give for the acceleration vdot, "
          "against gravity, springs and dampers. Joints that are rows of J give no force to it. "
          "With contacts=True free and planar bases have no actuator: returns SupportedEfforts, "
          "with forces within the friction cones of the contacts whose gap at q is at most "
          "touching [m]. Of many such forces those of least norm are taken.")
      .def_property_readonly(
          "effort_limits",
          [](const Simulator& self) { return read_only(effort_limits(self.system()).along_v); },
          "Most effort along each velocity [nv] [N m or N], the least of what its joint states and "
          "what its servos have; infinity without either. Joints that are rows of J have their own "
          "as joint.effort_limit.")
      .def_property_readonly(
          "_base_coordinates", &base_coordinates,
          "True along the velocities of free and planar bases, which have no actuator [nv].");
}

}  // namespace amontons::python
