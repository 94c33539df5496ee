#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/name_pattern.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <functional>

namespace amontons::io {
namespace {

/// Holds a joint, a joint that closes a loop, or a tendon of a model, along which forces act.
struct ForceElement {
  std::string name;                    ///< as the item of `models` calls it
  JointType type = JointType::Fixed;   ///< tendons: prismatic, one length
  bool has_coordinate = true;          ///< false: rows of J, which have no place for a rotor
  JointDynamics* dynamics = nullptr;   ///< its numbers
  JointDynamics* dynamics2 = nullptr;  ///< those of the second axis of a universal joint, or null
};

/// Holds a link of a model.
struct NamedLink {
  std::string name;  ///< as the item of `models` calls it
  ModelLink* link = nullptr;
};

/// Returns what the names of a model's parts begin with: nothing, or "model/" where the file holds
/// several models.
std::string prefix_of(const SceneModel& model, const std::string& name) {
  return model.name == name ? "" : model.name.substr(name.size() + 1) + "/";
}

/// Returns the joints, loops and tendons of models.
std::vector<ForceElement> force_elements(std::vector<SceneModel>& models, const std::string& name) {
  std::vector<ForceElement> elements;
  for (SceneModel& model : models) {
    const std::string prefix = prefix_of(model, name);
    for (ModelJoint& joint : model.joints) {
      JointDynamics* second = joint.type == JointType::Universal ? &joint.dynamics2 : nullptr;
      elements.push_back({prefix + joint.name, joint.type, true, &joint.dynamics, second});
    }
    for (ModelLoop& loop : model.loops) {
      elements.push_back({prefix + loop.name, loop.type, false, &loop.dynamics});
    }
    for (ModelTendon& tendon : model.tendons) {
      elements.push_back({prefix + tendon.name, JointType::Prismatic, false, &tendon.dynamics});
    }
  }
  return elements;
}

/// Returns true if a key of `model_joint` has a meaning for an element.
bool takes(const ForceElement& element, const std::string& key) {
  const JointType type = element.type;
  if (key == "limits" || key == "limit_restitution") {
    return type == JointType::Revolute || type == JointType::Prismatic || type == JointType::Screw;
  }
  if (key == "armature") return element.has_coordinate && num_velocities(type) > 0;
  if (key == "viscous_friction") return num_velocities(type) > 0;
  if (key == "stiffness") return num_velocities(type) == 1 || type == JointType::Universal;
  return num_velocities(type) == 1;  // coulomb_friction, rest_position
}

/// Returns which elements take a key, for an error.
std::string takers(const std::string& key) {
  if (key == "limits" || key == "limit_restitution") {
    return "only revolute, prismatic and screw joints and tendons have limits";
  }
  if (key == "armature") return "only joints that move and close no loop have a rotor";
  if (key == "viscous_friction") return "only joints that move and tendons have it";
  return "only joints of one coordinate and tendons have it" +
         std::string(key == "stiffness" ? ", and universal joints" : "");
}

/// Returns how the ledger shows numbers.
std::string shown(const std::vector<double>& numbers) {
  if (numbers.size() == 1) return rounded_text(numbers[0]);
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "[" : ", ") + rounded_text(number);
  return text + "]";
}

/// Notes that the scene replaces numbers of a file.
void note_replaced(SceneReader& reader, const MapReader& map, const std::string& key,
                   const std::string& element, const std::vector<double>& old) {
  reader.note(ImportFate::Applied, element + ": " + key,
              old.empty() ? "the file gives none" : "in place of " + shown(old) + " of the file",
              map.where(key));
}

/// Reads the limits of an element, [lower, upper].
void read_limits(SceneReader& reader, const MapReader& map, const std::string& what,
                 JointDynamics& dynamics) {
  if (map.has("limits")) {
    std::vector<double> old;
    if (dynamics.limits) old = {(*dynamics.limits)[0], (*dynamics.limits)[1]};
    const std::vector<double> limits =
        old.empty() ? read_numbers(map.required("limits"), map.name_of("limits"), 2)
                    : map.numbers("limits", old);
    if (limits[0] > limits[1]) {
      fail_at(map.where("limits"), map.name_of("limits") + " must be [lower, upper]");
    }
    dynamics.limits = {{limits[0], limits[1]}};
    note_replaced(reader, map, "limits", what, old);
  }
  if (map.has("limit_restitution")) {
    if (!dynamics.limits) {
      fail_at(map.where("limit_restitution"),
              what + " has no limits, so that it has no restitution of limits; give 'limits'");
    }
    const double old = dynamics.limit_restitution;
    dynamics.limit_restitution =
        read_within(map.required("limit_restitution"), map.name_of("limit_restitution"), 0.0, 1.0);
    note_replaced(reader, map, "limit_restitution", what, {old});
  }
}

/// Replaces the numbers of an element by those that the map gives, as far as it takes them.
void change_element(SceneReader& reader, const MapReader& map, const ForceElement& element) {
  const std::string what = "joint '" + element.name + "'";
  JointDynamics& dynamics = *element.dynamics;
  if (takes(element, "limits")) read_limits(reader, map, what, dynamics);
  struct Number {
    const char* key;
    double JointDynamics::*field;
  };
  for (const Number& number : {Number{"coulomb_friction", &JointDynamics::coulomb_friction},
                               {"viscous_friction", &JointDynamics::viscous_friction},
                               {"stiffness", &JointDynamics::stiffness},
                               {"armature", &JointDynamics::armature}}) {
    if (!map.has(number.key) || !takes(element, number.key)) continue;
    const double old = dynamics.*number.field;
    dynamics.*number.field = read_non_negative(map.required(number.key), map.name_of(number.key));
    // Both axes of a universal joint get the same.
    if (element.dynamics2 != nullptr) element.dynamics2->*number.field = dynamics.*number.field;
    note_replaced(reader, map, number.key, what, {old});
  }
  if (!map.has("rest_position") || !takes(element, "rest_position")) return;
  if (!map.has("stiffness") && dynamics.stiffness == 0.0) {
    fail_at(map.where("rest_position"),
            what + " has no spring; 'rest_position' is that of a spring and needs 'stiffness'");
  }
  const double old = dynamics.rest_position;
  dynamics.rest_position = map.number("rest_position", old);
  note_replaced(reader, map, "rest_position", what, {old});
}

/// Reads one item of the map `joints`.
/// @param matching  the elements of its name or pattern.
void read_model_joint(SceneReader& reader, const MapReader& map,
                      const std::vector<ForceElement>& matching) {
  // Each key must mean something to one of the elements.
  for (const YamlValue::Key& key : map.value().keys) {
    const auto has_meaning = [&](const ForceElement& one) { return takes(one, key.text); };
    if (std::any_of(matching.begin(), matching.end(), has_meaning)) continue;
    fail_at(key.where, map.what() + " takes no '" + key.text + "': " + takers(key.text));
  }
  for (const ForceElement& element : matching) change_element(reader, map, element);
}

/// Reads one item of the map `links`.
/// @param matching  the links of its name or pattern.
void read_model_link(SceneReader& reader, const MapReader& map,
                     const std::vector<NamedLink>& matching) {
  for (const NamedLink& named : matching) {
    const std::string what = "link '" + named.name + "'";
    SpatialInertia& inertia = named.link->inertia;
    const bool had_mass = inertia.mass > 0.0;
    const SpatialInertia old = inertia;
    if (const YamlValue* material = map.find("material")) {
      const std::string name =
          read_name(*material, map.name_of("material"), material_names(reader.scene));
      for (SceneShape& shape : named.link->shapes) shape.material = name;
      reader.note(ImportFate::Applied, what + ": material",
                  "that of all its shapes, in place of the file's friction", material->where);
    }
    if (!had_mass && !map.has("mass") && (map.has("center_of_mass") || map.has("inertia"))) {
      fail_at(map.where(), map.what() + ": the file gives " + what + " no mass; give 'mass', too");
    }
    if (const YamlValue* mass = map.find("mass")) {
      inertia.mass = read_positive(*mass, map.name_of("mass"));
      note_replaced(reader, map, "mass", what,
                    had_mass ? std::vector<double>{old.mass} : std::vector<double>{});
    }
    const Eigen::Vector3d& c = old.center_of_mass;
    if (map.has("center_of_mass")) {
      inertia.center_of_mass = map.vector3("center_of_mass", c);
      note_replaced(reader, map, "center_of_mass", what, {c.x(), c.y(), c.z()});
    }
    const Eigen::Matrix3d& I = old.inertia;
    if (map.has("inertia")) {
      inertia.inertia = read_inertia_matrix(map, I);
      note_replaced(reader, map, "inertia", what,
                    {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
    }
  }
}

/// Reads a map from names or patterns of parts to their numbers, in its order, so that a later line
/// precedes those before it.
/// @param key   "joints" or "links".
/// @param kind  its singular; the keys of an item are those of `model_joint` or `model_link`.
template <typename Part>
void read_parts(const MapReader& model, const std::string& key, const std::string& kind,
                const std::vector<Part>& parts,
                const std::function<void(const MapReader&, const std::vector<Part>&)>& read) {
  const YamlValue* value = model.find(key);
  if (value == nullptr) return;
  const std::string what = model.name_of(key);
  const std::vector<YamlValue::Key>& names = read_names(*value, what);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<Part> matching;
    std::vector<std::string> known;
    for (const Part& part : parts) {
      known.push_back(part.name);
      if (matches_pattern(part.name, names[i].text)) matching.push_back(part);
    }
    if (matching.empty()) {
      fail_at(names[i].where, what + ": the model has no " + kind + " '" + names[i].text + "'" +
                                  did_you_mean(names[i].text, known));
    }
    const MapReader map(value->items[i], kind + " '" + names[i].text + "' of " + model.what(),
                        scene_map("model_" + kind));
    if (value->items[i].keys.empty()) {
      fail_at(names[i].where, map.what() + " has no numbers; leave it out");
    }
    read(map, matching);
  }
}

}  // namespace

void read_model_parts(SceneReader& reader, const MapReader& map, const std::string& name,
                      std::vector<SceneModel>& models) {
  read_parts<ForceElement>(map, "joints", "joint", force_elements(models, name),
                           [&](const MapReader& own, const std::vector<ForceElement>& matching) {
                             read_model_joint(reader, own, matching);
                           });
  std::vector<NamedLink> links;
  for (SceneModel& model : models) {
    for (ModelLink& link : model.links)
      links.push_back({prefix_of(model, name) + link.name, &link});
  }
  read_parts<NamedLink>(map, "links", "link", links,
                        [&](const MapReader& own, const std::vector<NamedLink>& matching) {
                          read_model_link(reader, own, matching);
                        });
}

}  // namespace amontons::io
