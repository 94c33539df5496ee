#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kPi = 3.14159265358979323846;
const HalfSpace kGround{};

double least_gap(const Contacts& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

/// Returns the area of the convex hull of points in the xy plane, given in order around it.
double ring_area(const Contacts& contacts) {
  double twice = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Vector3d& p = contacts[k].position_W;
    const Vector3d& q = contacts[(k + 1) % contacts.size()].position_W;
    twice += p.x() * q.y() - p.y() * q.x();
  }
  return 0.5 * std::abs(twice);
}

std::vector<std::uint32_t> features(const Contacts& contacts) {
  std::vector<std::uint32_t> ids;
  for (const ContactPoint& contact : contacts) ids.push_back(contact.feature);
  return ids;
}

void check_flat(const Contacts& contacts, std::size_t count, double gap) {
  REQUIRE(contacts.size() == count);
  std::set<std::uint32_t> distinct;
  for (const ContactPoint& contact : contacts) {
    CHECK((contact.normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
    CHECK(std::abs(contact.gap - gap) <= 1e-12);
    distinct.insert(contact.feature);
  }
  CHECK(distinct.size() == count);
}

const Pose kLying = turned(Pose{}, 0.5 * kPi, Vector3d::UnitX());

}  // namespace

TEST_CASE("Resting bodies touch with their whole faces, above and below zero gap", "[manifold]") {
  const double gap = GENERATE(-1e-2, -1e-4, -1e-9, 0.0, 1e-9, 1e-4, 1e-2);
  const double horizon = 0.02;
  const Box table{{4.0, 4.0, 1.0}};
  const Pose X_WT = at(0.1, -0.2, -0.5);
  const Box box{{1.0, 0.6, 0.4}};
  const Cylinder cylinder{0.5, 1.0};
  const Capsule capsule{0.3, 1.0};
  const Ellipsoid ellipsoid{{0.5, 0.4, 0.3}};
  const Shape hull = box_hull({1.0, 0.6, 0.4});
  const Shape table_hull = box_hull(table.size);
  CAPTURE(gap);
  for (const Shape& ground : {Shape(kGround), Shape(table), table_hull}) {
    const Pose X_WG = std::holds_alternative<HalfSpace>(ground) ? Pose{} : X_WT;
    CAPTURE(shape_type_name(ground));
    const auto on_ground = [&](const Shape& shape, double height, const Pose& pose) {
      Pose raised = pose;
      raised.translation = Vector3d(0.05, 0.1, height + gap);
      return manifold(ground, X_WG, shape, raised, horizon);
    };
    check_flat(on_ground(box, 0.2, Pose{}), 4, gap);
    check_flat(on_ground(hull, 0.2, Pose{}), 4, gap);
    check_flat(on_ground(cylinder, 0.5, Pose{}), 8, gap);
    check_flat(on_ground(cylinder, 0.5, kLying), 2, gap);
    check_flat(on_ground(capsule, 0.3, kLying), 2, gap);
    check_flat(on_ground(capsule, 0.8, Pose{}), 1, gap);
    check_flat(on_ground(ellipsoid, 0.3, Pose{}), 1, gap);
    check_flat(on_ground(Sphere{0.5}, 0.5, Pose{}), 1, gap);
    const Box cube{{1.0, 1.0, 1.0}};
    check_flat(on_ground(cube, std::sqrt(0.5), turned(Pose{}, 0.25 * kPi, Vector3d::UnitX())), 2,
               gap);
  }
}

TEST_CASE("A turned box on an equal box touches in the octagon common to both", "[manifold]") {
  const Box box{{1.0, 1.0, 1.0}};
  const Pose X_WB = turned(at(0.0, 0.0, 1.0 - 1e-3), 0.25 * kPi, Vector3d::UnitZ());
  const Contacts contacts = manifold(box, Pose{}, box, X_WB, 0.01);
  check_flat(contacts, 8, -1e-3);
  // Two unit squares at 45 degrees have 2 (sqrt 2 - 1) in common.
  CHECK(std::abs(ring_area(contacts) - 2.0 * (std::sqrt(2.0) - 1.0)) <= 1e-12);
}

TEST_CASE("A shifted box touches in the rectangle common to both", "[manifold]") {
  const Box box{{1.0, 1.0, 1.0}};
  const Contacts contacts = manifold(box, Pose{}, box, at(0.3, 0.4, 1.0 + 1e-3), 0.01);
  check_flat(contacts, 4, 1e-3);
  CHECK(std::abs(ring_area(contacts) - 0.7 * 0.6) <= 1e-12);
}

TEST_CASE("Large faces are reduced to eight points that keep nearly all of the area",
          "[manifold]") {
  const double r = 0.5;
  std::vector<Vector3d> points;
  for (int k = 0; k < 24; ++k) {
    const double angle = 2.0 * kPi * k / 24.0;
    points.push_back({r * std::cos(angle), r * std::sin(angle), -0.5});
    points.push_back({r * std::cos(angle), r * std::sin(angle), 0.5});
  }
  const Box table{{4.0, 4.0, 1.0}};
  for (const Shape& shape : {Shape(Cylinder{r, 1.0}), hull_of(points)}) {
    for (const Shape& ground : {Shape(kGround), Shape(table)}) {
      const Pose X_WG = std::holds_alternative<HalfSpace>(ground) ? Pose{} : at(0, 0, -0.5);
      CAPTURE(shape_type_name(shape), shape_type_name(ground));
      const Contacts contacts = manifold(ground, X_WG, shape, at(0.0, 0.0, 0.5), 0.01);
      check_flat(contacts, 8, 0.0);
      // The regular octagon in the circle has the area 2 sqrt(2) r^2.
      CHECK(ring_area(contacts) >= 0.95 * 2.0 * std::sqrt(2.0) * r * r);
    }
  }
}

TEST_CASE("A cylinder on a cylinder's cap touches in a ring", "[manifold]") {
  const Contacts contacts =
      manifold(Cylinder{1.0, 1.0}, Pose{}, Cylinder{0.5, 1.0}, at(0.1, 0.2, 0.999), 0.01);
  check_flat(contacts, 8, -1e-3);
  CHECK(ring_area(contacts) >= 0.95 * 2.0 * std::sqrt(2.0) * 0.25);
  const Contacts lying =
      manifold(Cylinder{1.0, 1.0}, Pose{}, Cylinder{0.5, 1.0}, at(0, 0, 1.001) * kLying, 0.01);
  check_flat(lying, 2, 1e-3);
}

// A cylinder rolling on its rim: the rim's lowest point is a contact at any lean.
TEST_CASE("A leaning cylinder touches in its lowest rim point", "[manifold]") {
  const Cylinder cylinder{0.5, 0.3};
  const Box table{{4.0, 4.0, 1.0}};
  Dice dice(51);
  for (int k = 0; k < num_cases(20000); ++k) {
    const double lean = dice.decade(-13.0, 0.1);
    const double heading = dice.uniform(-kPi, kPi);
    Pose pose = turned(Pose{}, dice.uniform(-kPi, kPi), Vector3d::UnitZ());
    pose = turned(pose, lean, Vector3d(std::cos(heading), std::sin(heading), 0.0));
    pose.translation.z() = 0.4;
    for (const Shape& ground : {Shape(kGround), Shape(table)}) {
      const Pose X_WG = std::holds_alternative<HalfSpace>(ground) ? Pose{} : at(0, 0, -0.5);
      const double distance = signed_distance(ground, X_WG, cylinder, pose).distance;
      CAPTURE(k, lean);
      // A horizon through the cap leaves the lowest point what it is.
      for (const double horizon : {1.0, distance, distance + 0.5 * lean}) {
        const Contacts contacts = manifold(ground, X_WG, cylinder, pose, horizon + 1e-11);
        REQUIRE_FALSE(contacts.empty());
        CHECK(std::abs(least_gap(contacts) - distance) <= 1e-12);
      }
    }
  }
}

// The time stepper needs every corner that may touch within the step: all corners of the lower face
// within the horizon of the table, at their own gaps.
TEST_CASE("A slightly tilted box shows all corners within the horizon at their exact gaps",
          "[manifold]") {
  Dice dice(52);
  const Box table{{4.0, 4.0, 1.0}};
  const Box box{{1.0, 0.8, 0.4}};
  const Shape hull = box_hull(box.size);
  for (int k = 0; k < num_cases(20000); ++k) {
    const double tilt = dice.decade(-9.0, -1.0);
    const double horizon = 2.0 * tilt + 1e-3;
    const Shape& shape = k % 2 == 0 ? Shape(box) : hull;
    Pose pose = turned(Pose{}, dice.uniform(-kPi, kPi), Vector3d::UnitZ());
    pose = turned(pose, tilt, dice.direction());
    pose.translation = Vector3d(0.1, 0.2, 0.0);
    double lowest = 1.0;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3d p((corner & 1) ? 0.5 : -0.5, (corner & 2) ? 0.4 : -0.4, -0.2);
      lowest = std::min(lowest, (pose * p).z());
    }
    pose.translation.z() -= lowest + 1e-4 * dice.uniform(-1.0, 1.0);
    for (const Shape& ground : {Shape(kGround), Shape(table)}) {
      const Pose X_WG = std::holds_alternative<HalfSpace>(ground) ? Pose{} : at(0, 0, -0.5);
      const Contacts contacts = manifold(ground, X_WG, shape, pose, horizon);
      CAPTURE(k, tilt, shape_type_name(ground), shape_type_name(shape));
      REQUIRE(contacts.size() == 4);
      for (int corner = 0; corner < 4; ++corner) {
        const Vector3d p =
            pose * Vector3d((corner & 1) ? 0.5 : -0.5, (corner & 2) ? 0.4 : -0.4, -0.2);
        const bool shown = std::any_of(contacts.begin(), contacts.end(), [&](const auto& contact) {
          const Vector3d on_B = contact.position_W + 0.5 * contact.gap * contact.normal_W;
          return (on_B - p).norm() <= 1e-6 && std::abs(contact.gap - p.z()) <= 1e-12 + 1e-6 * tilt;
        });
        CHECK(shown);
      }
    }
  }
}

TEST_CASE("Of a box near a half-space every corner within the horizon is a contact", "[manifold]") {
  const Box box{{1.0, 1.0, 0.1}};
  CHECK(manifold(kGround, Pose{}, box, at(0, 0, 0.05), 0.09).size() == 4);
  CHECK(manifold(kGround, Pose{}, box, at(0, 0, 0.05), 0.11).size() == 8);
}

// The face that leans least from the ground need not have the lowest corner.
TEST_CASE("Of a polyhedron with many corners the lowest is always a contact", "[manifold]") {
  Dice dice(57);
  for (int k = 0; k < num_cases(50000); ++k) {
    const Shape hull = random_shape(Kind::SmallHull, dice, 1.0);
    const Pose pose = dice.pose({0.0, 0.0, 0.0});
    const double lowest = support_point(hull, pose, -Vector3d::UnitZ()).z();
    const Contacts contacts = manifold(kGround, Pose{}, hull, pose, lowest + 1.5);
    CAPTURE(k);
    CHECK(contacts.size() <= 8);
    // A corner within 1e-9 of the size above the lowest may replace it.
    CHECK(std::abs(least_gap(contacts) - lowest) <= 1e-9);
  }
}

TEST_CASE("Crossed edges touch in one point", "[manifold]") {
  const Box box{{1.0, 1.0, 1.0}};
  const Pose X_WA = turned(Pose{}, 0.25 * kPi, Vector3d::UnitX());
  const Pose X_WB = turned(at(0.1, 0.05, std::sqrt(2.0) - 1e-3), 0.25 * kPi, Vector3d::UnitY());
  const Contacts contacts = manifold(box, X_WA, box, X_WB, 0.01);
  check_flat(contacts, 1, -1e-3);
  CHECK((contacts[0].position_W - Vector3d(0.1, 0.0, std::sqrt(0.5) - 5e-4)).norm() <= 1e-12);
}

TEST_CASE("Parallel capsules touch in the two ends of their common part", "[manifold]") {
  const Capsule capsule{0.2, 1.0};
  const Contacts contacts = manifold(capsule, kLying, capsule, at(0.0, 0.3, 0.399) * kLying, 0.01);
  check_flat(contacts, 2, -1e-3);
  CHECK(std::abs(std::abs(contacts[0].position_W.y() - contacts[1].position_W.y()) - 0.7) <= 1e-12);
}

// A fast body has a horizon beyond its own size. Faces and edges that then lie within it are at any
// angle to the contact plane, upright ones too.
TEST_CASE("Whatever the horizon and the attitude, manifolds are finite and hold the nearest point",
          "[manifold]") {
  const std::vector<Shape> shapes = {Capsule{0.2, 0.6}, Cylinder{0.3, 0.5}, Box{{0.2, 0.5, 0.9}},
                                     hull_of({{0.0, 0.0, 0.3},  // with an edge along -z
                                              {0.0, 0.0, -0.3},
                                              {0.5, 0.0, -0.5},
                                              {0.0, 0.5, -0.5}})};
  const Shape table = Box{{100.0, 100.0, 1.0}};
  const double horizon = GENERATE(0.0, 0.01, 0.7, 1.3, 10.0);
  const double height =
      GENERATE(-1.0, -0.3, 0.0, 0.2);  // height of the middle over the table's top
  for (const Shape& shape : shapes) {
    for (int turn = 0; turn < 8 * 8; ++turn) {
      Pose X;
      X.rotation = (Eigen::AngleAxisd(kPi / 4 * (turn / 8), Vector3d::UnitX()) *
                    Eigen::AngleAxisd(kPi / 4 * (turn % 8), Vector3d::UnitY()))
                       .toRotationMatrix();
      X.translation = {0.3, -3.0, 0.5 + height};
      const double distance = signed_distance(table, Pose(), shape, X).distance;
      const Contacts contacts = manifold(table, Pose(), shape, X, horizon);
      CAPTURE(shape.index(), turn, horizon, height);
      CHECK(contacts.empty() == (distance > horizon));
      for (const ContactPoint& contact : contacts) {
        CHECK(contact.position_W.allFinite());
        CHECK(contact.normal_W.allFinite());
        CHECK(std::isfinite(contact.gap));
      }
      if (!contacts.empty()) CHECK(std::abs(least_gap(contacts) - distance) <= 1e-9);
    }
  }
}

TEST_CASE("Points beyond the horizon are dropped", "[manifold]") {
  Dice dice(53);
  for (const Kind kind_A : kKinds) {
    for (const Kind kind_B : kKinds) {
      for (int k = 0; k < num_cases(2000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose({0.3, 0.2, 0.1});
        const double gap = dice.uniform(-0.05, 0.1);
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), dice.direction(), gap);
        const double horizon = dice.uniform(0.0, 0.1);
        const double distance = signed_distance(A, X_WA, B, X_WB).distance;
        const Contacts contacts = manifold(A, X_WA, B, X_WB, horizon);
        CAPTURE(shape_type_name(A), shape_type_name(B), k, distance, horizon);
        CHECK(contacts.empty() == (distance > horizon));
        CHECK(contacts.size() <= 8);
        if (contacts.empty()) continue;
        // The nearest points are among them, and nothing is nearer.
        CHECK(std::abs(least_gap(contacts) - distance) <= 1e-8);
        for (const ContactPoint& contact : contacts) {
          CHECK(contact.gap <= horizon);
          CHECK(contact.normal_W == contacts.front().normal_W);
        }
      }
    }
  }
}

TEST_CASE("Exchanging the shapes turns the normals and keeps places and gaps", "[manifold]") {
  Dice dice(54);
  const std::array<Kind, 4> kinds = {Kind::Box, Kind::Cylinder, Kind::Capsule, Kind::SmallHull};
  for (const Kind kind_A : kinds) {
    for (const Kind kind_B : kinds) {
      for (int k = 0; k < num_cases(2000); ++k) {
        const Shape A = random_shape(kind_A, dice, 1.0);
        const Shape B = random_shape(kind_B, dice, 1.0);
        const Pose X_WA = dice.pose(Vector3d::Zero());
        const Vector3d n = k % 2 == 0 ? dice.direction() : Vector3d(X_WA.rotation.col(2));
        const Pose X_WB = placed(A, X_WA, B, dice.pose(Vector3d::Zero()), n, 1e-3);
        const Contacts one = manifold(A, X_WA, B, X_WB, 0.05);
        const Contacts two = manifold(B, X_WB, A, X_WA, 0.05);
        CAPTURE(shape_type_name(A), shape_type_name(B), k);
        REQUIRE(one.size() == two.size());
        CHECK(std::abs(least_gap(one) - least_gap(two)) <= 1e-9);
        if (one.size() == 8) continue;  // rounding may decide which points of a ring are dropped
        for (const ContactPoint& contact : one) {
          const bool found = std::any_of(two.begin(), two.end(), [&](const ContactPoint& other) {
            return (other.position_W - contact.position_W).norm() <= 1e-7 &&
                   (other.normal_W + contact.normal_W).norm() <= 1e-9 &&
                   std::abs(other.gap - contact.gap) <= 1e-9;
          });
          CHECK(found);
        }
      }
    }
  }
}

TEST_CASE("Features keep their names and order while a body rests, slides and settles",
          "[manifold]") {
  const Box table{{4.0, 4.0, 1.0}};
  const Box box{{1.0, 0.6, 0.4}};
  const Cylinder cylinder{0.5, 1.0};
  Dice dice(55);
  const auto names = [&](const Shape& shape, double height, bool moved) {
    Pose pose = at(0.1, 0.2, height + (moved ? 1e-4 * dice.uniform(-1.0, 1.0) : 0.0));
    if (moved) {
      pose.translation.x() += dice.uniform(-0.3, 0.3);
      pose = turned(pose, 1e-7 * dice.uniform(-1.0, 1.0), dice.direction());
    }
    return features(manifold(table, at(0, 0, -0.5), shape, pose, 0.01));
  };
  const auto rest_box = names(box, 0.2, false);
  const auto rest_cylinder = names(cylinder, 0.5, false);
  for (int k = 0; k < 100; ++k) {
    CHECK(names(box, 0.2, true) == rest_box);
    CHECK(names(cylinder, 0.5, true) == rest_cylinder);
  }
}

TEST_CASE("Equal boxes stacked flush touch in their four corners whatever the rounding",
          "[manifold]") {
  const Box box{{1.0, 1.0, 1.0}};
  Dice dice(56);
  const auto flush = features(manifold(box, Pose{}, box, at(0, 0, 1), 0.01));
  REQUIRE(flush.size() == 4);
  for (int k = 0; k < 200; ++k) {
    Pose pose = at(0.0, 0.0, 1.0);
    pose.translation += 1e-9 * dice.direction();
    pose = turned(pose, 1e-9, dice.direction());
    CHECK(features(manifold(box, Pose{}, box, pose, 0.01)) == flush);
  }
}
