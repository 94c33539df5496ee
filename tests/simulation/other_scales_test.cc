#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/motion_certificate.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

// No length, mass or time is built in: scaled scenes have scaled motions.

namespace amontons::test {
namespace {

/// Holds factors of units.
struct Scale {
  double length = 1.0, mass = 1.0, time = 1.0;
};

/// Makes boxes and a ball that fall on a slope and on each other, with gaps that close within
/// steps.
Scene tumbling(const std::string& model, const Scale& scale) {
  const double speed = scale.length / scale.time;
  Scene scene = empty_scene(4e-3 * scale.time, 0.1 * scale.time, model);
  scene.gravity = Eigen::Vector3d(1.2, 0.0, -9.4) * speed / scale.time;
  scene.simulation.overlap_speed = 3.0 * speed;
  scene.materials = {{"default", 0.45, 0.0, 0.8 * scale.mass / scale.time}};
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d place(0.23 * (k % 2), 0.02 * k, 0.07 + 0.13 * (k / 2));
    const Shape shape = k == 3 ? Shape(Sphere{0.05 * scale.length})
                               : Shape(Box{Eigen::Vector3d(0.2, 0.16, 0.1) * scale.length});
    SceneBody& body = add_body(scene, "body-" + std::to_string(k), shape, (1.0 + k) * scale.mass,
                               place * scale.length);
    body.linear_velocity = Eigen::Vector3d(0.4 - 0.2 * k, 0.1 * k, -0.3) * speed;
    body.angular_velocity = Eigen::Vector3d(0.3, -0.2 * k, 0.5) / scale.time;
  }
  add_ground(scene);
  return scene;
}

/// Returns the positions of all bodies at the end, in the units of the scale 1.
Eigen::VectorXd end_of(const std::string& model, const Scale& scale) {
  Simulator simulator(tumbling(model, scale));
  run(simulator);
  Eigen::VectorXd q = simulator.state().q;
  for (Eigen::Index b = 0; b + 7 <= q.size(); b += 7) q.segment<3>(b + 4) /= scale.length;
  return q;
}

TEST_CASE("Motions scale with the units of length, mass and time under every model") {
  // Powers of two change no digit, so that every difference is a quantity that does not scale.
  const double k = 1024.0;
  for (const char* model : {"coulomb", "no-slip", "viscous", "maximum-dissipation",
                            "anitescu-potra", "anitescu-hart", "convex-relaxation"}) {
    CAPTURE(model);
    const Eigen::VectorXd reference = end_of(model, {});
    for (const Scale& scale : {Scale{k, 1.0, 1.0}, Scale{1.0 / k, 1.0, 1.0}, Scale{1.0, k, 1.0},
                               Scale{1.0, 1.0 / k, 1.0}, Scale{1.0 / k, 1.0 / k, 1.0 / 32.0}}) {
      CAPTURE(scale.length, scale.mass, scale.time);
      CHECK((end_of(model, scale) - reference).lpNorm<Eigen::Infinity>() < 1e-9);
    }
  }
}

TEST_CASE("A tumbling flight event by event is the same in any unit of length") {
  const auto end_at = [](double length) {
    Scene scene = empty_scene(0.1, 2.0, "coulomb");
    scene.simulation.method = "event-driven";
    scene.gravity = Eigen::Vector3d(0.0, 0.0, -9.81) * length;
    SceneBody& body = add_body(scene, "box", Box{Eigen::Vector3d(30.0, 80.0, 45.0) * length}, 1e5,
                               Eigen::Vector3d(0.0, 0.0, 330.0) * length);
    body.angular_velocity = {-2.7, -0.75, -2.3};
    body.linear_velocity = Eigen::Vector3d(40.0, 0.0, 0.0) * length;
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    Eigen::VectorXd q = simulator.state().q;
    q.tail<3>() /= length;
    return q;
  };
  // Powers of two change no digit.
  for (const double length : {1024.0, 1.0 / 1024.0}) {
    CHECK((end_at(length) - end_at(1.0)).lpNorm<Eigen::Infinity>() < 1e-13);
  }
}

/// Counts the steps whose certificate holds, and those in which an error is found.
struct Verdicts {
  int holds = 0;
  int moving = 0;  ///< steps with kinetic energy
  int more_energy_from_contact = 0, unexplained_energy = 0;
  bool operator==(const Verdicts&) const = default;
};

/// Returns the certificate of a step whose ledger has a share of the kinetic energy unexplained.
Certificate with_unexplained(const Simulator& simulator, const StepReport& report, double share) {
  const System& system = simulator.system();
  SystemKinematics start;
  compute_kinematics(system, report.start->q, report.start->v, report.start->time, start);
  StepEvaluation end;
  compute_kinematics(system, report.end->q, report.end->v, report.end->time, end.kinematics);
  EnergyLedger energy = report.energy;
  energy.unexplained += share * energy.kinetic;
  Certificate certificate = report.certificate;
  // Only the ledger is judged here, not the motion of inertia.
  const FreeMotion free_motion;
  const StoredEnergy at_end = stored_energy(system, end.kinematics);
  certify_motion(system, start, {stored_energy(system, start), at_end, at_end}, report.problem,
                 report.solution, free_motion, false, energy, end, certificate);
  return certificate;
}

/// Runs the scene, and offers each step's certificate one percent of its energy from nothing.
Verdicts verdicts_at(const Scale& scale) {
  Simulator simulator(tumbling("coulomb", scale));
  Verdicts verdicts;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    verdicts.holds += report.certificate.holds ? 1 : 0;
    verdicts.moving += report.energy.kinetic > 0.0 ? 1 : 0;
    Certificate more = report.certificate;
    more.energy_gained = 0.01 * report.energy.kinetic;
    more.set_holds(1e-8);
    verdicts.more_energy_from_contact += more.holds ? 0 : 1;
    CHECK(with_unexplained(simulator, report, 0.0).holds == report.certificate.holds);
    verdicts.unexplained_energy += with_unexplained(simulator, report, 0.01).holds ? 0 : 1;
  }
  return verdicts;
}

TEST_CASE("A percent of energy from nothing is found in every step, at every scale") {
  const Verdicts reference = verdicts_at({});
  CHECK(reference.holds == 25);
  CHECK(reference.more_energy_from_contact == reference.moving);
  CHECK(reference.unexplained_energy == reference.moving);
  // 1 g and 1 mm, and 1 t and 1 km.
  const double k = 1024.0;
  for (const Scale& scale : {Scale{k, k, 1.0}, Scale{1.0 / k, 1.0 / k, 1.0},
                             Scale{1.0 / k, 1.0 / k, 1.0 / 32.0}, Scale{1.0, 1.0 / k, 1.0}}) {
    CAPTURE(scale.length, scale.mass, scale.time);
    CHECK(verdicts_at(scale) == reference);
  }
}

}  // namespace
}  // namespace amontons::test
