#include "amontons/math/rotation.h"
#include "tests/simulation/smooth/sliding_rod.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

// Sustained contacts by the law between forces and accelerations [A7; Drumwright 2015, secs. III-B
// and IV].

namespace amontons::test {
namespace {

Scene force_scene(double step, double duration, Integrator integrator,
                  SustainedContact law = SustainedContact::CoulombAcceleration) {
  const bool is_viscous = law == SustainedContact::ViscousAcceleration;
  Scene scene = empty_scene(step, duration, is_viscous ? "viscous" : "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.integrator = integrator;
  scene.simulation.events.integrator_tolerance = 1e-12;
  scene.simulation.events.sustained = law;
  return scene;
}

/// Adds a cube of side 0.5 m on a plane that slopes down along +x.
SceneBody& add_cube_on_slope(Scene& scene, double angle) {
  add_half_space(scene, "ramp", {std::sin(angle), 0.0, std::cos(angle)});
  SceneBody& cube = add_body(scene, "cube", Box{{0.5, 0.5, 0.5}}, 1.0, Eigen::Vector3d::Zero());
  cube.pose.rotation = rotation_from_vector({0.0, angle, 0.0});
  cube.pose.translation = cube.pose.rotation * Eigen::Vector3d(0.0, 0.0, 0.25);
  return cube;
}

/// Pushes a body with a force that grows evenly to `force` per second [N/s].
void push(Scene& scene, const std::string& body, const Eigen::Vector3d& force, double time) {
  BodyWrench wrench;
  wrench.body = body;
  wrench.table.assign(6, Trajectory({0.0, time}, {0.0, 0.0}, Interpolation::Linear));
  for (int k = 0; k < 3; ++k) {
    wrench.table[static_cast<std::size_t>(k)] =
        Trajectory({0.0, time}, {0.0, force[k] * time}, Interpolation::Linear);
  }
  scene.wrenches.push_back(wrench);
}

TEST_CASE("A7: a box that slides down a ramp by forces follows its closed form to rounding") {
  // Its acceleration is constant, which methods of second order and above integrate exactly.
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  const double angle = 0.5, mu = 0.3;
  Scene scene = force_scene(0.05, 1.0, integrator);
  default_material(scene, mu);
  add_cube_on_slope(scene, angle);
  Simulator simulator(scene);
  const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
  const Eigen::Vector3d down(std::cos(angle), 0.0, -std::sin(angle));
  const Eigen::Vector3d start = position(simulator);
  int by_forces = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          by_forces += report.events.by_forces;
          const double t = simulator.time();
          CHECK((position(simulator) - start - 0.5 * a * t * t * down).norm() < 1e-12);
          CHECK((velocity(simulator) - a * t * down).norm() < 1e-12);
          CHECK(std::abs(report.energy.unexplained) < 1e-12);
        }) == 0);
  CHECK(by_forces == 4 * 20);
}

TEST_CASE("A7: a block that comes to rest on the way stops where its closed form does") {
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  const double mu = 0.3, v0 = 1.0;
  Scene scene = force_scene(0.1, 1.0, integrator);
  default_material(scene, mu);
  add_ground(scene);
  SceneBody& cube = add_body(scene, "cube", Box{{0.5, 0.5, 0.5}}, 1.0, {0.0, 0.0, 0.25});
  cube.linear_velocity = {0.6 * v0, 0.8 * v0, 0.0};
  Simulator simulator(scene);
  double stopped = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          if (report.events.arrival) stopped = simulator.time();
          CHECK(report.events.by_forces == 4);
        }) == 0);
  CHECK(std::abs(stopped - v0 / (mu * kGravity)) < 1e-12);
  const double way = 0.5 * v0 * v0 / (mu * kGravity);
  CHECK((position(simulator) - Eigen::Vector3d(0.6 * way, 0.8 * way, 0.25)).norm() < 1e-12);
  CHECK(velocity(simulator).norm() < 1e-14);
}

TEST_CASE("A7: a sphere slides by forces until it rolls, at 5/7 of its speed") {
  const double mu = 0.2, v0 = 1.0, r = 0.1;
  Scene scene = force_scene(0.05, 1.0, Integrator::RungeKutta4);
  default_material(scene, mu);
  add_ground(scene);
  add_body(scene, "ball", Sphere{r}, 1.0, {0.0, 0.0, r}).linear_velocity = {v0, 0.0, 0.0};
  Simulator simulator(scene);
  double rolls = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          if (report.events.arrival) rolls = simulator.time();
        }) == 0);
  const double t = 2.0 / 7.0 * v0 / (mu * kGravity);
  CHECK(std::abs(rolls - t) < 1e-12);
  CHECK(std::abs(velocity(simulator).x() - 5.0 / 7.0 * v0) < 1e-12);
  CHECK(std::abs(position(simulator).x() -
                 (v0 * t - 0.5 * mu * kGravity * t * t + 5.0 / 7.0 * v0 * (1.0 - t))) < 1e-11);
}

/// Makes a rod of 1 m and 1 kg in the x-z plane, up and to the right of its lower end on the
/// ground.
Scene rod_scene(Integrator integrator, double step, double mu, double angle, double slip,
                double turn = 0.0) {
  Scene scene = force_scene(step, 0.2, integrator);
  default_material(scene, mu);
  add_sliding_rod(scene, angle, slip, turn);
  return scene;
}

TEST_CASE("A7: a rod that falls on its sliding end moves to the order of the integrator") {
  // Against the pendulum-like equation of its angle, by very small steps.
  const double mu = 0.1, angle = 1.0, slip = 2.0;
  Eigen::Vector4d y(angle, 0.0, 0.5 * std::cos(angle), slip);  // angle, rate, x and its rate
  const auto rate = [mu](const Eigen::Vector4d& s) {
    // The tip stays down: z = sin(angle)/2. Friction -mu N as it slides along +x.
    const double c = 0.5 * std::cos(s[0]), h = 0.5 * std::sin(s[0]), w = s[1];
    // I a = N (-c) + F h,  F = -mu N along x at the tip; z'' = c a - h w^2 = N - g.
    const double lever = -c - mu * h;
    const double N = (kGravity - h * w * w) / (1.0 - 12.0 * c * lever);
    return Eigen::Vector4d(w, 12.0 * lever * N, s[3], -mu * N);
  };
  const int steps = 20000;
  const double h = 0.2 / steps;
  for (int i = 0; i < steps; ++i) {
    const Eigen::Vector4d k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2),
                          k4 = rate(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  const auto error = [&](Integrator integrator, double step) {
    Simulator simulator(rod_scene(integrator, step, mu, angle, slip));
    CHECK(run(simulator, [](const StepReport& report) {
            CHECK(report.events.by_forces == 1);
            CHECK(report.certificate.infeasibility < 1e-13);
          }) == 0);
    const Eigen::VectorXd& q = simulator.state().q;
    CHECK(std::abs(q[1] - 0.5 * std::sin(y[0])) < 1e-3);
    return std::hypot(q[0] - y[2], q[1] - 0.5 * std::sin(y[0]));
  };
  CHECK(error(Integrator::DormandPrince, 0.05) < 1e-10);
  const double coarse = error(Integrator::RungeKutta4, 0.04),
               fine = error(Integrator::RungeKutta4, 0.02);
  CAPTURE(coarse, fine);
  CHECK(std::log2(coarse / fine) > 3.5);
  CHECK(fine < 1e-6);
}

/// Returns mu above which the normal force of a tip that slides toward its rod draws it into the
/// ground.
double critical_friction(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (1.0 + 3.0 * c * c) / (3.0 * s * c);
}

TEST_CASE("A7: beyond Painleve's friction a rod is stopped by an impact, and goes on") {
  const double angle = GENERATE(0.6, std::atan(2.0), 1.3);
  const double turn = GENERATE(0.0, 6.0);
  for (const double slip : {1.0, -1.0}) {
    for (const double factor : {0.5, 0.999, 1.001, 2.0}) {
      CAPTURE(angle, turn, slip, factor);
      const double critical = critical_friction(angle);
      Simulator simulator(
          rod_scene(Integrator::DormandPrince, 1e-3, factor * critical, angle, slip, turn));
      const StepReport& report = simulator.step();
      CHECK(report.certificate.holds);
      const bool is_drawn_in = slip < 0.0 && factor > 1.0;
      // Its end would rise where w^2 l/2 sin(angle) > g: then it may leave as well.
      const bool may_leave = turn * turn * 0.5 * std::sin(angle) > kGravity;
      CHECK(report.events.impact == is_drawn_in);
      if (!is_drawn_in) {
        CHECK(report.events.sliding == SlidingLaw::Determined);
        continue;
      }
      CHECK(report.events.sliding == (may_leave ? SlidingLaw::Ambiguous : SlidingLaw::Impossible));
      CHECK(report.step == 0.0);
      CHECK(simulator.time() == 0.0);
      CHECK(report.certificate.coulomb.value <= 1e-9);
      CHECK(report.energy.impacts + report.energy.contact_normal + report.energy.contact_friction <
            0.0);
      const Eigen::VectorXd u = report.problem.contact_velocities(simulator.state().v);
      CHECK(u.norm() < 1e-12);
      CHECK(run(simulator, [](const StepReport& next) { CHECK(next.end->v.norm() < 20.0); }) == 0);
      CHECK(simulator.finished());
    }
  }
}

TEST_CASE("A7: a block slows down by viscous forces as the exponential, to the order of RK4") {
  const double damping = 2.0;
  const auto error = [&](double step) {
    Scene scene =
        force_scene(step, 1.0, Integrator::RungeKutta4, SustainedContact::ViscousAcceleration);
    scene.materials = {{"default", 0.3, 0.0, 0.25 * damping}};  // at each of four corners
    add_ground(scene);
    add_body(scene, "cube", Box{{0.5, 0.5, 0.5}}, 1.0, {0.0, 0.0, 0.25}).linear_velocity = {
        1.0, 0.0, 0.0};
    Simulator simulator(scene);
    CHECK(run(simulator, [](const StepReport& report) { CHECK(report.events.by_forces == 4); }) ==
          0);
    return std::abs(velocity(simulator).x() - std::exp(-damping));
  };
  CHECK(std::log2(error(0.1) / error(0.05)) == Approx(4.0).margin(0.3));
}

TEST_CASE("RK4 divides its step where a slip begins under a growing force, and says its error") {
  // A force that grows to F in a second moves a cube of mass m from t0 = mu m g/F on, along its
  // direction: v = F/(2 m) (1 - t0)^2 at the end.
  const double mu = 0.3, mass = 2.5, force = 13.0;
  const double step = GENERATE(0.04, 0.0125, 0.01);
  const Eigen::Vector3d along(std::cos(0.7), std::sin(0.7), 0.0);
  Scene scene = force_scene(step, 1.0, Integrator::RungeKutta4);
  default_material(scene, mu);
  add_ground(scene);
  add_body(scene, "cube", Box{{0.5, 0.5, 0.5}}, mass, {0.0, 0.0, 0.25});
  push(scene, "cube", force * along, 1.0);
  Simulator simulator(scene);
  double estimate = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) { estimate += report.events.force_error; }) ==
        0);
  const double rest = 1.0 - mu * mass * kGravity / force;
  const double v = 0.5 * force / mass * rest * rest;
  const double error = (velocity(simulator) - v * along).norm();
  CAPTURE(step, error, estimate);
  CHECK(error < 1e-4 * v);
  CHECK(error <= estimate + 1e-9);
}

TEST_CASE("A box that a growing force moves askew meets its law where the slip begins") {
  // Friction turns with the slip: what is across its direction would be damped at once.
  const double mu = GENERATE(0.1, 0.4), askew = GENERATE(0.7, 0.9273, 1.25);
  const Eigen::Vector3d size =
      GENERATE(Eigen::Vector3d(0.4, 0.4, 0.1), Eigen::Vector3d(0.2, 0.5, 0.1));
  const double mass = 1.3, force = 8.0, time = 1.2;
  Scene scene = force_scene(0.02, time, Integrator::DormandPrince);
  default_material(scene, mu);
  add_ground(scene);
  add_body(scene, "box", Box{size}, mass, {0.0, 0.0, 0.5 * size.z()});
  push(scene, "box", force * Eigen::Vector3d(std::cos(askew), std::sin(askew), 0.0), time);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  const double slides_for = time - mu * mass * kGravity / force;
  CHECK(velocity(simulator).norm() ==
        Approx(0.5 * force / mass * slides_for * slides_for).epsilon(1e-8));
}

TEST_CASE("A box that tips over an edge, slides and lands by forces keeps above the ground") {
  const double mu = GENERATE(0.0, 0.2, 1.0);
  Scene scene = force_scene(0.01, 1.5, Integrator::DormandPrince);
  default_material(scene, mu);
  add_ground(scene);
  SceneBody& box = add_body(scene, "box", Box{{0.2, 0.3, 0.4}}, 1.0, Eigen::Vector3d::Zero());
  box.pose.rotation = rotation_from_vector({0.0, 0.6, 0.0});
  box.pose.translation = {0.0, 0.0, 0.1 * std::sin(0.6) + 0.2 * std::cos(0.6)};
  Simulator simulator(scene);
  double deepest = 0.0, before = 1e9;
  int by_forces = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          deepest = std::max(deepest, report.certificate.infeasibility);
          by_forces += report.events.by_forces;
          const double energy = report.energy.kinetic + report.energy.potential;
          CHECK(energy <= before + 1e-8);  // shapes that land may overlap by 1e-9 m
          before = energy;
        }) == 0);
  CHECK(deepest < 1e-8);
  CHECK(by_forces > 100);
  CHECK(position(simulator).z() == Approx(0.1).margin(1e-8));
}

TEST_CASE("Contacts that are to last by forces are refused where they cannot") {
  const auto with = [](const auto& change) {
    Scene scene = force_scene(0.01, 0.1, Integrator::RungeKutta4);
    add_ground(scene);
    add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.1});
    default_material(scene, 0.3);
    change(scene.simulation);
    Simulator simulator(scene);
  };
  CHECK_NOTHROW(with([](SimulationSettings&) {}));
  CHECK_THROWS_AS(with([](SimulationSettings& s) { s.method = "hybrid"; }), std::invalid_argument);
  CHECK_THROWS_AS(with([](SimulationSettings& s) { s.model = "viscous"; }), std::invalid_argument);
  CHECK_THROWS_AS(
      with([](SimulationSettings& s) { s.events.integrator = Integrator::SymplecticEuler; }),
      std::invalid_argument);
}

}  // namespace
}  // namespace amontons::test
