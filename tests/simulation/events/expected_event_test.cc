#include "amontons/simulation/events/event_length.h"
#include "amontons/simulation/simulator.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// The searches of a motion keep what is known of trees that fall (expected_event.h).

namespace amontons::test {
namespace {

/// Returns balls, a cube and a tumbling brick that bounce about a pendulum in a box.
Scene mixed_crowd(const std::string& method) {
  Scene scene = empty_scene(0.01, 0.5, method == "impulse-based" ? "mirtich" : "coulomb");
  scene.simulation.method = method;
  default_material(scene, 0.2, 0.6);
  add_ground(scene);
  add_walls(scene, 0.4, 0.3);
  for (int i = 0; i < 12; ++i) {
    SceneBody& ball =
        add_body(scene, "ball" + std::to_string(i), Sphere{0.05}, 0.5 + 0.1 * i,
                 {0.2 * (i % 3 - 1) + 0.011 * i, 0.2 * (i / 3 % 2) - 0.1, 0.1 + 0.13 * (i / 3)});
    ball.linear_velocity = {0.7 - 0.13 * i, 0.4, 0.2 * i - 1.0};
    ball.angular_velocity = {0.0, 5.0, 3.0 * i};
  }
  add_body(scene, "cube", Box{{0.1, 0.1, 0.1}}, 0.7, {-0.25, 0.2, 0.4}).angular_velocity = {
      3.0, 1.0, 2.0};
  add_body(scene, "brick", Box{{0.14, 0.1, 0.06}}, 0.9, {0.25, -0.2, 0.6}).angular_velocity = {
      1.0, 6.0, 2.0};
  add_body(scene, "bob", Sphere{0.06}, 1.0, {-0.3, 0.0, 0.75});
  add_joint(scene, "hinge", JointType::Continuous, "world", "bob", Eigen::Vector3d::UnitY(),
            {0.0, 0.0, 0.75});
  return scene;
}

TEST_CASE("What a motion knows of trees that fall never shows: each step alone has the same bits") {
  const std::string method = GENERATE("hybrid", "event-driven", "impulse-based");
  CAPTURE(method);
  const Scene scene = mixed_crowd(method);
  Simulator whole(scene), alone(scene);
  int impacts = 0, different = 0;
  for (int i = 0; i < 600 && !whole.finished(); ++i) {
    alone.set_state(whole.state());
    impacts += whole.step().events.impact ? 1 : 0;
    alone.step();
    const State &a = whole.state(), &b = alone.state();
    if (a.q != b.q || a.v != b.v || a.time != b.time) ++different;
  }
  CHECK(impacts > 30);
  CHECK(different == 0);
}

TEST_CASE("A state that a program moves is searched anew, whatever was known of it") {
  Scene scene = empty_scene(0.5, 1.0, "coulomb");
  scene.simulation.method = "hybrid";
  scene.simulation.rest_speed = 0.01;
  default_material(scene, 0.0, 1.0);
  add_ground(scene);
  for (int i = 0; i < 3; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{0.1}, 1.0,
             {1.0 * i, 0.0, 0.1 + 0.2 + 0.1 * i});
  }
  Simulator simulator(scene);
  simulator.step();  // the first ball has come down
  REQUIRE(simulator.state().time == Approx(std::sqrt(0.4 / kGravity)).epsilon(1e-6));
  // The last ball, clear of all for a while, moves to just above the ground.
  Eigen::VectorXd q = simulator.state().q, v = simulator.state().v;
  q(2 * 7 + 6) = 0.1 + 0.001;
  v(2 * 6 + 5) = -1.0;
  State moved = simulator.state();
  moved.q = q;
  moved.v = v;
  simulator.set_state(moved);
  double lowest = 1.0;
  while (!simulator.finished()) {
    simulator.step();
    lowest = std::min(lowest, simulator.state().q(2 * 7 + 6));
  }
  CHECK(lowest >= 0.1 - 1e-8);
}

TEST_CASE("Balls in a crowd come down at the time of their fall, however many fall beside them") {
  constexpr int kBalls = 25;
  Scene scene = empty_scene(0.05, 0.6, "coulomb");
  scene.simulation.method = "hybrid";
  scene.simulation.rest_speed = 0.01;
  default_material(scene, 0.0, 0.5);
  add_ground(scene);
  std::vector<double> times;
  for (int i = 0; i < kBalls; ++i) {
    // Heights in no order, some a hair apart: two of them land within microseconds.
    const double drop = 0.3 + 0.04 * (7 * i % kBalls) + (i % 5 == 0 ? 1e-6 * i : 0.0);
    add_body(scene, "ball" + std::to_string(i), Sphere{0.05}, 0.2,
             {0.3 * (i % 5), 0.3 * (i / 5), 0.05 + drop});
    times.push_back(std::sqrt(2.0 * drop / kGravity));
  }
  Simulator simulator(scene);
  std::vector<double> first(kBalls, 0.0);
  run(simulator, [&](const StepReport& report) {
    if (!report.events.impact) return;
    for (const Contact& contact : report.problem.contacts) {
      const int ball = std::max(contact.body_a, contact.body_b) - 1;
      double& own = first.at(static_cast<std::size_t>(ball));
      if (own == 0.0) own = report.end->time;
    }
  });
  for (int i = 0; i < kBalls; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (times[k] > 0.59) continue;
    CAPTURE(i, times[k], first[k]);
    CHECK(std::abs(first[k] - times[k]) < 3e-9);
  }
}

TEST_CASE("A motion finds its event where this moves with the length of the motion") {
  // The longer the motion the later its event: 0.97 of the way from 4 ms to the length, or all.
  const double touch = 4e-3;
  for (const double share : {0.0, 0.5, 0.97, 0.999}) {
    CAPTURE(share);
    EventLength lengths;
    double h = 1e-2;
    int attempts = 0;
    bool is_accepted = false;
    while (!is_accepted && ++attempts <= EventLength::kMaxAttempts) {
      const double event = h > touch ? touch + share * (h - touch) : h;
      const double next = lengths.next(h, event, h);
      is_accepted = next == h;
      h = next;
    }
    CHECK(is_accepted);
    // The last attempt has no event before 1 - 1e-9 of its length, 1e-3 of its way to the touch.
    CHECK(std::abs(h - touch) <= 1.01e-6 * touch);
  }
}

}  // namespace
}  // namespace amontons::test
