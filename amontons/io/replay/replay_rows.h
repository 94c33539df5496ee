#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_row.h"
#include "amontons/simulation/system/system.h"

#include <limits>
#include <vector>

namespace amontons::io {

/// Returns a row of a run as a frame of the replay. Contacts lie on the bodies where the step ends
/// (simulation/detection/contact_places.h), while rows have them where the step found them.
/// @throws std::invalid_argument for a contact of shapes that the system has not.
ReplayFrame replay_frame(const System& system, const RunRow& row);

/// Gives a row whose contacts are not recorded those of an earlier one, with the step in which they
/// acted.
void take_contacts(const RunRow& from, RunRow& row);

/// Makes the curves of a run from its rows, one after the other.
///
/// The curves are energies and works summed since the start, gaps, the residuals of the
/// certificate, wall times and joint positions. A rotation of three freedoms has its rotation
/// vector in the joint's frame on the parent, the shortest one.
class ReplayCurves {
 public:
  /// @param tolerance  tolerance of the certificate [-], drawn as its limit.
  ReplayCurves(const System& system, double tolerance);

  /// Returns names, units and charts, without values.
  const std::vector<ReplaySeries>& series() const { return series_; }

  /// Returns the values at a row, in the order of series(); NaN where there is none. Works are
  /// summed from the first row that was given.
  const std::vector<double>& values_at(const RunRow& row);

 private:
  /// Adds a curve without values to a chart; `limit` is NaN if it has no bound.
  void add(const char* chart, const std::string& name, const char* unit, bool log, double limit);
  void add_joint(const JointCoordinate& joint);

  std::vector<ReplaySeries> series_;
  std::vector<double> values_;
  std::vector<JointCoordinate> joints_;                          // those that have curves
  std::vector<double> works_;                                    // summed [J]
  double least_gap_ = std::numeric_limits<double>::quiet_NaN();  // last recorded [m]
};

}  // namespace amontons::io
