#include "amontons/dynamics/muscle.h"

#include <catch2/catch.hpp>

#include <cmath>

// The curves of a muscle's force by their definition; tests/io/mjcf compares them with MuJoCo's.

namespace amontons::test {

TEST_CASE("A muscle is strongest at its optimal length, and exerts nothing beyond its ends") {
  const Muscle muscle{.peak_force = 7.0, .lmin = 0.4, .lmax = 1.7};
  CHECK(muscle_force_length(muscle, 1.0) == 1.0);
  for (const double L : {-1.0, 0.0, 0.4, 1.7, 3.0}) CHECK(muscle_force_length(muscle, L) == 0.0);
  // Half the way to either end it has half its force.
  CHECK(muscle_force_length(muscle, 0.7) == Approx(0.5));
  CHECK(muscle_force_length(muscle, 1.35) == Approx(0.5));
}

TEST_CASE("The curves of a muscle and their slopes are continuous") {
  const Muscle muscle{.lmin = 0.4, .lmax = 1.7, .fpmax = 1.3, .fvmax = 1.4};
  constexpr double kStep = 1e-4, kLargestCurvature = 60.0;
  const auto check = [&](double (*curve)(const Muscle&, double), double x) {
    const double before = curve(muscle, x) - curve(muscle, x - kStep);
    const double behind = curve(muscle, x + kStep) - curve(muscle, x);
    CHECK(std::abs(behind - before) < kLargestCurvature * kStep * kStep);
  };
  for (int i = -200; i <= 300; ++i) {
    check(muscle_force_length, 0.01 * i);
    check(muscle_passive_force, 0.01 * i);
    check(muscle_force_velocity, 0.01 * i);
  }
}

TEST_CASE("A muscle pulls less the faster it shortens, and never pushes") {
  const Muscle muscle{.peak_force = 7.0, .optimal_length = 0.3, .origin = 0.05, .vmax = 2.0};
  const double length = 0.05 + 0.3, fastest = 0.3 * 2.0;
  CHECK(muscle_force(muscle, length, 0.0, 0.5) == Approx(-3.5));
  CHECK(muscle_force(muscle, length, -fastest, 1.0) == 0.0);
  CHECK(muscle_force(muscle, length, fastest, 1.0) == Approx(-7.0 * muscle.fvmax));
  double before = 0.0;
  for (int i = -120; i <= 120; ++i) {
    const double force = muscle_force(muscle, length, 0.01 * i * fastest, 1.0);
    CHECK(force <= before);
    before = force;
  }
  // Stretched beyond its optimal length it pulls without activation.
  CHECK(muscle_force(muscle, 0.05 + 1.6 * 0.3, 0.0, 0.0) == Approx(-7.0 * 1.5 * muscle.fpmax));
}

}  // namespace amontons::test
