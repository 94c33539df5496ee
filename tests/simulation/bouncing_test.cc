#include "amontons/math/rotation.h"
#include "amontons/math/solve_status.h"
#include "amontons/models/common/contact_model.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

// A ball dropped on the floor, in time stepping [R03, E08].

namespace amontons {
namespace {

constexpr double kRadius = 0.1, kDrop = 1.0;

// Returns the apexes [m] of the gap after each bounce: the top of the parabola through three
// samples.
std::vector<double> apexes(double e, double step, RestitutionLaw law, std::size_t count) {
  Scene scene = test::empty_scene(step, 10.0, "coulomb");
  scene.simulation.restitution_law = law;
  test::default_material(scene, 0.3, e);
  test::add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, kDrop + kRadius});
  test::add_ground(scene);
  Simulator simulator(scene);
  std::vector<double> result;
  double last = kDrop, before = kDrop;
  while (result.size() < count && simulator.time() < 10.0) {
    const StepReport report = simulator.step();
    CHECK(report.certificate.holds);
    const double gap = simulator.state().q[6] - kRadius;
    if (last > before && last >= gap) {
      const double slope = 0.5 * (gap - before), curvature = before - 2.0 * last + gap;
      result.push_back(last - 0.5 * slope * slope / curvature);
    }
    before = last;
    last = gap;
  }
  return result;
}

TEST_CASE("Apexes of a bouncing ball are e^2k of its height, at any step") {
  for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
    for (const double e : {0.5, 0.9}) {
      for (const double step : {1e-3, 1e-4}) {
        const std::vector<double> tops = apexes(e, step, law, e < 0.6 ? 3 : 5);
        double expected = kDrop;
        for (const double top : tops) {
          expected *= e * e;
          CAPTURE(e, step, expected);
          // Second order: h^2 g / 8 a bounce.
          CHECK(std::abs(top - expected) <= 2.0 * step * step * test::kGravity);
        }
        CHECK(tops.size() == (e < 0.6 ? 3U : 5U));
      }
    }
  }
}

TEST_CASE("A ball of e = 1 keeps its height") {
  const std::vector<double> tops = apexes(1.0, 1e-3, RestitutionLaw::Newton, 8);
  REQUIRE(tops.size() == 8);
  for (const double top : tops) CHECK(top == Approx(kDrop).epsilon(1e-4));
}

TEST_CASE("Two boxes thrown at each other with e = 1 never gain energy, at any step") {
  const double step = GENERATE(1e-4, 5e-4, 1e-3, 5e-3);
  const double mu = GENERATE(0.0, 0.3);
  for (int throw_number = 0; throw_number < 5; ++throw_number) {
    CAPTURE(step, mu, throw_number);
    Scene scene = test::empty_scene(step, 0.3, "coulomb");
    scene.gravity.setZero();
    // With friction Newton's law may add energy at one impact; Poisson's does not.
    scene.simulation.restitution_law = RestitutionLaw::Poisson;
    test::default_material(scene, mu, 1.0);
    const double turn = 0.7 * throw_number;
    for (const double side : {-1.0, 1.0}) {
      SceneBody& box = test::add_body(scene, side < 0.0 ? "left" : "right", Box{{0.2, 0.3, 0.4}},
                                      1.0, {0.3 * side, 0.03 * side * throw_number, 0.02 * side});
      box.linear_velocity = {-2.0 * side, 0.0, 0.0};
      box.pose.rotation = rotation_from_vector({0.5 * turn, turn * side, 0.2});
      box.angular_velocity = {2.0 * side, 1.0 + turn, -side};
    }
    Simulator simulator(scene);
    double before = simulator.initial_report().energy.kinetic;
    bool touched = false;
    test::run(simulator, [&](const StepReport& report) {
      touched = touched || !report.solution.impulses.isZero(0.0);
      CHECK(report.energy.kinetic <= before + 1e-9);
      before = report.energy.kinetic;
    });
    CHECK(touched);
  }
}

TEST_CASE("A spinning box that bounces with e = 1 never gains energy, under any model") {
  const double step = GENERATE(5e-4, 1e-3, 5e-3);
  for (const std::string& model : model_names()) {
    for (int throw_number = 0; throw_number < 6; ++throw_number) {
      CAPTURE(model, step, throw_number);
      Scene scene = test::empty_scene(step, 0.4, model);
      scene.gravity.setZero();
      test::default_material(scene, 0.0, 1.0);
      SceneBody& box = test::add_body(scene, "box", Box{{0.3, 0.1, 0.1 + 0.05 * throw_number}}, 1.0,
                                      {0.0, 0.0, 0.4});
      box.pose.rotation = rotation_from_vector({0.4 * throw_number, -0.33, 0.7});
      box.linear_velocity = {0.0, 0.3, -2.0};
      box.angular_velocity = {6.0, -7.0 + throw_number, -8.0};
      test::add_ground(scene);
      Simulator simulator(scene);
      double before = simulator.initial_report().energy.kinetic;
      const double rounding = 1e-9 * before;
      test::run(simulator, [&](const StepReport& report) {
        CHECK(report.energy.kinetic <= before + rounding);
        before = report.energy.kinetic;
      });
    }
  }
}

// Phase I loads contacts that phase II leaves without an impulse; they bounce all the same.
TEST_CASE("Boxes that fall over each other bounce by maximum dissipation in every step") {
  Scene scene = test::empty_scene(5e-3, 0.28, "maximum-dissipation");
  test::default_material(scene, 0.5, 0.5);
  test::add_ground(scene);
  for (int i = 0; i < 18; ++i) {
    SceneBody& box = test::add_body(scene, "box" + std::to_string(i), Box{{0.1, 0.1, 0.1}}, 1.0,
                                    {0.12 * (i % 3), 0.12 * (i / 3 % 3), 0.2 + 0.15 * (i / 9)});
    const double degree = test::kPi / 180.0;
    box.pose.rotation = rotation_from_rpy(10.0 * i * degree, 7.0 * i * degree, 3.0 * i * degree);
  }
  Simulator simulator(scene, 1);
  test::run(simulator, [&](const StepReport& report) {
    CAPTURE(report.end->step_count, report.certificate.law_distance.value);
    CHECK(report.certificate.holds);
    CHECK(answers_law_asked(report.solution.status));
  });
}

}  // namespace
}  // namespace amontons
