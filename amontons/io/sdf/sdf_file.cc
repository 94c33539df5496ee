#include "amontons/io/sdf/sdf_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdf_model.h"
#include "amontons/io/sdf/sdf_plain.h"
#include "amontons/io/sdf/sdf_world_joints.h"
#include "amontons/io/sdf/sdformat_call.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace amontons::io {
namespace {

/// Names the parts of joined models as those of others: MODEL/LINK.
void name_joined_parts(SdfModel& joined) {
  const auto rename = [](std::string& name) {
    const std::size_t end = name.find("::");
    if (end != std::string::npos) name.replace(end, 2, "/");
  };
  for (SdfLink& link : joined.links) rename(link.name);
  for (SdfJoint& joint : joined.joints) {
    rename(joint.name);
    rename(joint.gear_reference);
    for (SdfAxis* axis : {&joint.axis, &joint.axis2}) {
      if (axis->mimic) rename(axis->mimic->joint);
    }
  }
}

/// Returns the models of a document. Plain ones are read here, all others by libsdformat, and the
/// settings of a world as well.
SdfWorld resolve(SdfDocument& document) {
  std::optional<PlainModels> plain = read_plain_models(document);
  std::set<std::size_t> read_here;
  for (std::size_t i = 0; plain && i < plain->models.size(); ++i) {
    if (plain->models[i]) read_here.insert(i);
  }
  if (read_here.empty()) return resolve_with_sdformat(document, document.main().text);
  SdfWorld world;
  if (plain->is_world) world = resolve_with_sdformat(document, document.text_without(read_here));
  // Both kinds of models keep the order of the file.
  auto other = world.models.begin();
  std::vector<SdfModel> models;
  for (std::optional<SdfModel>& model : plain->models) {
    if (model) models.push_back(std::move(*model));
    if (!model && other != world.models.end()) models.push_back(std::move(*other++));
  }
  world.models = std::move(models);
  return world;
}

/// Warns of a file without a model. @throws ParseError for one that holds nothing else, either.
void note_without_models(const SdfDocument& document, ImportLedger& ledger) {
  const tinyxml2::XMLElement& root = *document.main().original->RootElement();
  const SourceLocation where{document.main().shown, root.GetLineNum(), 0};
  if (root.FirstChildElement() == nullptr) fail_at(where, "the file holds no <model>");
  ledger.add(ImportFate::Warning, "<sdf>", "the file holds no <model>: nothing moves", where);
}

/// Returns the settings of a URDF file that a world includes.
SceneModel robot_of(const IncludedRobot& robot, const SdfDocument& document,
                    const SdfContents& contents, const SceneModel& prototype) {
  const SourceLocation where{document.main().shown, robot.include->GetLineNum(), 0};
  SceneModel result = prototype;
  result.name += "/" + robot.name;
  result.file = robot.key;
  const auto is_taken = [&](const SceneModel& other) { return other.name == result.name; };
  if (robot.name.empty() || std::any_of(contents.models.begin(), contents.models.end(), is_taken) ||
      std::any_of(contents.robots.begin(), contents.robots.end(), is_taken)) {
    fail_at(where, "the included robot needs a <name> of its own: '" + robot.name + "' is taken");
  }
  const std::optional<Pose> pose = plain_pose(*robot.include);
  if (!pose) fail_at(where, "the pose of an included robot must be six numbers, in the world");
  result.pose = prototype.pose * *pose;
  const tinyxml2::XMLElement* is_static = robot.include->FirstChildElement("static");
  if (is_static != nullptr && is_static->BoolText()) result.base = BaseType::Fixed;
  return result;
}

}  // namespace

SdfContents read_sdf(const std::string& text, ImportContext& context, const SceneModel& prototype) {
  SdfDocument document(text, prototype.file, context);
  SdfWorld world = resolve(document);
  for (SdfModel& model : world.models) {
    if (model.name == kJoinedModels) name_joined_parts(model);
  }
  if (world.models.empty() && document.robots().empty()) {
    note_without_models(document, context.ledger);
  }
  // Static models may hold frames alone: nothing to simulate.
  std::erase_if(world.models, [](const SdfModel& model) { return model.links.empty(); });
  // A world sets gravity [m/s^2] and step [s], a file of one model does not.
  if (world.is_world) {
    context.world.gravity = world.gravity;
    if (world.step > 0.0) context.world.step = world.step;
  }
  context.world.friction = 1.0;  // the format's own, where a collision gives none
  // Models of a world get names of two parts.
  SdfShapes shapes(document, context);
  SdfContents contents;
  FaultList faults;
  for (const SdfModel& source : world.models) {
    SceneModel one = prototype;
    const bool is_joined = source.name == kJoinedModels;
    if (world.is_world && !is_joined) one.name += "/" + source.name;
    faults.attempt([&] { contents.models.push_back(make_sdf_model(source, one, shapes)); });
  }
  faults.throw_any();
  for (const IncludedRobot& robot : document.robots()) {
    contents.robots.push_back(robot_of(robot, document, contents, prototype));
  }
  return contents;
}

}  // namespace amontons::io
