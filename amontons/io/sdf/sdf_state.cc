#include "amontons/io/sdf/sdf_state.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/sdf/sdf_fates.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/math/pose.h"
#include "amontons/math/rotation.h"

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Largest difference of equal positions [m], rotations [rad], velocities [m/s, rad/s] and scales.
constexpr double kStateTolerance = 1e-6;

/// Returns the numbers of a text; none where something else is among them.
std::optional<std::vector<double>> only_numbers(const XMLElement& element) {
  std::istringstream words{std::string(text_of(element))};
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    numbers.push_back(0.0);
    if (!parse_number(word, numbers.back()).empty()) return std::nullopt;
  }
  return numbers;
}

/// Returns true if all numbers of a text are one value. An element that is absent has that value.
bool all_are(const XMLElement* element, double value) {
  if (element == nullptr) return true;
  const std::optional<std::vector<double>> numbers = only_numbers(*element);
  return numbers && std::all_of(numbers->begin(), numbers->end(), [&](double number) {
           return std::abs(number - value) <= kStateTolerance;
         });
}

/// Returns the pose of an element in what holds it; none where the frame is another one, or where
/// it is written in another way than as six numbers.
std::optional<Pose> pose_in_holder(const XMLElement& element) {
  const XMLElement* pose = element.FirstChildElement("pose");
  if (pose == nullptr) return Pose{};
  for (const tinyxml2::XMLAttribute* a = pose->FirstAttribute(); a != nullptr; a = a->Next()) {
    if (*a->Value() != '\0') return std::nullopt;
  }
  const std::optional<std::vector<double>> n = only_numbers(*pose);
  if (!n || (!n->empty() && n->size() != 6)) return std::nullopt;
  if (n->empty()) return Pose{};
  return Pose{rotation_from_rpy((*n)[3], (*n)[4], (*n)[5]), {(*n)[0], (*n)[1], (*n)[2]}};
}

std::string position_text(const Pose& pose) {
  std::string text;
  for (const double x : pose.translation) text += (text.empty() ? "" : " ") + rounded_text(x);
  return text;
}

/// Returns the name of an element; empty where it has none.
std::string name_in_state(const XMLElement& element) {
  const char* name = element.Attribute("name");
  return name != nullptr ? name : "";
}

/// Returns true if an <include> of a world or model may be the model of a name.
bool may_be_included(const XMLElement& holder, const std::string& name) {
  for (const XMLElement* e = holder.FirstChildElement("include"); e != nullptr;
       e = e->NextSiblingElement("include")) {
    const XMLElement* own = e->FirstChildElement("name");
    if (own == nullptr || trimmed_text(own) == name) return true;
  }
  return false;
}

/// Returns the children of a kind by their names. Of equal names the first one counts.
std::map<std::string, const XMLElement*> by_name(const XMLElement& holder, const char* kind) {
  std::map<std::string, const XMLElement*> result;
  for (const XMLElement* e = holder.FirstChildElement(kind); e != nullptr;
       e = e->NextSiblingElement(kind)) {
    result.emplace(name_in_state(*e), e);
  }
  return result;
}

/// Compares a state with its world.
class StateComparison {
 public:
  /// Returns what differs, a sentence each.
  std::vector<std::string> run(const XMLElement& state, const XMLElement& world) {
    compare_models(state, world, Pose{}, "");
    // Gazebo adds and removes models before it starts.
    const XMLElement* insertions = state.FirstChildElement("insertions");
    const XMLElement* model = insertions ? insertions->FirstChildElement("model") : nullptr;
    if (model != nullptr) add("it inserts model '" + name_in_state(*model) + "'");
    const XMLElement* deletions = state.FirstChildElement("deletions");
    const std::map<std::string, const XMLElement*> models = by_name(world, "model");
    for (const XMLElement* e = deletions ? deletions->FirstChildElement("name") : nullptr;
         e != nullptr; e = e->NextSiblingElement("name")) {
      const std::string name = trimmed_text(e);
      if (models.count(name) == 0 && !may_be_included(world, name)) continue;  // a light, say
      add("it deletes model '" + name + "'");
    }
    return std::move(differences_);
  }

 private:
  void add(std::string difference) { differences_.push_back(std::move(difference)); }

  /// Compares the models in a state, or in the state of a model, with those of the file.
  /// @param X_WH    pose of what holds them, by the state.
  /// @param prefix  names of the models around them.
  void compare_models(const XMLElement& state, const XMLElement& holder, const Pose& X_WH,
                      const std::string& prefix) {
    const std::map<std::string, const XMLElement*> models = by_name(holder, "model");
    for (const XMLElement* e = state.FirstChildElement("model"); e != nullptr;
         e = e->NextSiblingElement("model")) {
      const std::string name = name_in_state(*e), shown = "model '" + prefix + name + "'";
      const auto found = models.find(name);
      if (found != models.end()) {
        compare_model(*e, *found->second, X_WH, prefix + name);
      } else if (may_be_included(holder, name)) {
        add(shown + " comes from another file, whose start is not compared");
      }
    }
  }

  /// Compares one model. All poses of a state are in the world.
  void compare_model(const XMLElement& state, const XMLElement& model, const Pose& X_WH,
                     const std::string& name) {
    const std::string shown = "model '" + name + "'";
    const Pose X_WM = compare_pose(state, model, X_WH, shown);
    if (!all_are(state.FirstChildElement("scale"), 1.0)) add(shown + " has another scale");
    const std::map<std::string, const XMLElement*> links = by_name(model, "link");
    for (const XMLElement* e = state.FirstChildElement("link"); e != nullptr;
         e = e->NextSiblingElement("link")) {
      const std::string of_link = "link '" + name + "::" + name_in_state(*e) + "'";
      const auto found = links.find(name_in_state(*e));
      if (found == links.end()) {
        add(of_link + " is none of the model");
        continue;
      }
      compare_pose(*e, *found->second, X_WM, of_link);
      if (!all_are(e->FirstChildElement("velocity"), 0.0)) add(of_link + " has a velocity");
    }
    for (const XMLElement* e = state.FirstChildElement("joint"); e != nullptr;
         e = e->NextSiblingElement("joint")) {
      for (const XMLElement* angle = e->FirstChildElement("angle"); angle != nullptr;
           angle = angle->NextSiblingElement("angle")) {
        if (all_are(angle, 0.0)) continue;
        add("joint '" + name + "::" + name_in_state(*e) + "' starts at " + trimmed_text(angle));
      }
    }
    compare_models(state, model, X_WM, name + "::");
  }

  /// Compares the pose that a state gives with that of the file. @returns the pose in the world by
  /// the state; by the file where the state gives none.
  /// @param X_WH  pose of what holds the model or link, by the state.
  Pose compare_pose(const XMLElement& state, const XMLElement& part, const Pose& X_WH,
                    const std::string& shown) {
    const std::optional<Pose> written = pose_in_holder(part);
    const Pose X_WP = X_WH * written.value_or(Pose{});
    if (state.FirstChildElement("pose") == nullptr) return X_WP;
    const std::optional<Pose> other = pose_in_holder(state);
    if (!written || !other) {
      add(shown + " has a pose that cannot be compared");
    } else if ((other->translation - X_WP.translation).norm() > kStateTolerance) {
      add(shown + " starts elsewhere: at " + position_text(*other) + " m, not at " +
          position_text(X_WP) + " m");
    } else if ((other->rotation - X_WP.rotation).norm() > kStateTolerance) {
      add(shown + " starts with another orientation");
    }
    return other.value_or(X_WP);
  }

  std::vector<std::string> differences_;
};

}  // namespace

std::optional<XmlFate> fate_of_state(const XMLElement& state) {
  const XMLElement& world = *state.Parent()->ToElement();
  if (world.FirstChildElement("state") != &state) {
    return XmlFate{ImportFate::Ignored, "the first <state> of the world counts"};
  }
  const std::vector<std::string> differences = StateComparison().run(state, world);
  if (differences.empty()) {
    return XmlFate{ImportFate::Ignored, "it repeats where the models start"};
  }
  // One difference is shown, since a saved world has one for each model.
  const std::size_t more = differences.size() - 1;
  return unsupported(
      "models start where their <pose> says, at rest, and the state says otherwise: " +
      differences.front() + (more > 0 ? "; and " + std::to_string(more) + " more" : ""));
}

}  // namespace amontons::io
