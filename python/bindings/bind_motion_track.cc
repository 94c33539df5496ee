#include "amontons/math/rotation.h"
#include "amontons/simulation/system/kinematics.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/law_asked.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Records bodies and joints of a simulator at its present time and after each step.
class Track {
 public:
  Track(Simulator& simulator, const std::vector<std::string>& bodies,
        const std::vector<std::string>& joints)
      : simulator_(&simulator) {
    const Model& model = extras_of(simulator).model;
    for (const std::string& name : bodies) bodies_.push_back(model.body(name));
    for (const std::string& name : joints) {
      const int index = model.joint(name);
      const JointCoordinate& joint = simulator.system().joints()[static_cast<std::size_t>(index)];
      if (joint.loop < 0 && (joint.q_offset < 0 || joint.num_q != 1)) {
        throw std::invalid_argument("joint '" + name +
                                    "' does not have one coordinate; measure its body instead");
      }
      joints_.push_back(index);
    }
    record();
  }

  /// Steps until the simulator reaches a time [s], at most some number of steps.
  void run(double end, long most_steps) {
    while (simulator_->time() < end && num_steps_ < most_steps) {
      const StepReport& report = simulator_->step();
      ++num_steps_;
      weaker_ += has_law_asked(report) ? 0 : 1;
      record();
    }
  }

  /// Returns a row for each time: the time, seven numbers of each body, one of each joint.
  Table rows() const {
    const std::size_t width = 1 + 7 * bodies_.size() + joints_.size();
    return Eigen::Map<const Table>(numbers_.data(),
                                   static_cast<Eigen::Index>(numbers_.size() / width),
                                   static_cast<Eigen::Index>(width));
  }
  long weaker() const { return weaker_; }

 private:
  void record() {
    const State& state = simulator_->state();
    compute_kinematics(simulator_->system(), state.q, state.v, state.time, kinematics_);
    numbers_.push_back(state.time);
    for (const int body : bodies_) {
      const Pose& X_WB = kinematics_.X_WB[static_cast<std::size_t>(body)];
      const Eigen::Vector3d position = evaluated(X_WB.translation);
      const Eigen::Vector4d wxyz =
          wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation).normalized());
      numbers_.insert(numbers_.end(), position.begin(), position.end());
      numbers_.insert(numbers_.end(), wxyz.begin(), wxyz.end());
    }
    for (const int index : joints_) {
      const JointCoordinate& joint = simulator_->system().joints()[static_cast<std::size_t>(index)];
      numbers_.push_back(joint.q_offset < 0 ? kinematics_.loops.position[joint.loop]
                                            : state.q[joint.q_offset]);
    }
  }

  Simulator* simulator_;
  std::vector<int> bodies_, joints_;
  SystemKinematics kinematics_;
  std::vector<double> numbers_;  // rows
  long num_steps_ = 0, weaker_ = 0;
};

py::tuple track(Simulator& simulator, double end, const std::vector<std::string>& bodies,
                const std::vector<std::string>& joints, long most_steps) {
  Track track(simulator, bodies, joints);
  // The lock is taken for calls of a controller alone.
  interruptible([&] { track.run(end, most_steps); });
  return py::make_tuple(track.rows(), track.weaker());
}

}  // namespace

void bind_motion_track(py::module_& module) {
  module.def("_track", &track, py::arg("simulator"), py::arg("end"), py::arg("bodies"),
             py::arg("joints"), py::arg("most_steps"),
             "Steps until `end` [s]; returns (rows [n, 1 + 7 bodies + joints], steps without the "
             "law asked). A row has the time, position and quaternion w, x, y, z of each body, and "
             "the position of each joint.");
}

}  // namespace amontons::python
