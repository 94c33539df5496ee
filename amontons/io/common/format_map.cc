#include "amontons/io/common/format_map.h"

#include <stdexcept>

namespace amontons::io {

std::vector<std::string> FormatMap::names() const {
  std::vector<std::string> names;
  for (const FormatKey& key : keys) names.push_back(key.name);
  return names;
}

const FormatKey& FormatMap::key(std::string_view wanted) const {
  for (const FormatKey& key : keys) {
    if (key.name == wanted) return key;
  }
  // Only an error in the program leads here: readers ask for keys of the table alone.
  throw std::logic_error("the table of '" + name + "' has no key '" + std::string(wanted) + "'");
}

}  // namespace amontons::io
