#pragma once

#include <string>

namespace amontons::cli {

// Pages of the reference (Markdown), made of the tables that readers and writers use:
// docs/scene-format.md, docs/run-format.md, docs/problem-format.md are these, as a test sees to.

std::string scene_format_page();
std::string run_format_page();
std::string problem_format_page();

}  // namespace amontons::cli
