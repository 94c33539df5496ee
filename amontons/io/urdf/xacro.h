#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/source_location.h"

#include <tinyxml2.h>

#include <filesystem>
#include <optional>
#include <string>

namespace amontons::io {

/// Returns the URDF that the program `xacro` makes of a file; none where it is not installed.
/// @throws ParseError at `where` if the program refuses the file, or takes longer than a minute.
std::optional<std::string> expand_xacro(const std::filesystem::path& file,
                                        const SourceLocation& where);

/// Returns the first element that the program xacro can expand, at any depth; null if there is
/// none. A call of a macro is none by itself: what defines the macro is one. Nor is a property
/// without an expression that uses it, nor a block outside of a macro.
/// @param has_expressions  the file has ${...} or $(...).
const tinyxml2::XMLElement* find_expandable(const tinyxml2::XMLElement& element,
                                            bool has_expressions);

/// Removes the elements of xacro from a robot in which nothing can be expanded: old versions of
/// xacro leave them, and other readers of URDF pass over them. Each is a finding, but for those in
/// looks and other elements that are ignored.
/// @param path  of the element in the format.
void remove_leftover_xacro(tinyxml2::XMLElement& element, const std::string& path,
                           const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io
