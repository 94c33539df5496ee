// Deep overlaps of concave meshes against brute force: what their contacts ask for parts them.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_oracle.h"
#include "tests/geometry/mesh_zoo.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

/// Returns the shortest translation of B that opens all overlaps of the contacts [m]; nothing if
/// they contradict each other. At most three of them determine it.
std::optional<Vector3d> asked_translation(const Contacts& contacts) {
  std::vector<Vector3d> normals;
  std::vector<double> depths;
  for (const ContactPoint& c : contacts) {
    if (c.gap >= 0.0) continue;
    normals.push_back(c.normal_W);
    depths.push_back(-c.gap);
  }
  std::optional<Vector3d> best;
  const auto offer = [&](const Vector3d& t) {
    if (!t.allFinite() || (best && t.norm() >= best->norm())) return;
    for (std::size_t k = 0; k < normals.size(); ++k) {
      if (normals[k].dot(t) < depths[k] - 1e-9) return;
    }
    best = t;
  };
  const std::size_t n = normals.size();
  for (std::size_t i = 0; i < n; ++i) {
    offer(depths[i] * normals[i]);
    for (std::size_t j = i + 1; j < n; ++j) {
      Eigen::Matrix<double, 2, 3> N2;
      N2 << normals[i].transpose(), normals[j].transpose();
      const Eigen::Matrix2d G = N2 * N2.transpose();
      if (G.determinant() < 1e-9) continue;
      offer(N2.transpose() * (G.inverse() * Eigen::Vector2d(depths[i], depths[j])));
      for (std::size_t k = j + 1; k < n; ++k) {
        Eigen::Matrix3d N3;
        N3 << normals[i].transpose(), normals[j].transpose(), normals[k].transpose();
        if (std::abs(N3.determinant()) < 1e-6) continue;
        offer(N3.inverse() * Vector3d(depths[i], depths[j], depths[k]));
      }
    }
  }
  return best;
}

bool overlaps(const TriangleMesh& A, const TriangleMesh& B, const Pose& X_AB, const Vector3d& t) {
  Pose X = X_AB;
  X.translation += t;
  return relation(corners_of(A, Pose{}), corners_of(B, X)).overlap();
}

/// Draws a pair of meshes that overlap at a pose of B in the frame of A.
struct DeepPair {
  NamedMesh A, B;
  Pose X_AB;
};
DeepPair draw(Dice& dice, const std::vector<NamedMesh>& zoo) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    DeepPair pair{zoo[static_cast<std::size_t>(dice.index(static_cast<int>(zoo.size())))],
                  zoo[static_cast<std::size_t>(dice.index(static_cast<int>(zoo.size())))],
                  dice.pose(dice.uniform(0.0, 1.0) * dice.direction())};
    if (pair.A.mesh.triangles.size() * pair.B.mesh.triangles.size() > 20000) continue;
    if (overlaps(pair.A.mesh, pair.B.mesh, pair.X_AB, Vector3d::Zero())) return pair;
  }
  FAIL("no pair overlaps");
  return {};
}

/// Returns the depth of the deepest contact [m]; 0 if none overlaps.
double depth_of(const Contacts& contacts) {
  double deepest = 0.0;
  for (const ContactPoint& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

Contacts contacts_of(const DeepPair& pair, double horizon = 1e-3) {
  return manifold(mesh_shape(pair.A.mesh), Pose{}, mesh_shape(pair.B.mesh), pair.X_AB, horizon);
}

// Overlaps deeper than this have one direction [m], also where the contacts of features contradict
// each other: the meshes have radii of about one. Others above kDeep are parted, unless their
// contacts nearly contradict each other and so ask for a way that is far longer than they are deep.
constexpr double kLocked = 0.06, kDeep = 0.02, kFarLonger = 3.0;

/// Returns true if contacts contradict each other, or nearly so, in an overlap that may stay.
bool may_lock(const Contacts& contacts, const std::optional<Vector3d>& asked) {
  const double depth = depth_of(contacts);
  return depth < kLocked && !(asked && asked->norm() < kFarLonger * depth);
}

// Part of a translation that is asked for after which the meshes are apart [-].
constexpr double kBeyond = 1.003;

}  // namespace

TEST_CASE("The translation that contacts of a deep overlap ask for parts concave meshes",
          "[mesh]") {
  Dice dice(103);
  const std::vector<NamedMesh> zoo = mesh_zoo(dice);
  int deep = 0;
  for (int n = 0; n < num_cases(4000); ++n) {
    const DeepPair pair = draw(dice, zoo);
    const Contacts contacts = contacts_of(pair);
    if (depth_of(contacts) < kDeep) continue;
    ++deep;
    const std::optional<Vector3d> asked = asked_translation(contacts);
    CAPTURE(n, pair.A.name, pair.B.name, contacts.size(), depth_of(contacts));
    if (may_lock(contacts, asked)) continue;
    REQUIRE(asked);
    CHECK_FALSE(overlaps(pair.A.mesh, pair.B.mesh, pair.X_AB, kBeyond * *asked));
  }
  CHECK(deep > num_cases(4000) / 2);
}

TEST_CASE("The translation that contacts of a deep overlap ask for parts a mesh and a convex shape",
          "[mesh]") {
  Dice dice(106);
  const std::vector<NamedMesh> zoo = mesh_zoo(dice);
  const std::vector<TriangleMesh> convex{box_mesh({0.6, 0.4, 0.3}),
                                         moved(ball_mesh(5), Pose{}, 0.4),
                                         box_mesh({0.2, 0.2, 1.5}), box_mesh({1.0, 1.0, 0.2})};
  for (int n = 0; n < num_cases(4000); ++n) {
    const NamedMesh& own = zoo[static_cast<std::size_t>(dice.index(static_cast<int>(zoo.size())))];
    const TriangleMesh& other = convex[static_cast<std::size_t>(dice.index(4))];
    const Pose X = dice.pose(dice.uniform(0.0, 1.0) * dice.direction());
    const Contacts contacts = manifold(mesh_shape(own.mesh), Pose{}, hull_of(other.vertices), X, 0);
    if (depth_of(contacts) < kDeep) continue;
    CAPTURE(n, own.name, contacts.size(), depth_of(contacts));
    const std::optional<Vector3d> asked = asked_translation(contacts);
    if (may_lock(contacts, asked)) continue;
    REQUIRE(asked);
    CHECK_FALSE(overlaps(own.mesh, other, X, kBeyond * *asked));
  }
}

TEST_CASE("The translation that contacts of a deep overlap ask for parts a mesh and a round shape",
          "[mesh]") {
  Dice dice(107);
  const std::vector<NamedMesh> zoo = mesh_zoo(dice);
  for (int n = 0; n < num_cases(4000); ++n) {
    const NamedMesh& own = zoo[static_cast<std::size_t>(dice.index(static_cast<int>(zoo.size())))];
    const Shape mesh = mesh_shape(own.mesh);
    const Kind kind = std::array{Kind::Sphere, Kind::Capsule, Kind::Cylinder,
                                 Kind::Ellipsoid}[static_cast<std::size_t>(n % 4)];
    const Shape round = random_shape(kind, dice, 0.4);
    Pose X = dice.pose(dice.uniform(0.0, 1.0) * dice.direction());
    const Contacts contacts = manifold(mesh, Pose{}, round, X, 0.0);
    if (depth_of(contacts) < kDeep) continue;
    CAPTURE(n, own.name, shape_type_name(round), contacts.size(), depth_of(contacts));
    const std::optional<Vector3d> asked = asked_translation(contacts);
    if (may_lock(contacts, asked)) continue;
    REQUIRE(asked);
    X.translation += kBeyond * *asked;
    CHECK(signed_distance(mesh, Pose{}, round, X).distance > 0.0);
  }
}

TEST_CASE("A rod in a plate, whose tip sticks out, leaves by the face that is nearest", "[mesh]") {
  // The tip is 0.3 long, the rod 2, and its lower side is 0.15 below the face of the plate.
  const Shape plate = mesh_shape(box_mesh({2.0, 2.0, 0.5})),
              rod = mesh_shape(box_mesh({2.0, 0.1, 0.1}));
  for (const double turn : {0.0, 1e-3, 0.3}) {
    const Pose X = turned(at(0.3, 0.0, 0.15), turn, Vector3d::UnitZ());
    const std::optional<Vector3d> asked = asked_translation(manifold(plate, Pose{}, rod, X, 0.0));
    REQUIRE(asked);
    CAPTURE(turn, asked->transpose());
    CHECK((*asked - 0.15 * Vector3d::UnitZ()).norm() <= 1e-6);
  }
}

TEST_CASE("Copies of one mesh in one pose have the shortest way out along a face", "[mesh]") {
  Dice dice(104);
  for (int n = 0; n < num_cases(1000); ++n) {
    const double height = n % 2 == 0 ? 0.3 : 0.03;
    const Shape L = mesh_shape(l_mesh(height));
    const Pose X = n < 2 ? Pose{} : dice.pose(dice.direction());
    const Contacts contacts = manifold(L, X, L, X, 1e-3);
    CAPTURE(n, height, contacts.size());
    const std::optional<Vector3d> asked = asked_translation(contacts);
    REQUIRE(asked);
    CHECK(std::abs(asked->norm() - height) <= 1e-5);
    CHECK(std::abs(std::abs((X.rotation.transpose() * *asked).z()) - height) <= 1e-5);
  }
}

TEST_CASE("Ways out of deep overlaps change with the unit of length alone", "[mesh]") {
  Dice dice(105);
  const std::vector<NamedMesh> zoo = mesh_zoo(dice);
  for (int n = 0; n < num_cases(2000); ++n) {
    const DeepPair pair = draw(dice, zoo);
    const Contacts contacts = contacts_of(pair, 0.0);
    const double scale = n % 2 == 0 ? 1.0 / 1024.0 : 1024.0;
    DeepPair scaled{{pair.A.name, moved(pair.A.mesh, Pose{}, scale)},
                    {pair.B.name, moved(pair.B.mesh, Pose{}, scale)},
                    pair.X_AB};
    scaled.X_AB.translation *= scale;
    CAPTURE(n, pair.A.name, pair.B.name, scale);
    CHECK(std::abs(depth_of(contacts_of(scaled, 0.0)) / scale - depth_of(contacts)) <= 1e-9);
    const Pose X = dice.pose(dice.direction());
    const Contacts turned =
        manifold(mesh_shape(pair.A.mesh), X, mesh_shape(pair.B.mesh), X * pair.X_AB, 0.0);
    CHECK(std::abs(depth_of(turned) - depth_of(contacts)) <= 1e-9);
  }
}

TEST_CASE("Two meshes have the same contacts whichever of them is named first", "[mesh]") {
  Dice dice(108);
  const std::vector<NamedMesh> zoo = mesh_zoo(dice);
  for (int n = 0; n < num_cases(2000); ++n) {
    const DeepPair pair = draw(dice, zoo);
    const double horizon = n % 2 == 0 ? 0.0 : 0.1;
    const Contacts contacts = contacts_of(pair, horizon);
    const Contacts swapped =
        manifold(mesh_shape(pair.B.mesh), pair.X_AB, mesh_shape(pair.A.mesh), Pose{}, horizon);
    CAPTURE(n, pair.A.name, pair.B.name, depth_of(swapped), depth_of(contacts));
    if (pair.A.name == pair.B.name) {
      if (depth_of(contacts) < kLocked) continue;
      CHECK(depth_of(swapped) <= 2.0 * depth_of(contacts) + 1e-9);
      continue;
    }
    REQUIRE(swapped.size() == contacts.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      CHECK((swapped[k].normal_W + contacts[k].normal_W).norm() <= 1e-12);
      CHECK((swapped[k].position_W - contacts[k].position_W).norm() <= 1e-12);
      CHECK(std::abs(swapped[k].gap - contacts[k].gap) <= 1e-12);
    }
  }
}
