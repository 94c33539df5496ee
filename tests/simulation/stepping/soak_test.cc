#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace amontons::test {
namespace {

/// Returns six loose bodies in a box whose floor and one pair of walls shake.
Scene shaken_box() {
  Scene scene = empty_scene(2e-3, 1e6, "coulomb");
  default_material(scene, 0.5, 0.2);
  add_ground(scene);
  const std::string floor = scene.bodies.back().name;
  const double half = 0.25;
  add_walls(scene, half, half);
  // Periods without a common multiple: the motion does not repeat.
  const auto shake = [&](const std::string& body, const Eigen::Vector3d& axis, double amplitude,
                         double period) {
    BodyMotion motion;
    motion.body = body;
    motion.axis = axis;
    motion.amplitude = amplitude;
    motion.period = period;
    scene.motions.push_back(motion);
  };
  shake(floor, Eigen::Vector3d::UnitZ(), 0.02, 0.31);
  shake("left", Eigen::Vector3d::UnitX(), 0.03, 0.4321);
  shake("right", Eigen::Vector3d::UnitX(), 0.03, 0.4321);
  add_body(scene, "plate", Box{{0.2, 0.15, 0.06}}, 1.0, {0.0, 0.0, 0.1});
  add_body(scene, "cube", Box{{0.1, 0.1, 0.1}}, 1.0, {0.05, 0.0, 0.3});
  add_body(scene, "brick", Box{{0.12, 0.08, 0.1}}, 1.0, {-0.1, 0.1, 0.6});
  add_body(scene, "ball", Sphere{0.06}, 1.0, {0.0, 0.05, 0.5});
  add_body(scene, "small ball", Sphere{0.05}, 0.5, {0.1, 0.1, 0.5});
  add_body(scene, "heavy ball", Sphere{0.05}, 4.0, {-0.1, -0.1, 0.5});
  return scene;
}

/// Returns the memory of this process [bytes].
double resident_memory() {
  std::ifstream file("/proc/self/statm");
  double all = 0.0, resident = 0.0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

// Loose bodies in a shaken box never rest. Work is counted, not timed.
TEST_CASE("No step of a soak costs a hundred usual ones, and its memory is flat") {
  const int num_steps = num_cases(1000000);
  Simulator simulator(shaken_box(), 1);
  std::vector<double> efforts(static_cast<std::size_t>(num_steps));
  double memory = 0.0, speed = 0.0;
  int num_moving = 0;
  for (int k = 0; k < num_steps; ++k) {
    const StepReport& report = simulator.step();
    efforts[static_cast<std::size_t>(k)] = report.work.effort();
    speed = simulator.state().v.lpNorm<Eigen::Infinity>();
    REQUIRE(speed < 100.0);
    if (speed > 0.05) ++num_moving;
    // Memory of the first tenth may still grow to the largest problem.
    if (k == num_steps / 10) memory = resident_memory();
  }
  CHECK(num_moving >= num_steps / 2);
  // The usual step of what moves.
  std::erase_if(efforts, [](double effort) { return effort == 0.0; });
  REQUIRE(efforts.size() > static_cast<std::size_t>(num_steps / 10));
  std::sort(efforts.begin(), efforts.end());
  const double median = efforts[efforts.size() / 2];
  CAPTURE(num_steps, num_moving, median, efforts.back());
  CHECK(efforts.back() <= 100.0 * median);
  // Room for a larger problem; a leak of 4 bytes in each of a million steps does not fit. The
  // address sanitizer keeps what was freed, and finds leaks by itself.
#ifndef __SANITIZE_ADDRESS__
  CHECK(resident_memory() - memory <= 4e6);
#else
  CHECK(memory > 0.0);
#endif
}

}  // namespace amontons::test
