#pragma once

#include "amontons/io/verify/verify.h"

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

}  // namespace amontons::test
