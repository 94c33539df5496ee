#include "tools/amontons/contest_entry.h"

#include "amontons/math/rotation.h"
#include "amontons/simulation/divergence_error.h"
#include "amontons/simulation/kinematics.h"
#include "amontons/simulation/simulator.h"
#include "tools/amontons/run_summary.h"
#include "tools/amontons/scene_options.h"

#include <Eigen/Geometry>

#include <algorithm>

namespace amontons::cli {
namespace {

// A contact is under load if its impulse is more than rounding beside the largest of the step.
constexpr double kLoaded = 1e-9;

/// The gap that contacts under load open: none by Signorini's law, h mu |u_t| where the convex
/// relaxation slides [Anitescu 2006].
class LiftObserver : public Observer {
 public:
  void observe(const StepReport& report) override {
    const ContactProblem& problem = report.problem;
    const Eigen::VectorXd u = problem.contact_velocities(report.solution.velocity);
    double largest = 0.0;
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
      largest = std::max(largest, report.solution.impulses[ContactProblem::row(i) + 2]);
    }
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
      const Eigen::Index row = ContactProblem::row(i);
      if (report.solution.impulses[row + 2] <= kLoaded * largest) continue;
      const double slip = u.segment<2>(row).norm();
      measured = std::max(measured, report.step * (u[row + 2] + problem.stabilized_gap(i)));
      predicted = std::max(predicted, report.step * problem.contacts[i].friction * slip);
    }
  }

  double measured = 0.0, predicted = 0.0;  // [m]
};

}  // namespace

ContestEntry contest_entry(Scene scene, const std::string& model, const std::string& file,
                           Progress& progress, const std::function<bool()>& stop) {
  scene.simulation.model = model;
  Simulator simulator = make_simulator(scene, file);
  ContestEntry entry;
  entry.model = model;
  RunSummary summary(simulator.system());
  LiftObserver lift;
  const StepReport initial = simulator.initial_report();
  summary.observe(initial);
  simulator.add_observer(summary);
  simulator.add_observer(lift);
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
  }
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, simulator.time(),
                     kinematics);
  entry.poses = kinematics.X_WB;
  entry.energy_change = energy - start_energy;
  entry.lift = lift.measured;
  entry.predicted_lift = lift.predicted;
  entry.summary = summary.json();
  return entry;
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
