#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace amontons::peers {

/// One row per problem, one column per solver: time, or why there is none; the best of Siconos, and
/// Amontons over it.
///
/// @param report  {machine, limit_s, tolerance, problems: [{file, contacts, dimension, answers:
/// {solver: {time_s, residual, solved, failure}}}]}
std::string contact_problem_table(const nlohmann::json& report);

}  // namespace amontons::peers
