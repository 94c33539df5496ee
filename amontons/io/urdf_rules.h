#pragma once

#include "amontons/simulation/import_ledger.h"

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// How the value of an attribute is written.
enum class UrdfValue {
  Text,
  Number,
  Positive,
  NonNegative,
  Vector3,
  PositiveVector3,
  NonZeroVector3
};

struct UrdfAttribute {
  std::string_view name;
  UrdfValue value = UrdfValue::Text;
  bool required = false;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
};

/// What becomes of one element of a URDF file, by its path from the root. An ignored element
/// without attributes of its own is left out with all that it holds; one with attributes is stored.
struct UrdfElement {
  std::string_view path;
  ImportFate fate = ImportFate::Applied;
  std::string_view reason = {};
  bool repeatable = false;
  std::vector<UrdfAttribute> attributes = {};
  std::vector<std::string_view> required = {};  ///< elements that it must hold
};

/// The rule of an element, or null for one that the format does not know here.
const UrdfElement* find_urdf_rule(std::string_view path);

}  // namespace amontons::io
