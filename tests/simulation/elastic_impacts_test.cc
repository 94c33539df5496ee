#include "amontons/math/rotation.h"
#include "amontons/models/common/contact_model.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>

// Impacts of spinning bodies without gravity: under no law may the kinetic energy rise in a step.

namespace amontons {
namespace {

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Eigen::Vector3d random_vector(std::mt19937_64& random, double size) {
  return {uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size)};
}

Shape random_shape(std::mt19937_64& random) {
  const double a = uniform(random, 0.05, 0.2), b = uniform(random, 0.05, 0.2);
  switch (std::uniform_int_distribution<int>(0, 2)(random)) {
    case 0:
      return Box{{a, b, uniform(random, 0.05, 0.2)}};
    case 1:
      return Cylinder{0.5 * a, b};
    default:
      return Capsule{0.3 * a, b};
  }
}

// Bodies that fly at each other above a floor, turning.
Scene random_scene(std::mt19937_64& random, const std::string& model, double step) {
  Scene scene = test::empty_scene(step, 0.4, model);
  scene.gravity.setZero();
  const double friction =
      std::bernoulli_distribution(0.5)(random) ? uniform(random, 0.1, 1.0) : 0.0;
  const double e = std::bernoulli_distribution(0.5)(random) ? 1.0 : uniform(random, 0.3, 1.0);
  test::default_material(scene, friction, e);
  const int count = std::uniform_int_distribution<int>(1, 3)(random);
  for (int i = 0; i < count; ++i) {
    SceneBody& body =
        test::add_body(scene, "body" + std::to_string(i), random_shape(random),
                       uniform(random, 0.5, 2.0), {0.4 * i, 0.05 * i, uniform(random, 0.3, 0.4)});
    body.pose.rotation = rotation_from_vector(random_vector(random, 2.0));
    body.linear_velocity = {1.5 * (1 - i), 0.0, uniform(random, -3.0, -1.0)};
    body.angular_velocity = random_vector(random, 12.0);
  }
  test::add_ground(scene);
  return scene;
}

// Returns the kinetic energy at a velocity by the inertia of the step [J].
double kinetic(const StepReport& report, const Eigen::VectorXd& v) {
  return 0.5 * v.dot(report.problem.mass_matrix * v);
}

// Runs a scene; returns the largest rise of the kinetic energy in a certified step, as a share of
// its start. A step may miss its certificate because inertial forces gain energy, which is bounded.
// Stewart and Trinkle's scheme takes the inertia of the predicted orientation. Its impulses are
// measured by that.
double largest_rise(const Scene& scene, int& num_impacts, int& num_missed) {
  Simulator simulator(scene);
  const double start = simulator.initial_report().energy.kinetic;
  double before = start, rise = 0.0, missed_rise = 0.0;
  test::run(simulator, [&](const StepReport& report) {
    const double by_impulses = kinetic(report, report.solution.velocity) -
                               std::max(kinetic(report, report.problem.velocity),
                                        kinetic(report, report.problem.free_velocity));
    // What opens an overlap, into which a body has turned, does work that the step states.
    const double opening = std::max(0.0, report.energy.stabilization);
    double& largest = report.certificate.holds ? rise : missed_rise;
    largest = std::max(largest, (by_impulses - opening) / start);
    if (report.evaluation_velocity.isZero(0.0)) {
      largest = std::max(largest, (report.energy.kinetic - before - opening) / start);
    }
    before = report.energy.kinetic;
    num_impacts += std::count(report.solution.modes.begin(), report.solution.modes.end(),
                              ContactMode::Impact) > 0;
    num_missed += report.certificate.holds ? 0 : 1;
  });
  CHECK(missed_rise <= 0.05);
  return rise;
}

}  // namespace

TEST_CASE("No impact of spinning bodies adds kinetic energy, under any law and at any step") {
  std::mt19937_64 random(2611);
  for (const std::string& model : model_names()) {
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      int num_impacts = 0, num_missed = 0;
      const int cases = test::num_cases(300);
      for (int k = 0; k < cases; ++k) {
        for (const double step : {5e-3, 1e-3, 5e-4}) {
          Scene scene = random_scene(random, model, step);
          scene.simulation.restitution_law = law;
          CAPTURE(model, to_string(law), k, step);
          CHECK(largest_rise(scene, num_impacts, num_missed) <= 1e-9);
        }
      }
      CHECK(num_impacts > 0);
      // A thin body may turn by a tenth of its size into the floor in one step of 5 ms.
      CHECK(num_missed <= cases / 100);
    }
  }
}

TEST_CASE("No impact at an event adds kinetic energy, under Mirtich's model with any law") {
  std::mt19937_64 random(577);
  for (const RestitutionLaw law :
       {RestitutionLaw::Stronge, RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
    int num_impacts = 0;
    for (int k = 0; k < test::num_cases(300); ++k) {
      Scene scene = random_scene(random, "coulomb", 5e-3);
      scene.simulation.method = "event-driven";
      scene.simulation.events.impact_model = "mirtich";
      scene.simulation.restitution_law = law;
      Simulator simulator(scene);
      double rise = 0.0;
      test::run(simulator, [&](const StepReport& report) {
        if (!report.events.impact) return;
        ++num_impacts;
        const double before = kinetic(report, report.problem.velocity);
        rise = std::max(rise, (kinetic(report, report.solution.velocity) - before) / before);
      });
      CAPTURE(to_string(law), k);
      CHECK(rise <= 1e-9);
    }
    CHECK(num_impacts > 0);
  }
}

// A box of another shape than the random ones, which lands on an edge: all of e = 1 comes back, so
// that no energy is lost either.
TEST_CASE("A lossless box keeps its kinetic energy through many impacts") {
  for (const double step : {5e-3, 1e-3}) {
    Scene scene = test::empty_scene(step, 1.0, "coulomb");
    scene.gravity.setZero();
    test::default_material(scene, 0.0, 1.0);
    SceneBody& box = test::add_body(scene, "box", Box{{0.3, 0.1, 0.1}}, 1.0, {0.0, 0.0, 0.4});
    box.pose.rotation = rotation_from_vector({-0.03, -0.33, 0.0});
    box.linear_velocity = {0.0, 0.0, -2.0};
    box.angular_velocity = {6.0, -7.0, -8.0};
    test::add_ground(scene);
    test::add_half_space(scene, "ceiling", -Eigen::Vector3d::UnitZ(), -0.8);
    int num_impacts = 0, num_missed = 0;
    CAPTURE(step);
    CHECK(largest_rise(scene, num_impacts, num_missed) <= 1e-9);
    CHECK(num_missed == 0);
    CHECK(num_impacts > 2);
  }
}

}  // namespace amontons
