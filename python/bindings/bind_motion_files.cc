#include "amontons/io/tables/motion_file.h"
#include "python/bindings/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Returns (times, {body: (positions, quaternions or None, linear and angular velocity or None)},
/// {joint: positions}) of a measured motion.
py::tuple to_python(const io::MotionFile& motion) {
  py::dict bodies, joints;
  for (const io::MeasuredBody& body : motion.bodies) {
    const py::object quaternions =
        body.quaternions.rows() > 0 ? py::cast(body.quaternions) : py::object(py::none());
    bodies[py::str(body.name)] =
        py::make_tuple(body.positions, quaternions, body.linear_velocity, body.angular_velocity);
  }
  for (const io::MeasuredJoint& joint : motion.joints) {
    joints[py::str(joint.name)] = py::array_t<double>(
        static_cast<py::ssize_t>(joint.positions.size()), joint.positions.data());
  }
  return py::make_tuple(
      py::array_t<double>(static_cast<py::ssize_t>(motion.times.size()), motion.times.data()),
      bodies, joints);
}

py::tuple parse_motion(const std::string& text, const std::string& file, const std::string& body,
                       double length_unit, double time_unit, bool is_tum) {
  const io::MotionUnits units{length_unit, time_unit};
  io::MotionFile motion;
  {
    const py::gil_scoped_release released;
    motion = is_tum ? io::parse_tum(text, file, body, units)
                    : io::parse_motion_csv(text, file, body, units);
  }
  return to_python(motion);
}

}  // namespace

void bind_motion_files(py::module_& module) {
  module.def("_parse_motion", &parse_motion, py::arg("text"), py::arg("file"), py::arg("body"),
             py::arg("length_unit"), py::arg("time_unit"), py::arg("is_tum"),
             "Returns (times, bodies, joints) of a measured motion in CSV or the TUM format.");
}

}  // namespace amontons::python
