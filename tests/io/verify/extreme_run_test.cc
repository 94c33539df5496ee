#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <string>

// Scenes of extreme masses and sizes whose every step has the law asked: what `verify` computes
// anew is judged by what the run could know.

using namespace amontons;
using namespace amontons::test;

namespace {

const std::string kGround =
    "  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n";

/// Returns a scene of five steps on a plane.
std::string scene_of(const std::string& simulation, const std::string& material,
                     const std::string& bodies_and_joints) {
  return "amontons: 1\nsimulation: {" + simulation + "}\nmaterials: [{name: default, " + material +
         "}]\nbodies:\n" + kGround + bodies_and_joints;
}

}  // namespace

TEST_CASE("A run whose tree was coupled on the way, and is at rest, is verified") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.0202, duration: 0.101, model: frictionless", "friction: 0.3",
      R"(  - {name: b0, mass: 0.131, shapes: [{sphere: 0.000731}], pose: {position: [0.301, 0.335, 0.372]}}
  - {name: b1, mass: 0.0673, shapes: [{capsule: [0.000105, 0.000137]}], pose: {position: [-0.295, 0.358, 1.905]}}
  - {name: b2, mass: 5.55e-09, shapes: [{capsule: [0.00103, 0.0845]}], pose: {position: [-0.102, -0.826, 0.047]}}
  - {name: b3, mass: 0.0667, shapes: [{sphere: 1.63}], pose: {position: [-0.821, 0.512, 0.637]}}
joints:
  - {name: j1, type: spherical, parent: b0, child: b1, at: [-0.6, 0.78, 0.43]}
)")));
}

TEST_CASE("A run whose mass matrix is definite with its springs alone is verified") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.126, duration: 0.63, model: no-slip", "friction: 0.3",
      R"(  - {name: b0, mass: 2.84e-07, shapes: [{box: [0.000108, 0.46, 0.000108]}], pose: {position: [-0.132, -0.587, 0.012]}}
  - {name: b1, mass: 0.41, shapes: [{sphere: 0.0152}], pose: {position: [0.183, 0.452, 1.001]}}
  - {name: b2, mass: 2.3e8, shapes: [{sphere: 0.0309}], pose: {position: [-0.575, 0.937, 1.177]}}
joints:
  - {name: j1, type: prismatic, parent: b0, child: b1, at: [0.59, 0.59, 0.88], axis: [1, 2, 3], limits: [-1.46, 1.59e-05]}
  - {name: j2, type: prismatic, parent: b0, child: b2, at: [-0.46, 0.55, -0.34], axis: [1, 2, 3], stiffness: 7440.0}
)")));
}

TEST_CASE("A run whose correction was left, and whose contacts then bear nothing, is verified") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.000288, duration: 0.00144, model: convex-relaxation",
      "friction: 0.3, restitution: 1",
      R"(  - {name: b0, mass: 5.11e6, shapes: [{box: [0.00518, 0.00266, 0.00518]}], pose: {position: [-0.665, -0.584, 1.728]}}
  - {name: b1, mass: 26.9, shapes: [{capsule: [0.000731, 0.046]}], pose: {position: [-0.536, 0.811, 0.103]}}
  - {name: b2, mass: 7410.0, shapes: [{capsule: [1.64, 0.00322]}], pose: {position: [0.506, -0.496, 0.083]}}
joints:
  - {name: j1, type: revolute, parent: b0, child: b1, at: [-0.14, 0.61, -0.01], axis: [1, 2, 3], coulomb_friction: 162.0, limits: [-8.06e-05, 0.00157]}
  - {name: j2, type: distance, parent: b0, child: b2, at: [0.29, 0.08, 0.59], to: [0, 0, 1], length: 0.498}
)")));
}

TEST_CASE("Modes of light bodies with strong drag are verified beside heavy ones") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.0591, duration: 0.2955, model: frictionless", "friction: 0, viscous_friction: 0.905",
      R"(  - {name: b0, mass: 7310.0, shapes: [{sphere: 9.04}], pose: {position: [-0.518, 0.121, 0.214]}}
  - {name: b1, mass: 0.00126, shapes: [{box: [0.00315, 0.00224, 0.00315]}], pose: {position: [0.504, -0.223, 1.294]}}
  - {name: b2, mass: 1.55e-07, shapes: [{box: [0.019, 0.00576, 0.019]}], pose: {position: [0.411, -0.114, 0.03]}}
joints:
  - {name: j1, type: revolute, parent: b0, child: b1, at: [-0.28, 0.93, -0.84], axis: [1, 2, 3], coulomb_friction: 249000.0}
)")));
}

TEST_CASE("Modes of a light ball with strong drag are verified beside a fast box") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.0742, duration: 0.371, model: stewart-trinkle",
      "friction: 0, viscous_friction: 0.0864",
      R"(  - {name: b0, mass: 9.73e-09, shapes: [{box: [0.242, 1.82, 0.242]}], pose: {position: [0.229, 0.786, 0.856]}, velocity: {linear: [0.791, 30.621, 0.069], angular: [0.791, 30.621, 0.069]}}
  - {name: b1, mass: 1.15e-05, shapes: [{sphere: 0.00906}], pose: {position: [0.665, 0.817, 1.296]}, velocity: {linear: [-0.048, 3.824, -2.644], angular: [-0.048, 3.824, -2.644]}}
)")));
}

TEST_CASE("Friction without a load is none within the bound of an acceptable step") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.00014, duration: 0.0007, model: no-slip", "friction: 0.3",
      R"(  - {name: b0, mass: 5.84, shapes: [{box: [1.75, 0.00714, 1.75]}], pose: {position: [-0.709, -0.052, 0.326]}, velocity: {linear: [0.053, 5.511, 0.533], angular: [0.053, 5.511, 0.533]}}
  - {name: b1, mass: 2.09e-09, shapes: [{box: [0.846, 4.91, 0.846]}], pose: {position: [-0.959, -0.2, 0.523]}, velocity: {linear: [14.464, -3.732, -0.068], angular: [14.464, -3.732, -0.068]}}
  - {name: b2, mass: 81.9, shapes: [{capsule: [12.1, 0.00806]}], pose: {position: [-0.726, 0.869, 1.555]}, velocity: {linear: [-0.731, -1.657, 0.004], angular: [-0.731, -1.657, 0.004]}}
)")));
}

TEST_CASE(
    "Two contacts of a thin plate do not hold each other without a load in an acceptable step") {
  check_run_verifies(parse_text(scene_of(
      "step: 0.309, duration: 1.545, model: no-slip", "friction: 1",
      R"(  - {name: b0, mass: 0.00648, shapes: [{capsule: [1.82, 0.0763]}], pose: {position: [-0.293, 0.75, 0.67]}, velocity: {linear: [0.049, 0.003, -0.004], angular: [0.049, 0.003, -0.004]}}
  - {name: b1, mass: 5110000.0, shapes: [{box: [0.00209, 5.58, 0.00209]}], pose: {position: [-0.288, -0.551, 0.173]}, velocity: {linear: [7.238, -0.009, -54.944], angular: [7.238, -0.009, -54.944]}}
  - {name: b2, mass: 27500.0, shapes: [{box: [2.28, 0.0124, 2.28]}], pose: {position: [0.316, 0.871, 0.892]}, velocity: {linear: [-0.968, -1.541, 0.004], angular: [-0.968, -1.541, 0.004]}}
  - {name: b3, mass: 6.52e-09, shapes: [{box: [0.0141, 0.00397, 0.0141]}], pose: {position: [-0.757, 0.266, 0.811]}, velocity: {linear: [-37.174, 0.205, 0.028], angular: [-37.174, 0.205, 0.028]}}
)")));
}

TEST_CASE("A step answered without friction in one island keeps the polygon of another") {
  check_run_verifies(parse_text(scene_of(
      "step: 3.59e-05, duration: 0.0001795, model: stewart-trinkle", "friction: 1",
      R"(  - {name: b0, mass: 9.41e-05, shapes: [{sphere: 0.35}], pose: {position: [-0.164, -0.504, 1.183]}}
  - {name: b1, mass: 9.66e-08, shapes: [{capsule: [0.033, 0.635]}], pose: {position: [0.592, -0.746, 0.837]}}
  - {name: b2, mass: 0.0732, shapes: [{capsule: [0.0156, 1.94]}], pose: {position: [-0.45, -0.559, 0.565]}}
  - {name: b3, mass: 926.0, shapes: [{box: [22.2, 0.000443, 22.2]}], pose: {position: [0.269, 0.076, 0.417]}}
joints:
  - {name: j1, type: revolute, parent: b0, child: b1, at: [-0.16, 0.81, -0.56], axis: [1, 2, 3], stiffness: 61900.0, coulomb_friction: 763000.0}
)")));
}
