#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <memory>

namespace amontons::test {
namespace {

constexpr double kStep = 1e-3, kGap = 8e-3;

Shape cube() {
  std::vector<Eigen::Vector3d> corners;
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      for (const double z : {-0.1, 0.1}) corners.emplace_back(x, y, z);
    }
  }
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(corners));
}

/// Returns two polyhedra beside each other, a gap apart, on a hinge far behind, at some height.
Simulator pair_at(double height, double speed, double turning) {
  Scene scene = empty_scene(kStep, 1.0, "coulomb");
  default_material(scene, 0.3);
  add_ground(scene);
  add_body(scene, "left", cube(), 1.0, {0.0, 0.0, height});
  add_body(scene, "right", cube(), 1.0, {0.2 + kGap, 0.0, height});
  add_joint(scene, "hinge", JointType::Revolute, "left", "right", Eigen::Vector3d::UnitZ(),
            {0.1, 0.6, height});
  Simulator simulator(scene);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(simulator.state().v.size());
  v(5) = -speed;
  v(6) = turning;
  simulator.set_state(simulator.state().q, v);
  return simulator;
}

}  // namespace

TEST_CASE("Links that fall together have no contacts until they close, or something is near") {
  // At 20 m/s both fall by 2 cm in a step, and their gap stays.
  Simulator falling = pair_at(5.0, 20.0, 0.0);
  CHECK(falling.step().problem.num_contacts() == 0);
  // What is near may stop one of them. The floor is 3 cm below.
  Simulator landing = pair_at(0.13, 20.0, 0.0);
  const StepReport& report = landing.step();
  bool between_links = false;
  for (const Contact& contact : report.problem.contacts) {
    between_links = between_links || contact.normal_W.z() == 0.0;
  }
  CHECK(between_links);
  // A gap that closes within the step is found. The hinge turns the right one towards the left.
  const double closing = kGap / (0.5 * kStep);
  Simulator meeting = pair_at(5.0, 20.0, -closing / 0.6);
  const StepReport& met = meeting.step();
  CHECK(met.problem.num_contacts() > 0);
  CHECK(met.certificate.holds);
  CHECK(met.certificate.infeasibility < 1e-9);
}

}  // namespace amontons::test
