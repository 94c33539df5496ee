#pragma once

#include "amontons/math/pose.h"
#include "amontons/simulation/scene/scene.h"
#include "tools/amontons/contest/contest_departures.h"
#include "tools/amontons/contest/contest_series.h"
#include "tools/amontons/contest/measured_motion.h"
#include "tools/amontons/support/progress.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {

/// Holds the result of one contact model on the scene of a contest.
struct ContestEntry {
  std::string model;
  std::string ended;           ///< why the motion ended before its time, else empty
  std::vector<Pose> poses;     ///< X_WB of all bodies at the end
  double energy_change = 0.0;  ///< change of kinetic and potential energy, start to end [J]
  LawDepartures departures;    ///< from Coulomb's law
  ContestSeries series;        ///< the run over time
  std::optional<MeasuredError> measured;  ///< error against a measurement, where there is one
  nlohmann::ordered_json summary;         ///< as `run --json` gives it
};

/// Simulates the scene under one model. @throws io::ParseError naming `file` if it cannot be.
/// @param measured  a measured motion to compare with, or null.
/// @param stop  asked after every step.
ContestEntry contest_entry(Scene scene, const std::string& model, const std::string& file,
                           const MeasuredMotion* measured, Progress& progress,
                           const std::function<bool()>& stop);

/// Returns the worst value of a residual, by its name in the summary; infinity if not finite.
double certificate_residual(const ContestEntry& entry, const char* name);

/// Holds the largest distance of a body between the ends of two entries.
struct Disagreement {
  double distance = 0.0;  ///< [m]
  double angle = 0.0;     ///< [rad]
  int body = -1;          ///< farthest apart; -1 where nothing differs
};
Disagreement disagreement(const ContestEntry& entry, const ContestEntry& reference);

}  // namespace amontons::cli
