#pragma once

#include "amontons/io/common/number_range.h"

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Describes one key of a map in a file that people write. The reader takes from it which words are
/// allowed, the reference takes all of it.
struct FormatKey {
  std::string name;       ///< as it is written
  std::string value;      ///< allowed values, e.g. "number > 0"
  std::string unit;       ///< SI, empty where there is none
  std::string otherwise;  ///< the default; kRequired, or empty where `meaning` says it
  std::string meaning;    ///< one or two sentences
  std::vector<std::string> choices = {};  ///< the only words allowed; an enum's in its own order
  NumberRange range = {};                 ///< of a dataset: the only numbers allowed
};

/// Marks, as `otherwise`, a key that must be present.
inline constexpr const char* kRequired = "required";

/// Describes the keys of one map of a file: the reader refuses all others (MapReader).
struct FormatMap {
  std::string name;             ///< key of the table, e.g. "simulation"
  std::string place;            ///< place in the file, e.g. "`simulation`"
  std::string meaning;          ///< text of the reference around the table
  std::vector<FormatKey> keys;  ///< in the order of the reference

  /// Returns the names of all keys.
  std::vector<std::string> names() const;
  /// Returns a key by its name.
  /// @throws std::logic_error if the map has no such key: reader and table disagree.
  const FormatKey& key(std::string_view wanted) const;
};

}  // namespace amontons::io
