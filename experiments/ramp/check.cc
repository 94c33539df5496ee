#include "amontons/math/rotation.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <algorithm>
#include <cmath>
#include <numbers>

// A cube of side 0.5 m on a ramp of 30 degrees.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.8, kFriction = 0.3, kStep = 0.01;
constexpr double kSlope = std::numbers::pi / 6.0;
const double kAcceleration = kGravity * (std::sin(kSlope) - kFriction * std::cos(kSlope));
const Eigen::Vector3d kFallLine(std::cos(kSlope), 0.0, -std::sin(kSlope));

// The closed form along the fall line after l steps [m/s, m], and across the ramp [m].
struct ClosedForm {
  double acceleration;
  bool lifts;

  // The relaxation keeps a gap h mu v, so that each step must first raise the cube to the next:
  // d_l (1 + mu^2) = a h + mu^2 d_(l-1), d = v_l - v_(l-1). Hence d_l = a h (1 - r^l) with
  // r = mu^2/(1 + mu^2). Exact models have d_l = a h.
  double speed(double l) const { return acceleration * kStep * (l - lost(l)); }
  double distance(double l) const {
    const double lag = lifts ? kFriction * kFriction * (l - lost(l)) : 0.0;
    return acceleration * kStep * kStep * (l * (l + 1.0) / 2.0 - lag);
  }
  double lift(double l) const { return lifts ? kStep * kFriction * speed(l) : 0.0; }

 private:
  double lost(double l) const {
    constexpr double kSquare = kFriction * kFriction;
    return lifts ? kSquare * (1.0 - std::pow(kSquare / (1.0 + kSquare), l)) : 0.0;
  }
};

struct Slide {
  double position_error = 0.0, velocity_error = 0.0;  // largest, against the discrete closed form
  double lag_error = 0.0;  // error of the lag behind a t^2/2, against a h t/2
  double sideways = 0.0;   // largest distance from where the closed form has the cube
  double residual = 0.0;
  int missed = 0;
  std::vector<double> time, distance;
  std::vector<Eigen::Vector3d> position, velocity;  // after each step
};

// Measures a run against its closed form along `fall_line`.
Slide measure(const Context& context, const Scene& scene, const ClosedForm& form,
              const Eigen::Vector3d& fall_line, Findings* findings = nullptr,
              const std::string& run = "") {
  Slide slide;
  const Eigen::Vector3d start = scene.bodies.front().pose.translation;
  const Eigen::Vector3d normal = std::get<HalfSpace>(scene.bodies[1].shapes[0].shape).normal;
  slide.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const auto l = static_cast<double>(simulator.state().step_count);
        const Eigen::Vector3d moved = simulator.state().q.segment<3>(4) - start;
        const Eigen::Vector3d v = simulator.state().v.segment<3>(3);

        // Position and velocity along the fall line against the discrete closed form.
        const double x = moved.dot(fall_line);
        slide.position_error = std::max(slide.position_error, std::abs(x - form.distance(l)));
        const double rise = (form.lift(l) - form.lift(l - 1.0)) / kStep;
        slide.velocity_error =
            std::max(slide.velocity_error, (v - form.speed(l) * fall_line - rise * normal).norm());

        // The distance lags the continuous motion by a h t / 2.
        const double t = l * kStep;
        const double a = form.acceleration;
        slide.lag_error =
            std::max(slide.lag_error, std::abs(x - 0.5 * a * t * t - 0.5 * a * kStep * t));

        // The rest of the displacement is the lift of the relaxation.
        slide.sideways =
            std::max(slide.sideways, (moved - x * fall_line - form.lift(l) * normal).norm());
        slide.residual = std::max(
            {slide.residual, report.certificate.normal.value, report.certificate.friction.value});
        slide.time.push_back(t);
        slide.distance.push_back(x);
        slide.position.push_back(moved);
        slide.velocity.push_back(v);
      },
      findings, run);
  return slide;
}

// The cube turned about the vertical, on a ramp that falls along the azimuth.
Scene turned(Scene scene, double azimuth) {
  const Eigen::Matrix3d turn = rotation_from_rpy(0.0, 0.0, azimuth);
  SceneBody& cube = scene.bodies[0];
  cube.pose = {turn * cube.pose.rotation, turn * cube.pose.translation};
  SceneShape& ramp = scene.bodies[1].shapes[0];
  HalfSpace half_space = std::get<HalfSpace>(ramp.shape);
  half_space.normal = turn * half_space.normal;
  ramp.shape = half_space;
  return scene;
}

// The cube's bottom face replaced by a square lattice of n small balls that touch the ramp.
Scene on_points(Scene scene, int n) {
  constexpr double kRadius = 0.01, kHalf = 0.25;
  SceneBody& cube = scene.bodies[0];
  cube.shapes.clear();
  const int columns = static_cast<int>(std::ceil(std::sqrt(n)));
  for (int i = 0; i < n; ++i) {
    const double width = 2.0 * kHalf / (columns - 1);
    SceneShape& ball = cube.shapes.emplace_back(Sphere{kRadius});
    ball.X_BG.translation = {-kHalf + width * (i % columns), -kHalf + width * (i / columns),
                             -kHalf + kRadius};
  }
  return scene;
}

// (a) The largest difference of two trajectories, step by step.
void expect_same(const std::string& model, const Slide& slide, const Slide& reference,
                 Findings& findings) {
  double position = 0.0, velocity = 0.0;
  for (std::size_t i = 0; i < slide.time.size(); ++i) {
    position = std::max(position, (slide.position[i] - reference.position[i]).norm());
    velocity = std::max(velocity, (slide.velocity[i] - reference.velocity[i]).norm());
  }
  findings.expect_at_most("(a) " + model + " against anitescu-potra: positions [m]", position,
                          1e-9);
  findings.expect_at_most("(a) " + model + " against anitescu-potra: velocities [m/s]", velocity,
                          1e-9);
}

void check_sticking(const Context& context, const std::string& model, Findings& findings) {
  const Scene stick = context.load("stick.yaml", {{"simulation.model", model}});
  double moved = 0.0;
  const int missed = context.simulate(stick, [&](const Simulator& simulator, const StepReport&) {
    moved = std::max(moved,
                     (simulator.state().q.segment<3>(4) - stick.bodies[0].pose.translation).norm());
  });
  findings.expect_at_most(
      "(c) " + model + ", slope 15 degrees, below the friction angle: displacement [m]", moved,
      1e-9);
  findings.expect_true("(c) " + model + ": every step certified", missed == 0);
}

// (d) In the tangent plane the fall line makes 45 degrees with t1, half way between two directions.
void check_azimuth(const Context& context, const std::vector<std::string>& round_models,
                   Figure& figure, Findings& findings) {
  const double azimuth = 40.893395 * std::numbers::pi / 180.0;
  const Eigen::Vector3d line = rotation_from_rpy(0.0, 0.0, azimuth) * kFallLine;
  const double weaker =
      kGravity * (std::sin(kSlope) - kFriction * std::numbers::sqrt2 / 2.0 * std::cos(kSlope));
  const Slide deficit =
      measure(context, turned(context.load("slide.yaml"), azimuth), {weaker, false}, line);
  findings.expect_at_most(
      "(d) fall line 45 degrees between two directions: friction 0.7071 of Coulomb's, position [m]",
      deficit.position_error, 1e-6);
  findings.expect_true("(d) every step certified", deficit.missed == 0);
  figure.curves.push_back({"4 directions, 45 degrees off", deficit.time, deficit.distance});
  for (const std::string& model : round_models) {
    const Scene scene = turned(context.load("slide.yaml", {{"simulation.model", model}}), azimuth);
    const Slide slide =
        measure(context, scene, {kAcceleration, model == "convex-relaxation"}, line);
    findings.expect_at_most("(d) " + model + " there: position against the closed form [m]",
                            slide.position_error, 1e-9);
    findings.expect_at_most("(d) " + model + " there: distance from the fall line [m]",
                            slide.sideways, 1e-9);
    findings.expect_true("(d) " + model + " there: every step certified", slide.missed == 0);
  }
}

// (e) The same trajectory on many coplanar contacts.
void check_many_contacts(const Context& context, const std::string& model, Findings& findings) {
  for (const int contacts : {8, 100, 1000}) {
    context.progress("ramp: " + model + ", " + std::to_string(contacts) + " contacts");
    const Scene scene =
        on_points(context.load("slide.yaml", {{"simulation.model", model}}), contacts);
    const Slide slide =
        measure(context, scene, {kAcceleration, model == "convex-relaxation"}, kFallLine);
    const std::string what = "(e) " + model + ", " + std::to_string(contacts) + " contacts: ";
    findings.expect_at_most(what + "position against the closed form [m]", slide.position_error,
                            1e-8);
    findings.expect_true(what + "every step certified", slide.missed == 0);
  }
}

}  // namespace

void check_ramp(Context& context, Findings& findings) {
  Figure figure{"Distance along the ramp", "time [s]", "distance [m]", false, {}};

  // The relaxation lifts; the other models are exact.
  const std::vector<std::string> exact = {"anitescu-potra", "anitescu-hart", "stewart-trinkle",
                                          "coulomb", "maximum-dissipation"};
  std::vector<std::string> round = {"coulomb", "maximum-dissipation", "convex-relaxation"};
  std::vector<std::string> all = exact;
  all.emplace_back("convex-relaxation");
  Slide reference;
  for (const std::string& model : all) {
    const bool lifts = model == "convex-relaxation";
    const Scene scene = context.load("slide.yaml", {{"simulation.model", model}});
    const Slide slide =
        measure(context, scene, {kAcceleration, lifts}, kFallLine, &findings, "slide-" + model);

    // (b) Each model against its closed form.
    findings.expect_at_most("(b) " + model + ": position against the closed form [m]",
                            slide.position_error, 1e-9);
    findings.expect_at_most("(b) " + model + ": velocity against the closed form [m/s]",
                            slide.velocity_error, 1e-9);
    if (lifts) {
      findings.expect_at_most("(b) " + model + ": lift off the ramp against h mu v [m]",
                              slide.sideways, 1e-9);
    } else {
      findings.expect_at_most("(b) " + model + ": error to a t^2/2 is a h t/2, to [m]",
                              slide.lag_error, 1e-9);
    }
    findings.expect_true("(b) " + model + ": every step certified", slide.missed == 0);
    figure.curves.push_back({model, slide.time, slide.distance});

    // (a) The exact models agree with each other.
    if (model == exact.front()) {
      reference = slide;
    } else if (!lifts) {
      expect_same(model, slide, reference, findings);
    }
    check_sticking(context, model, findings);
  }

  // (a) The paper's own solver of the complementarity problem.
  const Slide by_routine =
      measure(context, context.load("slide.yaml", {{"simulation.model", "lemke-plain"}}),
              {kAcceleration, false}, kFallLine);
  expect_same("lemke-plain (the paper's Lemke)", by_routine, reference, findings);
  findings.expect_true("(a) lemke-plain solves and certifies every step", by_routine.missed == 0);

  // (d), (e) Other directions of fall, and many contacts.
  check_azimuth(context, round, figure, findings);
  round.insert(round.begin(), "anitescu-potra");
  for (const std::string& model : round) check_many_contacts(context, model, findings);
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
