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

struct Slide {
  double position_error = 0.0, velocity_error = 0.0;  // largest, against the discrete closed form
  double lag_error = 0.0;                             // of the lag behind a t^2/2, against a h t/2
  double sideways = 0.0;                              // largest distance from the fall line
  double residual = 0.0;
  int missed = 0;
  std::vector<double> time, distance;
};

// Measures a run against uniform acceleration `a` along `fall_line`.
Slide measure(const Context& context, const Scene& scene, double a,
              const Eigen::Vector3d& fall_line, Findings* findings = nullptr,
              const std::string& run = "") {
  Slide slide;
  const Eigen::Vector3d start = scene.bodies.front().pose.translation;
  slide.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const auto l = static_cast<double>(simulator.state().step_count);
        const Eigen::Vector3d moved = simulator.state().q.segment<3>(4) - start;
        const Eigen::Vector3d v = simulator.state().v.segment<3>(3);
        const double x = moved.dot(fall_line);
        slide.position_error =
            std::max(slide.position_error, std::abs(x - a * kStep * kStep * l * (l + 1.0) / 2.0));
        slide.velocity_error =
            std::max(slide.velocity_error, (v - a * kStep * l * fall_line).norm());
        const double t = l * kStep;
        slide.lag_error =
            std::max(slide.lag_error, std::abs(x - 0.5 * a * t * t - 0.5 * a * kStep * t));
        slide.sideways = std::max(slide.sideways, (moved - x * fall_line).norm());
        slide.residual = std::max(
            {slide.residual, report.certificate.normal.value, report.certificate.friction.value});
        slide.time.push_back(t);
        slide.distance.push_back(x);
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
    SceneShape ball;
    ball.shape = Sphere{kRadius};
    ball.X_BG.translation = {-kHalf + width * (i % columns), -kHalf + width * (i / columns),
                             -kHalf + kRadius};
    cube.shapes.push_back(ball);
  }
  return scene;
}

// (a): the paper's comparison, complementarity against the convex model, step by step.
void compare_with_convex(const Context& context, Findings& findings) {
  std::vector<Eigen::VectorXd> q, v;
  double position = 0.0, velocity = 0.0;
  context.simulate(context.load("slide.yaml", {{"simulation.model", "anitescu-potra"}}),
                   [&](const Simulator& simulator, const StepReport&) {
                     q.emplace_back(simulator.state().q);
                     v.emplace_back(simulator.state().v);
                   });
  context.simulate(context.load("slide.yaml", {{"simulation.model", "maximum-dissipation"}}),
                   [&](const Simulator& simulator, const StepReport&) {
                     const auto l = static_cast<std::size_t>(simulator.state().step_count) - 1;
                     position = std::max(position, (simulator.state().q - q[l]).norm());
                     velocity = std::max(velocity, (simulator.state().v - v[l]).norm());
                   });
  findings.expect_at_most("(a) anitescu-potra and maximum-dissipation: positions [m]", position,
                          1e-9);
  findings.expect_at_most("(a) anitescu-potra and maximum-dissipation: velocities [m/s]", velocity,
                          1e-9);
}

void check_redundant_contacts(const Context& context, Findings& findings, double a,
                              const Eigen::Vector3d& fall_line) {
  for (const std::string model : {"anitescu-potra", "maximum-dissipation"}) {
    for (const int contacts : {8, 100, 1000}) {
      const std::string name = "(e) " + model + ", " + std::to_string(contacts);
      context.progress("ramp: " + name + " contacts");
      const Scene scene =
          on_points(context.load("slide.yaml", {{"simulation.model", model}}), contacts);
      const Slide slide = measure(context, scene, a, fall_line);
      findings.expect_at_most(name + " coplanar contacts: position against the closed form [m]",
                              slide.position_error, 1e-8);
      findings.expect_true(name + " contacts: every step certified", slide.missed == 0);
    }
  }
}

}  // namespace

void check_ramp(Context& context, Findings& findings) {
  const double a = kGravity * (std::sin(kSlope) - kFriction * std::cos(kSlope));
  const Eigen::Vector3d fall_line(std::cos(kSlope), 0.0, -std::sin(kSlope));

  Figure figure{"Distance along the ramp", "time [s]", "distance [m]", false, {}};
  for (const std::string model :
       {"coulomb", "anitescu-potra", "anitescu-hart", "stewart-trinkle", "maximum-dissipation"}) {
    const Scene scene = context.load("slide.yaml", {{"simulation.model", model}});
    const Slide slide = measure(context, scene, a, fall_line, &findings, "slide-" + model);
    findings.expect_at_most("(b) " + model + ": position against a h^2 l(l+1)/2 [m]",
                            slide.position_error, 1e-9);
    findings.expect_at_most("(b) " + model + ": velocity against l h a [m/s]", slide.velocity_error,
                            1e-9);
    findings.expect_at_most("(b) " + model + ": error to a t^2/2 is a h t/2, to [m]",
                            slide.lag_error, 1e-9);
    findings.expect_true("(b) " + model + ": every step certified", slide.missed == 0);
    figure.curves.push_back({model, slide.time, slide.distance});
  }

  compare_with_convex(context, findings);
  for (const std::string model : {"anitescu-potra", "coulomb", "maximum-dissipation"}) {
    const Scene stick = context.load("stick.yaml", {{"simulation.model", model}});
    double moved = 0.0;
    const int missed = context.simulate(stick, [&](const Simulator& simulator, const StepReport&) {
      moved = std::max(
          moved, (simulator.state().q.segment<3>(4) - stick.bodies[0].pose.translation).norm());
    });
    findings.expect_at_most(
        "(c) " + model + ", slope 15 degrees, below the friction angle: displacement [m]", moved,
        1e-9);
    findings.expect_true("(c) " + model + ": every step certified", missed == 0);
  }

  // In the tangent plane the fall line makes 45 degrees with t1, half way between two directions.
  const double azimuth = 40.893395 * std::numbers::pi / 180.0;
  const Scene diagonal = turned(context.load("slide.yaml"), azimuth);
  const Eigen::Vector3d diagonal_line = rotation_from_rpy(0.0, 0.0, azimuth) * fall_line;
  const double weaker =
      kGravity * (std::sin(kSlope) - kFriction * std::numbers::sqrt2 / 2.0 * std::cos(kSlope));
  const Slide deficit = measure(context, diagonal, weaker, diagonal_line);
  findings.expect_at_most(
      "(d) fall line 45 degrees between two directions: friction 0.7071 of Coulomb's, position [m]",
      deficit.position_error, 1e-6);
  findings.expect_true("(d) every step certified", deficit.missed == 0);
  figure.curves.push_back({"4 directions, 45 degrees off", deficit.time, deficit.distance});
  for (const std::string model : {"coulomb", "maximum-dissipation"}) {
    const Scene exact = turned(context.load("slide.yaml", {{"simulation.model", model}}), azimuth);
    const Slide slide = measure(context, exact, a, diagonal_line);
    findings.expect_at_most("(d) " + model + ", the same fall line: exact, position [m]",
                            slide.position_error, 1e-9);
    findings.expect_true("(d) " + model + ": every step certified", slide.missed == 0);
  }

  check_redundant_contacts(context, findings, a, fall_line);
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
