// Meshes of all kinds against an answer by brute force: signs, distances, and the horizon.
#include "tests/geometry/mesh_zoo.h"

#include "tests/geometry/mesh_pair_check.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Returns the zoo, stretched, and the same small, to fit into holes and cavities: 204 meshes.
Drawn all_meshes(Dice& dice) {
  Drawn drawn;
  for (int round = 0; round < 6; ++round) {
    for (NamedMesh own : mesh_zoo(dice)) {
      const Eigen::Vector3d stretch(dice.uniform(0.4, 1.0), dice.uniform(0.4, 1.0), 1.0);
      for (Eigen::Vector3d& v : own.mesh.vertices) v = v.cwiseProduct(stretch);
      drawn.add(own, mesh_shape(own.mesh));
      const TriangleMesh small = moved(own.mesh, Pose{}, 0.15);
      drawn.add({"small " + own.name, small}, mesh_shape(small));
    }
  }
  return drawn;
}

/// Returns convex polyhedra, large and small, beside their triangles.
Drawn convex_shapes() {
  Drawn drawn;
  for (const double scale : {1.0, 0.15}) {
    for (const TriangleMesh& mesh : {ball_mesh(5), box_mesh({1.2, 0.8, 0.5}),
                                     box_mesh({1.6, 1.6, 0.02}), box_mesh({0.1, 0.1, 2.0})}) {
      const TriangleMesh own = moved(mesh, Pose{}, scale);
      drawn.add({"convex", own}, hull_of(own.vertices));
    }
  }
  return drawn;
}

/// Draws pairs, and compares their contacts within a horizon with those within a larger one.
void check_horizons(const Drawn& As, const Drawn& Bs, int count, Dice& dice) {
  const auto has = [](const Contacts& contacts, const ContactPoint& wanted) {
    return std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& c) {
      return (c.position_W - wanted.position_W).norm() <= kError &&
             (c.normal_W - wanted.normal_W).norm() <= kError &&
             std::abs(c.gap - wanted.gap) <= kError;
    });
  };
  for (int n = 0; n < count; ++n) {
    const auto i = static_cast<std::size_t>(dice.index(static_cast<int>(As.shapes.size())));
    const auto j = static_cast<std::size_t>(dice.index(static_cast<int>(Bs.shapes.size())));
    const Pose X_WA = dice.pose(dice.direction());
    const Pose X_WB = dice.pose(X_WA.translation + dice.uniform(0.0, 2.0) * dice.direction());
    const double horizon = dice.decade(-3, 0);
    const Contacts narrow = manifold(As.shapes[i], X_WA, Bs.shapes[j], X_WB, horizon);
    Contacts wide = manifold(As.shapes[i], X_WA, Bs.shapes[j], X_WB, 2.0 * horizon);
    std::erase_if(wide, [&](const ContactPoint& contact) { return contact.gap > horizon; });
    CAPTURE(n, As.meshes[i].name, Bs.meshes[j].name, horizon);
    CHECK(narrow.size() == wide.size());
    CHECK(std::all_of(narrow.begin(), narrow.end(), [&](const auto& c) { return has(wide, c); }));
  }
}

}  // namespace

TEST_CASE("Meshes of all kinds overlap where surfaces cross or one is inside, nowhere else",
          "[mesh]") {
  Dice dice(97);
  const Drawn meshes = all_meshes(dice);
  check_pairs(meshes, meshes, num_cases(20000), dice);
}

TEST_CASE("Meshes of all kinds overlap convex shapes where surfaces cross or one is inside",
          "[mesh]") {
  Dice dice(99);
  const Drawn meshes = all_meshes(dice);
  check_pairs(meshes, convex_shapes(), num_cases(20000), dice);
}

TEST_CASE("The contacts of two meshes within a horizon are those within a larger one", "[mesh]") {
  Dice dice(98);
  const Drawn meshes = all_meshes(dice);
  check_horizons(meshes, meshes, num_cases(10000), dice);
}

TEST_CASE("The overlaps of a mesh and a convex shape do not depend on the horizon", "[mesh]") {
  Dice dice(101);
  const Drawn meshes = all_meshes(dice), convex = convex_shapes();
  for (int n = 0; n < num_cases(10000); ++n) {
    const auto i = static_cast<std::size_t>(dice.index(static_cast<int>(meshes.shapes.size())));
    const auto j = static_cast<std::size_t>(dice.index(static_cast<int>(convex.shapes.size())));
    const Pose X_WA = dice.pose(dice.direction());
    const Pose X_WB = dice.pose(X_WA.translation + dice.uniform(0.0, 2.0) * dice.direction());
    const double horizon = dice.decade(-3, 0);
    const double narrow =
        least_gap(manifold(meshes.shapes[i], X_WA, convex.shapes[j], X_WB, horizon));
    const double wide =
        least_gap(manifold(meshes.shapes[i], X_WA, convex.shapes[j], X_WB, 2.0 * horizon));
    CAPTURE(n, meshes.meshes[i].name, horizon, narrow, wide);
    if (std::min(narrow, wide) < 0.0) CHECK(std::abs(narrow - wide) <= kError);
  }
}

TEST_CASE("Two meshes that move have the contacts whose gaps the motion may close", "[mesh]") {
  Dice dice(100);
  const Drawn meshes = all_meshes(dice);
  int num_left_out = 0;
  for (int n = 0; n < num_cases(10000); ++n) {
    const auto i = static_cast<std::size_t>(dice.index(static_cast<int>(meshes.shapes.size())));
    const auto j = static_cast<std::size_t>(dice.index(static_cast<int>(meshes.shapes.size())));
    const Pose X_WA = dice.pose(dice.direction());
    const Pose X_WB = dice.pose(X_WA.translation + dice.uniform(0.0, 2.0) * dice.direction());
    const double horizon = dice.decade(-2, 0);
    ClosingMotion motion;
    for (ClosingMotion::Twist& twist : motion.twists) {
      twist.linear = dice.uniform(0.0, 2.0) * dice.direction();
      twist.angular = dice.uniform(0.0, 2.0) * dice.direction();
    }
    motion.time = dice.decade(-3, -1);
    motion.still = dice.decade(-4, -2);
    Contacts all = manifold(meshes.shapes[i], X_WA, meshes.shapes[j], X_WB, horizon);
    const Contacts found =
        manifold(meshes.shapes[i], X_WA, meshes.shapes[j], X_WB, {horizon, motion});
    const auto opens = [&motion](const ContactPoint& contact) {
      return contact.gap > motion.gap_at(contact.position_W, contact.normal_W) + kError;
    };
    num_left_out += static_cast<int>(std::erase_if(all, opens));
    CAPTURE(n, meshes.meshes[i].name, meshes.meshes[j].name, horizon, motion.time, motion.still);
    CHECK(std::none_of(found.begin(), found.end(), opens));
    // The nearest one is never dropped as one too many with its normal.
    CHECK(found.empty() == all.empty());
    if (!all.empty()) CHECK(std::abs(least_gap(found) - least_gap(all)) <= kError);
  }
  CHECK(num_left_out > 0);
}
