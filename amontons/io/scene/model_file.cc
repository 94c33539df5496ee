#include "amontons/io/scene/model_file.h"

#include "amontons/io/mjcf/mjcf_file.h"
#include "amontons/io/sdf/sdf_file.h"
#include "amontons/io/urdf/urdf_file.h"
#include "amontons/io/xml/xml_walk.h"

#include <tinyxml2.h>

#include <utility>

namespace amontons::io {
namespace {

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
  if (root == "sdf" || root == "gazebo") {
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
    // Anything else is read as URDF, whose errors say what is missing.
    read_urdf(text, context, model);
  }
  return {std::move(model)};
}

}  // namespace amontons::io
