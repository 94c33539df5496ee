#include "amontons/contact/operators/allowed_correction.h"

#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

// Loops that limits keep from closing: they come as near as they can.

namespace amontons::test {
namespace {

const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kY = Eigen::Vector3d::UnitY();

/// Makes a hand on two crossed slides, and a rod from it to a point. The slide along x starts at
/// `start` and ends at `end`.
Scene crane(const Eigen::Vector3d& point, double rod, double start, double end) {
  Scene scene = empty_scene(2e-3, 3.0, "coulomb");
  scene.gravity.setZero();
  const Eigen::Vector3d at = Eigen::Vector3d::Zero();  // where x and y are zero
  add_mass(scene, "carriage", 1.0, Eigen::Vector3d::Constant(0.1), at);
  add_mass(scene, "hand", 0.5, Eigen::Vector3d::Constant(0.1), at);
  SceneJoint& along = add_joint(scene, "x", JointType::Prismatic, "world", "carriage", kX, at);
  along.dynamics.limits = {{-1.0, end}};
  along.dynamics.viscous_friction = 100.0;
  along.position = start;
  SceneJoint& across = add_joint(scene, "y", JointType::Prismatic, "carriage", "hand", kY, at);
  // Friction ends the motion that the rod leaves free.
  across.dynamics.viscous_friction = 100.0;
  SceneJoint& held = add_joint(scene, "rod", JointType::Distance, "world", "hand", kX, point);
  held.child_at_W = at;
  held.length = rod;
  return scene;
}

}  // namespace

TEST_CASE("A loop that one limit holds back closes by the motion that is left") {
  Simulator simulator(crane({0.4, 1.0, 0.0}, 0.2, 0.0, 0.3));
  CHECK(run(simulator) == 0);
  const double x = joint_position(simulator, "x"), y = joint_position(simulator, "y");
  CHECK(std::hypot(x - 0.4, y - 1.0) == Approx(0.2).epsilon(1e-9));
  CHECK(x <= 0.3);
}

TEST_CASE("A limit that is passed at the start is kept, and the loop closes again") {
  Simulator simulator(crane({0.5, 1.0, 0.0}, 1.0, 0.5, 0.3));
  CHECK(run(simulator) == 0);
  const double x = joint_position(simulator, "x"), y = joint_position(simulator, "y");
  CHECK(std::hypot(x - 0.5, y - 1.0) == Approx(1.0).epsilon(1e-9));
  CHECK(x <= 0.3);
}

TEST_CASE("A loop out of reach comes as near as limits let it, and is never called closed") {
  Simulator simulator(crane({1.0, 1.0, 0.0}, 0.4, 0.0, 0.3));
  bool ended_well = true;
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(report.solution.status == SolveStatus::Converged);
          ended_well = report.certificate.holds;
        }) > 0);
  CHECK_FALSE(ended_well);
  CHECK(joint_position(simulator, "x") == Approx(0.3).margin(1e-5));
  CHECK(joint_position(simulator, "y") == Approx(1.0).margin(1e-2));
}

}  // namespace amontons::test
