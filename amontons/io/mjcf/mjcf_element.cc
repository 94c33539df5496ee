#include "amontons/io/mjcf/mjcf_element.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/xml/xml_value.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace amontons::io {

using tinyxml2::XMLElement;

MjcfElement::MjcfElement(MjcfFile& file, const XMLElement& element,
                         const std::string& name_of_class)
    : MjcfElement(file, element, element, name_of_class) {}

MjcfElement::MjcfElement(MjcfFile& file, const XMLElement& element, const XMLElement& user,
                         const std::string& name_of_class)
    : file_(&file), element_(&element), user_(&user), class_(name_of_class) {
  // An element of which a reader is made counts as applied, until a note says otherwise.
  file.fates.use(&file.document.origin(element), user_);
  const auto* given = element.FindAttribute("class");
  if (given == nullptr) return;
  if (const auto* own = file.document.origin(element, *given)) file.fates.use(own, user_);
  class_ = given->Value();
  if (!file.defaults.has(class_)) {
    fail_at(file.document.place_of(element, *given),
            what() + ": there is no default class '" + class_ + "'" +
                did_you_mean(class_, file.defaults.names()));
  }
}

std::string MjcfElement::what() const { return record_name(*element_); }

std::optional<MjcfDefaults::Found> MjcfElement::find(const std::string& attribute) const {
  // The element's own attribute has distance 0, so that of a default is one more than in the
  // classes.
  if (const auto* own = element_->FindAttribute(attribute.c_str())) {
    return MjcfDefaults::Found{element_, own, 0};
  }
  if (class_.empty()) return std::nullopt;
  std::optional<MjcfDefaults::Found> found = file_->defaults.find(class_, tag(), attribute);
  if (found) ++found->distance;
  return found;
}

std::optional<MjcfDefaults::Found> MjcfElement::use(const std::string& attribute) const {
  const std::optional<MjcfDefaults::Found> found = find(attribute);
  // The default that gives the attribute has had its effect as well.
  if (found) {
    file_->fates.use(&file_->document.origin(*found->element), user_);
    const auto* attribute_read = file_->document.origin(*found->element, *found->attribute);
    if (attribute_read != nullptr) file_->fates.use(attribute_read, user_);
  }
  return found;
}

int MjcfElement::distance(const std::string& attribute) const {
  const std::optional<MjcfDefaults::Found> found = find(attribute);
  return found ? found->distance : -1;
}

SourceLocation MjcfElement::where(const std::string& attribute) const {
  const std::optional<MjcfDefaults::Found> found = find(attribute);
  return found ? file_->document.place_of(*found->element, *found->attribute) : where();
}

void MjcfElement::fail(const std::string& message) const {
  fail_at(where(), what() + ": " + message);
}

void MjcfElement::fail(const std::string& attribute, const std::string& message) const {
  fail_at(where(attribute), what() + ": " + attribute + " " + message);
}

std::string MjcfElement::text(const std::string& attribute, const std::string& otherwise) const {
  const std::optional<MjcfDefaults::Found> found = use(attribute);
  return found ? found->attribute->Value() : otherwise;
}

std::string MjcfElement::word(const std::string& attribute, const std::vector<std::string>& choices,
                              const std::string& otherwise) const {
  const std::string value = text(attribute, otherwise);
  // The message lists all choices.
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    fail(attribute, "must be one of " + list + ", not '" + value + "'");
  }
  return value;
}

std::optional<bool> MjcfElement::flag(const std::string& attribute) const {
  const std::string value = word(attribute, {"true", "false", "auto"}, "auto");
  return value == "auto" ? std::nullopt : std::optional(value == "true");
}

std::vector<double> MjcfElement::numbers(const std::string& attribute, std::size_t least,
                                         std::size_t most) const {
  const std::optional<MjcfDefaults::Found> found = use(attribute);
  if (!found) return {};
  // Words are separated by white space; each must be a number as a whole.
  std::istringstream words(found->attribute->Value());
  std::vector<double> result;
  for (std::string word; words >> word;) {
    double number = 0.0;
    const std::string fault = parse_number(word, number);
    const char* text = found->attribute->Value();
    if (!fault.empty()) fail(attribute, fault + beside_word(word, text));
    result.push_back(number);
  }
  // The number of numbers is part of the format.
  if (result.size() < least || result.size() > most) {
    const std::string count = least == most ? std::to_string(least)
                                            : std::to_string(least) + " to " + std::to_string(most);
    fail(attribute, "must be " + count + " number(s), but is '" + found->attribute->Value() + "'");
  }
  return result;
}

std::vector<double> MjcfElement::merged_numbers(const std::string& attribute, std::size_t least,
                                                std::size_t most) const {
  std::vector<double> result = numbers(attribute, least, most);
  if (result.empty() || result.size() == most || class_.empty()) return result;
  for (const XMLElement* layer : file_->defaults.layers(class_, tag())) {
    if (layer->FindAttribute(attribute.c_str()) == nullptr) continue;
    const std::vector<double> outer =
        MjcfElement(*file_, *layer, *user_, "").numbers(attribute, least, most);
    for (std::size_t i = result.size(); i < outer.size(); ++i) result.push_back(outer[i]);
  }
  return result;
}

std::vector<MjcfElement> MjcfElement::layers() const {
  std::vector<MjcfElement> result;
  if (!class_.empty()) {
    for (const XMLElement* layer : file_->defaults.layers(class_, tag())) {
      result.insert(result.begin(), MjcfElement(*file_, *layer, *user_, ""));
    }
  }
  result.push_back(*this);
  result.back().class_.clear();
  return result;
}

double MjcfElement::number(const std::string& attribute, double otherwise) const {
  const std::vector<double> values = numbers(attribute, 1, 1);
  return values.empty() ? otherwise : values[0];
}

double MjcfElement::linear_coefficient(const std::string& attribute) const {
  const std::vector<double> values = numbers(attribute, 1, 10);
  if (values.empty()) return 0.0;
  if (values[0] < 0.0) {
    // Negative friction is none in MuJoCo, too.
    const bool is_friction = attribute == "frictionloss";
    note(attribute, is_friction ? ImportFate::Ignored : ImportFate::Refused,
         "it does not act: it is negative");
    return 0.0;
  }
  if (std::any_of(values.begin() + 1, values.end(), [](double value) { return value != 0.0; })) {
    note(attribute, ImportFate::Refused,
         "its first number acts alone: springs and dampers are "
         "linear here");
  }
  return values[0];
}

void MjcfElement::note_softness(const std::string& attribute) const {
  if (!has(attribute)) return;
  std::istringstream words(text(attribute));
  double first = 0.0;
  words >> first;
  if (first < 0.0) {
    note(attribute, ImportFate::Refused,
         "a spring of a stiffness that the file gives; constraints are rigid here");
  } else {
    note(attribute, ImportFate::Ignored, "softens a constraint; constraints are rigid here");
  }
}

int MjcfElement::integer(const std::string& attribute, int otherwise) const {
  const double value = number(attribute, otherwise);
  if (value != std::floor(value) || std::abs(value) > 2147483647.0) {
    fail(attribute, "must be an integer, not " + shortest_text(value));
  }
  return static_cast<int>(value);
}

Eigen::Vector3d MjcfElement::vector3(const std::string& attribute,
                                     const Eigen::Vector3d& otherwise) const {
  const std::vector<double> values = numbers(attribute, 3, 3);
  return values.empty() ? otherwise : Eigen::Vector3d(values[0], values[1], values[2]);
}

Eigen::Vector3d MjcfElement::direction(const std::string& attribute,
                                       const Eigen::Vector3d& otherwise) const {
  const Eigen::Vector3d value = vector3(attribute, otherwise);
  // A vector of rounding length has no direction.
  const double length = value.stableNorm();
  if (!(length > 1e-14)) fail(attribute, "has no length, so it gives no direction");
  return value / length;
}

void MjcfElement::note(ImportFate fate, const std::string& reason) const {
  file_->fates.set(&file_->document.origin(*element_), fate, reason);
}

void MjcfElement::leave_out(ImportFate fate, const std::string& reason) const {
  note(fate, reason);
  file_->fates.leave_out(element_);
}

void MjcfElement::note(const std::string& attribute, ImportFate fate,
                       const std::string& reason) const {
  const std::optional<MjcfDefaults::Found> found = use(attribute);
  if (!found) return;
  const auto* own = file_->document.origin(*found->element, *found->attribute);
  if (own != nullptr) file_->fates.set(own, fate, reason);
}

}  // namespace amontons::io
