#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"

#include <stdexcept>
#include <string>
#include <vector>

// Controls of the muscles of models.

namespace amontons::io {
namespace {

/// Returns the names of all muscles as model/muscle.
std::vector<std::string> muscle_names(const Scene& scene) {
  std::vector<std::string> names;
  for (const SceneModel& model : scene.models) {
    for (const JointMuscle& muscle : model.muscles) {
      names.push_back(model.name + "/" + muscle.name);
    }
  }
  return names;
}

/// Returns the muscle of that name, which exists.
JointMuscle& muscle_named(Scene& scene, const std::string& name) {
  for (SceneModel& model : scene.models) {
    for (JointMuscle& muscle : model.muscles) {
      if (model.name + "/" + muscle.name == name) return muscle;
    }
  }
  throw std::logic_error("a name of muscle_names() has a muscle");
}

}  // namespace

void read_muscle_actuator(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "an actuator of a muscle", scene_map("actuator of a muscle"));
  const std::string name =
      read_name(map.required("muscle"), "muscle of an actuator", muscle_names(reader.scene));
  JointMuscle& muscle = muscle_named(reader.scene, name);
  if (muscle.table) {
    fail_at(map.where("muscle"), "the activation of muscle '" + name +
                                     "' is filtered or integrated; its file alone commands it");
  }
  // Its activation starts as the file says.
  const double start = muscle.controls.front().activation;
  const YamlValue& control = map.required("control");
  const std::string what = "control of muscle '" + name + "'";
  if (control.kind == YamlValue::Kind::Map) {
    const MapReader table(control, what, scene_map("control over time"));
    const TimedColumn column = read_timed_column(reader, table, "table", name);
    set_controls(muscle, start, column.times, column.values);
  } else {
    set_controls(muscle, start, {0.0}, {read_number(control, what)});
  }
  reader.note(ImportFate::Applied, "actuator of muscle '" + name + "'", "", value.where);
}

}  // namespace amontons::io
