#include "amontons/io/replay/recorded_scene.h"
#include "amontons/io/run/run_law_tally.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"
#include "python/bindings/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Rows2 = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
using Rows6 = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

std::pair<std::string, bool> law_of_run(const std::filesystem::path& file) {
  io::RunReader run(file.string());
  const SimulationSettings settings = run.load_scene().simulation;
  const LawTally tally = io::tally_laws(run, run.num_rows(), settings.tolerance);
  return {tally.text(), tally.is_accepted(settings.accept)};
}

/// Returns the mass of each body with what is fixed to it [kg]; infinity for a fixed body.
Eigen::VectorXd masses_of_run(const std::filesystem::path& file) {
  const System system(io::RunReader(file.string()).load_scene());
  Eigen::VectorXd masses(static_cast<Eigen::Index>(system.bodies().size()));
  Eigen::Index i = 0;
  for (const Body& body : system.bodies()) {
    masses[i++] = body.articulation < 0
                      ? std::numeric_limits<double>::infinity()
                      : system.articulations()[static_cast<std::size_t>(body.articulation)]
                            .links()[static_cast<std::size_t>(body.link)]
                            .inertia.mass;
  }
  return masses;
}

/// Returns the numbers of coordinates in q and in v of each joint, and the index of its coordinate
/// along rows of J, or -1.
std::vector<std::array<int, 3>> joint_widths_of_run(const std::filesystem::path& file) {
  const System system(io::RunReader(file.string()).load_scene());
  std::vector<std::array<int, 3>> widths;
  for (const JointCoordinate& joint : system.joints()) {
    widths.push_back({joint.num_q, joint.num_v, joint.loop});
  }
  return widths;
}

/// Returns, for the rows of a run, position and rate of a coordinate along rows of J [T x 2].
Rows2 loop_motion_of_run(const std::filesystem::path& file, int loop, std::size_t num_rows) {
  io::RunReader run(file.string());
  const System system(run.load_scene());
  Rows2 motion(static_cast<Eigen::Index>(num_rows), 2);
  const py::gil_scoped_release release;
  SystemKinematics kinematics;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const io::RunRow row = run.row_without_contacts(i);
    compute_kinematics(system, row.q, row.v, row.time, kinematics);
    motion.row(static_cast<Eigen::Index>(i)) << kinematics.loops.position[loop],
        (kinematics.loops.jacobian * row.v)[loop];
  }
  return motion;
}

/// Returns, for the rows of a run, the twist (w, v) of a body's origin, and the origin's position
/// at the start of the row's step [m].
std::pair<Rows6, Rows3> motion_of_run(const std::filesystem::path& file, int body,
                                      std::size_t num_rows) {
  io::RunReader run(file.string());
  const System system(run.load_scene());
  Rows6 twists(static_cast<Eigen::Index>(num_rows), 6);
  Rows3 starts(static_cast<Eigen::Index>(num_rows), 3);
  {
    const py::gil_scoped_release release;
    SystemKinematics kinematics;
    for (std::size_t i = 0; i < num_rows; ++i) {
      const io::RunRow row = run.row_without_contacts(i);
      const auto at = static_cast<Eigen::Index>(i);
      compute_kinematics(system, row.q_start, row.v_start, row.time_start, kinematics);
      starts.row(at) = kinematics.X_WB[static_cast<std::size_t>(body)].translation.transpose();
      compute_kinematics(system, row.q, row.v, row.time, kinematics);
      const Eigen::Vector3d origin = kinematics.X_WB[static_cast<std::size_t>(body)].translation;
      twists.row(at) = body_velocity(system, kinematics, body, origin, row.v).transpose();
    }
  }
  return {std::move(twists), std::move(starts)};
}

/// Returns the points of a row's contacts on the bodies where they are at its end [n x 3] [m].
Rows3 contact_points_of_run(const std::filesystem::path& file, std::size_t row) {
  io::RunReader run(file.string());
  const io::RecordedScene recorded = io::read_recorded_scene(run, false);
  const io::ReplayFrame frame = io::replay_frame_of(run, recorded, run.row(row));
  Rows3 points(static_cast<Eigen::Index>(frame.contacts.size()), 3);
  Eigen::Index i = 0;
  for (const io::ReplayContact& contact : frame.contacts) {
    points.row(i++) = contact.position.transpose();
  }
  return points;
}

/// Returns vectors in contact frames (t1, t2, n) along world axes.
Rows3 from_contact_frames(const Rows3& normals, const Rows3& vectors) {
  if (normals.rows() != vectors.rows()) {
    throw std::invalid_argument("there must be a normal for each vector");
  }
  Rows3 result(vectors.rows(), 3);
  for (Eigen::Index i = 0; i < vectors.rows(); ++i) {
    const Eigen::Vector3d normal = normals.row(i).transpose();
    result.row(i) = (contact_frame(normal) * vectors.row(i).transpose()).transpose();
  }
  return result;
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("_law_of_run", &law_of_run, py::arg("file"),
             "Returns how the recorded steps answered the law asked, and whether the scene accepts "
             "it.");
  module.def(
      "_check_run", [](const std::filesystem::path& file) { io::RunReader(file.string()); },
      py::arg("file"),
      "Raises ParseError, with the message of the command line, unless it is a run.");
  module.def("_masses_of_run", &masses_of_run, py::arg("file"),
             "Returns the masses of the bodies of a run [nB] [kg]; infinity for fixed ones.");
  module.def(
      "_joint_widths_of_run", &joint_widths_of_run, py::arg("file"),
      "Returns the numbers of positions and velocities of each joint of a run, and the index "
      "of its coordinate along rows of J, or -1.");
  module.def("_loop_motion_of_run", &loop_motion_of_run, py::arg("file"), py::arg("loop"),
             py::arg("num_rows"),
             "Returns position [rad or m] and rate of a coordinate along rows of J [T, 2].");
  module.def("_motion_of_run", &motion_of_run, py::arg("file"), py::arg("body"),
             py::arg("num_rows"),
             "Returns twists (angular [rad/s], linear [m/s]) of a body's origin [T, 6], and its "
             "positions at the starts of the rows' steps [T, 3] [m].");
  module.def("_contact_points_of_run", &contact_points_of_run, py::arg("file"), py::arg("row"),
             "Returns the points of a row's contacts on the bodies at its end [n, 3] [m].");
  module.def(
      "_from_contact_frames", &from_contact_frames, py::arg("normals"), py::arg("vectors"),
      "Returns vectors [n, 3] in the frames (t1, t2, n) of normals [n, 3] along world axes.");
}

}  // namespace amontons::python
