#include "benchmarks/peers/engines/mujoco_handles.h"

#include <array>
#include <cstring>
#include <stdexcept>

namespace amontons::peers {

MujocoModel load_mujoco_model(const std::string& xml) {
  constexpr const char* kFile = "model.xml";
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), kFile, static_cast<int>(xml.size())) != 0) {
    throw std::runtime_error("MuJoCo: not enough memory for the model file");
  }
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), kFile)], xml.data(), xml.size());
  std::array<char, 1000> error{};
  MujocoModel model(mj_loadXML(kFile, files.get(), error.data(), static_cast<int>(error.size())));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error.data());
  return model;
}

}  // namespace amontons::peers
