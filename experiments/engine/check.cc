#include "amontons/math/rotation.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/engine/engine_scene.h"
#include "experiments/median.h"
#include "experiments/processor_stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// The four-cylinder engine of Drumwright and Shell at the velocity level, and what its polygons
// cost.

namespace amontons::experiments {
namespace {

/// Length of a step [s], how far ahead contacts are looked for [m], and the method.
struct Stepping {
  double step, horizon;
  std::string method = "time-stepping";
};

struct Ride {
  std::vector<double> time, kinetic, lost, contacts, loaded;
  double deviation = 0.0;       // largest distance of pistons from the slider-crank [m]
  double energy_added = 0.0;    // KE(v+) - KE(v_free) less stabilization, largest [J]
  double infeasibility = 0.0;   // [m]
  double energy_excess = -1e9;  // kinetic energy above the work of torque and gravity [J]
  bool finite = true;
  int missed = 0, steps = 0;
  double processor_time = 0.0;
};

double crank_angle(const State& state) {
  const Eigen::Matrix3d R = quaternion_from_wxyz(state.q.head<4>()).toRotationMatrix();
  return std::atan2(R(0, 2), R(2, 2));
}

/// @param strip  its frames are drawn, if given.
Ride drive(const Context& context, const EngineParameters& engine, const Stepping& stepping,
           double duration, FrameStrip* strip = nullptr) {
  Scene scene = engine_scene(engine);
  scene.simulation.steps = {stepping.step};
  scene.simulation.duration = duration;
  scene.simulation.model = "frictionless";  // phase I; without friction there is no other
  scene.simulation.method = stepping.method;
  if (stepping.method == "event-driven") {
    scene.simulation.events.impact_model = "frictionless";
  } else {
    scene.simulation.v_max = stepping.horizon / stepping.step;
  }
  Ride ride;
  double work = 0.0;
  const ProcessorStopwatch watch;
  ride.missed = context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
    const State& state = simulator.state();
    const double angle = crank_angle(state);
    for (int i = 0; i < engine.cylinders; ++i) {
      // The crank's seven positions, then the piston's and the rod's of each cylinder.
      const double height = state.q[7 + 14 * i + 6];
      ride.deviation = std::max(ride.deviation,
                                std::abs(height - piston_height(engine, angle + crank_phase(i))));
    }
    // Above the sharp bound: what closing a gap or opening an overlap may add is taken off.
    ride.energy_added = std::max(ride.energy_added, report.certificate.energy_gained);
    work += report.energy.actuators + report.energy.gravity;
    ride.energy_excess = std::max(ride.energy_excess, report.energy.kinetic - work);
    ride.infeasibility = std::max(ride.infeasibility, report.certificate.infeasibility);
    ride.finite = ride.finite && state.q.allFinite() && state.v.allFinite();
    ride.time.push_back(simulator.time());
    ride.kinetic.push_back(report.energy.kinetic);
    ride.lost.push_back(work - report.energy.kinetic);
    ride.contacts.push_back(static_cast<double>(report.problem.num_contacts()));
    double loaded = 0.0;
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      loaded += report.solution.impulses(ContactProblem::row(i) + 2) > 0.0 ? 1.0 : 0.0;
    }
    ride.loaded.push_back(loaded);
    ++ride.steps;
    if (strip) strip->observe(simulator, [&] { return engine_lines(engine, simulator); });
  });
  ride.processor_time = watch.seconds();
  return ride;
}

/// Returns five frames of a run of this length.
FrameStrip strip_of(double duration) {
  std::vector<double> times;
  for (int k = 1; k <= 5; ++k) times.push_back(0.2 * k * duration);
  return {times, 5, {0.125, 0.0}};
}

void check_four_cylinders(const Context& context, Findings& findings) {
  const double duration = context.full() ? 1.0 : 0.05;
  EngineParameters engine;
  engine.cylinders = 4;
  FrameStrip strip = strip_of(duration);
  const Ride ride = drive(context, engine, {5e-5, 3.0e-5}, duration, &strip);
  findings.figures.push_back(strip.figure("Frames of four cylinders, seen along the crankshaft"));
  findings.expect_true(fmt::format("(a) four cylinders run {} s, every number finite", duration),
                       ride.finite && ride.time.back() > duration - 1e-6);
  findings.expect_at_most("(a) steps without certificate", ride.missed, 0.0);
  // An overlap is play, too.
  engine.clearance += ride.infeasibility;
  findings.expect_at_most(
      "(c) pistons against the slider-crank, all play taken up along the rod [m]", ride.deviation,
      height_play(engine));
  findings.expect_at_most("(d) kinetic energy that contact adds in a step [J]", ride.energy_added,
                          1e-9);
  findings.expect_at_most("(d) kinetic energy above the work of torque and gravity [J]",
                          ride.energy_excess, 1e-6);
  findings.expect_at_most("(f) largest overlap [m]", ride.infeasibility, 1e-4);
  if (context.full()) {
    findings.expect_within("(b) contacts of a step on the median", median(ride.contacts), 100.0,
                           200.0);
  }
  findings.notes.push_back(fmt::format(
      "(b) {} contacts of a step on the median, of which {} carry{}; {:.2f} s of computing for {} "
      "s",
      median(ride.contacts), median(ride.loaded),
      context.full() ? "" : " (evaluated over the whole second, with --full: it starts with more)",
      ride.processor_time, duration));
}

/// As the paper has it; each of the thousands of times a second that parts with play meet is an
/// event.
void check_event_by_event(const Context& context, Findings& findings) {
  const double duration = context.full() ? 0.1 : 0.03;
  for (const int cylinders : {1, 4}) {
    EngineParameters engine;
    engine.cylinders = cylinders;
    const Ride ride = drive(context, engine, {1e-3, 0.0, "event-driven"},
                            cylinders == 1 ? duration : 0.5 * duration);
    const std::string name =
        fmt::format("event-driven, {} cylinder{}: ", cylinders, cylinders == 1 ? "" : "s");
    findings.expect_true("(a) " + name + "every number finite", ride.finite);
    findings.expect_at_most("(a) " + name + "steps without certificate", ride.missed, 0.0);
    findings.expect_at_most("(c) " + name + "pistons against the slider-crank [m]", ride.deviation,
                            height_play(engine));
    findings.expect_at_most("(d) " + name + "kinetic energy that contact adds in a step [J]",
                            ride.energy_added, 1e-9);
    findings.expect_at_most("(f) " + name + "largest overlap [m]", ride.infeasibility, 1e-4);
    findings.timing_at_most(name + "processor time over simulated time",
                            ride.processor_time / ride.time.back(), 100.0, "");
    findings.notes.push_back(fmt::format(
        "{}{} impacts and motions between them to {:.3f} s, contacts of one: {:g} on the median, "
        "{:g} at most; {:.1f} s of computing",
        name, ride.steps, ride.time.back(), median(ride.contacts),
        *std::max_element(ride.contacts.begin(), ride.contacts.end()), ride.processor_time));
  }
}

void check_one_cylinder(const Context& context, Findings& findings) {
  EngineParameters engine;
  engine.clearance = 1e-4;
  const Ride tight = drive(context, engine, {2.5e-4, 5e-5}, 0.1);
  findings.expect_at_most(
      "(c) one cylinder, clearances of 1e-4 m: piston against the slider-crank [m]",
      tight.deviation, 6e-4);
}

void check_polygons(const Context& context, Findings& findings) {
  std::vector<int> facets = {16, 32, 64};
  if (context.full()) facets.push_back(128);
  Figure figure{"Energy lost by one cylinder to its polygons", "time [s]", "lost [J]", false, {}};
  std::vector<double> lost;
  for (const int n : facets) {
    EngineParameters engine;
    engine.facets = n;
    FrameStrip strip = strip_of(0.2);
    const Ride ride = drive(context, engine, {2.5e-4, 5e-5}, 0.2, &strip);
    if (n == 32) {
      findings.figures.push_back(strip.figure("Frames of one cylinder, seen along the crankshaft"));
    }
    figure.curves.push_back({fmt::format("{} facets", n), ride.time, ride.lost});
    lost.push_back(ride.lost.back());
    findings.notes.push_back(fmt::format("(e) {} facets: {:.4f} J lost of {:.4f} J after 0.2 s", n,
                                         ride.lost.back(), ride.lost.back() + ride.kinetic.back()));
  }
  findings.figures.push_back(std::move(figure));
  findings.expect_true("(e) the loss falls with the number of facets",
                       std::is_sorted(lost.rbegin(), lost.rend()));
}

}  // namespace

void check_engine(Context& context, Findings& findings) {
  check_four_cylinders(context, findings);
  check_event_by_event(context, findings);
  check_one_cylinder(context, findings);
  check_polygons(context, findings);
}

}  // namespace amontons::experiments
