#include "amontons/io/common/parse_error.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/io/mjcf/mjcf_rules.h"

#include <utility>

// What geoms look like.

namespace amontons::io {
namespace {

/// Is the last group of geoms that MuJoCo's viewer draws unless told otherwise.
constexpr int kLastDrawnGroup = 2;

/// Returns the color of a geom: its own, or that of its material; none where neither gives one.
std::optional<Rgba> color_of(MjcfReader& reader, const MjcfElement& geom) {
  if (geom.has("rgba")) return visual_color(geom.text("rgba").c_str());
  if (!geom.has("material")) return std::nullopt;
  const std::string name = geom.text("material");
  for (const tinyxml2::XMLElement* xml : reader.file.document.section("asset")) {
    const char* own = xml->Attribute("name");
    if (std::string(xml->Name()) != "material" || own == nullptr || own != name) continue;
    const MjcfElement material = reader.element(*xml, MjcfDefaults::kMain);
    if (material.has("rgba")) return visual_color(material.text("rgba").c_str());
  }
  return std::nullopt;
}

/// Says in the ledger that the replay draws a geom and its mesh, or that the mesh is missing.
void note_look(MjcfReader& reader, const MjcfElement& geom, const std::string& type) {
  const MjcfDocument& document = reader.file.document;
  std::string look(kMjcfDrawn);
  if (type == "mesh" || type == "sdf") {
    const MjcfElement mesh = find_mjcf_mesh(reader, geom);
    if (!has_mjcf_mesh_file(reader, mesh)) look = missing_look(mesh.text("file"));
    reader.file.fates.set_look(&document.origin(mesh.xml()), look);
    const auto* named = geom.xml().FindAttribute("mesh");
    const auto* origin = named != nullptr ? document.origin(geom.xml(), *named) : nullptr;
    if (origin != nullptr) reader.file.fates.set_look(origin, look);
  }
  if (look == kMjcfDrawn) reader.file.fates.set_look(&document.origin(geom.xml()), look);
}

/// Adds the look of a geom, in the frame X_BP of its body.
void add_visual(MjcfReader& reader, const MjcfItem& item, const std::string& link) {
  const MjcfElement& geom = item.element;
  const std::string type = geom.text("type", "sphere");
  // Planes and terrain are drawn as they collide.
  if (type == "plane" || type == "hfield") return;
  if (geom.integer("group", 0) > kLastDrawnGroup) return;
  ModelVisual part;
  part.link = link;
  part.color = color_of(reader, geom);
  if (part.color && part.color->back() == 0.0F) return;  // invisible
  note_look(reader, geom, type);
  if (reader.context.visuals == nullptr) return;
  if (type == "mesh" || type == "sdf") {
    add_mjcf_mesh_visual(reader, geom, item.X_BP, std::move(part));
    return;
  }
  Pose X_PG;
  const MjcfShape shape = read_mjcf_shape(reader, geom, type, link, X_PG);
  if (shape.shapes.empty()) return;
  part.X_LV = item.X_BP * X_PG * shape.X_GS;
  part.shape = shape.shapes.front();
  reader.context.visuals->parts.push_back(std::move(part));
}

}  // namespace

void add_mjcf_visual(MjcfReader& reader, const MjcfItem& geom, const std::string& link) {
  // Looks have had no effect of their own, and are no reason to refuse a model.
  reader.file.fates.set_paused(true);
  try {
    add_visual(reader, geom, link);
  } catch (const ParseError&) {
    // What the geom is without its look, another part of the reader says.
  }
  reader.file.fates.set_paused(false);
}

}  // namespace amontons::io
