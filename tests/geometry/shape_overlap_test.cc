#include "amontons/geometry/shape_overlap.h"

#include "amontons/geometry/contact_manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;

TEST_CASE("Shapes overlap where a contact of theirs has a negative gap, meshes that enclose too") {
  Dice dice(301);
  const std::vector<Shape> shapes{mesh_shape(l_mesh(1.0)),
                                  mesh_shape(ball_mesh(9)),
                                  mesh_shape(box_mesh({0.4, 3.0, 0.3})),
                                  mesh_shape(box_mesh({0.1, 0.1, 0.1})),
                                  Sphere{0.4},
                                  Box{{0.5, 1.0, 2.0}}};
  int num_overlapping = 0, num_apart = 0;
  for (int round = 0; round < num_cases(20000); ++round) {
    for (const Shape& A : shapes) {
      const Shape& B = shapes[static_cast<std::size_t>(round) % shapes.size()];
      const Pose X_WA = dice.pose({0.0, 0.0, 0.0});
      const Pose X_WB = dice.pose({dice.uniform(-2.0, 2.0), dice.uniform(-2.0, 2.0), 0.3});
      std::vector<ContactPoint> contacts;
      find_contact_manifold(A, X_WA, B, X_WB, {0.0}, contacts);
      const bool overlap = std::any_of(contacts.begin(), contacts.end(),
                                       [](const ContactPoint& c) { return c.gap < 0.0; });
      CHECK(do_overlap(A, X_WA, B, X_WB) == overlap);
      ++(overlap ? num_overlapping : num_apart);
    }
  }
  CHECK(num_overlapping > 100);
  CHECK(num_apart > 100);
}
