#pragma once

#include <string>

namespace amontons::cli {

/// Names the kind of file that a verb writes.
enum class OutputKind { Run, Page, Table };

/// Refuses an output that would take the place of a file of another kind: only what this program
/// could have written is replaced without being asked to. An empty file is.
/// @param force  the user asks for it.
/// @throws io::ParseError naming the output.
void refuse_foreign_output(const std::string& output, OutputKind kind, bool force);

}  // namespace amontons::cli
