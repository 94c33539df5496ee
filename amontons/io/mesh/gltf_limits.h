#pragma once

#include <string>

namespace amontons::io {

/// Returns true for a glTF file: by the first bytes of its binary form, or by its extension.
bool is_gltf(const std::string& bytes, const std::string& name);

/// Refuses a glTF file that assimp would follow by recursion deeper than its call stack, or to more
/// memory than it should take: values nested too deep, nodes that hold themselves or are children
/// of too many others, and parts that are longer than the file. It refuses what two readers of JSON
/// could read differently, so that what is checked is what assimp reads.
/// @throws ParseError with the file, and the node.
void check_gltf(const std::string& bytes, const std::string& name);

}  // namespace amontons::io
