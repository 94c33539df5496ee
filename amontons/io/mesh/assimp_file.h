#pragma once

#include <map>
#include <string>

struct aiScene;
namespace Assimp {
class Importer;
}

namespace amontons::io {

/// Leaves an importer the readers of OBJ, Collada and glTF. Others of assimp, which it would choose
/// by the content of a file, break down on damaged ones.
void keep_checked_formats(Assimp::Importer& importer);

/// Imports a file with assimp, polygons cut into triangles. The files that it names come from the
/// given ones alone, never from the disk. The up axis of a Collada file is not applied.
/// @param importer  owns the result.
/// @throws ParseError if the library cannot read it.
const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer);

}  // namespace amontons::io
