#pragma once

#include "amontons/io/import/import_context.h"
#include "amontons/simulation/scene/scene.h"

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds what the file of a model brought to a scene.
struct ModelReading {
  std::vector<SceneModel> models;
  ImportLedger ledger;
  std::vector<Material> materials;  ///< those that it adds
  std::vector<MaterialPair> material_pairs;
  WorldSettings world;
  std::exception_ptr fault;  ///< its faults, or null
};

/// Keeps the readings of models' files. A scene with faults is read again and again to find all of
/// them (scene_faults.h); its models are read once.
class ModelReadings {
 public:
  /// Returns the reading of the same settings, by the given function the first time.
  /// @param settings  everything of the scene on which faults of the file depend.
  /// @throws ParseError  what the function has thrown.
  const ModelReading& get(const std::string& settings, const std::function<ModelReading()>& read);

 private:
  std::map<std::string, ModelReading> readings_;
};

}  // namespace amontons::io
