#include "amontons/models/common/contact_model.h"
#include "tests/simulation/joint_scenes.h"
#include "tests/simulation/mechanism_forms.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

// Dampers, springs, drives and dry friction of joints that are rows of J, loaded by contacts.
namespace amontons::test {
namespace {

/// Describes a chain of equal links along x, hinged to the world at one end, with a ball at the end
/// of each link.
struct Chain {
  int links = 3;
  double mass = 1.0, length = 0.4;                          ///< of a link [kg], [m]
  double height = 0.0;                                      ///< of the balls above the ground [m]
  double damping = 0.0, stiffness = 0.0;                    ///< [N m s], [N m]
  double dry_friction = 0.0;                                ///< [N m]
  double kp = 0.0, kd = 0.0, target = 0.0;                  ///< of a drive on each joint
  double effort = std::numeric_limits<double>::infinity();  ///< its limit [N m]
  double friction = 0.5, step = 0.005, end = 1.0;           ///< [-], [s], [s]
};

Scene make_scene(const Chain& chain, Coordinates coordinates, const std::string& model) {
  Scene scene = empty_scene(chain.step, chain.end, model);
  default_material(scene, chain.friction);
  add_ground(scene);
  const double l = chain.length, radius = 0.1 * l, z = chain.height + radius;
  for (int i = 0; i < chain.links; ++i) {
    const std::string name = "link" + std::to_string(i);
    const double moment = chain.mass * l * l / 12.0;
    SceneBody& link =
        add_mass(scene, name, chain.mass, {0.1 * moment, moment, moment}, {(i + 0.5) * l, 0.0, z});
    Pose end;
    end.translation.x() = 0.5 * l;
    link.shapes.push_back({Sphere{radius}, end, "default"});
    SceneJoint& joint = add_joint(scene, "joint" + std::to_string(i), JointType::Revolute,
                                  i == 0 ? "world" : "link" + std::to_string(i - 1), name,
                                  Eigen::Vector3d::UnitY(), {i * l, 0.0, z});
    joint.coordinates = coordinates;
    joint.dynamics.viscous_friction = chain.damping;
    joint.dynamics.stiffness = chain.stiffness;
    joint.dynamics.coulomb_friction = chain.dry_friction;
    if (!(chain.kp > 0.0)) continue;
    JointServo servo;
    servo.joint = joint.name;
    servo.kp = chain.kp;
    servo.kd = chain.kd;
    servo.target = i % 2 == 0 ? chain.target : -chain.target;
    servo.effort = EffortRange::symmetric(chain.effort);
    scene.servos.push_back(servo);
  }
  return scene;
}

/// Runs a chain and demands the law asked in every step. @returns the kinetic energy at the end
/// [J].
double run_by_law_asked(const Chain& chain, const std::string& model) {
  Simulator simulator(make_scene(chain, Coordinates::Maximal, model));
  int otherwise = 0;
  double kinetic = 0.0;
  const int missed = run(simulator, [&](const StepReport& report) {
    otherwise += report.solution.status != SolveStatus::Converged;
    kinetic = report.energy.kinetic;
  });
  CAPTURE(model, chain.links, chain.mass, chain.damping, chain.stiffness, chain.kp, chain.step);
  CHECK(otherwise == 0);
  CHECK(missed == 0);
  return kinetic;
}

TEST_CASE("A damped linkage of rows of J comes to rest on the ground by the law asked") {
  for (const std::string& model : model_names()) {
    // A law of impacts does not take steps, and the plain method of Lemke may fail.
    if (model == "mirtich" || model == "lemke-plain") continue;
    const double kinetic = run_by_law_asked(
        {.links = 2, .length = 0.7, .height = 0.8, .damping = 0.2, .step = 0.004, .end = 2.4},
        model);
    if (model == "coulomb" || model == "anitescu-potra") CHECK(kinetic < 1e-12);
  }
}

TEST_CASE("Springs, dampers and drives along rows of J end with the law asked in any size") {
  const std::vector<Chain> chains = {
      {.links = 10, .length = 0.2, .height = 0.1, .damping = 0.3, .end = 0.6},
      {.links = 2, .mass = 1e-3, .length = 0.05, .height = 0.03, .damping = 1e-6, .end = 0.5},
      {.links = 2,
       .mass = 1e3,
       .length = 3.0,
       .height = 2.0,
       .damping = 1e3,
       .step = 0.02,
       .end = 4.0},
      {.links = 3, .height = 0.2, .damping = 1e-3, .step = 0.0005, .end = 0.4},
      {.links = 3, .height = 0.2, .damping = 0.1, .stiffness = 1e5},
      {.links = 3, .height = 0.1, .kp = 1e6, .kd = 1e3, .target = 0.4},
      {.links = 3,
       .height = 0.1,
       .dry_friction = 0.4,
       .kp = 1e4,
       .kd = 10.0,
       .target = 0.3,
       .effort = 4.0},
  };
  for (const Chain& chain : chains) {
    for (const char* model : {"coulomb", "anitescu-potra"}) run_by_law_asked(chain, model);
  }
}

/// Returns the velocities of all contacts after a step [m/s].
Eigen::VectorXd contact_velocities(const FirstStep& step) {
  return step.report->problem.contact_velocities(step.report->solution.velocity);
}

TEST_CASE("Rows of J and reduced coordinates give one step of a driven linkage alike") {
  std::mt19937_64 engine(3305);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto power = [&](double low, double high) {
    return std::pow(10.0, low + (high - low) * uniform(engine));
  };
  for (int k = 0; k < num_cases(2000); ++k) {
    // Balls on the ground, at rest: all velocities are those of this step.
    Chain chain{.links = 1 + k % 4, .mass = power(-2.0, 2.0), .length = power(-1.0, 0.3)};
    const double torque = chain.mass * kGravity * chain.length;
    chain.damping = uniform(engine) < 0.5 ? torque * power(-3.0, 1.0) : 0.0;
    chain.stiffness = uniform(engine) < 0.3 ? torque * power(-1.0, 3.0) : 0.0;
    chain.dry_friction = uniform(engine) < 0.5 ? torque * power(-2.0, 0.3) : 0.0;
    chain.kp = torque * power(0.0, 4.0);
    chain.kd = 0.05 * chain.kp;
    chain.target = 0.3 * (uniform(engine) - 0.5);
    chain.effort = torque * power(-1.0, 1.0);
    chain.step = power(-3.3, -1.7);
    chain.friction = 0.3;
    for (const char* model : {"frictionless", "coulomb", "maximum-dissipation"}) {
      const Scene scene = make_scene(chain, Coordinates::Reduced, model);
      const FirstStep reduced(scene);
      const FirstStep maximal(make_scene(chain, Coordinates::Maximal, model));
      const Eigen::VectorXd u = contact_velocities(reduced),
                            u_maximal = contact_velocities(maximal);
      CAPTURE(k, model, u.transpose(), u_maximal.transpose());
      CHECK(reduced.report->solution.status == SolveStatus::Converged);
      CHECK(maximal.report->solution.status == SolveStatus::Converged);
      const double scale = std::max(u.norm(), kGravity * chain.step);
      REQUIRE(u.size() == u_maximal.size());
      if ((u - u_maximal).norm() < 1e-6 * scale) continue;
      // Coulomb's law may have several solutions: then that of one form is one of the other, too.
      CHECK((solves_the_reduced_form(reduced, maximal, 1e-6) ||
             solves_the_maximal_form(scene, reduced, maximal, 1e-6)));
    }
  }
}

}  // namespace
}  // namespace amontons::test
