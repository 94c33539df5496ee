#include "amontons/io/tables/motion_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/tables/timed_table.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <tuple>

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
  CHECK(io::is_tum("# timestamp tx ty tz qx qy qz qw\n\n1 2 3 4 0 0 0 1\n", "a"));
  CHECK(io::is_tum("1, 2, 3, 4, 0, 0, 0, 1", "a"));
  CHECK_FALSE(io::is_tum("t x y z qw qx qy qz", "a"));
  CHECK_FALSE(io::is_tum("1 2 3 4 0 0 0", "a"));
  CHECK_FALSE(io::is_tum("", "a"));
  const io::MotionFile motion = io::parse_tum("5 1 2 3 0.1 0.2 0.3 0.9\n", "a.tum", "camera");
  CHECK(motion.bodies.at(0).name == "camera");
  CHECK(motion.bodies[0].quaternions.row(0) == Eigen::RowVector4d(0.9, 0.1, 0.2, 0.3));
}

TEST_CASE("A trajectory may begin with the names of its numbers, in their order alone") {
  const std::string row = "5 1 2 3 0.1 0.2 0.3 0.9\n";
  for (const char* names : {"timestamp tx ty tz qx qy qz qw\n",
                            "Time, tx, ty, tz, qx, qy, qz, qw\n", "t x y z qx qy qz qw\n"}) {
    INFO(names);
    CHECK(io::is_tum(names + row, "a.tum"));
    const io::MotionFile motion = io::parse_tum(names + row, "a.tum", "camera");
    REQUIRE(motion.times.size() == 1);
    CHECK(motion.bodies[0].quaternions.row(0) == Eigen::RowVector4d(0.9, 0.1, 0.2, 0.3));
  }
  // Another order is refused, and with commas x, y, z are columns of a CSV file.
  CHECK_FALSE(io::is_tum("timestamp tx ty tz qw qx qy qz\n" + row, "a.tum"));
  CHECK_FALSE(io::is_tum("t,x,y,z,qx,qy,qz,qw\n" + row, "a.csv"));
  CHECK_THROWS_WITH(
      io::parse_tum("timestamp tx ty tz qw qx qy qz\n" + row, "a.tum", "camera"),
      Catch::Contains("a.tum:1: has no numbers") && Catch::Contains("tz qx qy qz qw"));
}

TEST_CASE("Decimal commas are read where semicolons or tabs separate and nothing else fits") {
  const auto read = [](const std::string& text) {
    return io::parse_motion_csv(text, "m.csv", "cube").bodies.at(0).positions;
  };
  for (const char* text :
       {"t;x;y;z\n0;1,5;-0,25;3\n0,5;;1,234;2\n", "t\tx\ty\tz\n0\t1,5\t-0,25\t3\n"}) {
    INFO(text);
    CHECK(read(text).row(0) == Eigen::RowVector3d(1.5, -0.25, 3.0));
  }
  CHECK(read("t;x;y;z\n0;1,5;2;3\n0,5;;1,234;2\n")(1, 1) == 1.234);
  // Thousands and mixed notations are refused.
  CHECK_THROWS_WITH(read("t;x;y;z\n0;1;2;3\n1;1,234;-12,345;2\n"),
                    Catch::Contains("m.csv:3:") && Catch::Contains("thousands"));
  CHECK_THROWS_WITH(read("t;x;y;z\n0;1,5;2.5;3\n"), Catch::Contains("must be a number, not '1,5'"));
  CHECK_THROWS_WITH(read("t;x;y;z\n0;1,5,6;2;3\n"), Catch::Contains("m.csv:2:"));
}

TEST_CASE("Stamps since 1970 in small units are refused with their unit, and read in it") {
  for (const auto& [stamp, unit, shown] : {std::tuple{"1700000000000000000", 1e-9, "1e-09"},
                                           std::tuple{"1700000000000000", 1e-6, "1e-06"},
                                           std::tuple{"1700000000000", 1e-3, "0.001"}}) {
    const std::string text = "t,x,y,z\n" + std::string(stamp) + ",1,2,3\n";
    CHECK_THROWS_WITH(
        io::parse_motion_csv(text, "m.csv", "cube"),
        Catch::Contains("m.csv:2:") && Catch::Contains(std::string("time_unit=") + shown));
    CHECK(io::parse_motion_csv(text, "m.csv", "cube", {1.0, unit}).times.size() == 1);
  }
  CHECK(io::parse_motion_csv("t,x,y,z\n1700000000.25,1,2,3\n", "m.csv", "cube").times.size() == 1);
}

TEST_CASE("A file that is no text is named whatever it is asked for") {
  CHECK_THROWS_WITH(io::is_tum(std::string("\x89HDF\0", 5), "tosses.h5"),
                    Catch::StartsWith("tosses.h5:1:"));
}

TEST_CASE(
    "A file of 200,000 columns is read, each under its own name, and none may be there twice") {
  std::string names = "time", row = "0";
  for (int i = 0; i < 200'000; ++i) {
    names += ",c" + std::to_string(i);
    row += "," + std::to_string(i);
  }
  const io::TimedTable table(names + "\n" + row + "\n", "a.csv");
  CHECK(table.names().size() == 200'000);
  CHECK(table.column(199'999).values == std::vector<double>{199'999.0});
  CHECK(io::parse_motion_csv(names + "\n" + row + "\n", "a.csv", "", {}).joints.size() == 200'000);
  CHECK_THROWS_WITH(io::TimedTable(names + ",c7\n" + row + ",0\n", "a.csv"),
                    Catch::Contains("column 'c7' is there twice"));
  CHECK_THROWS_WITH(io::parse_motion_csv(names + ",c7\n" + row + ",0\n", "a.csv", "", {}),
                    Catch::Contains("column 'c7' occurs twice"));
}
