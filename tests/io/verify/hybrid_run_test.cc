#include "amontons/io/run/run_reader.h"
#include "amontons/io/verify/verify.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <fstream>

// Runs of the hybrid method: their rows, verified.

using namespace amontons;
using namespace amontons::test;

namespace {

const char* const kScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.9, method: hybrid}
materials:
  - {name: rubber, friction: 0.4, restitution: 0.6}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1, material: rubber}]
    pose: {position: [0, 0, 0.5]}
    velocity: {linear: [1, 0.3, 0], angular: [0, 0, 5]}
  - name: box
    mass: 2
    shapes: [{box: [0.2, 0.2, 0.2], material: rubber}]
    pose: {position: [1, 0, 0.4], rpy_deg: [20, 10, 0]}
)";

}  // namespace

TEST_CASE("A hybrid run keeps what bounced and what was steady, and verify agrees") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const std::vector<io::RunRow> rows = record_run(parse_text(kScene), path);
  io::RunReader reader(path);
  REQUIRE(reader.num_rows() == rows.size());
  int impacts = 0, became_steady = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const io::RunRow row = reader.row(i);
    CHECK(row.events.steady == rows[i].events.steady);
    CHECK(row.events.became_steady == rows[i].events.became_steady);
    CHECK(row.events.became_bouncing == rows[i].events.became_bouncing);
    became_steady += row.events.became_steady;
    if (row.law.kind == LawKind::Impact) {
      ++impacts;
      CHECK(row.step == 0.0);
    }
  }
  CHECK(impacts >= 3);
  CHECK(became_steady >= 1);
  const io::VerifyReport report = io::verify_run(path);
  CHECK(report.passed());
}
