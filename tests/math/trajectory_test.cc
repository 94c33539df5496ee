#include "amontons/math/trajectory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

using namespace amontons;

namespace {

/// Makes uneven instants with values that rise, rest, turn and jump.
Trajectory uneven(Interpolation interpolation) {
  return {
      {-1.0, 0.0, 0.1, 0.7, 1.5, 1.6, 4.0}, {2.0, 2.0, 5.0, 5.5, -1.0, 3.0, 3.5}, interpolation};
}

}  // namespace

TEST_CASE("A trajectory passes through its values and stays at the first and the last") {
  const Interpolation interpolation = GENERATE(Interpolation::Linear, Interpolation::Cubic);
  const Trajectory curve({1.0, 2.0, 4.0}, {10.0, -1.0, 3.0}, interpolation);
  CHECK(curve.value(1.0) == 10.0);
  CHECK(std::abs(curve.value(2.0) + 1.0) <= 1e-15);
  CHECK(curve.value(4.0) == 3.0);
  for (const double outside : {-5.0, 0.999}) {
    CHECK(curve.value(outside) == 10.0);
    CHECK(curve.rate(outside) == 0.0);
  }
  for (const double outside : {4.0, 100.0}) {
    CHECK(curve.value(outside) == 3.0);
    CHECK(curve.rate(outside) == 0.0);
  }
  CHECK(curve.least() == -1.0);
  CHECK(curve.largest() == 10.0);
}

TEST_CASE("Values on a straight line give that line, whatever the instants") {
  const Interpolation interpolation = GENERATE(Interpolation::Linear, Interpolation::Cubic);
  const Trajectory line({0.0, 0.3, 0.4, 2.0}, {1.0, 1.6, 1.8, 5.0}, interpolation);
  for (double t = 0.0; t < 2.0; t += 0.01) {
    CHECK(std::abs(line.value(t) - 1.0 - 2.0 * t) <= 1e-14);
    CHECK(std::abs(line.rate(t) - 2.0) <= 1e-13);
  }
}

TEST_CASE("A cubic trajectory never leaves the values on either side") {
  const Trajectory curve = uneven(Interpolation::Cubic), line = uneven(Interpolation::Linear);
  const double times[] = {-1.0, 0.0, 0.1, 0.7, 1.5, 1.6, 4.0};
  for (std::size_t k = 0; k + 1 < std::size(times); ++k) {
    const double a = line.value(times[k]), b = line.value(times[k + 1]);
    for (int i = 0; i <= 200; ++i) {
      const double t = times[k] + (times[k + 1] - times[k]) * i / 200.0;
      CHECK(curve.value(t) >= std::min(a, b) - 1e-14);
      CHECK(curve.value(t) <= std::max(a, b) + 1e-14);
    }
  }
}

TEST_CASE("The rate of a cubic trajectory is the derivative of its value, and continuous") {
  const Trajectory curve = uneven(Interpolation::Cubic);
  constexpr double kDelta = 1e-6;
  for (double t = -0.995; t < 3.99; t += 0.01) {
    const double difference = (curve.value(t + kDelta) - curve.value(t - kDelta)) / (2.0 * kDelta);
    // The second derivative is below 1e4 everywhere here.
    CHECK(std::abs(curve.rate(t) - difference) <=
          1e-2 * (1.0 + std::abs(difference)) * kDelta / 1e-6);
  }
  for (const double instant : {0.0, 0.1, 0.7, 1.5, 1.6}) {
    CHECK(std::abs(curve.rate(instant + 1e-12) - curve.rate(instant - 1e-12)) <= 1e-6);
  }
}

TEST_CASE("A cubic trajectory of a smooth motion converges with the square of the interval") {
  const auto error = [](int n) {
    std::vector<double> times, values;
    for (int k = 0; k <= n; ++k) {
      times.push_back(2.0 * k / n);
      values.push_back(std::sin(3.0 * times.back()));
    }
    const Trajectory curve(times, values, Interpolation::Cubic);
    double worst = 0.0;
    for (double t = 0.0; t <= 2.0; t += 1e-3) {
      worst = std::max(worst, std::abs(curve.value(t) - std::sin(3.0 * t)));
    }
    return worst;
  };
  CHECK(error(40) / error(160) >= 12.0);
}

TEST_CASE("The mean of a trajectory is its integral, across instants and beyond the ends") {
  const Interpolation interpolation = GENERATE(Interpolation::Linear, Interpolation::Cubic);
  const Trajectory curve = uneven(interpolation);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> time(-2.0, 5.0);
  for (int trial = 0; trial < 20; ++trial) {
    const double a = time(random), b = a + 0.01 + std::abs(time(random));
    constexpr int kPoints = 200000;
    double sum = 0.0;
    for (int i = 0; i < kPoints; ++i) sum += curve.value(a + (b - a) * (i + 0.5) / kPoints);
    CHECK(std::abs(curve.mean(a, b) - sum / kPoints) <= 1e-7);
  }
  // Nothing is lost between two intervals that meet.
  CHECK(std::abs(0.3 * curve.mean(-0.2, 0.1) + 1.6 * curve.mean(0.1, 1.7) -
                 1.9 * curve.mean(-0.2, 1.7)) <= 1e-13);
}

TEST_CASE("One value is a constant; instants that do not increase are refused") {
  const Trajectory constant({3.0}, {7.0}, Interpolation::Cubic);
  CHECK(constant.value(0.0) == 7.0);
  CHECK(constant.value(9.0) == 7.0);
  CHECK(constant.mean(0.0, 9.0) == Approx(7.0));
  const Interpolation linear = Interpolation::Linear;
  CHECK_THROWS_AS(Trajectory({}, {}, linear), std::invalid_argument);
  CHECK_THROWS_AS(Trajectory({1.0}, {1.0, 2.0}, linear), std::invalid_argument);
  CHECK_THROWS_AS(Trajectory({1.0, 1.0}, {1.0, 2.0}, linear), std::invalid_argument);
  CHECK_THROWS_AS(Trajectory({1.0, 0.0}, {1.0, 2.0}, linear), std::invalid_argument);
  CHECK_THROWS_AS(Trajectory({0.0, 1.0}, {1.0, std::nan("")}, linear), std::invalid_argument);
  CHECK_THROWS_AS(Trajectory({0.0, std::nan("")}, {1.0, 1.0}, linear), std::invalid_argument);
}
