#pragma once

#include "benchmarks/peers/robots/robot_stepper.h"

#include <memory>
#include <string>
#include <vector>

namespace amontons::peers {

/// Names the steps from `first` to before `last`.
struct StepWindow {
  std::string name;
  int first = 0, last = 0;
};

/// Holds an engine with its setting.
struct RobotEntrant {
  std::string name;
  std::unique_ptr<RobotStepper> stepper;
};

/// Holds what one entrant does in the steps of one window.
struct WindowResult {
  double median_us = 0.0;  ///< CPU time of a step: mean over the window, median over rounds
  double spread = 0.0;     ///< (largest - smallest) / median of the rounds [-]
  double contacts = 0.0;   ///< mean number a step
  int missed = 0, weaker = 0, repeated = 0;  ///< numbers of steps (RobotStep)
  StepTimes times;                           ///< sums of the parts over the window [s]
};

/// Runs all entrants from the start through all windows, once observed and then timed in several
/// rounds. The entrants alternate in blocks of steps, each round in another order.
/// @returns [windows][entrants].
std::vector<std::vector<WindowResult>> run_windows(std::vector<RobotEntrant>& entrants,
                                                   const std::vector<StepWindow>& windows,
                                                   int num_rounds);

}  // namespace amontons::peers
