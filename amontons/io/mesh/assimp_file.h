#pragma once

#include <map>
#include <string>

struct aiScene;
namespace Assimp {
class Importer;
}

namespace amontons::io {

// Both import polygons cut into triangles, and take the readers of OBJ, Collada and glTF alone:
// others of assimp, which it would choose by the content of a file, break down on damaged ones. The
// up axis of a Collada file is not applied. The importer owns the result.
// @throws ParseError if the library cannot read it.

/// Imports a file with assimp. The files that it names come from the given ones alone, never from
/// the disk.
const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer);

/// Imports a mesh with assimp that names no other files. It is read from memory even where it lies
/// on a disk, so that a mesh kept in a log is read in the same way.
const aiScene& read_assimp_bytes(const std::string& bytes, const std::string& name,
                                 Assimp::Importer& importer);

}  // namespace amontons::io
