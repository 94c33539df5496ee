#include "amontons/contact/certificate/held_overlaps.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kTolerance = 1e-8;

/// Makes a box on walls that touch it at points along x, with these normals and gaps [m].
/// @param size  of the box [m].
ContactProblem box_on_walls(const std::vector<Vector3d>& normals, double gap, double size) {
  SceneBuilder scene(kStep * std::sqrt(size));
  const int box = scene.add_box(size, {size, size, size}, {0.0, 0.0, 0.0});
  for (const Vector3d& normal : normals) {
    for (const double x : {-0.4, 0.4}) {
      const Vector3d point = size * (Vector3d(x, 0.0, 0.0) - 0.5 * normal);
      scene.add_contact(kWorld, box, point, normal, size * gap, 1.0);
    }
  }
  return scene.build();
}

/// Returns true if all overlaps of a box at rest are held by the contacts that stick.
bool all_held(const ContactProblem& problem, bool sticks) {
  const ProblemScaling scaling(problem);
  const std::size_t nc = problem.num_contacts();
  const HeldOverlaps found = find_held_overlaps(
      problem, scaling, std::vector<char>(nc, sticks ? 1 : 0),
      VectorXd::Zero(problem.mass_matrix.size()), scaling.gap_speeds, kTolerance);
  const bool is_held = std::count(found.held.begin(), found.held.end(), 1) == std::ptrdiff_t(nc);
  // Either all gap speeds are raised, or none is changed.
  CHECK((is_held ? found.gap_speeds.minCoeff() == 0.0 : found.gap_speeds == scaling.gap_speeds));
  return is_held;
}

const double kHalf = std::sqrt(0.5);

}  // namespace

TEST_CASE("Overlaps are held where contacts that stick leave no motion which opens them") {
  for (const double size : {1e-3, 1.0, 1e3}) {
    CAPTURE(size);
    // A groove of two walls: each holds the motion that the other needs.
    const ContactProblem groove =
        box_on_walls({{0.0, -kHalf, kHalf}, {0.0, kHalf, kHalf}}, -1e-5, size);
    CHECK(all_held(groove, true));
    CHECK_FALSE(all_held(groove, false));
    // A single wall: the box leaves it along the normal.
    CHECK_FALSE(all_held(box_on_walls({{0.0, 0.0, 1.0}}, -1e-5, size), true));
    // Walls that nearly face the same way open by a motion that is fast without measure.
    const double tilt = 1e-7;
    CHECK(all_held(
        box_on_walls({{0.0, 0.0, 1.0}, {0.0, std::sin(tilt), std::cos(tilt)}}, -1e-5, size), true));
  }
}

TEST_CASE("Overlaps of walls that no motion parts are held by no friction") {
  CHECK_FALSE(all_held(box_on_walls({{0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}}, -1e-5, 1.0), true));
}

TEST_CASE("Deep overlaps are not left as they are") {
  CHECK_FALSE(
      all_held(box_on_walls({{0.0, -kHalf, kHalf}, {0.0, kHalf, kHalf}}, -1e-3, 1.0), true));
}

TEST_CASE("Gaps that close are left to the law") {
  const ContactProblem problem =
      box_on_walls({{0.0, -kHalf, kHalf}, {0.0, kHalf, kHalf}}, 1e-5, 1.0);
  CHECK_FALSE(all_held(problem, true));
}

}  // namespace amontons
