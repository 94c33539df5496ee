#pragma once

#include <cstddef>
#include <string>

struct aiScene;

namespace amontons::io {

/// Depth of nested elements and nodes at most: deeper than any model's, and shallow enough for the
/// call stack.
inline constexpr std::size_t kMaxMeshDepth = 500;
/// Nodes of one file at most. Each takes 1.5 kB in assimp.
inline constexpr double kMostMeshNodes = 1e5;

/// Refuses a file that assimp would follow by recursion deeper than its call stack, or for ever:
/// elements nested too deep, and nodes of a Collada or glTF file that hold themselves or too many
/// copies of others. It refuses indices that are no integers, too, at which assimp
/// stays, and accessors that reach beyond their arrays, which it follows.
/// @throws ParseError with the file, and the line of the node.
void check_before_assimp(const std::string& bytes, const std::string& name);

/// Refuses a scene whose nodes repeat its meshes to more vertices than memory should hold.
/// @throws ParseError with the file.
void check_after_assimp(const aiScene& scene, const std::string& name);

}  // namespace amontons::io
