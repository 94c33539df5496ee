#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace amontons::experiments {

/// Returns the text as lines of at most `width` columns, broken at spaces. Code spans, links and
/// `<code>` elements are never broken. Each line but the first starts with `indent`, which counts
/// as columns. A line never starts with a word that Markdown reads as the mark of a list, a
/// heading or a quotation. A single word that is wider than a line stays whole.
std::string wrap_text(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace amontons::experiments
