#include "amontons/io/mesh/assimp_file.h"

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

}  // namespace

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

const aiScene& read_assimp_file(const std::string& name,
                                const std::map<std::string, std::string>& files,
                                Assimp::Importer& importer) {
  keep_checked_formats(importer);
  importer.SetIOHandler(new FilesInMemory(files));  // the importer deletes it
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  const aiScene* scene = importer.ReadFile(name, aiProcess_Triangulate | aiProcess_SortByPType);
  if (scene == nullptr || scene->mRootNode == nullptr) {
    throw ParseError(name, 0, 0,
                     std::string("cannot be read as a mesh: ") + importer.GetErrorString());
  }
  return *scene;
}

}  // namespace amontons::io
