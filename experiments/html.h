#pragma once

#include "experiments/experiment.h"

#include <string>
#include <vector>

namespace amontons::experiments {

/// Text for HTML and SVG, also within an attribute. Control characters become spaces.
std::string escape_html(const std::string& text);

/// Text whose parts between two backticks become code, and whose formulas are typeset elsewhere;
/// `escape` acts on all of it.
std::string with_code(const std::string& text, std::string (*escape)(const std::string&));

inline std::string html_prose(const std::string& text) { return with_code(text, escape_html); }

/// A table with its caption, if it has a title.
std::string html_table(const Table& table);

/// Figures and tables side by side where the window is wide enough.
std::string html_figures(const std::vector<Figure>& figures, const std::vector<Table>& tables);

/// A whole page in the style of all reports: it needs no other file, in light and dark.
std::string html_page(const std::string& title, const std::string& body);

}  // namespace amontons::experiments
