#pragma once

#include "amontons/io/verify/verify.h"
#include "tests/io/run/recorded_run.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

/// Checks that a run passes each check of verify, and returns the report.
inline io::VerifyReport check_verified(const std::string& path) {
  io::VerifyReport report = io::verify_run(path);
  for (const io::VerificationCheck& check : report.checks) {
    CAPTURE(check.name, check.worst, check.where, check.step, check.time);
    CHECK(check.passed());
  }
  return report;
}

/// Simulates a scene to its end, and checks that its run passes each check of verify.
inline io::VerifyReport check_run_verifies(const Scene& scene) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  record_run(scene, path);
  return check_verified(path);
}

}  // namespace amontons::test
