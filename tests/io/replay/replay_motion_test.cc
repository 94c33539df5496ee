// Velocities, impulses and joint positions of a replay.
#include "amontons/io/replay/replay_encode.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/replay/replay_sections.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <numbers>

using namespace amontons;
using namespace amontons::test;

namespace {

/// Returns the number that the page decodes (half() in viewer/src/recorded.ts).
double decode_half(std::uint16_t code) {
  const int exponent = code >> 10 & 31, mantissa = code & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -40) : std::ldexp(1024 + mantissa, exponent - 41);
  return code & 0x8000 ? -size : size;
}

io::ReplayRun replay_of(const std::string& scene) {
  const TemporaryFolder folder;
  record_run(parse_text(scene), folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  return io::replay_from_run(reader);
}

}  // namespace

TEST_CASE("Shares of a velocity keep 11 significant bits down to 1e-9 and zero exactly") {
  CHECK(decode_half(io::encode_half(0.0)) == 0.0);
  CHECK(decode_half(io::encode_half(1.0)) == 1.0);
  CHECK(decode_half(io::encode_half(-0.625)) == -0.625);
  CHECK(decode_half(io::encode_half(0.99999)) == 1.0);  // rounds into the next exponent
  for (double value = 1.0; value > 1e-9; value *= 0.937) {
    CHECK(std::abs(decode_half(io::encode_half(value)) - value) <= std::ldexp(value, -11));
    CHECK(decode_half(io::encode_half(-value)) == -decode_half(io::encode_half(value)));
  }
  CHECK(std::abs(decode_half(io::encode_half(3e-11)) - 3e-11) <= std::ldexp(1.0, -41));
  CHECK(decode_half(io::encode_half(1e-14)) == 0.0);
}

// A link that hangs at 0.5 m from its hinge along x and turns about y by -2 rad/s moves up by 1
// m/s.
TEST_CASE("A replay has the velocities of the origins of bodies, also of links") {
  const io::ReplayRun run = replay_of(R"(amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.01, duration: 0.01}
bodies:
  - {name: free, mass: 1, shapes: [{box: [0.2, 0.3, 0.4]}], velocity: {linear: [3, 0, 1], angular: [0, 0, 5]}}
  - {name: link, mass: 1, inertia: [1, 1, 1], pose: {position: [0.5, 5, 0]}}
  - {name: post, fixed: true, shapes: [{box: [0.1, 0.1, 0.1]}], pose: {position: [0, 5, 0]}}
joints: [{name: hinge, type: revolute, parent: post, child: link, axis: [0, 1, 0], at: [0, 5, 0], rate: -2}]
)");
  const std::vector<io::ReplayVelocity>& first = run.frames.front().velocities;
  REQUIRE(first.size() == 3);
  CHECK(first[0].linear.isApprox(Eigen::Vector3d(3.0, 0.0, 1.0), 1e-12));
  CHECK(first[0].angular.isApprox(Eigen::Vector3d(0.0, 0.0, 5.0), 1e-12));
  CHECK(first[1].linear.isApprox(Eigen::Vector3d(0.0, 0.0, 1.0), 1e-12));
  CHECK(first[1].angular.isApprox(Eigen::Vector3d(0.0, -2.0, 0.0), 1e-12));
  CHECK(first[2].linear.isZero(0.0));
  CHECK(run.frames.back().velocities.size() == 3);
}

TEST_CASE("A replay with velocities of some frames alone, or of none that is finite, is refused") {
  io::ReplayRun run = replay_of(R"(amontons: 1
simulation: {step: 0.01, duration: 0.02}
bodies: [{name: ball, mass: 1, shapes: [{sphere: 0.1}]}]
)");
  io::ReplayRun partly = run;
  partly.frames.back().velocities.clear();
  CHECK_THROWS_WITH(io::check_replay_run(partly), Catch::Contains("0 velocities for 1 bodies"));
  run.frames.back().velocities[0].angular.y() = std::nan("");
  CHECK_THROWS_WITH(io::check_replay_run(run), Catch::Contains("velocity of 'ball'"));
}

// Each joint turns or slides at its own rate for 0.5 s. The ball joint turns by 1 rad about z.
TEST_CASE("Each coordinate of a joint has a curve of its angle or distance, none of a quaternion") {
  const io::ReplayRun run = replay_of(R"(amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.01, duration: 0.5}
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 0]}}
  - {name: b, mass: 1, inertia: [1, 1, 1], pose: {position: [3, 0, 0]}}
  - {name: c, mass: 1, inertia: [1, 1, 1], pose: {position: [6, 0, 0]}}
  - {name: d, mass: 1, inertia: [1, 1, 1], pose: {position: [9, 0, 0]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: a, axis: [0, 0, 1], at: [0, 0, 0], rate: 1}
  - {name: slide, type: prismatic, parent: world, child: b, axis: [0, 0, 1], at: [3, 0, 0], rate: 0.5}
  - {name: ball, type: spherical, parent: world, child: c, at: [6, 0, 0], rate: [0, 0, 2]}
  - {name: plane, type: planar, parent: world, child: d, axis: [0, 0, 1], at: [9, 0, 0], rate: [1, -1, 2]}
)");
  std::map<std::string, const io::ReplaySeries*> joints;
  for (const io::ReplaySeries& series : run.series) {
    if (series.chart.starts_with("Joint")) joints[series.name] = &series;
  }
  const std::map<std::string, std::pair<double, std::string>> expected = {
      {"hinge", {0.5, "rad"}},           {"slide", {0.25, "m"}},
      {"ball rotation x", {0.0, "rad"}}, {"ball rotation y", {0.0, "rad"}},
      {"ball rotation z", {1.0, "rad"}}, {"plane x", {0.5, "m"}},
      {"plane y", {-0.5, "m"}},          {"plane", {1.0, "rad"}}};
  CHECK(joints.size() == expected.size());
  for (const auto& [name, value] : expected) {
    INFO(name);
    REQUIRE(joints.contains(name));
    CHECK(joints[name]->unit == value.second);
    CHECK(std::abs(joints[name]->values.back() - value.first) < 1e-9);
    CHECK(joints[name]->chart == (value.second == "m" ? "Joint displacements" : "Joint angles"));
  }
}

// A crate slides, and a ball rolls: both move on by 5 cm within a step.
TEST_CASE("Contacts of a replay lie on the bodies of its frames") {
  const io::ReplayRun run = replay_of(R"(amontons: 1
simulation: {step: 0.01, duration: 0.2}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: crate, mass: 2, shapes: [{box: [0.4, 0.4, 0.2]}], pose: {position: [0, 0, 0.1]}, velocity: {linear: [5, 1, 0]}}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 2, 0.1]}, velocity: {linear: [5, 0, 0], angular: [0, 50, 0]}}
)");
  std::map<int, int> count;  // by body
  for (const io::ReplayFrame& frame : run.frames) {
    for (const io::ReplayContact& contact : frame.contacts) {
      const io::ReplayPose& pose = frame.poses[static_cast<std::size_t>(contact.body_b)];
      const Eigen::Vector2d arm = (contact.position - pose.position).head<2>();
      ++count[contact.body_b];
      const Eigen::Vector2d corner = Eigen::Vector2d::Constant(contact.body_b == 1 ? 0.2 : 0.0);
      CHECK((arm.cwiseAbs() - corner).norm() < 1e-6);
    }
  }
  CHECK(count[1] == 80);
  CHECK(count[2] == 20);
}
