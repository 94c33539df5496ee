#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Reads one frame: its name, its body, and its pose in it.
void read_frame(SceneReader& reader, const YamlValue& value) {
  const YamlValue* name = value.find("name");
  const std::string what = name ? "frame '" + read_text(*name, "name of a frame") + "'" : "a frame";
  const MapReader map(value, what, scene_map("frame"));
  SceneFrame frame;
  frame.where = value.where;
  frame.name = read_text(map.required("name"), "name of a frame");
  if (frame.name.find('/') != std::string::npos) {
    fail_at(map.where("name"), "the name of a frame has no '/': it would be that of a model");
  }
  // Programs take either name where a frame is asked for.
  const std::vector<std::string> bodies = body_names(reader.scene);
  const auto taken = [&](const SceneFrame& other) { return other.name == frame.name; };
  if (std::find(bodies.begin(), bodies.end(), frame.name) != bodies.end() ||
      std::any_of(reader.scene.frames.begin(), reader.scene.frames.end(), taken)) {
    fail_at(map.where("name"), "there is already a body or frame '" + frame.name + "'");
  }
  frame.body =
      read_body_or_frame(reader, map.required("body"), map.name_of("body"), "", frame.X_BF);
  if (const YamlValue* pose = map.find("pose")) {
    frame.X_BF = frame.X_BF * read_pose(*pose, map.name_of("pose"));
  }
  reader.note(ImportFate::Applied, what, "", value.where);
  reader.scene.frames.push_back(std::move(frame));
}

}  // namespace

std::string read_body_or_frame(const SceneReader& reader, const YamlValue& value,
                               const std::string& what, const std::string& also, Pose& X_BF) {
  // A link has precedence over a frame of its name.
  std::vector<std::string> names = body_names(reader.scene);
  const std::size_t num_bodies = names.size();
  std::vector<std::pair<std::string, Pose>> links;
  for (const SceneModel& model : reader.scene.models) {
    for (const ModelFrame& frame : model.frames) {
      names.push_back(model.name + "/" + frame.name);
      const ModelLink& link = model.links[static_cast<std::size_t>(frame.link)];
      links.emplace_back(model.name + "/" + link.name, frame.X_LF);
    }
  }
  const std::string name = read_name(value, what, names, also);
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::size_t>(found - names.begin());
  if (found == names.end() || index < num_bodies) return name;
  X_BF = links[index - num_bodies].second;
  return links[index - num_bodies].first;
}

void read_frames(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "frames")) read_frame(reader, item);
}

}  // namespace amontons::io
