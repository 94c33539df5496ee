#include "amontons/io/model_file.h"

#include "amontons/io/mjcf_file.h"
#include "amontons/io/urdf_file.h"
#include "amontons/io/yaml_reader.h"

#include <tinyxml2.h>

namespace amontons::io {
namespace {

/// Name of the first element of an XML text, or nothing.
std::string root_element(const std::string& text) {
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  const tinyxml2::XMLElement* root = document.Error() ? nullptr : document.RootElement();
  return root ? root->Name() : "";
}

}  // namespace

void read_model_file(const std::string& text, ImportContext& context,
                     const SourceLocation& named_at, SceneModel& model) {
  const std::string root = root_element(text);
  if (root == "mujoco") return read_mjcf(text, context, model);
  if (root == "sdf") {
    fail_at(named_at, "'" + context.inputs.shown_name(model.file) +
                          "' is an SDF file; that is not available in this version, convert it to "
                          "URDF");
  }
  read_urdf(text, context, model);
}

}  // namespace amontons::io
