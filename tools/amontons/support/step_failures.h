#pragma once

#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::cli {

/// Gathers steps that no residual explains: conditions that contradict each other, overlaps that
/// friction may hold, contacts that were met out of sight, and impulses that cancel to nothing that
/// can be certified.
class StepFailures {
 public:
  /// Notes one step.
  void observe(const System& system, const StepReport& report);

  /// Returns a line for each kind that occurred, with the bodies and joints by name.
  std::string text() const;

  /// Returns the keys `infeasible`, `too_fast`, `held`, `unseen`, `passed` and `rounding`.
  nlohmann::ordered_json json() const;

 private:
  /// Notes the deepest overlap that sticking contacts held, or of a step that was answered without
  /// friction.
  void observe_held_overlap(const System& system, const StepReport& report);

  /// Holds infeasible steps of one kind.
  struct LeftConditions {
    std::int64_t num_steps = 0;
    double time = 0.0;               // of the first [s]
    std::vector<std::string> parts;  // what the first could not keep
  };
  LeftConditions contradiction_, too_fast_;
  std::int64_t num_unseen_ = 0;    // steps
  std::int64_t num_held_ = 0;      // steps in which sticking contacts held an overlap
  std::int64_t num_unopened_ = 0;  // steps without friction that had an overlap to open
  double held_overlap_ = 0.0;      // the deepest [m]
  double held_time_ = 0.0;         // [s]
  std::string held_pair_;
  double unseen_overlap_ = 0.0;  // the deepest [m]
  double unseen_time_ = 0.0;
  std::string unseen_pair_;
  std::int64_t num_passed_ = 0;  // steps in which bodies turned through each other
  double passed_time_ = 0.0;     // of the first [s]
  std::string passed_pair_;
  double rounding_ = 0.0, rounding_time_ = 0.0;  // the largest of steps that missed [-]
};

/// Parts of an infeasible step that are named at most.
inline constexpr std::size_t kMostParts = 20;

/// Returns what an infeasible step could not keep, by name: the pairs of bodies whose contacts its
/// solution leaves closing, the limits, and the joints whose rows it leaves off their target. The
/// worst comes first, then the others in the order of contacts and rows, each once. Violations
/// below a share 1e-6 of the worst are rounding. Last comes what stands against overlaps that no
/// motion opens. There are kMostParts at most: the overlaps of a crowd would fill pages.
std::vector<std::string> contradicting_parts(const System& system, const StepReport& report);

}  // namespace amontons::cli
