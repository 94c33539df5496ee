#pragma once

#include <map>
#include <string>

struct aiScene;
namespace Assimp {
class Importer;
}

namespace amontons::io {

/// Imports a file with assimp, with polygons cut into triangles. The files that it names come from
/// the given ones alone, never from the disk. Only the reader of its ending is asked, .obj, .dae,
/// .gltf or .glb: others, which assimp would choose by the content, break down on damaged files.
/// The up axis of a Collada file is not applied, and lines of an MTL file before its first material
/// are left out.
/// @returns the scene, which the importer owns.
/// @throws ParseError for another ending, or if the library cannot read it.
const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer);

}  // namespace amontons::io
