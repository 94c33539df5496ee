#include "amontons/geometry/time_of_impact.h"

#include "tests/geometry/mesh_fixtures.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Vector3d;
using test::at;

constexpr double kTolerance = 1e-9;

const ConstantMotion kStill(Pose{}, Vector3d::Zero(), Vector3d::Zero());

TimeOfImpact time_of_impact(const Shape& A, const RigidMotion& motion_A, const Shape& B,
                            const RigidMotion& motion_B, double duration,
                            double tolerance = kTolerance) {
  return find_time_of_impact({A, Pose{}, motion_A}, {B, Pose{}, motion_B}, 0.0, duration,
                             tolerance);
}

/// Checks that an impact is found at most tolerance/speed before the shapes meet, and not after.
void check_time(const TimeOfImpact& found, double expected, double approach_speed) {
  REQUIRE(found.status == ImpactStatus::Impact);
  CHECK(found.time <= expected + 1e-14);
  CHECK(found.time >= expected - 1.01 * kTolerance / approach_speed - 1e-14);
  CHECK(found.distance.distance <= kTolerance);
  CHECK(found.distance.distance >= 0.4 * kTolerance);
}

/// Describes a body that falls freely: its bounds are those of an interval, not of a point.
class FreeFall final : public RigidMotion {
 public:
  explicit FreeFall(double height) : height_(height) {}
  Pose pose(double time) const override { return at(0.0, 0.0, height_ - 0.5 * 9.81 * time * time); }
  MotionBound bound(double begin, double end) const override {
    return {
        {0.0, 0.0, -0.5 * 9.81 * (begin + end)}, 0.5 * 9.81 * (end - begin), Vector3d::Zero(), 0.0};
  }

 private:
  double height_;
};

/// Describes a body that falls freely and turns at a constant rate.
class FallingAndTurning final : public RigidMotion {
 public:
  FallingAndTurning(double height, const Vector3d& w)
      : fall_(height), turn_(Pose{}, w, Vector3d::Zero()) {}
  Pose pose(double time) const override {
    return {turn_.pose(time).rotation, fall_.pose(time).translation};
  }
  MotionBound bound(double begin, double end) const override {
    MotionBound result = fall_.bound(begin, end);
    result.angular_velocity = turn_.bound(begin, end).angular_velocity;
    return result;
  }

 private:
  FreeFall fall_;
  ConstantMotion turn_;
};

TEST_CASE("A sphere of 1 cm at 1 km/s does not pass a wall of 1 mm") {
  const Shape sphere = Sphere{0.01}, wall = Box{{1.0, 1.0, 1e-3}};
  const ConstantMotion shot(at(0.1, -0.2, 5.0), {30.0, -20.0, 1e4}, {0.0, 0.0, -1000.0});
  const TimeOfImpact found = time_of_impact(wall, kStill, sphere, shot, 0.1);
  check_time(found, (5.0 - 0.01 - 0.5e-3) / 1000.0, 1000.0);
  CHECK(found.evaluations <= 200);
}

TEST_CASE("Spheres meet where their centers are two radii apart") {
  test::Dice dice(1);
  for (int k = 0; k < test::num_cases(10000); ++k) {
    const double ra = dice.decade(-3.0, 1.0), rb = dice.decade(-3.0, 1.0), sum = ra + rb;
    const Vector3d offset = sum * dice.uniform(1.01, 20.0) * dice.direction();
    const Vector3d va = dice.direction(), vb = dice.decade(-1.0, 2.0) * dice.direction();
    const ConstantMotion A(Pose{}, 3.0 * dice.direction(), va);
    const ConstantMotion B(dice.pose(offset), 2.0 * dice.direction(), vb);
    // |offset + t (vb - va)| = sum
    const Vector3d v = vb - va;
    const double b = offset.dot(v), c = offset.squaredNorm() - sum * sum, a = v.squaredNorm();
    const double discriminant = b * b - a * c;
    const TimeOfImpact found = time_of_impact(Sphere{ra}, A, Sphere{rb}, B, 100.0 * sum);
    if (discriminant > 1e-6 * b * b && b < 0.0) {
      const double time = c / (-b + std::sqrt(discriminant));
      if (time > 100.0 * sum) continue;
      check_time(found, time, std::sqrt(discriminant) / sum);
    } else if (discriminant < -1e-6 * b * b || b > 0.0) {
      CHECK(found.status == ImpactStatus::Clear);
      CHECK(found.time == 100.0 * sum);
    }
  }
}

TEST_CASE("A falling sphere meets the plane when it has fallen its height") {
  const double height = 1.7, radius = 0.2;
  const FreeFall fall(height);
  const double time = std::sqrt(2.0 * (height - radius) / 9.81);
  check_time(time_of_impact(HalfSpace{}, kStill, Sphere{radius}, fall, 10.0), time, 9.81 * time);
  CHECK(time_of_impact(HalfSpace{}, kStill, Sphere{radius}, fall, 0.99 * time).status ==
        ImpactStatus::Clear);
}

TEST_CASE("A rod that turns about its end meets a ball where their distance vanishes") {
  // The rod lies along x, its body's origin at one end; the ball's center at rho, angle phi.
  const Shape rod = Capsule{0.05, 2.0};
  const Pose X_BG = test::turned(at(1.0, 0.0, 0.0), 0.5 * M_PI, Vector3d::UnitY());
  const double ball = 0.1;
  const double w = GENERATE(0.1, 3.0, 400.0), rho = GENERATE(0.3, 1.1, 1.9);
  const double phi = 2.5, time = (phi - std::asin((ball + 0.05) / rho)) / w;
  const ConstantMotion turn(Pose{}, {0.0, 0.0, w}, Vector3d::Zero());
  const ConstantMotion still(at(rho * std::cos(phi), rho * std::sin(phi), 0.0), Vector3d::Zero(),
                             Vector3d::Zero());
  const Shape sphere = Sphere{ball};
  const TimeOfImpact found =
      find_time_of_impact({rod, X_BG, turn}, {sphere, Pose{}, still}, 0.0, 6.0 / w, kTolerance);
  check_time(found, time, w * std::sqrt(rho * rho - 0.15 * 0.15));
}

TEST_CASE("What has just touched may leave, and come back") {
  const Shape sphere = Sphere{0.1};
  const double gap = GENERATE(1e-9, 0.6e-9, 0.0, -1e-12, -1e-6);
  const ConstantMotion up(at(0.0, 0.0, 0.1 + gap), Vector3d::Zero(), {0.3, 0.0, 0.01});
  CHECK(time_of_impact(HalfSpace{}, kStill, sphere, up, 1.0).status == ImpactStatus::Clear);
  const ConstantMotion down(at(0.0, 0.0, 0.1 + gap), Vector3d::Zero(), {0.3, 0.0, -0.01});
  const TimeOfImpact found = time_of_impact(HalfSpace{}, kStill, sphere, down, 1.0);
  CHECK(found.status == ImpactStatus::Impact);
  CHECK(found.time == 0.0);
}

/// Checks by dense samples that no impact happens before the time found.
void check_clear_before(const MovingShape& A, const MovingShape& B, const TimeOfImpact& found,
                        test::Dice& dice) {
  for (int k = 0; k < 40; ++k) {
    const double t = found.time * (1.0 - dice.decade(-9.0, 0.0));
    const double d =
        signed_distance(A.shape, A.motion.pose(t) * A.X_BG, B.shape, B.motion.pose(t) * B.X_BG)
            .distance;
    REQUIRE(d >= 0.4 * kTolerance);
  }
}

TEST_CASE("No fast shape passes a thin one") {
  test::Dice dice(2);
  int found_impacts = 0;
  for (int k = 0; k < test::num_cases(10000); ++k) {
    const double thickness = dice.decade(-4.0, -2.0);
    const Shape wall = k % 3 == 0   ? Shape(Box{{4.0, 4.0, thickness}})
                       : k % 3 == 1 ? test::box_hull({4.0, 4.0, thickness})
                                    : Shape(Cylinder{2.0, thickness});
    const Shape bullet = test::random_shape(
        test::kKinds[static_cast<std::size_t>(dice.index(static_cast<int>(test::kKinds.size())))],
        dice, dice.decade(-3.0, -1.0));
    // Aimed at a point near the middle of the wall, from either side.
    const double speed = dice.decade(0.0, 4.0), side = dice.index(2) == 0 ? 1.0 : -1.0;
    const Vector3d start(dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), side);
    const Vector3d aim(dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), 0.0);
    const double crossing =
        (aim - start).norm() / speed;  // time at which the center reaches the aim
    const Pose X_BG = dice.pose(0.02 * dice.direction());
    const ConstantMotion shot(dice.pose(start), speed * dice.uniform(0.0, 3.0) * dice.direction(),
                              (aim - start) / crossing);
    const MovingShape A{wall, Pose{}, kStill}, B{bullet, X_BG, shot};
    const TimeOfImpact found = find_time_of_impact(A, B, 0.0, 2.0 * crossing, kTolerance);
    REQUIRE(found.status == ImpactStatus::Impact);
    // The bullet's body cannot be farther than its own radius beyond the wall.
    REQUIRE(found.time <= crossing * (1.0 + 0.2));
    REQUIRE(found.distance.distance <= kTolerance);
    REQUIRE(found.distance.distance >= 0.4 * kTolerance);
    check_clear_before(A, B, found, dice);
    ++found_impacts;
  }
  CHECK(found_impacts == test::num_cases(10000));
}

TEST_CASE("Fast shapes do not pass sheets of triangles or meshes") {
  test::Dice dice(3);
  for (int k = 0; k < test::num_cases(1000); ++k) {
    const Shape wall = k % 2 == 0
                           ? test::mesh_shape(test::box_mesh({2.0, 2.0, dice.decade(-4.0, -2.0)}))
                           : test::mesh_shape(test::random_flat_sheet(dice, 4, 1.0));
    const Shape bullet = k % 5 == 0 ? test::mesh_shape(test::box_mesh({0.02, 0.03, 0.01}))
                                    : test::random_shape(test::Kind::Box, dice, 0.02);
    const double speed = dice.decade(0.0, 3.5);
    const ConstantMotion shot(dice.pose({dice.uniform(-0.3, 0.3), dice.uniform(-0.3, 0.3), 0.5}),
                              speed * dice.direction(), {0.0, 0.0, -speed});
    const MovingShape A{wall, Pose{}, kStill}, B{bullet, Pose{}, shot};
    const TimeOfImpact found = find_time_of_impact(A, B, 0.0, 1.0 / speed, kTolerance);
    REQUIRE(found.status == ImpactStatus::Impact);
    REQUIRE(found.time * speed <= 0.5 + 1e-9);
    check_clear_before(A, B, found, dice);
  }
}

TEST_CASE("A corner that pivots near the ground lands in few steps") {
  // Turning moves other corners much faster than the lowest one comes down.
  test::Dice dice(5);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Shape box = k % 2 == 0 ? Shape(Box{{0.2, 0.3, 0.1}}) : test::box_hull({0.2, 0.3, 0.1});
    Pose X_WB = dice.pose(Vector3d::Zero());
    X_WB.translation.z() =
        dice.decade(-8.0, -3.0) - test::support_point(box, X_WB, -Vector3d::UnitZ()).z();
    const Vector3d w = dice.decade(-1.0, 1.0) * dice.direction();
    const Vector3d corner = test::support_point(box, X_WB, -Vector3d::UnitZ());
    const Vector3d v = -w.cross(corner - X_WB.translation) +
                       dice.decade(-4.0, -1.0) * (dice.direction() - Vector3d::UnitZ());
    const ConstantMotion motion(X_WB, w, v);
    const MovingShape A{HalfSpace{}, Pose{}, kStill}, B{box, Pose{}, motion};
    const TimeOfImpact found = find_time_of_impact(A, B, 0.0, 1.0, kTolerance);
    REQUIRE(found.status != ImpactStatus::Unfinished);
    REQUIRE(found.evaluations <= 200);
    check_clear_before(A, B, found, dice);
  }
}

TEST_CASE("Turning shapes that fall towards each other stay apart until the time found") {
  // Their bodies' balls meet only on the way, after several advances.
  test::Dice dice(6);
  int impacts = 0, clear = 0;
  for (int k = 0; k < test::num_cases(4000); ++k) {
    const auto any_shape = [&dice] {
      return test::random_shape(
          test::kKinds[static_cast<std::size_t>(dice.index(static_cast<int>(test::kKinds.size())))],
          dice, 0.2);
    };
    const Shape below = k % 4 == 0 ? Shape(HalfSpace{}) : any_shape(), above = any_shape();
    const double height = dice.uniform(1.5, 20.0);
    const FallingAndTurning fall(height, dice.uniform(0.0, 20.0) * dice.direction());
    const ConstantMotion turn(Pose{}, 3.0 * dice.direction(), Vector3d::Zero());
    const Pose X_BG = k % 4 == 0 ? Pose{} : dice.pose(0.3 * dice.direction());
    const MovingShape A{below, X_BG, k % 4 == 0 ? kStill : turn},
        B{above, dice.pose(0.5 * dice.direction()), fall};
    const double duration = dice.uniform(0.5, 1.1) * std::sqrt(2.0 * height / 9.81);
    const TimeOfImpact found = find_time_of_impact(A, B, 0.0, duration, kTolerance);
    REQUIRE(found.status != ImpactStatus::Unfinished);
    if (found.status == ImpactStatus::Clear) REQUIRE(found.time == duration);
    check_clear_before(A, B, found, dice);
    ++(found.status == ImpactStatus::Impact ? impacts : clear);
  }
  CHECK(impacts > test::num_cases(4000) / 20);
  CHECK(clear > test::num_cases(4000) / 20);
}

TEST_CASE("A swept box holds the shape all along its way") {
  test::Dice dice(4);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Shape shape = test::random_shape(
        test::kKinds[static_cast<std::size_t>(dice.index(static_cast<int>(test::kKinds.size())))],
        dice, 0.3);
    const Pose X_BG = dice.pose(0.5 * dice.direction());
    const ConstantMotion motion(dice.pose(dice.direction()), 5.0 * dice.direction(),
                                3.0 * dice.direction());
    const MovingShape moving{shape, X_BG, motion};
    const double end = dice.decade(-3.0, 1.0);
    const Aabb swept = swept_box(moving, 0.0, end);
    for (int i = 0; i <= 20; ++i) {
      const Aabb now = bounding_box(shape, motion.pose(end * i / 20.0) * X_BG);
      REQUIRE((swept.lower.array() <= now.lower.array() + 1e-12).all());
      REQUIRE((swept.upper.array() >= now.upper.array() - 1e-12).all());
    }
  }
}

TEST_CASE("What has no bounds cannot turn, and a tolerance is positive") {
  const ConstantMotion turning(Pose{}, Vector3d::UnitX(), Vector3d::Zero());
  CHECK_THROWS_AS(time_of_impact(HalfSpace{}, turning, Sphere{0.1}, kStill, 1.0),
                  std::invalid_argument);
  CHECK_THROWS_AS(time_of_impact(HalfSpace{}, kStill, Sphere{0.1}, kStill, 1.0, 0.0),
                  std::invalid_argument);
}

}  // namespace
}  // namespace amontons
