#pragma once

#include <memory>
#include <mujoco/mujoco.h>
#include <string>

namespace amontons::peers {

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

using MujocoModel = std::unique_ptr<mjModel, FreeModel>;
using MujocoData = std::unique_ptr<mjData, FreeData>;

/// @throws std::runtime_error with MuJoCo's own message.
MujocoModel load_mujoco_model(const std::string& xml);

}  // namespace amontons::peers
