#include "amontons/io/replay/replay_from_run.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace amontons;
using namespace amontons::test;

// A ball of 1 kg thrown down at 1 m/s from 0.1 m meets the ground at sqrt(1 + 2 g 0.1) m/s; with e
// = 1 the impulse of its first impact is twice that.
TEST_CASE("An impact is in the replay with its impulse, since it has no force") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.2, method: event-driven}
materials: [{name: default, friction: 0, restitution: 1}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 0, 0.2]}, velocity: {linear: [0, 0, -1]}}
)");
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  const io::ReplayRun run = io::replay_from_run(reader);
  REQUIRE(run.frames.size() == rows.size());
  int impacts = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(run.frames[i].is_impact == rows[i].events.impact);
    for (const io::ReplayContact& contact : run.frames[i].contacts) {
      CHECK(contact.force.allFinite());
      if (!rows[i].events.impact || impacts++ > 0) continue;
      const double speed = std::sqrt(1.0 + 2.0 * 9.81 * 0.1);
      CHECK(contact.force.z() == Catch::Detail::Approx(2.0 * speed).epsilon(1e-6));
    }
  }
  CHECK(impacts > 0);
}
