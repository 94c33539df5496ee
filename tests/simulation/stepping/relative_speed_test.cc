// How fast two shapes may close a gap.
#include "amontons/simulation/detection/contact_detector.h"
#include "tests/geometry/shape_fixtures.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

TEST_CASE("Points of two shapes in one place part or meet at the relative speed at most") {
  Dice dice(1);
  double tightest = 1e300;
  for (int run = 0; run < 20000; ++run) {
    const auto draw = [&dice] {
      return ShapeVelocity{dice.decade(-2, 2) * dice.direction(),
                           dice.decade(-2, 2) * dice.direction(), dice.decade(-1, 1)};
    };
    const ShapeVelocity A = draw(), B = draw();
    // A place in both balls.
    const Vector3d in_A = dice.uniform(0.0, A.radius) * dice.direction();
    const Vector3d in_B = dice.uniform(0.0, B.radius) * dice.direction();
    const double bound = relative_speed(A, B, in_A - in_B);
    const double speed = (A.at(in_A) - B.at(in_B)).norm();
    CHECK(speed <= bound * (1.0 + 1e-12));
    CHECK(bound <= difference_of_speeds(A, B));
    tightest = std::min(tightest, bound / std::max(speed, 1e-300));
  }
  CHECK(tightest < 1.1);
}

TEST_CASE("Shapes that turn together close no gap") {
  Dice dice(2);
  for (int run = 0; run < 1000; ++run) {
    const Vector3d turning = dice.decade(-1, 2) * dice.direction(), offset = dice.direction();
    const ShapeVelocity A{dice.direction(), turning, 0.3};
    const ShapeVelocity B{A.at(offset), turning, 0.5};
    CHECK(relative_speed(A, B, offset) <= 1e-12 * turning.norm());
    CHECK(A.speed() > 0.3 * turning.norm());
  }
}

TEST_CASE("A shape without end that does not turn has a finite relative speed") {
  const double kFar = std::numeric_limits<double>::infinity();
  const ShapeVelocity ground{Vector3d::Zero(), Vector3d::Zero(), kFar};
  const ShapeVelocity ball{{3.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, 0.5};
  CHECK(relative_speed(ground, ball, {0.0, 0.0, 1.0}) == Approx(4.0));
  CHECK(relative_speed(ball, ground, {0.0, 0.0, -1.0}) == Approx(4.0));
  CHECK(relative_speed(ground, ground, {0.0, 0.0, 1.0}) == 0.0);
}
