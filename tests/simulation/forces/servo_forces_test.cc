#include "amontons/simulation/forces/explicit_servos.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

// Servos as forces at an instant, on trees that an integrator moves.

namespace amontons::test {
namespace {

Scene servo_scene(double step, double duration, Integrator integrator) {
  Scene scene = empty_scene(step, duration, "viscous");
  scene.simulation.method = "event-driven";
  scene.simulation.events.integrator = integrator;
  scene.simulation.events.integrator_tolerance = 1e-13;
  scene.simulation.events.impact_model = "viscous";
  scene.simulation.events.sustained = SustainedContact::ViscousAcceleration;
  return scene;
}

constexpr double kMass = 2.0, kTarget = 1.0, kStiffness = 8.0, kDamping = 3.0;

/// Makes a mass on a horizontal slide, one meter from its servo's target.
Scene slide(double step, Integrator integrator,
            double limit = std::numeric_limits<double>::infinity()) {
  Scene scene = servo_scene(step, 1.5, integrator);
  add_mass(scene, "mass", kMass, {1.0, 1.0, 1.0}, Eigen::Vector3d::Zero());
  add_joint(scene, "slide", JointType::Prismatic, "world", "mass", Eigen::Vector3d::UnitX(),
            Eigen::Vector3d::Zero());
  scene.servos = {
      {"slide", kTarget, 0.0, kStiffness, kDamping, EffortRange::symmetric(limit), {}, {}}};
  return scene;
}

/// Returns x of m x'' = k (target - x) - d x', underdamped, `elapsed` after x and rate v.
double oscillation(double x, double v, double elapsed) {
  const double decay = 0.5 * kDamping / kMass;
  const double w = std::sqrt(kStiffness / kMass - decay * decay), e = x - kTarget;
  return kTarget + std::exp(-decay * elapsed) *
                       (e * std::cos(w * elapsed) + (v + decay * e) / w * std::sin(w * elapsed));
}

double end_of(const Scene& scene) {
  Simulator simulator(scene);
  CHECK(run(simulator, [](const StepReport& report) {
          CHECK(std::abs(report.energy.unexplained) < 1e-12);
          CHECK(report.problem.bounded_rows.empty());
        }) == 0);
  return simulator.state().q[0];
}

TEST_CASE("A servo moves a mass as a spring and a damper do, to the order of the integrator") {
  const double expected = oscillation(0.0, 0.0, 1.5);
  const auto error = [&](double step) {
    return std::abs(end_of(slide(step, Integrator::RungeKutta4)) - expected);
  };
  CHECK(std::log2(error(0.1) / error(0.05)) == Approx(4.0).margin(0.3));
  CHECK(std::abs(end_of(slide(0.1, Integrator::DormandPrince)) - expected) < 1e-11);
}

TEST_CASE("A servo at its effort limit gives that, and the order stays where it leaves it") {
  // F t^2 / 2 m until k (target - x) - d x' = F.
  const double F = 4.0, a = F / kMass;
  const double p = kDamping * a / (kStiffness * a), q = 2.0 * (kTarget - F / kStiffness) / a;
  const double left = -p + std::sqrt(p * p + q);
  REQUIRE(left < 1.5);
  const double expected = oscillation(0.5 * a * left * left, a * left, 1.5 - left);
  const auto error = [&](double step) {
    return std::abs(end_of(slide(step, Integrator::RungeKutta4, F)) - expected);
  };
  CHECK(std::log2(error(0.1) / error(0.05)) == Approx(4.0).margin(0.4));
  CHECK(std::abs(end_of(slide(0.1, Integrator::DormandPrince, F)) - expected) < 1e-11);

  Simulator simulator(slide(0.05, Integrator::RungeKutta4, F));
  CHECK(run(simulator, [&](const StepReport& report) {
          const double given = report.drive_impulse[0];
          CHECK(given <= F * report.step * (1.0 + 1e-12));
          if (simulator.time() < left) CHECK(given == Approx(F * report.step).epsilon(1e-14));
        }) == 0);
}

TEST_CASE("A stiff servo is followed in parts that are stable, whatever the step") {
  const double factor = GENERATE(1e2, 1e4, 1e6);
  Scene scene = slide(0.05, Integrator::RungeKutta4);
  scene.servos[0].kp *= factor;
  scene.servos[0].kd *= std::sqrt(factor);
  Simulator simulator(scene);
  CHECK(run(simulator, [](const StepReport& report) { CHECK(std::abs(report.end->q[0]) < 2.0); }) ==
        0);
  CHECK(simulator.state().q[0] == Approx(kTarget).margin(1e-5));
}

TEST_CASE("Targets over time act with the rates of their own pieces") {
  // A target that runs at constant speed, and a mass that runs with it: no force at all. Then it
  // stops between two steps.
  Scene scene = slide(0.05, Integrator::RungeKutta4);
  const double stop = 0.777, speed = 0.5;
  scene.servos[0].trajectory = Trajectory({0.0, stop}, {0.0, speed * stop}, Interpolation::Linear);
  scene.simulation.duration = 1.5;
  Simulator simulator(scene);
  State start = simulator.state();
  start.v[0] = speed;
  simulator.set_state(start);
  CHECK(run(simulator, [&](const StepReport& report) {
          if (simulator.time() < stop) CHECK(std::abs(report.drive_impulse[0]) < 1e-14);
        }) == 0);
  const double at_stop = speed * stop;
  const double expected = oscillation(kTarget, speed, 1.5 - stop) - kTarget + at_stop;
  CHECK(simulator.state().q[0] == Approx(expected).margin(2e-6));
}

/// Makes an arm of two links in a vertical plane whose hand, a ball, is pressed on the ground by
/// servos.
Scene pressing_arm(double step, Integrator integrator, double limit) {
  Scene scene = servo_scene(step, 0.4, integrator);
  scene.materials = {{"default", 0.0, 0.0, 2.0}};
  add_ground(scene);
  add_mass(scene, "upper", 1.0, {0.01, 0.01, 0.01}, {0.2, 0.0, 0.4});
  SceneBody& lower = add_body(scene, "lower", Sphere{0.05}, 0.5, {0.6, 0.0, 0.05});
  lower.inertia.inertia = Eigen::Matrix3d::Identity() * 0.005;
  add_joint(scene, "shoulder", JointType::Revolute, "world", "upper", Eigen::Vector3d::UnitY(),
            {0.0, 0.0, 0.5});
  add_joint(scene, "elbow", JointType::Revolute, "upper", "lower", Eigen::Vector3d::UnitY(),
            {0.4, 0.0, 0.3});
  scene.servos = {{"shoulder", 0.2, 0.0, 60.0, 2.0, EffortRange::symmetric(limit), {}, {}},
                  {"elbow", -0.3, 0.0, 40.0, 1.0, EffortRange::symmetric(limit), {}, {}}};
  return scene;
}

TEST_CASE("An arm that servos press on the ground slides there to the order of RK4") {
  const double limit = GENERATE(std::numeric_limits<double>::infinity(), 3.0);
  const auto end = [&](Integrator integrator, double step) {
    Simulator simulator(pressing_arm(step, integrator, limit));
    int by_forces = 0, steps = 0;
    double largest = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            by_forces += report.events.by_forces;
            ++steps;
            CHECK(std::abs(report.energy.unexplained) < 1e-11);
            CHECK(report.problem.bounded_rows.empty());
            CHECK(report.certificate.infeasibility < 1e-12);
            largest =
                std::max(largest, report.drive_impulse.lpNorm<Eigen::Infinity>() / report.step);
          }) == 0);
    CHECK(by_forces == steps);
    CHECK(largest <= limit * (1.0 + 1e-12));
    if (std::isfinite(limit)) CHECK(largest == Approx(limit).epsilon(1e-12));
    return simulator.state().q;
  };
  const Eigen::VectorXd exact = end(Integrator::DormandPrince, 0.02);
  const double coarse = (end(Integrator::RungeKutta4, 0.02) - exact).norm(),
               fine = (end(Integrator::RungeKutta4, 0.01) - exact).norm();
  CAPTURE(coarse, fine);
  // A kink that is stepped over would leave 2; where the switch falls into a part differs.
  // Parts whose estimated error exceeds its bound are divided: coarse steps are better than
  // their order.
  CHECK((std::log2(coarse / fine) > 3.2 || coarse < 1e-6));
  CHECK(fine < 1e-8);
}

TEST_CASE("A joint that flies to its limit is stopped there, and leaves it again") {
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  Scene scene = slide(0.01, integrator);
  scene.joints[0].dynamics.limits = {-0.5, 0.4};
  scene.simulation.duration = 1.0;
  const double back = 0.7;  // when the target turns back
  scene.servos[0].trajectory =
      Trajectory({0.0, back, back + 0.01}, {1.0, 1.0, 0.0}, Interpolation::Linear);
  Simulator simulator(scene);
  bool rested = false;
  CHECK(run(simulator, [&](const StepReport& report) {
          const double q = report.end->q[0];
          CHECK(q <= 0.4 + 1e-12);
          rested = rested || (std::abs(q - 0.4) < 1e-12 && report.end->v[0] == Approx(0.0));
          CHECK(std::abs(report.energy.unexplained) < 1e-12);
        }) == 0);
  CHECK(rested);
  CHECK(simulator.state().q[0] < 0.39);
}

}  // namespace
}  // namespace amontons::test
