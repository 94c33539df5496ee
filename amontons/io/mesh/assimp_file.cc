#include "amontons/io/mesh/assimp_file.h"

#include "amontons/io/child/child_trial.h"
#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/parse_error.h"

#include <assimp/BaseImporter.h>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/MemoryIOWrapper.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace amontons::io {
namespace {

/// Returns where the first material of an MTL file begins: assimp breaks down on the lines before
/// it. Returns npos where there is none.
std::size_t first_material(std::string_view text) {
  constexpr std::string_view kBegin = "newmtl";
  if (text.starts_with(kBegin)) return 0;
  const std::size_t end_of_line = text.find("\n" + std::string(kBegin));
  return end_of_line == std::string_view::npos ? end_of_line : end_of_line + 1;
}

/// Gives assimp the files of a map, by their names.
class FilesInMemory : public Assimp::IOSystem {
 public:
  explicit FilesInMemory(const std::map<std::string, std::string>& files) : files_(files) {}

  bool Exists(const char* name) const override { return find(name) != files_.end(); }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char*) override {
    const auto found = find(name);
    if (found == files_.end()) return nullptr;
    std::string_view text = found->second;
    if (file_ending(found->first) == ".mtl") {
      const std::size_t first = first_material(text);
      if (first == std::string_view::npos) return nullptr;
      text.remove_prefix(first);
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    return new Assimp::MemoryIOStream(bytes, text.size(), false);
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  /// Finds a name as it is written, else without "." and "..".
  std::map<std::string, std::string>::const_iterator find(const std::string& name) const {
    const auto found = files_.find(name);
    if (found != files_.end() || name.find("://") != std::string::npos) return found;
    return files_.find(std::filesystem::path(name).lexically_normal().string());
  }

  const std::map<std::string, std::string>& files_;
};

/// Memory that a byte of a file may take while it is read [bytes].
constexpr std::uint64_t kMemoryOfByte = 100;
constexpr unsigned kSteps = aiProcess_Triangulate | aiProcess_SortByPType;

/// Leaves an importer the readers of one ending, if its format is one that is checked before.
/// @returns false where it is none.
bool keep_readers_of(const std::string& ending, Assimp::Importer& importer) {
  static const std::map<std::string_view, std::string_view> kWords = {
      {".obj", "obj"}, {".dae", "dae"}, {".gltf", "gltf"}, {".glb", "glb"}};
  const auto format = kWords.find(ending);
  if (format == kWords.end()) return false;
  const std::string word = " " + std::string(format->second) + " ";
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    // The endings that a reader takes, between spaces.
    const std::string endings =
        std::string(" ") + importer.GetImporterInfo(i)->mFileExtensions + " ";
    if (endings.find(word) != std::string::npos) continue;
    // The importer no longer owns what it has given up.
    Assimp::BaseImporter* const other = importer.GetImporter(i);
    importer.UnregisterLoader(other);
    delete other;
  }
  return true;
}

/// Sets an importer up for a file. @throws ParseError for an ending of no format.
void prepare(const std::string& name, Assimp::Importer& importer) {
  const std::string ending = file_ending(name);
  if (!keep_readers_of(ending, importer)) {
    throw ParseError(name, 0, 0,
                     "'" + ending +
                         "' is no ending of a mesh format that is read: save it as .obj, .stl, "
                         ".ply, .msh, .dae or .glb");
  }
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // Names that people read, not the identifiers of the file.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
  // Assimp would draw the nodes of a scene without meshes as bones.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
  // Points and lines are removed, so that only polygons remain to be cut into triangles.
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
}

/// Returns what an importer, which is prepared, makes of a file; null where it refuses it.
const aiScene* read(const std::string& name, const std::map<std::string, std::string>& files,
                    Assimp::Importer& importer) {
  importer.SetIOHandler(new FilesInMemory(files));  // the importer deletes it
  return importer.ReadFile(name, kSteps);
}

/// Returns the bounds of a child that reads some files.
ChildBounds bounds_of(const std::map<std::string, std::string>& files) {
  std::uint64_t bytes = 0;
  for (const auto& [name, text] : files) bytes += text.size();
  ChildBounds bounds;
  bounds.seconds += 1e-6 * static_cast<double>(bytes);
  bounds.memory += kMemoryOfByte * bytes;
  return bounds;
}

}  // namespace

const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer) {
  prepare(name, importer);
  // Assimp has no end of faults on damaged files: a copy of this process reads them first.
  const auto try_to_read = [&] {
    read(name, files, importer);
    return true;
  };
  if (!succeeds_in_child(try_to_read, bounds_of(files))) {
    throw ParseError(name, 0, 0,
                     "cannot be read as a mesh: the library Assimp breaks down on it, or takes "
                     "more time or memory than a file of its size may; save it as .obj, .stl or "
                     ".ply");
  }
  const aiScene* scene = read(name, files, importer);
  if (scene != nullptr && scene->mRootNode != nullptr) return *scene;
  throw ParseError(name, 0, 0,
                   std::string("cannot be read as a mesh: ") + importer.GetErrorString());
}

}  // namespace amontons::io
