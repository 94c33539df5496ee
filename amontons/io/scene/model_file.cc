#include "amontons/io/scene/model_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/file_ending.h"
#include "amontons/io/mjcf/mjcf_file.h"
#include "amontons/io/sdf/sdf_file.h"
#include "amontons/io/urdf/urdf_file.h"
#include "amontons/io/xml/xml_walk.h"

#include <tinyxml2.h>

#include <utility>

namespace amontons::io {
namespace {

/// Returns true for a file that should be SDF by the ending of its name, in any case.
bool has_sdf_ending(const std::string& file) {
  const std::string ending = file_ending(file);
  return ending == ".sdf" || ending == ".world";
}

/// Holds the first element of an XML text.
struct Root {
  std::string name = {};  ///< empty for a text that is not XML
  int line = 0;
};

Root root_element(const std::string& text, const std::string& file) {
  tinyxml2::XMLDocument document;
  parse_leniently(text, file, document);
  const tinyxml2::XMLElement* root = document.Error() ? nullptr : document.RootElement();
  return root != nullptr ? Root{root->Name(), root->GetLineNum()} : Root{};
}

}  // namespace

std::vector<SceneModel> read_model_file(const std::string& text, ImportContext& context,
                                        const SceneModel& prototype) {
  // The format follows from the root element, since .xml may be any of them.
  const auto [root, line] = root_element(text, context.inputs.shown_name(prototype.file));
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
  } else if (root == "robot" || root.empty()) {
    // A text that is not XML is read as URDF, too, which says what is wrong with it.
    read_urdf(text, context, model);
  } else {
    fail_at({context.inputs.shown_name(model.file), line, 0},
            "<" + root +
                "> is the root element of no model: URDF has <robot>, SDF has <sdf>, MJCF "
                "has <mujoco>");
  }
  return {std::move(model)};
}

}  // namespace amontons::io
