#pragma once

#include "amontons/io/tables/motion_file.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace amontons::cli {

/// Reads a measured motion: a trajectory in the TUM format, where its first line is one, else CSV
/// (io/tables/motion_file.h).
/// @param body  the body of a trajectory, and of columns that name none; empty: the only one of the
/// system that moves.
/// @throws io::ParseError for a file that does not fit, in which nothing is measured, or that names
/// other bodies than the one given.
io::MotionFile read_motion(const std::string& file, const std::string& body,
                           const io::MotionUnits& units, const System& system);

/// Returns the overrides of a scene that start its bodies with the poses and velocities in the
/// file.
std::vector<std::pair<std::string, std::string>> start_overrides(const io::MotionFile& motion);

/// Holds a measured motion with the indices of its bodies and joints in a system.
class MeasuredMotion {
 public:
  /// @param duration  of the scene [s].
  /// @throws io::ParseError for names that the scene does not have, and a longer motion.
  MeasuredMotion(io::MotionFile motion, const std::string& file, const System& system,
                 double duration);

  const io::MotionFile& motion() const { return motion_; }
  int body(std::size_t index) const { return bodies_[index]; }   ///< of motion().bodies
  int joint(std::size_t index) const { return joints_[index]; }  ///< of motion().joints

 private:
  io::MotionFile motion_;
  std::vector<int> bodies_, joints_;
};

/// Holds mean errors of a run against a measured motion, over all that was measured. They are
/// infinite where nothing was.
struct MeasuredError {
  double distance = std::numeric_limits<double>::infinity();  ///< of positions [m]
  double angle = std::numeric_limits<double>::infinity();     ///< between orientations [rad]
  double joints = std::numeric_limits<double>::infinity();    ///< of joints [rad or m]
};

/// Compares a run with a measured motion at its instants; between the ends of a step positions are
/// linear in time.
class MeasuredObserver : public Observer {
 public:
  MeasuredObserver(const System& system, const MeasuredMotion& motion)
      : system_(&system), measured_(&motion) {}

  void observe(const StepReport& report) override;
  /// Returns the mean errors; infinite ones where the run has ended before the last instant.
  MeasuredError error() const;

 private:
  /// Holds a sum of errors and their number.
  struct Sum {
    double total = 0.0;
    long count = 0;

    void add(double error);  ///< leaves NaN out
    double mean() const;
  };

  void compare(double share);

  const System* system_;
  const MeasuredMotion* measured_;
  SystemKinematics start_, end_;
  std::size_t next_ = 0;  ///< index of the next instant
  Sum distance_, angle_, joints_;
};

}  // namespace amontons::cli
