#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace amontons::experiments {

/// Width of the lines of a page, tables and code aside [columns].
inline constexpr std::size_t kPageWidth = 100;

/// Returns a paragraph of Markdown in which each sentence starts a line and no line is wider than
/// kPageWidth. Each line but the first starts with `indent`.
std::string markdown_lines(std::string_view paragraph, std::string_view indent = "");

}  // namespace amontons::experiments
