#include "tools/amontons/contest/contest_entry.h"

#include "amontons/math/rotation.h"
#include "amontons/math/stop.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/divergence_error.h"
#include "amontons/simulation/system/kinematics.h"
#include "tools/amontons/support/run_summary.h"
#include "tools/amontons/support/scene_options.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>

namespace amontons::cli {

ContestEntry contest_entry(Scene scene, const std::string& model, const std::string& file,
                           const MeasuredMotion* measured, Progress& progress,
                           const std::function<bool()>& stop) {
  scene.simulation.model = model;
  Simulator simulator = make_simulator(scene, file);
  ContestEntry entry;
  entry.model = model;

  // Summary, departures and series observe every step.
  RunSummary summary(simulator.system(), scene.simulation);
  DepartureObserver departures;
  const std::vector<double>& steps = scene.simulation.steps;
  SeriesObserver series(simulator.system(), scene.simulation.duration,
                        *std::min_element(steps.begin(), steps.end()));
  const StepReport initial = simulator.initial_report();
  summary.observe(initial);
  simulator.add_observer(summary);
  simulator.add_observer(departures);
  simulator.add_observer(series);

  std::optional<MeasuredObserver> errors;
  if (measured != nullptr) simulator.add_observer(errors.emplace(simulator.system(), *measured));

  // A motion that diverges ends the entry, not the contest.
  double energy = initial.energy.kinetic + initial.energy.potential;
  const double start_energy = energy;
  try {
    while (!simulator.finished() && !stop()) {
      const EnergyLedger& ledger = simulator.step().energy;
      energy = ledger.kinetic + ledger.potential;
      progress.update(simulator.time() / scene.simulation.duration);
    }
    if (simulator.stopped_at_infeasibility()) entry.ended = "stopped at its infeasibility";
    if (!simulator.finished()) entry.ended = "interrupted";
  } catch (const DivergenceError& error) {
    entry.ended = error.what();
  } catch (const std::domain_error& error) {
    entry.ended = error.what();
  } catch (const Stopped&) {
    entry.ended = "interrupted";
  }

  // The final state and all that was observed.
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, simulator.time(),
                     kinematics);
  entry.poses = kinematics.X_WB;
  entry.energy_change = energy - start_energy;
  entry.departures = departures.departures();
  entry.series = series.take();
  if (errors) entry.measured = errors->error();
  entry.summary = summary.json();
  return entry;
}

double certificate_residual(const ContestEntry& entry, const char* name) {
  // JSON has no number for what is not finite.
  const nlohmann::ordered_json& value = entry.summary["certificate"][name]["value"];
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

Disagreement disagreement(const ContestEntry& entry, const ContestEntry& reference) {
  Disagreement worst;
  for (std::size_t i = 0; i < entry.poses.size(); ++i) {
    const Pose &a = entry.poses[i], &b = reference.poses[i];
    const double distance = (a.translation - b.translation).norm();
    if (distance > worst.distance) worst.body = static_cast<int>(i);
    worst.distance = std::max(worst.distance, distance);
    const Eigen::Quaterniond turn(Eigen::Matrix3d(a.rotation.transpose() * b.rotation));
    worst.angle = std::max(worst.angle, vector_from_quaternion(turn).norm());
  }
  return worst;
}

}  // namespace amontons::cli
