#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

TEST_CASE("verify finds the steps in which a rod turned through a peg, as the run records them") {
  const TemporaryFolder folder;
  const Scene scene = parse_text(R"(amontons: 1
simulation: {step: 0.01, duration: 0.03}
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, shapes: [{box: [1, 0.02, 0.02], pose: {position: [0.5, 0, 0]}}]}
  - {name: peg, fixed: true, shapes: [{cylinder: [0.01, 0.2]}], pose: {position: [0, 0.8, 0]}}
joints:
  - {name: j, type: continuous, parent: world, child: rod, axis: [0, 0, 1], at: [0, 0, 0], rate: 100}
)");
  // The second step turns from 1 rad to 2, past the peg.
  const std::vector<io::RunRow> rows = record_run(scene, folder.file("run.h5"));
  CHECK(rows.at(1).certificate.missed_contacts == 0);
  CHECK(rows.at(2).certificate.missed_contacts == 1);
  // A verification that saw no passage would say that the certificate is met.
  for (const io::VerificationCheck& check : io::verify_run(folder.file("run.h5")).checks) {
    CAPTURE(check.name, check.where);
    CHECK(check.num_failed == (check.name == "claim" ? 1 : 0));
    if (check.name == "claim") CHECK(check.where == "the step misses its certificate");
  }
}

}  // namespace amontons::test
