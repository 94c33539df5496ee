#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tinyxml2 {
class XMLElement;
}

namespace amontons::io {

/// Says how a value is written.
enum class XmlValue {
  Nothing,  ///< an element without text of its own
  Text,     ///< not empty
  AnyText,  ///< may be empty
  Number,
  Bound,  ///< a number; infinity and the largest numbers of a machine stand for none
  Positive,
  NonNegative,
  Fraction,  ///< in [0, 1]
  Integer,
  Bool,  ///< true, false, 1, 0
  Vector2,
  Vector3,
  PositiveVector3,
  NonZeroVector3,
  Pose,  ///< x y z roll pitch yaw, x y z and a quaternion, or nothing
  Numbers
};

/// Says how one element or attribute is treated (applied, approximated, ignored, refused), and why.
struct XmlFate {
  ImportFate fate = ImportFate::Applied;
  std::string reason = {};
  bool is_finding = false;  ///< of what is refused: the file is read without it
};

/// Returns the fate of what is left out although it acts in the file: a finding.
XmlFate unsupported(std::string_view reason);

/// Decides a fate that depends on other parts of the file, which the table cannot express. The
/// argument is the element; for an attribute, the element that has it. An empty result means that
/// the table holds.
using XmlFateFunction = std::optional<XmlFate> (*)(const tinyxml2::XMLElement& element);

/// Describes one attribute of an element.
struct AttributeRule {
  std::string_view name;
  XmlValue value = XmlValue::Text;
  bool required = false;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
  XmlFateFunction fate_of = nullptr;
};

/// Describes one element of a format, by its path from the root. An ignored element without
/// attributes or text of its own in the table is left out with all its content. An ignored element
/// that has them is checked and kept.
struct ElementRule {
  std::string_view path;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
  bool repeatable = false;
  std::vector<AttributeRule> attributes = {};
  std::vector<std::string_view> required = {};  ///< child elements that must be present
  XmlValue text = XmlValue::Nothing;            ///< text between its tags
  /// Its children are found under this path instead of its own. This serves elements that hold
  /// their own kind, or that occur in several places.
  std::string_view children_of = {};
  /// A noun such as "shape": the element holds exactly one child, and of a known kind; several only
  /// of one kind that is repeatable. Empty for other elements.
  std::string_view single_child_noun = {};
  /// Of several such children the first counts, which is a finding; else they are an error.
  bool first_child_counts = false;
  bool noted_by_reader = false;  ///< the reader writes its record, once it knows its fate
  XmlFateFunction fate_of = nullptr;
};

/// Holds the table of a format.
class XmlFormat {
 public:
  explicit XmlFormat(std::vector<ElementRule> rules) : rules_(std::move(rules)) {}

  /// Returns the rule of an element, or null for one that the format does not know at this path.
  const ElementRule* find(std::string_view path) const;
  /// Returns the names of the elements that an element of this path may hold.
  std::vector<std::string> children(std::string_view path) const;

 private:
  std::vector<ElementRule> rules_;
};

}  // namespace amontons::io
