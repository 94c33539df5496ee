#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace amontons::peers {

/// Returns two tables: times of whole steps beside MuJoCo's, and the parts of the steps.
///
/// @param report  {machine, mujoco, rounds, robots: [{robot, dofs, shapes, pairs, extra_pairs,
/// start: [...], rows: [{pose, window, entrants: [...]}]}], skipped}, see bench_robots_main.
std::string robot_table(const nlohmann::json& report);

}  // namespace amontons::peers
