#include "amontons/io/sdf/sdf_file.h"

#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdf_model.h"
#include "amontons/io/sdf/sdformat_call.h"

#include <utility>

namespace amontons::io {

std::vector<SceneModel> read_sdf(const std::string& text, ImportContext& context,
                                 const SceneModel& prototype) {
  SdfDocument document(text, prototype.file, context);
  const SdfWorld world = resolve_with_sdformat(document);
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
