#include "amontons/io/mjcf/sensors/mjcf_sensor_objects.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// <sensor><contact>: which contacts are reported, and what of each.

namespace amontons::io {
namespace {

/// Names the fields of a contact in the order in which they are reported.
constexpr std::pair<const char*, bool SensorContacts::*> kFields[] = {
    {"found", &SensorContacts::found},     {"force", &SensorContacts::force},
    {"torque", &SensorContacts::torque},   {"dist", &SensorContacts::distance},
    {"pos", &SensorContacts::position},    {"normal", &SensorContacts::normal},
    {"tangent", &SensorContacts::tangent},
};

/// Reads which fields are reported. @throws ParseError for words that are no fields, or out of
/// order.
void read_fields(const MjcfElement& element, SensorContacts& contacts) {
  if (!element.has("data")) return;
  contacts.found = false;
  std::istringstream words(element.text("data"));
  const auto* next = std::begin(kFields);
  for (std::string word; words >> word;) {
    next = std::find_if(next, std::end(kFields),
                        [&](const auto& field) { return field.first == word; });
    if (next == std::end(kFields)) {
      element.fail("data",
                   "'" + word +
                       "' is no field, or is given twice or out of order: the fields are found, "
                       "force, torque, dist, pos, normal and tangent");
    }
    contacts.*next->second = true;
    ++next;
  }
  const auto is_asked = [&](const auto& field) { return contacts.*field.second; };
  if (std::none_of(std::begin(kFields), std::end(kFields), is_asked)) {
    element.fail("data", "it names no field");
  }
}

/// Returns true if a body is another one, or is carried by it.
bool is_carried(const MjcfReader& reader, int body, int carrier) {
  while (body != carrier && body >= 0) body = reader.bodies[static_cast<std::size_t>(body)].parent;
  return body == carrier;
}

/// Returns the shapes of the geoms that a condition holds for.
template <typename Condition>
std::vector<SensorShapes> shapes_of(const MjcfReader& reader, const Condition& condition) {
  std::vector<SensorShapes> shapes;
  for (const MjcfGeom& geom : reader.geoms) {
    if (geom.index < 0 || !condition(geom)) continue;
    shapes.push_back({link_of_body(reader, geom.body).name, geom.index, geom.num_shapes});
  }
  return shapes;
}

/// Reads what must touch on one side.
/// @param number  "1" or "2".
void read_side(MjcfReader& reader, const MjcfElement& element, const std::string& number,
               SensorContacts& contacts) {
  const std::string geom = "geom" + number, body = "body" + number, subtree = "subtree" + number;
  std::vector<std::string> given;
  for (const std::string& attribute : {geom, body, subtree, std::string("site")}) {
    const bool is_of_side = attribute != "site" || number == "1";
    if (is_of_side && element.has(attribute)) given.push_back(attribute);
  }
  if (given.size() > 1) {
    element.fail(given[1], "it stands beside '" + given[0] + "': give one of them");
  }
  if (given.empty()) return;
  std::optional<std::vector<SensorShapes>>& side = contacts.sides[number == "1" ? 0 : 1];
  if (given[0] == "site") {
    contacts.volume = reader.find_site(element, "site").name;
  } else if (given[0] == geom) {
    require_mjcf_name(reader, element, "geom", geom);
    const std::string name = element.text(geom);
    side = shapes_of(reader, [&](const MjcfGeom& own) { return own.name == name; });
  } else if (given[0] == body) {
    const int index = reader.find_body(element, body);
    side = shapes_of(reader, [&](const MjcfGeom& own) { return own.body == index; });
  } else {
    const int index = reader.find_body(element, subtree);
    side =
        shapes_of(reader, [&](const MjcfGeom& own) { return is_carried(reader, own.body, index); });
  }
}

}  // namespace

const char* find_sensor_contacts(MjcfReader& reader, const MjcfElement& element,
                                 ModelSensor& sensor) {
  SensorContacts& contacts = sensor.contacts;
  read_side(reader, element, "1", contacts);
  read_side(reader, element, "2", contacts);
  read_fields(element, contacts);
  const std::string reduce =
      element.word("reduce", {"none", "mindist", "maxforce", "netforce"}, "none");
  contacts.choice = reduce == "mindist"    ? ContactChoice::Nearest
                    : reduce == "maxforce" ? ContactChoice::Strongest
                    : reduce == "netforce" ? ContactChoice::Sum
                                           : ContactChoice::InOrder;
  contacts.places = element.integer("num", 1);
  if (contacts.places < 1) element.fail("num", "it must be at least 1");
  element.note(ImportFate::Applied, "it counts shapes that touch, and the tangents are ours");
  return nullptr;
}

}  // namespace amontons::io
