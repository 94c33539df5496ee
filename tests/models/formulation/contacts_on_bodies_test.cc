#include "amontons/models/formulation/contacts_on_bodies.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;
using test::kWorld;
using test::SceneBuilder;

std::vector<int> all_of(const ContactProblem& problem) {
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Makes a tower of boxes, four contacts on each; of micrometers or kilometers, too.
ContactProblem tower(int boxes, double size) {
  SceneBuilder scene(1e-3);
  int below = kWorld;
  for (int k = 0; k < boxes; ++k) {
    const int box = scene.add_box(1.0 + k, size * Vector3d(1.0, 1.0, 0.5),
                                  size * Vector3d(0.0, 0.0, 0.25 + 0.5 * k));
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        scene.add_contact(below, box, size * Vector3d(x, y, 0.5 * k), Vector3d::UnitZ(), 0.0, 0.5);
      }
    }
    below = box;
  }
  return scene.build();
}

}  // namespace

TEST_CASE("A velocity lifts all contacts of a tower at equal speed, in any unit") {
  for (const int boxes : {1, 5, 40}) {
    for (const double size : {1e-6, 0.1, 1e3}) {
      const ContactProblem problem = tower(boxes, size);
      CAPTURE(boxes, size);
      CHECK(can_lift_all(ProblemScaling(problem), all_of(problem)));
    }
  }
}

TEST_CASE("No velocity lifts a ball off two opposite walls at once") {
  SceneBuilder scene(1e-3);
  const int ball = scene.add_ball(1.0, 0.1, Vector3d::Zero());
  scene.add_contact(kWorld, ball, {-0.1, 0.0, 0.0}, Vector3d::UnitX(), 0.0, 0.5);
  scene.add_contact(kWorld, ball, {0.1, 0.0, 0.0}, -Vector3d::UnitX(), 0.0, 0.5);
  const ContactProblem squeezed = scene.build();
  CHECK_FALSE(can_lift_all(ProblemScaling(squeezed), all_of(squeezed)));
  // One of them may be left.
  CHECK(can_lift_all(ProblemScaling(squeezed), std::vector<int>{0}));
  CHECK(can_lift_all(ProblemScaling(squeezed), std::vector<int>{}));
}

}  // namespace amontons
