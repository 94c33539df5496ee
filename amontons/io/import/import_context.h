#pragma once

#include "amontons/io/common/input_files.h"
#include "amontons/io/import/mesh_choice.h"
#include "amontons/io/import/mesh_shape.h"
#include "amontons/io/import/model_visuals.h"
#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds what a robot or world file says of the whole scene. It counts where the file is the scene
/// (as in `lint`); a scene that names the file has settings of its own.
struct WorldSettings {
  std::optional<Eigen::Vector3d> gravity;  ///< [m/s^2]
  std::optional<double> step;              ///< [s]
  std::optional<double> friction;  ///< coefficient where the file gives none: the format's own
  /// Links "model/link" whose mass follows from a density per area, so that it says nothing beside
  /// the volume of their shapes.
  std::set<std::string> shells = {};
};

/// Holds what the reader of a robot file needs from the scene that names it.
struct ImportContext {
  InputFiles& inputs;
  MeshShapes& meshes;
  ImportLedger& ledger;
  std::vector<Material>& materials;  ///< materials of the scene; a reader may add its own
  std::vector<MaterialPair>& material_pairs;
  WorldSettings& world;
  const ModelMeshChoices& collide;  ///< how meshes of links collide, where the scene says it
  /// Names the keyframe that is the start, if the scene does.
  std::optional<std::string> keyframe = {};
  /// Gives links without an inertia that of their collision shapes [kg/m^3], if the scene does.
  std::optional<double> density = {};
  ModelVisuals* visuals = nullptr;  ///< receives what the file draws; null: nobody asks for it
};

}  // namespace amontons::io
