#include "amontons/io/sdf/sdf_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdf_model.h"
#include "amontons/io/sdf/sdf_plain.h"
#include "amontons/io/sdf/sdformat_call.h"

#include <optional>
#include <set>
#include <utility>

namespace amontons::io {
namespace {

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

}  // namespace

std::vector<SceneModel> read_sdf(const std::string& text, ImportContext& context,
                                 const SceneModel& prototype) {
  SdfDocument document(text, prototype.file, context);
  const SdfWorld world = resolve(document);
  if (world.models.empty()) {
    fail_at({document.main().shown, document.main().original->RootElement()->GetLineNum(), 0},
            "the file holds no <model>");
  }
  // A world sets gravity [m/s^2] and step [s], a file of one model does not.
  if (world.is_world) {
    context.world.gravity = world.gravity;
    if (world.step > 0.0) context.world.step = world.step;
  }
  context.world.friction = 1.0;  // the format's own, where a collision gives none
  // Models of a world get names of two parts.
  SdfShapes shapes(document, context);
  std::vector<SceneModel> models;
  for (const SdfModel& source : world.models) {
    SceneModel one = prototype;
    if (world.is_world) one.name += "/" + source.name;
    models.push_back(make_sdf_model(source, one, shapes));
  }
  return models;
}

}  // namespace amontons::io
