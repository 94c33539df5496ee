#pragma once

#include <string>

namespace amontons::cli {

// The pages of the reference are Markdown, made from the tables that readers and writers use.
// A test compares them with the files in docs/.

/// Returns docs/scene-format.md.
std::string scene_format_page();
/// Returns docs/run-format.md.
std::string run_format_page();
/// Returns docs/problem-format.md.
std::string problem_format_page();

}  // namespace amontons::cli
