#include "amontons/io/tables/motion_file.h"

#include "amontons/io/common/parse_error.h"

#include <catch2/catch.hpp>

#include <cmath>

// Files of measured motions. tests/python/motion_test.py reads more of them, and their faults.

using namespace amontons;

TEST_CASE("A measured motion has times from its first row, and NaN where a cell is empty") {
  const io::MotionFile motion = io::parse_motion_csv(
      "# of a "
      "camera\nTime\tarm/hand.x\tarm/hand.y\tarm/hand.z\thip\r\n10\t1\t\t3\t\r\n12\t4\t5\t6\t7\n",
      "motion.csv", "", {0.001, 60.0});
  CHECK(motion.times == std::vector<double>{0.0, 120.0});
  REQUIRE(motion.bodies.size() == 1);
  const io::MeasuredBody& hand = motion.bodies[0];
  CHECK(hand.name == "arm/hand");
  CHECK(hand.positions(0, 0) == 0.001);
  CHECK(std::isnan(hand.positions(0, 1)));
  CHECK(hand.positions.row(1) == Eigen::RowVector3d(0.004, 0.005, 0.006));
  CHECK(hand.quaternions.rows() == 0);
  CHECK_FALSE(hand.linear_velocity.has_value());
  REQUIRE(motion.joints.size() == 1);
  CHECK(motion.joints[0].name == "hip");
  CHECK(std::isnan(motion.joints[0].positions[0]));
  CHECK(motion.joints[0].positions[1] == 7.0);
}

TEST_CASE("Eight numbers in the first line are a trajectory, and names or other numbers are none") {
  CHECK(io::is_tum("# timestamp tx ty tz qx qy qz qw\n\n1 2 3 4 0 0 0 1\n"));
  CHECK(io::is_tum("1, 2, 3, 4, 0, 0, 0, 1"));
  CHECK_FALSE(io::is_tum("t x y z qw qx qy qz"));
  CHECK_FALSE(io::is_tum("1 2 3 4 0 0 0"));
  CHECK_FALSE(io::is_tum(""));
  const io::MotionFile motion = io::parse_tum("5 1 2 3 0.1 0.2 0.3 0.9\n", "a.tum", "camera");
  CHECK(motion.bodies.at(0).name == "camera");
  CHECK(motion.bodies[0].quaternions.row(0) == Eigen::RowVector4d(0.9, 0.1, 0.2, 0.3));
}
