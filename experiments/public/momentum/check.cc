#include "amontons/simulation/system/kinematics.h"
#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/quadruped.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

// A ball hits a quadruped without gravity: the linear momentum of both stays.

namespace amontons::experiments {
namespace {

constexpr double kStep = 0.001, kMass = 10.0, kRadius = 0.2, kSpeed = 5.0, kHeight = 2.0;
const Eigen::Vector3d kMomentum(0.0, kMass* kSpeed, 0.0);

Scene collision(const std::string& method, Coordinates coordinates, double duration, double step) {
  Scene scene = scene_of(step, duration, 0.0);
  scene.gravity.setZero();
  scene.simulation.method = method;
  scene.bodies.push_back(
      solid_of_mass("ball", Sphere{kRadius}, kMass, at(0.05, -1.5, kHeight + 0.02)));
  scene.bodies.back().linear_velocity = {0.0, kSpeed, 0.0};
  add_quadruped(scene, kHeight, coordinates);
  return scene;
}

/// Returns the momentum of all bodies [kg m/s]: the rows of M v of the velocities of the origins of
/// free bodies. Such a body carries its tree, so that these rows hold the momentum of all links.
Eigen::Vector3d momentum(const Simulator& simulator, Coordinates coordinates) {
  SystemKinematics kinematics;
  const State& state = simulator.state();
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  const Eigen::VectorXd p =
      compute_mass_matrix(simulator.system(), kinematics).to_dense() * state.v;
  // Ball and trunk come first; where joints are rows of J all bodies are free.
  const Eigen::Index roots = coordinates == Coordinates::Reduced ? 2 : p.size() / 6;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (Eigen::Index k = 0; k < roots; ++k) sum += p.segment<3>(6 * k + 3);
  return sum;
}

struct Outcome {
  double error = 0.0;      // mean squared [kg^2 m^2/s^2]
  double in_end = 0.0;     // size of the error in the end [kg m/s]
  double in_flight = 0.0;  // largest change in a step in which nothing touches [kg m/s]
  double transfer = 0.0;   // momentum that the ball has lost [kg m/s]
};

Outcome collide(const Context& context, const std::string& method, Coordinates coordinates,
                double duration, double step = kStep, Findings* findings = nullptr) {
  Outcome outcome;
  Eigen::Vector3d before = kMomentum;
  double last = 0.0;
  int samples = 0;
  context.simulate(
      collision(method, coordinates, duration, step),
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::Vector3d now = momentum(simulator, coordinates);
        if (report.problem.contacts.empty()) {
          outcome.in_flight = std::max(outcome.in_flight, (now - before).norm());
        }
        before = now;
        if (simulator.time() <= last) return;  // rows of impacts take no time
        last = simulator.time();
        outcome.in_end = (now - kMomentum).norm();
        outcome.error += (now - kMomentum).squaredNorm();
        outcome.transfer = kMass * (kSpeed - velocity_of(simulator, 0).y());
        ++samples;
      },
      findings, "collision");
  outcome.error /= samples;
  return outcome;
}

/// Checks joint coordinates by events. What flies keeps its momentum. What touches moves at the
/// velocity level, whose error in joint coordinates is of first order in the step; it stays after
/// the last touch, so that its mean square grows towards its square with the duration of the run.
void check_events(Findings& findings, const Outcome& events, const Outcome& finer) {
  const std::string name = "joint coordinates, events: ";
  findings.expect_at_most(name + "change of the momentum in a step of flight [kg m/s]",
                          events.in_flight, 1e-10);
  findings.expect_within(name + "error of the momentum in the end over that with half the step",
                         events.in_end / finer.in_end, 1.9, 2.1);
}

}  // namespace

void check_momentum(Context& context, Findings& findings) {
  const double duration = context.full() ? 10.0 : 1.0;
  const std::string published =
      "ODE 1e-27, MuJoCo RK4 3e-13, RaiSim 4.7e-5, Bullet 2.7e-4, MuJoCo Euler 1.1e-3, DART 169";
  const auto compare = [&](const std::string& name, const Outcome& outcome) {
    findings.compare(name + ": mean squared error of the momentum [kg^2 m^2/s^2]", published,
                     "50 kg m/s stay", fmt::format("{:.1e}", outcome.error));
    findings.expect_at_least(name + ": the ball has lost momentum [kg m/s]", outcome.transfer, 5.0);
  };
  const auto show = [&](const std::string& name, const Outcome& outcome, double bound) {
    compare(name, outcome);
    findings.expect_at_most(name + ": mean squared error of the momentum [kg^2 m^2/s^2]",
                            outcome.error, bound);
  };
  show("joints as rows of J",
       collide(context, "time-stepping", Coordinates::Maximal, duration, kStep, &findings), 1e-18);
  show("joint coordinates, time stepping",
       collide(context, "time-stepping", Coordinates::Reduced, duration), 2e-3);
  const auto by_events = [&](double step) {
    return collide(context, "event-driven", Coordinates::Reduced, duration, step);
  };
  const Outcome events = by_events(kStep), finer = by_events(0.5 * kStep);
  compare("joint coordinates, events", events);
  show("joint coordinates, events, h 0.5 ms", finer, 1e-5);
  check_events(findings, events, finer);
}

}  // namespace amontons::experiments
