#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

// Contacts by forces [A7; Drumwright 2015, secs. III-B and IV] that a force on the body opens.

namespace amontons::test {
namespace {

constexpr double kMass = 1.7;

Scene force_scene(double step, double duration, Integrator integrator, SustainedContact law) {
  const bool is_viscous = law == SustainedContact::ViscousAcceleration;
  Scene scene = empty_scene(step, duration, is_viscous ? "viscous" : "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.integrator = integrator;
  scene.simulation.events.sustained = law;
  if (is_viscous) scene.simulation.events.impact_model = "viscous";
  default_material(scene, is_viscous ? 0.0 : 0.4);
  return scene;
}

/// A shape, and the height of its center above the plane that it rests on.
struct Resting {
  Shape shape;
  double height;
};

void add_force(Scene& scene, const std::string& body, const Eigen::Vector3d& force_W,
               const Eigen::Vector3d& at_B = Eigen::Vector3d::Zero()) {
  BodyWrench wrench;
  wrench.body = body;
  wrench.force_W = force_W;
  wrench.at_B = at_B;
  scene.wrenches.push_back(wrench);
}

}  // namespace

TEST_CASE("A body that a force lifts off its plane flies at once, along its closed form") {
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  const SustainedContact law =
      GENERATE(SustainedContact::CoulombAcceleration, SustainedContact::ViscousAcceleration);
  const double share = GENERATE(1.0 + 1e-6, 9.9 / 9.81, 25.0 / 9.81, 100.0);
  const double tilt = GENERATE(0.0, 0.3, -0.7), slip = GENERATE(0.0, 1.3);
  for (const Resting& resting :
       {Resting{Box{{0.2, 0.3, 0.1}}, 0.05}, Resting{Sphere{0.1}, 0.1},
        Resting{Cylinder{0.1, 0.3}, 0.15}, Resting{Capsule{0.05, 0.2}, 0.15},
        Resting{Ellipsoid{{0.1, 0.2, 0.15}}, 0.15}}) {
    CAPTURE(share, tilt, slip, shape_type_name(resting.shape));
    Scene scene = force_scene(0.005, 0.05, integrator, law);
    const Eigen::Matrix3d R = rotation_from_vector({0.0, tilt, 0.0});
    const Eigen::Vector3d n = R.col(2);
    add_half_space(scene, "plane", n);
    SceneBody& body = add_body(scene, "body", resting.shape, kMass, resting.height * n);
    body.pose.rotation = R;
    body.linear_velocity = slip * (0.6 * R.col(0) + 0.8 * R.col(1));
    const Eigen::Vector3d start = body.pose.translation, v = body.linear_velocity;
    // The force along the normal is a share of the weight that presses the body on the plane.
    const Eigen::Vector3d g(0.0, 0.0, -kGravity);
    const Eigen::Vector3d force = -share * kMass * g.dot(n) * n;
    add_force(scene, "body", force);
    Simulator simulator(scene);
    const Eigen::Vector3d a = g + force / kMass;
    int steps = 0;
    CHECK(run(simulator, [&](const StepReport& report) {
            ++steps;
            CHECK(report.problem.num_contacts() == 0);
            const double t = simulator.time();
            CHECK((position(simulator) - start - t * v - 0.5 * t * t * a).norm() < 1e-13);
            CHECK((velocity(simulator) - v - t * a).norm() < 1e-12);
          }) == 0);
    CHECK(steps == 10);
  }
}

TEST_CASE("A contact opens where a growing force reaches the weight") {
  // The force F t leaves the ground at t0 = m g/F; from then on z = F/(6 m) (t - t0)^3.
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  const double step = GENERATE(0.1, 0.03, 1e-3), growth = GENERATE(20.0, 55.0, 400.0);
  CAPTURE(step, growth);
  const double opens = kMass * kGravity / growth;
  // Accelerations within 1e-7 m/s^2 of each other count as equal.
  const double late = 1.01e-7 * kMass / growth;
  Scene scene = force_scene(step, 1.5 * opens, integrator, SustainedContact::CoulombAcceleration);
  add_ground(scene);
  add_body(scene, "block", Box{{0.3, 0.2, 0.1}}, kMass, {0.0, 0.0, 0.05});
  BodyWrench wrench;
  wrench.body = "block";
  wrench.table.assign(6, Trajectory({0.0, 10.0}, {0.0, 0.0}, Interpolation::Linear));
  wrench.table[2] = Trajectory({0.0, 10.0}, {0.0, 10.0 * growth}, Interpolation::Linear);
  scene.wrenches.push_back(wrench);
  Simulator simulator(scene);
  double opened = 0.0;
  int arrivals = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          const double t = simulator.time(), flown = std::max(0.0, t - opens);
          if (report.events.arrival) {
            ++arrivals;
            opened = t;
          }
          CHECK(report.events.by_forces == (t <= opens + late ? 4 : 0));
          const double z = 0.05 + growth / (6.0 * kMass) * flown * flown * flown;
          CHECK(std::abs(position(simulator).z() - z) < 1e-10);
        }) == 0);
  CHECK(arrivals <= 1);
  if (arrivals == 1) CHECK(std::abs(opened - opens) < late);
}

TEST_CASE("A block that is lifted off another one leaves it at rest") {
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  Scene scene = force_scene(0.01, 0.1, integrator, SustainedContact::CoulombAcceleration);
  add_ground(scene);
  add_body(scene, "upper", Box{{0.2, 0.2, 0.2}}, kMass, {0.0, 0.0, 0.5});
  add_body(scene, "lower", Box{{0.4, 0.4, 0.4}}, 3.0, {0.0, 0.0, 0.2});
  const double force = 1.4 * kMass * kGravity;
  add_force(scene, "upper", {0.0, 0.0, force});
  Simulator simulator(scene);
  const double a = force / kMass - kGravity;
  CHECK(run(simulator, [&](const StepReport& report) {
          const double t = simulator.time();
          CHECK(report.events.by_forces == 4);
          CHECK(std::abs(simulator.state().q[6] - 0.5 - 0.5 * a * t * t) < 1e-13);
          CHECK(std::abs(simulator.state().q[13] - 0.2) < 1e-13);
        }) == 0);
}

TEST_CASE("A block that is lifted at an edge turns about the opposite one") {
  // Cube of side s about its lower left edge, the force F at the lower right one:
  // 2/3 m s^2 angle'' = F s cos(angle) - m g s/sqrt(2) cos(pi/4 + angle).
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  const double side = 0.2, share = GENERATE(0.51, 0.7, 0.95), step = 0.005, duration = 0.1;
  CAPTURE(share);
  const double force = share * kMass * kGravity;
  const auto acceleration = [&](double angle) {
    return (force * side * std::cos(angle) -
            kMass * kGravity * side / std::sqrt(2.0) * std::cos(0.25 * kPi + angle)) /
           (2.0 / 3.0 * kMass * side * side);
  };
  double angle = 0.0, rate = 0.0;
  const int parts = 100000;
  const double h = duration / parts;
  for (int i = 0; i < parts; ++i) {
    rate += 0.5 * h * acceleration(angle);
    angle += h * rate;
    rate += 0.5 * h * acceleration(angle);
  }
  Scene scene = force_scene(step, duration, integrator, SustainedContact::CoulombAcceleration);
  default_material(scene, 10.0);
  add_ground(scene);
  add_body(scene, "cube", Box{{side, side, side}}, kMass, {0.0, 0.0, 0.5 * side});
  add_force(scene, "cube", {0.0, 0.0, force}, {0.5 * side, 0.0, -0.5 * side});
  Simulator simulator(scene);
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(report.events.by_forces >= 2);
          CHECK(!report.events.arrival);
        }) == 0);
  const double turned =
      -vector_from_quaternion(quaternion_from_wxyz(Eigen::Vector4d(simulator.state().q.head<4>())))
           .y();
  CHECK(turned > 1e-3);
  CHECK(turned == Approx(angle).epsilon(1e-6));
}

TEST_CASE("Motions by forces take a bounded number of steps, and say where these do not suffice") {
  // A ball with viscous friction so strong that no explicit method keeps its error.
  const Integrator integrator = GENERATE(Integrator::RungeKutta4, Integrator::DormandPrince);
  Scene scene = force_scene(0.1, 0.3, integrator, SustainedContact::ViscousAcceleration);
  scene.materials = {{"default", 0.0, 0.0, 1e7}};
  add_ground(scene);
  add_body(scene, "ball", Sphere{0.1}, kMass, {0.0, 0.0, 0.1}).linear_velocity = {1.0, 0.0, 0.0};
  Simulator simulator(scene);
  int told = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          for (const SolveAttempt& attempt : report.solution.attempts) {
            if (attempt.solver != "contact by forces") continue;
            ++told;
            CHECK(attempt.status == SolveStatus::IterationLimit);
            CHECK(report.events.by_forces == 0);
          }
        }) == 0);
  CHECK(told > 0);
  CHECK(std::abs(position(simulator).z() - 0.1) < 1e-9);
}

}  // namespace amontons::test
