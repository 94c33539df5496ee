// An engine of triangle meshes: bore, piston with its pin, rod with two eyes, crank.
#include "tests/simulation/mesh_engine.h"

#include "amontons/simulation/system/kinematics.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Holds what a ride showed.
struct Ride {
  int missed = 0, steps = 0;
  double turned = 0.0;       // of the crank [rad]
  double deviation = 0.0;    // of the piston from the slider-crank [m]
  double unexplained = 0.0;  // largest change of kinetic energy without a cause, of the largest [-]
  double deepest = 0.0;      // overlap [m]
};

Ride drive(const MeshEngine& engine, Scene scene) {
  Simulator simulator(scene);
  Ride ride;
  double angle = engine.start_angle, unexplained = 0.0, kinetic = 0.0;
  ride.missed = run(simulator, [&](const StepReport& report) {
    const State& state = simulator.state();
    const Eigen::Matrix3d R = quaternion_from_wxyz(state.q.head<4>()).toRotationMatrix();
    const double now = std::atan2(R(0, 2), R(2, 2));
    ride.turned += std::remainder(now - angle, 2.0 * kPi);
    angle = now;
    ride.deviation = std::max(ride.deviation, std::abs(state.q[7 + 6] - engine.piston_height(now)));
    unexplained = std::max(unexplained, std::abs(report.energy.unexplained));
    kinetic = std::max(kinetic, report.energy.kinetic);
    ride.deepest = std::max(ride.deepest, report.certificate.infeasibility);
    ++ride.steps;
  });
  ride.unexplained = unexplained / kinetic;
  return ride;
}

}  // namespace

TEST_CASE("An engine of triangle meshes runs a turn by time stepping") {
  for (const int facets : {16, 24, 32}) {
    if (facets != 24 && !is_long_run()) continue;
    MeshEngine engine;
    engine.facets = facets;
    Scene scene = engine.scene(2.0);
    // Overlaps grow with the square of the step, and with the angle between facets.
    scene.simulation.steps = {is_long_run() ? 1e-4 : 2.5e-4};
    scene.simulation.duration = 0.18;
    scene.simulation.model = "frictionless";
    const Ride ride = drive(engine, scene);
    CAPTURE(facets);
    CHECK(ride.missed == 0);
    CHECK(ride.turned > 2.0 * kPi);
    CHECK(ride.deviation <= engine.height_play());
    CHECK(ride.unexplained <= 1e-9);
    CHECK(ride.deepest <= 1e-4);
  }
}

TEST_CASE("An engine of triangle meshes runs event by event") {
  const MeshEngine engine;
  Scene scene = engine.scene(2.0);
  scene.simulation.method = "event-driven";
  scene.simulation.steps = {2.5e-4};
  scene.simulation.duration = is_long_run() ? 0.03 : 0.004;
  scene.simulation.model = "frictionless";
  scene.simulation.events.impact_model = "frictionless";
  const Ride ride = drive(engine, scene);
  CHECK(ride.missed == 0);
  CHECK(ride.turned > (is_long_run() ? 0.2 : 0.01));
  CHECK(ride.deviation <= engine.height_play());
  CHECK(ride.unexplained <= 1e-9);
  CHECK(ride.deepest <= 1e-4);
}
