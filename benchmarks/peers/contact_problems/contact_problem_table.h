#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace amontons::peers {

/// Returns a table of one row per problem and one column per solver: the time, or the reason why
/// there is none. Further columns have the best of Siconos, and Amontons over it.
///
/// @param report  {machine, limit_s, tolerance, problems: [{file, contacts, dimension, answers:
/// {solver: {time_s, residual, solved, failure}}}]}
std::string contact_problem_table(const nlohmann::json& report);

}  // namespace amontons::peers
