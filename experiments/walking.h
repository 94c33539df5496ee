#pragma once

#include "amontons/simulation/simulator.h"
#include "experiments/processor_stopwatch.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons::experiments {

/// The feet of the robot that trots in the scenes quadruped-no-slip and quadruped-viscous.
const std::vector<std::string>& quadruped_feet();

/// Observes a walking robot with a floating base, step by step.
class Walk {
 public:
  /// @param feet  names of bodies; the base is the first moving body, at the beginning of q and v.
  Walk(const Simulator& start, const std::vector<std::string>& feet);

  /// First of all after each step.
  void observe(const Simulator& simulator, const StepReport& report);
  /// Last of all after each step: the next one begins.
  void begin_step() { clock_ = ProcessorStopwatch(); }

  double distance() const { return distance_; }  ///< distance of the base along x [m]
  double largest_tilt() const {
    return tilt_;
  }                            ///< angle of the base's z axis from the vertical [rad]
  int fewest_strides() const;  ///< over feet: how often one left the ground and came back

  int fewest_contacts() const { return fewest_; }  ///< that carry an impulse, after settling
  int most_contacts() const { return most_; }      ///< that touch or carry one
  double mean_contacts() const;
  double deviation_of_contacts() const;
  int steps() const { return steps_; }

  double step_time() const { return step_time_; }    ///< processor time of all steps [s]
  double solve_time() const { return solve_time_; }  ///< time of the contact solves alone [s]
  int missed() const { return missed_; }             ///< certificates

 private:
  struct Foot {
    int body = -1;
    double time_in_air = 0.0;  // [s]
    int strides = 0;
  };

  ProcessorStopwatch clock_;
  std::vector<Foot> feet_;
  Eigen::Vector3d start_;
  double distance_ = 0.0, tilt_ = 0.0, step_time_ = 0.0, solve_time_ = 0.0;
  double contacts_ = 0.0, squares_ = 0.0;
  int fewest_ = 0, most_ = 0, steps_ = 0, missed_ = 0, counted_ = 0;
};

}  // namespace amontons::experiments
