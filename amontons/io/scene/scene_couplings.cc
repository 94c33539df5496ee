#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Reads one coupling: q(joint) = multiplier * q(reference) + offset.
void read_coupling(SceneReader& reader, const YamlValue& value) {
  const YamlValue* name = value.find("name");
  const std::string what =
      name ? "coupling '" + read_text(*name, "name of a coupling") + "'" : "a coupling";
  const MapReader map(value, what, scene_map("coupling"));
  JointCoupling coupling;
  coupling.where = value.where;
  coupling.name = read_text(map.required("name"), "name of a coupling");
  // Couplings and joints share one space of names, since both name rows of J in a run.
  const auto taken = [&](const auto& other) { return other.name == coupling.name; };
  if (std::any_of(reader.scene.couplings.begin(), reader.scene.couplings.end(), taken) ||
      std::any_of(reader.scene.joints.begin(), reader.scene.joints.end(), taken)) {
    fail_at(map.where("name"), "there is already a joint or coupling '" + coupling.name + "'");
  }
  // The coupling is one row of J between two joints of one coordinate each.
  coupling.joint = read_scalar_joint(reader, map.required("joint"), map.name_of("joint"));
  coupling.curve.multiplier = map.number("multiplier", 1.0);
  coupling.curve.offset = map.number("offset", 0.0);
  if (const YamlValue* reference = map.find("reference")) {
    coupling.reference = read_scalar_joint(reader, *reference, map.name_of("reference"));
    if (coupling.reference == coupling.joint) {
      fail_at(reference->where, what + " couples joint '" + coupling.joint + "' to itself");
    }
  } else if (map.has("multiplier")) {
    // Without a reference the row keeps the joint at `offset`, and a multiplier would multiply
    // nothing.
    fail_at(map.where("multiplier"), what +
                                         ": 'multiplier' needs a 'reference'; without one the "
                                         "joint is held at 'offset'");
  }
  reader.note(ImportFate::Applied, what, "", value.where);
  reader.scene.couplings.push_back(std::move(coupling));
}

}  // namespace

void read_couplings(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "couplings")) read_coupling(reader, item);
}

}  // namespace amontons::io
