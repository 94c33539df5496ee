#pragma once

#include "amontons/math/pose.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <limits>
#include <string>
#include <vector>

namespace amontons::cli {

/// Holds measured poses of bodies over time, from a CSV file with the columns time [s], and for
/// each body BODY.x, BODY.y, BODY.z [m] and, or not, BODY.qw, BODY.qx, BODY.qy, BODY.qz.
class MeasuredMotion {
 public:
  /// Holds the poses of one body.
  struct Track {
    int body = -1;                        ///< index of the body
    std::vector<Trajectory> position;     ///< x, y, z of its origin [m]
    std::vector<Trajectory> orientation;  ///< w, x, y, z, or none
  };

  /// @param duration  of the scene [s].
  /// @throws io::ParseError for a file that does not fit, and names that the scene does not have.
  MeasuredMotion(const std::string& file, const System& system, double duration);

  const std::vector<double>& times() const { return times_; }  ///< ascending [s]
  const std::vector<Track>& tracks() const { return tracks_; }
  bool has_orientation() const;  ///< true if one of its bodies has an orientation

 private:
  std::vector<double> times_;
  std::vector<Track> tracks_;
};

/// Holds mean errors of a run against a measured motion, over its instants and bodies.
struct MeasuredError {
  double distance = std::numeric_limits<double>::infinity();  ///< of positions [m]
  double angle = std::numeric_limits<double>::infinity();     ///< between orientations [rad]
};

/// Compares a run with a measured motion at its instants; poses are linear in time within a step.
class MeasuredObserver : public Observer {
 public:
  MeasuredObserver(const System& system, const MeasuredMotion& motion)
      : system_(&system), motion_(&motion) {}

  void observe(const StepReport& report) override;
  /// Returns the mean errors; infinite ones where the run has ended before the last instant.
  MeasuredError error() const;

 private:
  void compare(const std::vector<Pose>& from, const std::vector<Pose>& to, double share,
               double time);

  const System* system_;
  const MeasuredMotion* motion_;
  SystemKinematics start_, end_;
  std::size_t next_ = 0;  ///< index of the next instant
  double distances_ = 0.0, angles_ = 0.0;
};

}  // namespace amontons::cli
