#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// One key of a map in a file that people write: what its reader accepts, and what the reference
/// says of it.
struct FormatKey {
  std::string name;                       ///< as it is written
  std::string value;                      ///< what may stand there, e.g. "number > 0"
  std::string unit;                       ///< SI, empty where there is none
  std::string otherwise;                  ///< the default; kRequired, or empty: as the meaning says
  std::string meaning;                    ///< one or two sentences
  std::vector<std::string> choices = {};  ///< the only words allowed; an enum's in its own order
};

/// `otherwise` of a key that must be there.
inline constexpr const char* kRequired = "required";

/// The keys of one map of a file: the reader refuses all others (MapReader).
struct FormatMap {
  std::string name;             ///< by which it is found, e.g. "simulation"
  std::string place;            ///< where it stands, e.g. "`simulation`"
  std::string meaning;          ///< what the reference says before and after the table
  std::vector<FormatKey> keys;  ///< in the order of the reference

  std::vector<std::string> names() const;
  /// @throws std::logic_error if the map has no such key: reader and table have parted.
  const FormatKey& key(std::string_view wanted) const;
};

}  // namespace amontons::io
