#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_row.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons::io {

/// A row of a run as a frame of the replay.
/// @param usual_step  [s] over which the impulses of an impact, which takes no time, are forces.
ReplayFrame replay_frame(const RunRow& row, double usual_step);

/// The curves of a run, from its rows one after the other: energies and works summed since the
/// start, gaps, the figures of the certificate, wall times, joint positions.
class ReplayCurves {
 public:
  /// @param tolerance  of the certificate, drawn as its limit.
  ReplayCurves(const System& system, double tolerance);

  /// Names, units and charts; without values.
  const std::vector<ReplaySeries>& series() const { return series_; }

  /// The values at a row, in the order of series(); NaN where there is none. Works count from the
  /// first row that was given.
  const std::vector<double>& values_at(const RunRow& row);

 private:
  void add(const char* chart, const std::string& name, const char* unit, bool log, double limit);

  std::vector<ReplaySeries> series_;
  std::vector<double> values_;
  std::vector<int> joint_q_offsets_;
  std::vector<double> works_;  // summed [J]
};

}  // namespace amontons::io
