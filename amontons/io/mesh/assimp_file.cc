#include "amontons/io/mesh/assimp_file.h"

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

#include <filesystem>
#include <string_view>

namespace amontons::io {
namespace {

/// Gives assimp the files of a map, by their names.
class FilesInMemory : public Assimp::IOSystem {
 public:
  explicit FilesInMemory(const std::map<std::string, std::string>& files) : files_(files) {}

  bool Exists(const char* name) const override { return files_.count(key_of(name)) > 0; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char* name, const char*) override {
    const auto found = files_.find(key_of(name));
    if (found == files_.end()) return nullptr;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(found->second.data());
    return new Assimp::MemoryIOStream(bytes, found->second.size(), false);
  }
  void Close(Assimp::IOStream* stream) override { delete stream; }

 private:
  /// Returns the name without "." and "..", but for those of a URI.
  static std::string key_of(const std::string& name) {
    if (name.find("://") != std::string::npos) return name;
    return std::filesystem::path(name).lexically_normal().string();
  }

  const std::map<std::string, std::string>& files_;
};

constexpr unsigned kSteps = aiProcess_Triangulate | aiProcess_SortByPType;

/// Leaves an importer the readers of OBJ, Collada and glTF.
void keep_checked_formats(Assimp::Importer& importer) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const std::string_view extensions = importer.GetImporterInfo(i)->mFileExtensions;
    const auto reads = [&](std::string_view extension) {
      return extensions.find(extension) != std::string_view::npos;
    };
    if (extensions == "obj" || reads("dae") || reads("gltf")) continue;
    // The importer no longer owns what it has given up.
    Assimp::BaseImporter* const other = importer.GetImporter(i);
    importer.UnregisterLoader(other);
    delete other;
  }
}

/// Sets an importer up for both readings.
void prepare(Assimp::Importer& importer) {
  keep_checked_formats(importer);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  // Names that people read, not the identifiers of the file.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
  // Points and lines are removed, so that only polygons remain to be cut into triangles.
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
}

/// Returns what was imported. @throws ParseError if that is nothing.
const aiScene& checked(const aiScene* scene, const std::string& name,
                       const Assimp::Importer& importer) {
  if (scene != nullptr && scene->mRootNode != nullptr) return *scene;
  throw ParseError(name, 0, 0,
                   std::string("cannot be read as a mesh: ") + importer.GetErrorString());
}

}  // namespace

const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer) {
  prepare(importer);
  importer.SetIOHandler(new FilesInMemory(files));  // the importer deletes it
  return checked(importer.ReadFile(name, kSteps), name, importer);
}

const aiScene& read_assimp_bytes(const std::string& bytes, const std::string& name,
                                 Assimp::Importer& importer) {
  prepare(importer);
  std::string format = file_ending(name);
  if (!format.empty()) format.erase(0, 1);
  const aiScene* scene =
      importer.ReadFileFromMemory(bytes.data(), bytes.size(), kSteps, format.c_str());
  if (scene == nullptr && !importer.IsExtensionSupported("." + format)) {
    throw ParseError(name, 0, 0,
                     "'." + format +
                         "' is no ending of a mesh format that is read, and its content shows "
                         "none: save it as .obj, .stl, .ply, .msh, .dae or .glb");
  }
  return checked(scene, name, importer);
}

}  // namespace amontons::io
