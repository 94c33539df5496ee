// Terrain against convex shapes.
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/rotation.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kPi = 3.14159265358979323846;

Shape terrain(int nx, int ny, double size_x, double size_y,
              const std::function<double(double, double)>& height) {
  Eigen::MatrixXd heights(nx, ny);
  for (int i = 0; i < nx; ++i) {
    for (int j = 0; j < ny; ++j) {
      heights(i, j) = height(size_x * (i / (nx - 1.0) - 0.5), size_y * (j / (ny - 1.0) - 0.5));
    }
  }
  return std::make_shared<const HeightField>(heights, size_x, size_y);
}

Shape flat_terrain(double height) {
  return terrain(33, 41, 4.0, 5.0, [=](double, double) { return height; });
}

}  // namespace

TEST_CASE("Flat terrain is a half-space, point by point", "[terrain]") {
  Dice dice(61);
  const Shape flat = flat_terrain(0.25);
  const HalfSpace ground{Vector3d::UnitZ(), 0.25};
  const Pose X_WG = dice.pose({0.5, -0.7, 0.2});
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(2000); ++k) {
      const Shape shape = random_shape(kind, dice, 0.3);
      Pose X_GS = dice.pose({dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), 0.0});
      if (k % 3 == 0) X_GS.rotation.setIdentity();
      const double gap = dice.uniform(-0.05, 0.05);
      X_GS.translation.z() = 0.25 + gap - support_point(shape, X_GS, -Vector3d::UnitZ()).z();
      const Pose X_WS = X_WG * X_GS;
      const Contacts expected = manifold(ground, X_WG, shape, X_WS, 0.06);
      Contacts found = manifold(flat, X_WG, shape, X_WS, 0.06);
      CAPTURE(shape_type_name(shape), k, gap);
      REQUIRE(found.size() == expected.size());
      for (const ContactPoint& wanted : expected) {
        const auto match = std::find_if(found.begin(), found.end(), [&](const ContactPoint& c) {
          return c.feature == wanted.feature;
        });
        REQUIRE(match != found.end());
        CHECK((match->position_W - wanted.position_W).norm() <= 1e-12);
        CHECK((match->normal_W - wanted.normal_W).norm() <= 1e-12);
        CHECK(std::abs(match->gap - wanted.gap) <= 1e-12);
      }
      const SignedDistance distance = signed_distance(flat, X_WG, shape, X_WS);
      CHECK(std::abs(distance.distance - gap) <= 1e-12);
    }
  }
}

TEST_CASE("A sphere rolling over flat terrain has one contact and never catches", "[terrain]") {
  const Shape flat = flat_terrain(0.0);
  const Sphere sphere{0.3};
  for (int k = 0; k <= 4000; ++k) {
    const double x = -1.5 + 3.0 * k / 4000.0;  // over vertices, edges and diagonals
    for (const double y : {0.0, 0.125, 0.5 * x, x}) {
      for (const double depth : {-1e-3, 1e-3, 0.4}) {
        const Contacts contacts = manifold(flat, Pose{}, sphere, at(x, y, 0.3 - depth), 0.01);
        CAPTURE(x, y, depth);
        REQUIRE(contacts.size() == 1);
        CHECK((contacts[0].normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
        CHECK(std::abs(contacts[0].gap + depth) <= 1e-12);
      }
    }
  }
}

TEST_CASE("On an inclined plane of triangles nothing catches either", "[terrain]") {
  const Shape slope =
      terrain(21, 17, 4.0, 3.0, [](double x, double y) { return 0.3 * x - 0.2 * y; });
  const Vector3d normal = Vector3d(-0.3, 0.2, 1.0).normalized();
  Dice dice(62);
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(5000); ++k) {
      const Shape shape = random_shape(kind, dice, 0.2);
      Pose pose = dice.pose({dice.uniform(-1.0, 1.0), dice.uniform(-0.8, 0.8), 0.0});
      const double gap = dice.uniform(-0.02, 0.02);
      const double lowest = normal.dot(support_point(shape, pose, -normal));
      pose.translation += (gap - lowest) * normal;
      const Contacts contacts = manifold(slope, Pose{}, shape, pose, 0.02);
      CAPTURE(shape_type_name(shape), k, gap);
      REQUIRE(!contacts.empty());
      double least = 1.0;
      for (const ContactPoint& contact : contacts) {
        CHECK((contact.normal_W - normal).norm() <= 1e-12);
        least = std::min(least, contact.gap);
      }
      CHECK(std::abs(least - gap) <= 1e-12);
    }
  }
}

TEST_CASE("A sphere over rough terrain is as far as its nearest triangle point", "[terrain]") {
  Dice dice(63);
  const auto bumps = [](double x, double y) { return 0.1 * std::sin(5.0 * x) * std::cos(4.0 * y); };
  const Shape rough = terrain(25, 25, 2.0, 2.0, bumps);
  const HeightField& field = *std::get<std::shared_ptr<const HeightField>>(rough);
  for (int k = 0; k < num_cases(20000); ++k) {
    const Vector3d center(dice.uniform(-0.8, 0.8), dice.uniform(-0.8, 0.8), 0.0);
    const double above = dice.uniform(0.01, 0.3);
    const Vector3d c =
        center + (field.height_at(center.x(), center.y()) + above) * Vector3d::UnitZ();
    // The nearest point by ever finer search around the best point of a grid.
    Vector3d best(0.0, 0.0, 1e9);
    double width = 0.4;
    Vector3d middle = c;
    for (int level = 0; level < 14; ++level) {
      const Vector3d around = middle;
      for (int i = -10; i <= 10; ++i) {
        for (int j = -10; j <= 10; ++j) {
          const double x = around.x() + 0.1 * width * i;
          const double y = around.y() + 0.1 * width * j;
          const Vector3d p(x, y, field.height_at(x, y));
          if ((p - c).norm() < (best - c).norm()) {
            best = p;
            middle = p;
          }
        }
      }
      width *= 0.3;
    }
    const SignedDistance found =
        signed_distance(rough, Pose{}, Sphere{0.005}, Pose{Eigen::Matrix3d::Identity(), c});
    CAPTURE(k, above);
    // The search may end in another of two nearly equal minima: it is an upper bound only.
    CHECK(found.distance <= (best - c).norm() - 0.005 + 1e-12);
    CHECK(std::abs(field.height_at(found.p_A_W.x(), found.p_A_W.y()) - found.p_A_W.z()) <= 1e-12);
    CHECK(std::abs((found.p_A_W - c).norm() - 0.005 - found.distance) <= 1e-12);
  }
}

TEST_CASE("A box lies on a ridge with the two ends of the common segment", "[terrain]") {
  const Shape ridge = terrain(21, 21, 4.0, 4.0, [](double x, double) { return -std::abs(x); });
  const Box box{{1.0, 0.5, 0.2}};
  const Contacts contacts = manifold(ridge, Pose{}, box, at(0.1, 0.03, 0.1 - 1e-3), 0.01);
  REQUIRE(contacts.size() >= 2);
  double low = 1.0;
  double high = -1.0;
  for (const ContactPoint& contact : contacts) {
    CHECK((contact.normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
    CHECK(std::abs(contact.gap + 1e-3) <= 1e-12);
    CHECK(std::abs(contact.position_W.x()) <= 1e-12);
    low = std::min(low, contact.position_W.y());
    high = std::max(high, contact.position_W.y());
  }
  CHECK(std::abs(low - (-0.22)) <= 1e-12);
  CHECK(std::abs(high - 0.28) <= 1e-12);
}

TEST_CASE("A corner in the air behind a hill is not held by the far slope", "[terrain]") {
  // A ridge of slope 4, on which the face of a box rests that leans down to one side.
  const Shape ridge = terrain(
      17, 17, 4.0, 4.0, [](double x, double) { return std::max(0.0, 1.0 - 4.0 * std::abs(x)); });
  const double sunk = 0.01, tilt = std::atan(0.5);
  Pose X_WB;
  X_WB.rotation = rotation_about(Vector3d::UnitY(), tilt);
  X_WB.translation = Vector3d(0.0, 0.0, 1.0 - sunk) + X_WB.rotation * Vector3d(0.1, 0.0, 1.0);
  const Contacts found = manifold(ridge, Pose{}, Box{Vector3d(2.0, 2.0, 2.0)}, X_WB, 0.06);
  // Its lower corners are 0.5 m above the ground, and 1.1 m behind the plane of the far slope.
  REQUIRE(!found.empty());
  for (const ContactPoint& contact : found) CHECK(contact.gap >= -sunk - 1e-9);
}

TEST_CASE("A peak holds a plate at its tip, a valley a ball at both sides", "[terrain]") {
  const Shape peak = terrain(
      5, 5, 4.0, 4.0, [](double x, double y) { return -std::max(std::abs(x), std::abs(y)); });
  const Contacts tip = manifold(peak, Pose{}, Box{{0.5, 0.5, 0.1}}, at(0, 0, 0.049), 0.01);
  REQUIRE(tip.size() == 1);
  CHECK(std::abs(tip[0].gap + 1e-3) <= 1e-12);
  CHECK((tip[0].position_W - Vector3d(0, 0, -5e-4)).norm() <= 1e-12);

  const Shape valley = terrain(5, 5, 4.0, 4.0, [](double x, double) { return std::abs(x); });
  const double r = 0.3;
  const Contacts sides =
      manifold(valley, Pose{}, Sphere{r}, at(0.0, 0.1, r * std::sqrt(2.0) - 1e-3), 0.01);
  REQUIRE(sides.size() == 2);
  for (const ContactPoint& contact : sides) {
    CHECK(std::abs(contact.gap + 1e-3 * std::sqrt(0.5)) <= 1e-12);
    CHECK(std::abs(std::abs(contact.normal_W.x()) - std::sqrt(0.5)) <= 1e-12);
  }
  CHECK(sides[0].feature != sides[1].feature);
}

// The plain before a gorge carries the ball, although the wall beyond the gorge is within the
// horizon, below the level of the plain and farther.
TEST_CASE("A peak in the thin floor of a cup holds it, however near it is to the inside",
          "[terrain][mesh]") {
  const double steep = 5.0;
  const Shape peak = terrain(
      5, 5, 4.0, 4.0, [&](double x, double y) { return -steep * (std::abs(x) + std::abs(y)); });
  const Shape cup = mesh_shape(
      revolved({{1e-3, 0.0}, {1.0, 0.0}, {1.0, 0.6}, {0.9, 0.6}, {0.9, 0.1}, {1e-3, 0.1}}, 9));
  for (const double depth : {-1e-3, 0.0, 0.02, 0.04, 0.06, 0.08, 0.099}) {
    const Contacts contacts = manifold(peak, Pose{}, cup, at(0.3, 0.2, -depth), 2e-3);
    CAPTURE(depth, contacts.size());
    REQUIRE(contacts.size() == 1);
    CHECK(std::abs(contacts[0].gap + depth) <= 1e-12);
    CHECK((contacts[0].normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
  }
}

TEST_CASE("A wall across a gorge does not hide the ground below a ball", "[terrain]") {
  const std::array<double, 5> profile = {0.0, 0.0, 0.0, -1.0, 1.0};
  const Shape gorge = terrain(5, 5, 4.0, 4.0, [&](double x, double) {
    return profile[static_cast<std::size_t>(std::lround(x + 2.0))];
  });
  const double r = 0.05;
  const Contacts contacts = manifold(gorge, Pose{}, Sphere{r}, at(-0.05, 0.1, 0.2), 1.6);
  const auto gap_along = [&](const Vector3d& n) {
    for (const ContactPoint& contact : contacts) {
      if ((contact.normal_W - n).norm() <= 1e-12) return contact.gap;
    }
    return std::numeric_limits<double>::infinity();
  };
  CHECK(std::abs(gap_along(Vector3d::UnitZ()) - (0.2 - r)) <= 1e-12);
  // The wall is the plane z = 2 (x - 1) - 1.
  CHECK(std::abs(gap_along(Vector3d(-2.0, 0.0, 1.0).normalized()) - (3.3 / std::sqrt(5.0) - r)) <=
        1e-12);
}

TEST_CASE("A body deep in the ground is pushed up", "[terrain]") {
  Dice dice(64);
  const Shape rough = terrain(
      25, 25, 4.0, 4.0, [](double x, double y) { return 0.05 * std::sin(7.0 * x + 3.0 * y); });
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(2000); ++k) {
      const Shape shape = random_shape(kind, dice, 0.2);
      const Pose pose = dice.pose({dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), -0.4});
      const Contacts contacts = manifold(rough, Pose{}, shape, pose, 0.01);
      CAPTURE(shape_type_name(shape), k);
      REQUIRE(!contacts.empty());
      for (const ContactPoint& contact : contacts) {
        CHECK(contact.normal_W.z() > 0.8);
        CHECK(contact.gap < 0.0);
      }
      CHECK(signed_distance(rough, Pose{}, shape, pose).distance < 0.0);
    }
  }
}

TEST_CASE("Terrain and body may be exchanged", "[terrain]") {
  const Shape rough = terrain(
      25, 25, 4.0, 4.0, [](double x, double y) { return 0.05 * std::sin(7.0 * x + 3.0 * y); });
  const Pose pose = turned(at(0.1, 0.2, 0.3), 0.5, {1, 2, 3});
  const Box box{{0.5, 0.5, 0.5}};
  const Contacts one = manifold(rough, Pose{}, box, pose, 0.1);
  const Contacts two = manifold(box, pose, rough, Pose{}, 0.1);
  REQUIRE(one.size() == two.size());
  REQUIRE(!one.empty());
  for (std::size_t k = 0; k < one.size(); ++k) {
    CHECK(one[k].position_W == two[k].position_W);
    CHECK(one[k].normal_W == -two[k].normal_W);
    CHECK(one[k].gap == two[k].gap);
    CHECK(one[k].feature == two[k].feature);
  }
}

TEST_CASE("A shape over too many cells of a terrain is refused before they are searched") {
  const Shape fine = terrain(1100, 1100, 4.0, 4.0, [](double, double) { return 0.0; });
  const Pose above{Eigen::Matrix3d::Identity(), Vector3d(0.0, 0.0, 0.5)};
  const auto search = [&](double width) {
    std::vector<ContactPoint> contacts;
    find_contact_manifold(fine, Pose{}, Box{{width, width, 1.0}}, above, {.gap = 0.01}, contacts);
    return contacts.size();
  };
  CHECK(search(0.1) > 0);
  CHECK_THROWS_AS(search(4.0), std::domain_error);
}
