#pragma once

#include "amontons/geometry/shapes/shape.h"
#include "amontons/io/common/input_files.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <Eigen/Core>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds red, green, blue and opacity, each in [0, 1] (sRGB).
using Rgba = std::array<float, 4>;

/// Holds a part of what a model's file draws of a link: a shape, or a mesh file.
struct ModelVisual {
  std::string link;                                 ///< "model/link"
  Pose X_LV;                                        ///< frame of the part in the link
  std::optional<Shape> shape = {};                  ///< none: a mesh file
  std::string mesh = {};                            ///< its name in ModelVisuals::files
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< factors of the mesh's coordinates [m]
  std::optional<Rgba> color = {};                   ///< none: that of the mesh file, or any
};

/// Holds what the files of models draw. It has no effect on motion.
struct ModelVisuals {
  std::vector<ModelVisual> parts;
  /// Holds mesh files, and the files that these name, by the names under which the scene records
  /// them.
  std::map<std::string, std::string> files;
  std::vector<std::string> missing;  ///< mesh files that cannot be read, as they are named
};

/// Adds a part that is drawn by a mesh file. Files of materials and buffers that the mesh names
/// are read, too. All are recorded as inputs of the scene. One that cannot be read is missing.
/// @param uri, model_file  as for InputFiles::read_model_file_text().
void add_mesh_visual(ModelVisual part, const std::string& uri, const std::string& model_file,
                     InputFiles& inputs, ModelVisuals& visuals);

/// Says in the ledger's entry of a mesh that its file is not there, so that the replay does not
/// draw it. The entry of one that is there stays as it is.
/// @param uri, model_file  as for InputFiles::read_model_file_text().
/// @param element  the name of the element in the ledger, which has an entry for it.
void note_missing_look(const std::string& uri, const std::string& model_file,
                       const InputFiles& inputs, const std::string& element,
                       const SourceLocation& where, ImportLedger& ledger);

/// Returns the reason of the ledger for looks whose mesh file is not there.
std::string missing_look(const std::string& uri);

/// Returns the numbers of a text, separated by blanks; none if one of them is malformed, or if
/// there are not `count`.
std::vector<double> visual_numbers(const char* text, std::size_t count);

/// Returns the color of a text of three or four numbers; none for any other text.
std::optional<Rgba> visual_color(const char* text);

}  // namespace amontons::io
