#pragma once

#include "amontons/models/reactions/contact_rank.h"
#include "amontons/models/reactions/normal_intervals.h"
#include "tools/amontons/support/solve_file.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace amontons::cli {

/// Describes how far the solution of a contact problem is determined.
struct Indeterminacy {
  ContactRank rank;  ///< rows as the file has them, two per contact in the plane
  /// Holds the intervals [nc]; empty if the solution is not certified or its law not one of single
  /// contacts.
  std::vector<NormalInterval> intervals;
  std::string remark;    ///< why there are no intervals, or empty
  double time_s = 0.0;   ///< wall time of the intervals
  bool is_whole = true;  ///< false where `progress` ended the search
};

/// Returns the indeterminacy of a solution.
/// @param report    of that problem, a contact problem.
/// @param progress  as of normal_intervals().
Indeterminacy analyse_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                                    double tolerance, const IntervalProgress& progress);

/// Adds `rank`, `rows` and `intervals` (or `intervals_remark`) to a report. Ends that are infinite
/// are the string "inf", those that were not found null.
void add_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                       const Indeterminacy& found, nlohmann::ordered_json& result);

/// Prints the same as lines and a table: contact, bodies, normal impulse, its least and largest.
void print_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                         const Indeterminacy& found);

}  // namespace amontons::cli
