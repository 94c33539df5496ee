#include "experiments/frame_strip.h"

#include "amontons/simulation/system/kinematics.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace amontons::experiments {

FrameStrip::FrameStrip(std::vector<double> times, std::size_t columns,
                       const Eigen::Vector2d& spacing)
    : times_(std::move(times)), columns_(columns), spacing_(spacing) {}

void FrameStrip::observe(const Simulator& simulator, const std::function<Lines()>& draw) {
  constexpr double kRounding = 1e-9;  // of a sum of steps [s]
  const std::size_t k = frames_.size();
  if (k == times_.size() || simulator.time() < times_[k] - kRounding) return;
  const Eigen::Vector2d origin(spacing_.x() * static_cast<double>(k % columns_),
                               -spacing_.y() * static_cast<double>(k / columns_));
  Curve frame{fmt::format("{:.4g} s", simulator.time()), {}, {}};
  for (const std::vector<Eigen::Vector2d>& line : draw()) {
    for (const Eigen::Vector2d& point : line) {
      frame.x.push_back(origin.x() + point.x());
      frame.y.push_back(origin.y() + point.y());
    }
    // A point without a height ends the line.
    frame.x.push_back(origin.x());
    frame.y.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  frames_.push_back(std::move(frame));
}

Figure FrameStrip::figure(const std::string& title) const {
  return {title, "x [m], frames side by side", "z [m]", false, frames_, true};
}

Pose pose_of_body(const Simulator& simulator, const std::string& name) {
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  return kinematics.X_WB.at(static_cast<std::size_t>(simulator.system().find_body(name)));
}

}  // namespace amontons::experiments
