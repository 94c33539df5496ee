#include "amontons/dynamics/muscle_activation.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

// The activation of a muscle by its differential equation; tests/io/mjcf compares it with MuJoCo's.

namespace amontons::test {
namespace {

/// Returns the solution at a time by the classical Runge-Kutta method.
double integrated(const MuscleTimes& times, const MuscleControl& own, double time) {
  constexpr int kSteps = 4000;
  const double h = (time - own.since) / kSteps;
  double a = own.activation;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = muscle_activation_rate(times, own.control, a);
    const double k2 = muscle_activation_rate(times, own.control, a + 0.5 * h * k1);
    const double k3 = muscle_activation_rate(times, own.control, a + 0.5 * h * k2);
    const double k4 = muscle_activation_rate(times, own.control, a + h * k3);
    a += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return a;
}

/// Returns the mean by Simpson's rule.
double averaged(const MuscleTimes& times, const MuscleControl& own, double from, double to) {
  constexpr int kPieces = 2000;
  const double h = (to - from) / kPieces;
  double sum = muscle_activation(times, own, from) + muscle_activation(times, own, to);
  for (int i = 1; i < kPieces; ++i) {
    sum += (i % 2 == 0 ? 2.0 : 4.0) * muscle_activation(times, own, from + i * h);
  }
  return sum / (3.0 * kPieces);
}

}  // namespace

TEST_CASE("An activation in closed form solves its differential equation, and has its mean") {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 60; ++k) {
    const MuscleTimes times{0.005 + 0.05 * share(engine), 0.01 + 0.1 * share(engine)};
    const MuscleControl own{share(engine), k % 5 == 0 ? 0.0 : share(engine), share(engine)};
    const double later = own.since + 0.3 * share(engine), end = later + 0.1 * share(engine) + 1e-4;
    // Runge-Kutta and Simpson err by (h/tau)^4, tau the shortest time constant.
    CHECK(muscle_activation(times, own, later) ==
          Approx(integrated(times, own, later)).margin(1e-10));
    CHECK(mean_muscle_activation(times, own, later, end) ==
          Approx(averaged(times, own, later, end)).margin(1e-10));
  }
}

TEST_CASE("An activation keeps its value before its control and reaches it long afterwards") {
  const MuscleTimes times{0.01, 0.04};
  for (const MuscleControl& own : {MuscleControl{2.0, 0.9, 0.1}, MuscleControl{2.0, 0.0, 0.7}}) {
    CHECK(muscle_activation(times, own, 1.0) == own.activation);
    CHECK(muscle_activation(times, own, 2.0) == own.activation);
    CHECK(muscle_activation(times, own, 1e6) == Approx(own.control).margin(1e-15));
    CHECK(mean_muscle_activation(times, own, 1e6, 1e6 + 1.0) == Approx(own.control).margin(1e-15));
  }
}

TEST_CASE("Without time constants an activation is its control") {
  const MuscleControl own{2.0, 1.4, 0.1};
  CHECK(muscle_activation({}, own, 5.0) == 1.4);
  CHECK(mean_muscle_activation({}, own, 3.0, 5.0) == 1.4);
}

}  // namespace amontons::test
