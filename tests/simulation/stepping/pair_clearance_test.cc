// Pairs of shapes that are left out of a search because they are far enough apart.
#include "amontons/simulation/detection/contact_detector.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons::test {
namespace {

/// Returns meshes and polyhedra about one place, which are often near each other.
Scene scene_of_shapes() {
  Scene scene = empty_scene(1e-3, 1.0);
  scene.gravity.setZero();
  const std::vector<Shape> shapes = {mesh_shape(l_mesh(0.6)), mesh_shape(torus(1.0, 0.3, 12, 6)),
                                     mesh_shape(box_mesh({1, 1, 1})), box_hull({0.5, 0.4, 0.3}),
                                     hull_of(ball_mesh(4).vertices)};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const double angle = 2.0 * kPi * static_cast<double>(k) / static_cast<double>(shapes.size());
    add_body(scene, "body " + std::to_string(k), shapes[k], 1.0,
             {2.0 * std::cos(angle), 2.0 * std::sin(angle), 0.1 * static_cast<double>(k)});
  }
  return scene;
}

/// Returns true if two contacts agree in all their bits.
bool are_equal(const Contact& a, const Contact& b) {
  return a.key == b.key && a.position_W == b.position_W && a.normal_W == b.normal_W &&
         a.gap == b.gap;
}

}  // namespace

TEST_CASE("A search that remembers distances finds what a fresh one finds") {
  const System system(scene_of_shapes());
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int num_contacts = 0;
  for (int run = 0; run < num_cases(500); ++run) {
    State state = system.initial_state();
    // Slow and fast motions, through each other: nothing is solved.
    const double speed = run % 2 == 0 ? 1.0 : 30.0, h = 2e-3;
    for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = speed * normal(random);
    ContactDetector remembering(system);
    SystemKinematics kinematics;
    std::vector<Contact> found, expected;
    for (int step = 0; step < 100; ++step) {
      compute_kinematics(system, state.q, state.v, 0.0, kinematics);
      remembering.find_contacts(kinematics, state.v, state.v, h, {}, found);
      ContactDetector(system).find_contacts(kinematics, state.v, state.v, h, {}, expected);
      CAPTURE(run, step);
      REQUIRE(found.size() == expected.size());
      REQUIRE(std::equal(found.begin(), found.end(), expected.begin(), are_equal));
      num_contacts += static_cast<int>(found.size());
      state.q = integrate_positions(system, state.q, state.v, h);
    }
  }
  CHECK(num_contacts > 100);
}

}  // namespace amontons::test
