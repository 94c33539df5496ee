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

/// How a value is written.
enum class XmlValue {
  Nothing,  ///< of an element: it has no text of its own
  Text,     ///< not empty
  Number,
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

/// What becomes of one element or attribute, and why.
struct XmlFate {
  ImportFate fate = ImportFate::Applied;
  std::string reason = {};
};

/// Decides what the table cannot: a fate that depends on what stands elsewhere in the file. Gets
/// the element (of an attribute: the one that has it); nothing means that the table holds.
using XmlFateFunction = std::optional<XmlFate> (*)(const tinyxml2::XMLElement& element);

struct AttributeRule {
  std::string_view name;
  XmlValue value = XmlValue::Text;
  bool required = false;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
  XmlFateFunction fate_of = nullptr;
};

/// What becomes of one element of a format, by its path from the root. An ignored element without
/// attributes or text of its own in the table is left out with all that it holds; one with them is
/// checked and kept.
struct ElementRule {
  std::string_view path;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
  bool repeatable = false;
  std::vector<AttributeRule> attributes = {};
  std::vector<std::string_view> required = {};  ///< elements that it must hold
  XmlValue text = XmlValue::Nothing;            ///< what stands between its tags
  /// Its children are found under this path instead of its own: for elements that hold their own
  /// kind, or that stand in several places.
  std::string_view children_of = {};
  /// "shape": it holds exactly one element, and of a known kind; left out it would be missed.
  std::string_view holds_one = {};
  bool noted_by_reader = false;  ///< the reader writes its record, once it knows its fate
  XmlFateFunction fate_of = nullptr;
};

/// The table of a format.
class XmlFormat {
 public:
  explicit XmlFormat(std::vector<ElementRule> rules) : rules_(std::move(rules)) {}

  /// The rule of an element, or null for one that the format does not know here.
  const ElementRule* find(std::string_view path) const;
  /// Names of the elements that one of this path may hold.
  std::vector<std::string> children(std::string_view path) const;

 private:
  std::vector<ElementRule> rules_;
};

}  // namespace amontons::io
