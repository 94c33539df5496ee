#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace amontons::test {
namespace {

TEST_CASE("A run verifies in which a contact carries viscous friction alone") {
  const TemporaryFolder folder;
  // The box lands askew. At rest one of its four points carries no load; it creeps at 1e-17 m/s.
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.005, duration: 0.5}
materials: [{name: default, friction: 0.4, viscous_friction: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: box
    mass: 2.161
    shapes: [{box: [0.394, 0.237, 0.316]}]
    pose: {position: [0, 0, 0.1678], rpy_deg: [4.12, 2.39, 58.9]}
    velocity: {linear: [0.46, 0, 0]}
)");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  const bool is_met = std::any_of(rows.begin(), rows.end(), [](const io::RunRow& row) {
    return std::any_of(row.contacts.begin(), row.contacts.end(), [](const io::RunContact& own) {
      return own.impulse.z() == 0.0 && !own.impulse.isZero(0.0);
    });
  });
  CHECK(is_met);
  check_verified(folder.file("run.h5"));
}

TEST_CASE("A run verifies in which drag alone acts at a contact that leaves as it would bounce") {
  // Its speed is a share of the rebound, which the step gives back.
  check_run_verifies(parse_text(R"(amontons: 1
simulation: {step: 0.0661, duration: 0.3305, model: stewart-trinkle}
materials: [{name: default, friction: 0, restitution: 1, viscous_friction: 2.15e-05}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: b0, mass: 0.000177, shapes: [{capsule: [4.21, 26.4]}], pose: {position: [-0.311, -0.003, 0.957]}, velocity: {linear: [0.02, 0.029, 0.042], angular: [0.02, 0.029, 0.042]}}
  - {name: b1, mass: 6.4e-09, shapes: [{capsule: [0.103, 0.536]}], pose: {position: [0.134, -0.055, 0.722]}, velocity: {linear: [-0.013, -0.354, 0.1], angular: [-0.013, -0.354, 0.1]}}
)"));
}

}  // namespace
}  // namespace amontons::test
