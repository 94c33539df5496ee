#include "amontons/geometry/repair/orient_outwards.h"

#include "amontons/geometry/shapes/winding_number.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Appends a mesh, moved and reversed as asked.
void append(TriangleMesh& mesh, const TriangleMesh& part, const Eigen::Vector3d& shift,
            bool reverse) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (const Eigen::Vector3d& v : part.vertices) mesh.vertices.push_back(v + shift);
  for (const auto& [a, b, c] : part.triangles) {
    if (reverse) mesh.triangles.push_back({first + a, first + c, first + b});
    if (!reverse) mesh.triangles.push_back({first + a, first + b, first + c});
  }
}

void reverse_all(TriangleMesh& mesh) {
  for (std::array<int, 3>& t : mesh.triangles) std::swap(t[1], t[2]);
}

/// Makes a strip of n squares around the z axis whose end meets its start after half a turn.
TriangleMesh moebius_strip(int n) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    const double turn = 2.0 * 3.14159265358979323846 * i / n;
    for (const double side : {-0.3, 0.3}) {
      const double r = 1.0 + side * std::cos(0.5 * turn);
      mesh.vertices.emplace_back(r * std::cos(turn), r * std::sin(turn),
                                 side * std::sin(0.5 * turn));
    }
  }
  for (int i = 0; i < n; ++i) {
    const int a = 2 * i, b = a + 1;
    const int c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? a + 3 : 0;
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({c, b, d});
  }
  return mesh;
}

// Two shells with a solid inside the cavity, and a solid beside them: half sizes of cubes and their
// places.
struct Shell {
  double half, x;
  bool cavity;
};
const std::vector<Shell> kShells{{1.0, 0.0, false}, {0.8, 0.0, true},  {0.5, 0.1, false},
                                 {0.2, 0.1, true},  {0.7, 3.0, false}, {0.3, 3.2, true}};

TriangleMesh shells() {
  TriangleMesh mesh;
  for (const Shell& shell : kShells) {
    append(mesh, box_mesh(Eigen::Vector3d::Constant(2.0 * shell.half)),
           Eigen::Vector3d(shell.x, 0.0, 0.0), shell.cavity);
  }
  return mesh;
}

/// Counts the shells around a point: it lies in material where their number is odd.
bool in_material(const Eigen::Vector3d& p) {
  const auto holds = [&](const Shell& shell) {
    return (p - Eigen::Vector3d(shell.x, 0.0, 0.0)).cwiseAbs().maxCoeff() < shell.half;
  };
  return std::count_if(kShells.begin(), kShells.end(), holds) % 2 == 1;
}

void check_material(const TriangleMesh& mesh, Dice& dice) {
  CHECK(is_closed(mesh));
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector3d p(dice.uniform(-1.5, 4.5), dice.uniform(-1.5, 1.5),
                            dice.uniform(-1.5, 1.5));
    const double winding = winding_number(mesh.vertices, mesh.triangles, p);
    CHECK(winding == Approx(in_material(p) ? 1.0 : 0.0).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("Nested shells bound the same material whatever faces of theirs are flipped") {
  Dice dice(31);
  for (int k = 0; k < num_cases(2000); ++k) {
    CAPTURE(k);
    TriangleMesh mesh = shells();
    // In each shell any share of the faces is flipped.
    const double share = dice.uniform(0.0, 1.0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      if (dice.uniform(0.0, 1.0) < share) std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    }
    for (std::size_t t = mesh.triangles.size(); t > 1; --t) {
      std::swap(mesh.triangles[t - 1],
                mesh.triangles[static_cast<std::size_t>(dice.index(static_cast<int>(t)))]);
    }
    check_material(orient_outwards(mesh).mesh, dice);
  }
}

TEST_CASE("A mesh that is right stays as it is, and its mirror image is turned as a whole") {
  Dice dice(32);
  TriangleMesh mesh = shells();
  const OutwardMesh right = orient_outwards(mesh);
  CHECK(right.mesh.triangles == mesh.triangles);
  CHECK(right.num_turned == 0);
  reverse_all(mesh);
  const OutwardMesh turned = orient_outwards(mesh);
  CHECK(turned.num_turned == static_cast<int>(mesh.triangles.size()));
  check_material(turned.mesh, dice);
  // A single shell that faces inwards is turned, in a solid that is right or wrong.
  for (std::size_t s = 0; s < kShells.size(); ++s) {
    TriangleMesh one;
    for (std::size_t i = 0; i < kShells.size(); ++i) {
      append(one, box_mesh(Eigen::Vector3d::Constant(2.0 * kShells[i].half)),
             Eigen::Vector3d(kShells[i].x, 0.0, 0.0), kShells[i].cavity || i == s);
    }
    CAPTURE(s);
    check_material(orient_outwards(one).mesh, dice);
  }
}

TEST_CASE("Solids that overlap stay as the file has them") {
  TriangleMesh mesh;
  append(mesh, box_mesh({2.0, 2.0, 2.0}), Eigen::Vector3d::Zero(), false);
  append(mesh, box_mesh({0.5, 0.5, 0.5}), Eigen::Vector3d::Zero(), false);
  append(mesh, ball_mesh(5), {0.9, 0.0, 0.0}, false);
  CHECK(orient_outwards(mesh).num_turned == 0);
  CHECK(mesh_properties(orient_outwards(mesh).mesh).volume ==
        Approx(mesh_properties(mesh).volume).epsilon(1e-14));
}

TEST_CASE("A surface with one side only keeps its triangles, and it is named") {
  const TriangleMesh strip = moebius_strip(24);
  const OutwardMesh result = orient_outwards(strip);
  CHECK(result.one_sided);
  CHECK(result.num_turned == 0);
  CHECK(result.mesh.triangles == strip.triangles);
  // A solid beside it is turned nevertheless.
  TriangleMesh both = strip;
  append(both, box_mesh({1.0, 1.0, 1.0}), {5.0, 0.0, 0.0}, true);
  CHECK(orient_outwards(both).num_turned == 12);
}

TEST_CASE("Repeated triangles are dropped, and the backs of a closed surface") {
  TriangleMesh mesh = box_mesh({1.0, 2.0, 3.0});
  const std::vector<std::array<int, 3>> faces = mesh.triangles;
  for (const auto& [a, b, c] : faces) mesh.triangles.push_back({b, c, a});
  for (const auto& [a, b, c] : faces) mesh.triangles.push_back({a, c, b});
  CHECK(!is_closed(mesh));
  const OutwardMesh closed = orient_outwards(mesh);
  CHECK(closed.mesh.triangles == faces);
  CHECK(closed.num_dropped == 24);
  // An open surface keeps its backs.
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 1}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}, {1, 2, 0}};
  const OutwardMesh open = orient_outwards(sheet);
  CHECK(open.mesh.triangles.size() == 4);
  CHECK(open.num_dropped == 1);
  CHECK(open.num_turned == 0);
}

TEST_CASE(
    "An open part is turned where its holes are small, and keeps its front where it is a cup") {
  TriangleMesh ball = ball_mesh(8);
  ball.triangles.pop_back();
  reverse_all(ball);
  CHECK(orient_outwards(ball).num_turned == static_cast<int>(ball.triangles.size()));
  // Without its lid a box is a cup, or a wall around something.
  TriangleMesh cup;
  for (const std::array<int, 3>& t : box_mesh({1.0, 1.0, 1.0}).triangles)
    cup.triangles.push_back(t);
  cup.vertices = box_mesh({1.0, 1.0, 1.0}).vertices;
  std::erase_if(cup.triangles, [&](const std::array<int, 3>& t) {
    return std::all_of(t.begin(), t.end(),
                       [&](int v) { return cup.vertices[static_cast<std::size_t>(v)].z() > 0.0; });
  });
  REQUIRE(cup.triangles.size() == 10);
  reverse_all(cup);
  CHECK(orient_outwards(cup).num_turned == 0);
  // One triangle of it that disagrees is turned to the others.
  std::swap(cup.triangles[3][0], cup.triangles[3][1]);
  const OutwardMesh one = orient_outwards(cup);
  CHECK(one.num_turned == 1);
}

TEST_CASE("The winding number of a random point is one inside a torus and zero outside") {
  Dice dice(33);
  const TriangleMesh ring = torus(1.0, 0.3, 40, 20);
  for (int k = 0; k < num_cases(20000); ++k) {
    const Eigen::Vector3d p(dice.uniform(-1.5, 1.5), dice.uniform(-1.5, 1.5),
                            dice.uniform(-0.5, 0.5));
    const double off = std::hypot(std::hypot(p.x(), p.y()) - 1.0, p.z());
    if (off > 0.28 && off < 0.301) continue;  // between the polyhedron and the torus
    const double winding = winding_number(ring.vertices, ring.triangles, p);
    CHECK(winding == Approx(off < 0.29 ? 1.0 : 0.0).margin(1e-9));
  }
}
