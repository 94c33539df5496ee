#pragma once

#include "amontons/math/pose.h"
#include "amontons/simulation/simulator.h"
#include "experiments/experiment.h"

#include <Eigen/Core>

#include <functional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Draws a motion at some instants, one frame beside the other, in the plane y = 0 of the world.
class FrameStrip {
 public:
  /// Lines of a frame, each through points (x, z) [m].
  using Lines = std::vector<std::vector<Eigen::Vector2d>>;

  /// @param times    instants in ascending order [s].
  /// @param columns  frames of a row; the first row is the uppermost.
  /// @param spacing  of columns and rows [m].
  FrameStrip(std::vector<double> times, std::size_t columns, const Eigen::Vector2d& spacing);

  /// Adds the frame of the next instant if a simulation has reached it; call it after each step.
  void observe(const Simulator& simulator, const std::function<Lines()>& draw);

  /// Returns the frames as a figure of equal scales, named by their times.
  Figure figure(const std::string& title) const;

 private:
  std::vector<double> times_;
  std::size_t columns_;
  Eigen::Vector2d spacing_;
  std::vector<Curve> frames_;
};

/// Returns the pose of a body in the world.
/// @throws std::out_of_range  if there is no body of this name.
Pose pose_of_body(const Simulator& simulator, const std::string& name);

}  // namespace amontons::experiments
