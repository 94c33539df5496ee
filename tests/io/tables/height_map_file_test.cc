#include "amontons/io/tables/height_map_file.h"

#include "amontons/io/common/parse_error.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

using namespace amontons;
using namespace amontons::io;

namespace {

struct Fault {
  int line = -1, column = -1;
  std::string message;
};

Fault fault_of(const std::string& bytes) {
  try {
    parse_height_map(bytes, "terrain.csv", 1.0, 1.0);
  } catch (const ParseError& error) {
    CHECK(error.file() == "terrain.csv");
    return {error.line(), error.column(), error.message()};
  }
  return {};
}

}  // namespace

TEST_CASE("A table's rows follow x and its columns follow y") {
  const HeightField field =
      parse_height_map("# heights\n1, 2,3\n\n4;5 ; 6  # the last row\r\n", "a.csv", 2.0, 4.0, 0.5);
  REQUIRE(field.heights().rows() == 2);
  REQUIRE(field.heights().cols() == 3);
  CHECK(field.height_at(-1.0, -2.0) == 0.5);
  CHECK(field.height_at(-1.0, 2.0) == 1.5);
  CHECK(field.height_at(1.0, -2.0) == 2.0);
  CHECK(field.height_at(1.0, 0.0) == 2.5);
}

TEST_CASE("Blanks alone separate numbers, with or without a last newline") {
  const HeightField field = parse_height_map("1 2\n\t-3e-1 +4", "a.txt", 1.0, 1.0);
  CHECK(field.heights() == (Eigen::Matrix2d() << 1.0, 2.0, -0.3, 4.0).finished());
}

TEST_CASE("A fault in a table is reported with its line and column") {
  CHECK(fault_of("1,2\n3,four\n").line == 2);
  CHECK(fault_of("1,2\n3,four\n").column == 3);
  CHECK_THAT(fault_of("1,2\n3,four\n").message, Catch::Contains("'four'"));
  CHECK(fault_of("1,2\n\n3,4,5\n").line == 3);
  CHECK_THAT(fault_of("1,2\n\n3,4,5\n").message, Catch::Contains("3 heights, the first has 2"));
  CHECK_THAT(fault_of("1,,2\n3,4,5\n").message, Catch::Contains("missing"));
  CHECK_THAT(fault_of("1,2,\n3,4,5\n").message, Catch::Contains("missing"));
  CHECK_THAT(fault_of(",1\n2,3\n").message, Catch::Contains("missing"));
  CHECK_THAT(fault_of("1,nan\n2,3\n").message, Catch::Contains("nan"));
  CHECK_THAT(fault_of("").message, Catch::Contains("0 x 0"));
  CHECK_THAT(fault_of("1,2,3\n").message, Catch::Contains("1 x 3"));
}

TEST_CASE("A table in another encoding or with other line ends is refused by that reason") {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"\xFF\xFE"s + "1\0,\0"s, "\xFE\xFF"s + "\0001\0,"s, "1\0,2\n"s}) {
    CHECK(fault_of(bytes).message.find("UTF-8") != std::string::npos);
    CHECK(fault_of(bytes).line == 1);
  }
  CHECK(fault_of("1,2\r3,4\r").message.find("CR alone") != std::string::npos);
  CHECK(fault_of("1,2\r\n3,4\r\n").line == -1);
}

TEST_CASE("An image is the terrain seen from above: x to the right, y upwards, white is high") {
  // Three pixels wide, two high.
  const std::string header = "# made by hand\n3 2\n",
                    plain = "P2\n" + header + "10\n0 1 2\n10 4 5\n";
  const std::string binary = "P5\n" + header + "10\n" + std::string("\x00\x01\x02\x0a\x04\x05", 6);
  const std::string deep =
      "P5\n" + header + "1000 " + std::string("\0\0\0\x64\0\xc8\x03\xe8\x01\x90\x01\xf4", 12);
  for (const std::string& bytes : {plain, binary, deep}) {
    const HeightField field = parse_height_map(bytes, "a.pgm", 4.0, 2.0, 3.0);
    REQUIRE(field.heights().rows() == 3);
    REQUIRE(field.heights().cols() == 2);
    CHECK(field.height_at(-2.0, 1.0) == 0.0);                // top left
    CHECK(field.height_at(2.0, 1.0) == Approx(0.6));         // top right
    CHECK(field.height_at(-2.0, -1.0) == 3.0);               // bottom left
    CHECK(field.height_at(0.0, -1.0) == Approx(3.0 * 0.4));  // bottom middle
  }
}

TEST_CASE("A faulty image is refused, with the line where there is one") {
  CHECK(fault_of("P2\n2 2\n255\n0 1\n2 x\n").line == 5);
  CHECK_THAT(fault_of("P2\n2 2\n255\n0 1\n2 x\n").message, Catch::Contains("pixel"));
  CHECK(fault_of("P2\n2 2\n255\n0 1\n2 256\n").line == 5);
  CHECK_THAT(fault_of("P2\n2 2\n255\n0 1\n2 256\n").message, Catch::Contains("256"));
  CHECK(fault_of("P2\n2\n0\n").line == 3);
  CHECK_THAT(fault_of("P2\n2 2 70000\n0 0 0 0").message, Catch::Contains("largest value"));
  CHECK_THAT(fault_of("P5\n2 2 255\nabc").message, Catch::Contains("ends early"));
  CHECK_THAT(fault_of("P5\n60000 60000 255\n").message, Catch::Contains("ends early"));
  CHECK_THAT(fault_of("P5\n2 2 255").message, Catch::Contains("blank"));
  CHECK_THAT(fault_of("P5\n2 2 97\nabaa").message, Catch::Contains("pixel (0, 1) is 98"));
  CHECK_THAT(fault_of("P2\n2 2 9\n1 2 3 #").message, Catch::Contains("missing"));
  CHECK_THAT(fault_of("P5\n1 2 9\n\1\2").message, Catch::Contains("1 x 2"));
}

TEST_CASE("Sizes and scales that are not numbers are refused") {
  CHECK_THROWS_AS(parse_height_map("1 2\n3 4\n", "a", 0.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(parse_height_map("1 2\n3 4\n", "a", 1.0, 1.0, std::nan("")),
                  std::invalid_argument);
}
