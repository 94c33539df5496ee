#include "amontons/contact/islands/islands.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/simulation/scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace amontons::test {

TEST_CASE("Any number of threads computes the same bits, in every model") {
  for (const char* model : {"coulomb", "convex-relaxation", "anitescu-hart"}) {
    Scene scene = empty_scene(5e-3, 0.15, model);
    default_material(scene, 0.4, 0.3);
    add_ground(scene);
    // Sixteen towers, tilted alike and yet each its own way: as many islands.
    for (int tower = 0; tower < 16; ++tower) {
      for (int floor = 0; floor < 3; ++floor) {
        const std::string name = "box " + std::to_string(tower) + "." + std::to_string(floor);
        SceneBody& box = add_body(scene, name, Box{{0.1, 0.1, 0.1}}, 1.0 + floor,
                                  {tower + 0.01 * floor, 0.0, 0.1 + 0.21 * floor});
        box.linear_velocity = {0.1 * tower, 0.02 * floor, 0.0};
      }
    }
    Simulator alone(scene, 1), shared(scene, 4);
    CAPTURE(model);
    int most_islands = 0;
    while (!alone.finished()) {
      const StepReport& report = alone.step();
      most_islands = std::max(most_islands, static_cast<int>(find_islands(report.problem).size()));
      const StepReport& other = shared.step();
      REQUIRE(other.solution.impulses == report.solution.impulses);
      REQUIRE(other.certificate.friction.value == report.certificate.friction.value);
      REQUIRE(other.solution.attempts.size() == report.solution.attempts.size());
      REQUIRE(shared.state().q == alone.state().q);
      REQUIRE(shared.state().v == alone.state().v);
    }
    CHECK(most_islands == 16);
  }
}

TEST_CASE("Concave meshes move by the same bits for any number of threads, and again") {
  const Shape L = mesh_shape(l_mesh(0.3));
  Dice dice(92);
  Scene scene = empty_scene(5e-3, 0.4, "coulomb");
  default_material(scene, 0.4, 0.2);
  add_ground(scene);
  // Five piles of two Ls and a ball each, as many islands.
  for (int pile = 0; pile < 5; ++pile) {
    for (int floor = 0; floor < 2; ++floor) {
      const std::string name = "L " + std::to_string(pile) + "." + std::to_string(floor);
      SceneBody& body =
          add_body(scene, name, L, 2.0, {4.0 * pile, 0.1 * floor, 0.2 + 0.45 * floor});
      body.pose.rotation =
          Eigen::AngleAxisd(0.1 * dice.uniform(-1.0, 1.0), dice.direction()).toRotationMatrix();
      body.angular_velocity = 0.5 * dice.direction();
    }
    add_body(scene, "ball " + std::to_string(pile), Sphere{0.2}, 1.0, {4.0 * pile + 0.5, 0.5, 1.2});
  }
  Simulator alone(scene, 1), two(scene, 2), again(scene, 2);
  std::size_t most_contacts = 0;
  while (!alone.finished()) {
    const StepReport& report = alone.step();
    CHECK(report.certificate.holds);
    most_contacts = std::max(most_contacts, report.problem.num_contacts());
    for (Simulator* other : {&two, &again}) {
      REQUIRE(other->step().solution.impulses == report.solution.impulses);
      REQUIRE(other->state().q == alone.state().q);
      REQUIRE(other->state().v == alone.state().v);
    }
  }
  CHECK(most_contacts > 20);
}

}  // namespace amontons::test
