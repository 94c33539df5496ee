#pragma once

#include "amontons/io/import/model_visuals.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Adds what the links of a robot draw: shapes and mesh files, with their colors. A <visual> that
/// is malformed is left out, since looks are no reason to refuse a robot.
/// @param model_file  name of the file, relative to the scene.
/// @param model       name of the model in the scene.
void read_urdf_visuals(const tinyxml2::XMLElement& robot, const std::string& model_file,
                       const std::string& model, InputFiles& inputs, ModelVisuals& visuals);

/// Says in the ledger which mesh files of <visual>s are not there.
/// @param model_file, file  name of the file, relative to the scene and in the ledger.
void note_missing_urdf_looks(const tinyxml2::XMLElement& robot, const std::string& model_file,
                             const std::string& file, const InputFiles& inputs,
                             ImportLedger& ledger);

}  // namespace amontons::io
