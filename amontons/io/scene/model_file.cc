#include "amontons/io/scene/model_file.h"

#include "amontons/io/mjcf/mjcf_file.h"
#include "amontons/io/sdf/sdf_file.h"
#include "amontons/io/urdf/urdf_file.h"
#include "amontons/io/xml/xml_walk.h"

#include <tinyxml2.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

namespace amontons::io {
namespace {

/// Returns true for a file that should be SDF by the ending of its name, in any case.
bool has_sdf_ending(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".sdf" || ending == ".world";
}

/// Returns the name of the first element of an XML text, or nothing if it is not XML.
std::string root_element(const std::string& text) {
  tinyxml2::XMLDocument document;
  parse_leniently(text, document);
  const tinyxml2::XMLElement* root = document.Error() ? nullptr : document.RootElement();
  return root ? root->Name() : "";
}

}  // namespace

std::vector<SceneModel> read_model_file(const std::string& text, ImportContext& context,
                                        const SceneModel& prototype) {
  // The format follows from the root element, since .xml may be any of them.
  const std::string root = root_element(text);
  const bool is_other = root.empty() || root == "robot" || root == "mujoco";
  if (root == "sdf" || root == "gazebo" || (!is_other && has_sdf_ending(prototype.file))) {
    SdfContents contents = read_sdf(text, context, prototype);
    for (SceneModel& robot : contents.robots) {
      const std::string& urdf =
          has_scheme(robot.file)
              ? context.inputs.read_model_file_text(robot.file, prototype.file, prototype.where)
              : context.inputs.read(robot.file, prototype.where);
      read_urdf(urdf, context, robot);
      contents.models.push_back(std::move(robot));
    }
    return std::move(contents.models);
  }
  SceneModel model = prototype;
  if (root == "mujoco") {
    read_mjcf(text, context, model);
  } else {
    // Any other file is read as URDF, whose errors say what is missing.
    read_urdf(text, context, model);
  }
  return {std::move(model)};
}

}  // namespace amontons::io
