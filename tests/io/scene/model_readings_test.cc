#include "amontons/io/scene/model_readings.h"

#include "amontons/io/common/parse_error.h"

#include <catch2/catch.hpp>

#include <stdexcept>

// Readings of models' files that are kept.

namespace amontons {

TEST_CASE("A model's file is read once for the same settings, with or without faults") {
  io::ModelReadings readings;
  int count = 0;
  const auto good = [&] {
    ++count;
    io::ModelReading reading;
    reading.models.emplace_back().name = "m";
    return reading;
  };
  const auto bad = [&]() -> io::ModelReading {
    ++count;
    throw io::ParseError("m.urdf", 3, 0, "a fault");
  };
  for (int k = 0; k < 5; ++k) CHECK(readings.get("good", good).models.at(0).name == "m");
  CHECK(count == 1);
  for (int k = 0; k < 5; ++k)
    CHECK_THROWS_WITH(readings.get("bad", bad), Catch::Contains("a fault"));
  CHECK(count == 2);
  readings.get("other settings", good);
  CHECK(count == 3);
}

TEST_CASE("Other errors than faults of a file are not kept") {
  io::ModelReadings readings;
  int count = 0;
  const auto fails = [&]() -> io::ModelReading {
    ++count;
    throw std::runtime_error("no memory");
  };
  for (int k = 0; k < 2; ++k) CHECK_THROWS_AS(readings.get("m", fails), std::runtime_error);
  CHECK(count == 2);
}

}  // namespace amontons
