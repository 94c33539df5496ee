// Small faces on large round surfaces: which of their points are contacts.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kStep = 0.01;

/// Returns the motion of a pair of which B falls and may turn.
ClosingMotion falling_motion() {
  ClosingMotion motion;
  motion.time = kStep;
  for (ClosingMotion::Twist& twist : motion.twists) twist.linear = {0.0, 0.0, -2.0};
  motion.turning[1] = ClosingMotion::Turning{Vector3d::Zero(), Vector3d::Zero()};
  return motion;
}

/// Returns the signed distance of a point from a shape [m].
double distance_of(const Shape& shape, const Pose& X, const Vector3d& point) {
  constexpr double kRadius = 1e-3;
  return signed_distance(shape, X, Sphere{kRadius}, at(point.x(), point.y(), point.z())).distance +
         kRadius;
}

/// Returns a small shape with its face near the top of a round one of radius 5 m, a little leaning.
Pose leaning_pose(Dice& dice, double height) {
  const Pose upright = turned(Pose{}, dice.uniform(-3.0, 3.0), Vector3d::UnitZ());
  Pose pose = turned(upright, 0.03 * dice.uniform(0.0, 1.0), dice.direction());
  pose.translation.z() = 5.0 + height + 1e-3 * dice.uniform(-1.0, 3.0);
  return pose;
}

}  // namespace

TEST_CASE("Points of a small face are contacts at their own distance from a round surface",
          "[manifold]") {
  const Box box{{0.1, 0.1, 0.1}};
  const std::vector<Shape> flats{box, box_hull(box.size), Cylinder{0.05, 0.1}};
  const std::vector<std::pair<Shape, Pose>> rounds{
      {Sphere{5.0}, Pose{}},
      {Ellipsoid{{6.0, 5.5, 5.0}}, Pose{}},
      {Cylinder{5.0, 3.0}, turned(Pose{}, 1.5707963267948966, Vector3d::UnitX())}};
  Dice dice(71);
  for (int k = 0; k < num_cases(2000); ++k) {
    const Shape& flat = flats[static_cast<std::size_t>(k % 3)];
    const auto& [round, X_WR] = rounds[static_cast<std::size_t>(k / 3 % 3)];
    const Pose X_WF = leaning_pose(dice, 0.05);
    CAPTURE(k, shape_type_name(flat), shape_type_name(round));
    const ClosingMotion motion = falling_motion();
    constexpr double kWide = 0.02;
    const Contacts contacts = manifold(round, X_WR, flat, X_WF, ContactHorizon{kWide, motion});
    // Of four corners, four sides and the middle, or eight corners and the middle, those on the
    // line in which a cylinder touches are no points beside it.
    CHECK(contacts.size() >= 8);
    for (const ContactPoint& contact : contacts) {
      const Vector3d half = 0.5 * contact.gap * contact.normal_W;
      CHECK(std::abs(distance_of(flat, X_WF, contact.position_W + half)) <= 1e-9);
      CHECK(std::abs(distance_of(round, X_WR, contact.position_W - half)) <= 1e-9);
      CHECK(std::abs(distance_of(round, X_WR, contact.position_W + half) - contact.gap) <= 1e-9);
    }
    // The order of the shapes turns the normals, and a nearer horizon leaves out larger gaps.
    const double near = dice.uniform(0.0, kWide);
    const Contacts swapped =
        manifold(flat, X_WF, round, X_WR, ContactHorizon{near, motion.reversed()});
    const auto within = [near](const ContactPoint& contact) { return contact.gap <= near; };
    REQUIRE(swapped.size() ==
            static_cast<std::size_t>(std::count_if(contacts.begin(), contacts.end(), within)));
    for (const ContactPoint& contact : swapped) {
      CHECK(std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& other) {
        return (other.position_W - contact.position_W).norm() <= 1e-9 &&
               (other.normal_W + contact.normal_W).norm() <= 1e-9;
      }));
    }
  }
}

TEST_CASE("What rolls over a small face, or over one that is fixed, touches it in one point",
          "[manifold]") {
  const Box tile{{0.1, 0.1, 0.1}};
  const Sphere ball{5.0};
  Dice dice(72);
  for (int k = 0; k < num_cases(2000); ++k) {
    const Pose X_WT = leaning_pose(dice, 0.05);
    CAPTURE(k);
    const auto count = [&](const ClosingMotion& motion) {
      return manifold(ball, Pose{}, tile, X_WT, ContactHorizon{0.02, motion}).size();
    };
    ClosingMotion fixed = falling_motion();
    fixed.turning[1] = std::nullopt;
    CHECK(count(fixed) == 1);
    // The ball rolls: its lowest point has the tile's velocity, its center passes the whole tile.
    ClosingMotion rolling = falling_motion();
    CHECK(count(rolling) >= 9);
    const double heading = dice.uniform(-3.0, 3.0), speed = 0.11 / kStep;
    const Vector3d along(std::cos(heading), std::sin(heading), 0.0);
    for (ClosingMotion::Twist& twist : rolling.twists) {
      twist.linear += speed * along;
      twist.angular = -speed / ball.radius * Vector3d::UnitZ().cross(along);
    }
    // The point of touch does not slide.
    const Vector3d slip = rolling.twists[0].at({0.0, 0.0, ball.radius});
    CHECK(slip.head<2>().norm() <= 1e-9);
    rolling.turning[0] =
        ClosingMotion::Turning{-rolling.twists[0].angular, -rolling.twists[1].angular};
    CHECK(count(rolling) == 1);
  }
}
