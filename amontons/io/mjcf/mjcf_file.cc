#include "amontons/io/mjcf/mjcf_file.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/mjcf/mjcf_assets.h"
#include "amontons/io/mjcf/mjcf_copy.h"
#include "amontons/io/mjcf/mjcf_expansion.h"
#include "amontons/io/mjcf/mjcf_reference.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the index of the item that an attribute names, or fails with the nearest name.
template <typename Item>
int index_of(const std::vector<Item>& items, MjcfNameIndex& places, const MjcfElement& element,
             const std::string& attribute, const std::string& kind) {
  if (!element.has(attribute)) element.fail("needs the attribute '" + attribute + "'");
  const std::string name = element.text(attribute);
  if (const int place = places.find(items, name); place >= 0) return place;
  std::vector<std::string> names;
  for (const Item& item : items) names.push_back(item.name);
  element.fail(attribute, "names no " + kind + ": '" + name + "'" + did_you_mean(name, names));
}

// Sections whose elements have names. All elements of the second kind of section share theirs.
constexpr const char* kSections[] = {"worldbody",  "asset",  "contact",
                                     "deformable", "custom", "keyframe"};
constexpr const char* kSharedSections[] = {"tendon", "actuator", "sensor", "equality"};

/// Returns where an element lies, seen from another: its line, in its file if that is another one.
std::string place_beside(const SourceLocation& first, const SourceLocation& second) {
  if (first.line <= 0) return "";
  const std::string line = std::to_string(first.line);
  return first.file == second.file ? ", in line " + line : ", in " + first.file + ":" + line;
}

/// Notes the name of an element, which no other of its kind may have.
void add_name(MjcfReader& reader, const std::string& kind, const std::string& name,
              const tinyxml2::XMLElement& element) {
  const auto [first, is_new] = reader.given[kind].try_emplace(name, &element);
  if (is_new) return;
  const MjcfElement second = reader.element(element, "");
  const std::string place =
      place_beside(reader.file.document.place_of(*first->second), second.where());
  const bool has_vowel = std::string_view("aeiou").find(kind[0]) != std::string_view::npos;
  reader.faults.attempt([&] {
    second.fail((has_vowel ? "there is already an " : "there is already a ") + kind +
                " of that name" + place);
  });
}

/// Collects the names of all inside an element. Each name may be given once.
/// @param kind  of its elements; empty: each tag is a kind, and all joints are one.
void collect_names(MjcfReader& reader, const tinyxml2::XMLElement& element,
                   const std::string& kind) {
  for (const tinyxml2::XMLElement* child : reader.file.document.children(element)) {
    const std::string tag = child->Name();
    const std::string own = !kind.empty() ? kind : tag == "freejoint" ? "joint" : tag;
    // Meshes and height fields may have the names of their files.
    const bool is_of_file = tag == "mesh" || tag == "hfield";
    const char* given = child->Attribute("name");
    const std::string name = is_of_file         ? name_of_mjcf_asset(*child)
                             : given != nullptr ? given
                                                : "";
    // What has no name cannot be referred to.
    if (!name.empty()) add_name(reader, own, name, *child);
    collect_names(reader, *child, kind);
  }
}

/// Collects the names of all sections.
void collect_names(MjcfReader& reader) {
  const MjcfDocument& document = reader.file.document;
  for (const char* section : kSections) {
    for (const auto* xml : document.children(document.root(), section)) {
      collect_names(reader, *xml, "");
    }
  }
  for (const char* section : kSharedSections) {
    for (const auto* xml : document.children(document.root(), section)) {
      collect_names(reader, *xml, section);
    }
  }
}

/// Reads what refers to bodies, joints and sites by name.
void read_references(MjcfReader& reader) {
  try {
    read_mjcf_tendons(reader);
    read_mjcf_equality(reader);
    read_mjcf_actuators(reader);
    read_mjcf_sensors(reader);
  } catch (const std::invalid_argument& error) {
    // The inertia of a model, above all of one without some of its geoms, may have no inverse.
    reader.faults.throw_any();
    fail_at(reader.model.links.front().where, error.what());
  }
}

/// Returns true for the name of a part of a soft body: that of a <flexcomp> and a number, or the
/// prefix of a composite and a word such as B_last, S_first, G0 or J0_1_2.
bool is_left_out(const MjcfLeftOut& left_out, const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789") + 1;  // of what is ahead of a number
  const bool has_number = end < name.size();
  if (has_number && end > 0 && name[end - 1] == '_' &&
      left_out.flexcomps.count(name.substr(0, end - 1)) > 0) {
    return true;
  }
  return std::any_of(
      left_out.composite_prefixes.begin(), left_out.composite_prefixes.end(),
      [&](const std::string& prefix) {
        if (!name.starts_with(prefix) || name.size() < prefix.size() + 2) {
          return false;
        }
        const std::string part = name.substr(prefix.size());
        const std::string place = part.substr(1);
        const bool is_place =
            place == "_first" || place == "_last" || place == "center" ||
            (has_number && place.find_first_not_of("0123456789_") == std::string::npos);
        return is_place && std::string_view("BGJST").find(part[0]) != std::string_view::npos;
      });
}

/// Returns the first name of a part of a soft body to which an element or a child of it refers;
/// empty where there is none. A name that the file gives is not that of such a part.
std::string left_out_part(const MjcfReader& reader, const tinyxml2::XMLElement& element) {
  for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string kind = mjcf_reference_kind(element, a->Name());
    if (kind.empty() || reader.gives(kind, a->Value())) continue;
    if (is_left_out(reader.left_out, a->Value())) return a->Value();
  }
  for (const auto* child : reader.file.document.children(element)) {
    std::string part = left_out_part(reader, *child);
    if (!part.empty()) return part;
  }
  return "";
}

}  // namespace

int MjcfReader::find_body(const MjcfElement& element, const std::string& attribute) const {
  return index_of(bodies, places.bodies, element, attribute, "body");
}

bool MjcfReader::leaves_out(const MjcfElement& element, ImportFate fate) const {
  const std::string part = left_out_part(*this, element.xml());
  if (part.empty()) return false;
  element.leave_out(fate, "it names '" + part + "', a part of a soft body, which is not simulated");
  return true;
}

bool MjcfReader::gives(const std::string& tag, const std::string& name) const {
  const auto names = given.find(tag);
  return names != given.end() && names->second.count(name) > 0;
}

std::string MjcfReader::name_in_model(const MjcfElement& element, const std::string& name,
                                      const std::string& ending) const {
  const auto taken = [&](const std::string& candidate) {
    return places.model_joints.find(model.joints, candidate) >= 0 ||
           places.loops.find(model.loops, candidate) >= 0 ||
           places.couplings.find(model.couplings, candidate) >= 0 ||
           places.model_tendons.find(model.tendons, candidate) >= 0;
  };
  std::string result = name;
  while (taken(result)) result += ending;
  if (result != name) {
    element.note(
        "name", ImportFate::Applied,
        "it is called '" + result + "' here, since a joint, tendon or constraint has its name");
  }
  return result;
}

const MjcfJoint& MjcfReader::find_joint(const MjcfElement& element,
                                        const std::string& attribute) const {
  const int place = index_of(joints, places.joints, element, attribute, "joint");
  return joints[static_cast<std::size_t>(place)];
}

const MjcfGeom& MjcfReader::find_geom(const MjcfElement& element,
                                      const std::string& attribute) const {
  const int place = index_of(geoms, places.geoms, element, attribute, "geom");
  return geoms[static_cast<std::size_t>(place)];
}

const MjcfTendon& MjcfReader::find_tendon(const MjcfElement& element,
                                          const std::string& attribute) const {
  const int place = index_of(tendons, places.tendons, element, attribute, "tendon");
  return tendons[static_cast<std::size_t>(place)];
}

const ModelFrame& MjcfReader::find_site(const MjcfElement& element,
                                        const std::string& attribute) const {
  const int place = index_of(model.frames, places.sites, element, attribute, "site");
  return model.frames[static_cast<std::size_t>(place)];
}

const ModelJoint& MjcfReader::joint_of(const MjcfJoint& joint) const {
  return model.joints[static_cast<std::size_t>(joint.index)];
}

int MjcfReader::body_of_link(int link) const {
  // Bodies and their links are in one order, in which massless links of joints lie between.
  const auto own =
      std::lower_bound(bodies.begin(), bodies.end(), link,
                       [](const MjcfBody& body, int wanted) { return body.link < wanted; });
  const bool found = own != bodies.end() && own->link == link;
  return found ? static_cast<int>(own - bodies.begin()) : -1;
}

void read_mjcf(const std::string& text, ImportContext& context, SceneModel& model) {
  MjcfDocument document(text, model.file, context.inputs);
  MjcfDefaults defaults(document);
  MjcfFile file{std::move(document), std::move(defaults), {}};
  // The order matters: settings, then bodies, then what refers to bodies and joints by name.
  MjcfReader reader{file, context, model};
  reader.element(file.document.root(), "");
  read_mjcf_compilers(reader);
  // Copies may have defaults of their own.
  expand_mjcf(reader);
  file.defaults = MjcfDefaults(file.document);
  read_mjcf_options(reader);
  collect_names(reader);
  list_mjcf_assets(reader);
  // Without a body, what names it has no meaning; without a geom it has.
  if (!reader.faults.attempt([&] { read_mjcf_bodies(reader); })) reader.faults.throw_any();
  if (reader.faults.empty()) {
    correct_mjcf_masses(reader);
    set_mjcf_springdampers(reader);
    // Controls of the keyframe must be known when actuators are read.
    read_mjcf_keyframe(reader);
    read_mjcf_contacts(reader);
  }
  read_references(reader);
  reader.faults.throw_any();
  // All readers have recorded the fates by then.
  write_mjcf_ledger(file.document, file.fates, context.ledger);
}

}  // namespace amontons::io
