#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace amontons::peers {

/// Returns processor, cores and load of the machine at this moment, and the time.
nlohmann::json describe_machine();

/// Returns the table: time per step beside physical errors, and Amontons over each peer.
///
/// @param report  {machine, engines, missing, cases: [{id, results: [...]}]}, see bench_peers_main.
std::string markdown_table(const nlohmann::json& report);

/// Writes NAME.json and NAME.md.
/// @throws std::runtime_error if a file cannot be written.
void write_report(const nlohmann::json& report, const std::string& markdown,
                  const std::filesystem::path& directory, const std::string& name);

}  // namespace amontons::peers
