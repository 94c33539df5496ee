#pragma once

#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {

/// Says that nothing has a name.
class UnknownNameError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
  /// Says "there is no WHAT 'NAME'", with the nearest of the names that are known.
  UnknownNameError(const std::string& what, const std::string& name,
                   const std::vector<std::string>& known)
      : std::invalid_argument("there is no " + what + " '" + name + "'" +
                              did_you_mean(name, known)) {}
};

/// Returns the index of the item with a name.
/// @param what     kind of the items, for the error.
/// @param name_of  function or member that gives the name of an item.
/// @throws UnknownNameError if none has it.
template <typename Item, typename NameOf>
int index_of_named(const char* what, const std::vector<Item>& items, const std::string& name,
                   const NameOf& name_of) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& item) {
    return std::invoke(name_of, item) == name;
  });
  if (it != items.end()) return static_cast<int>(it - items.begin());
  // Only an error needs the names.
  std::vector<std::string> known;
  for (const Item& item : items) known.push_back(std::invoke(name_of, item));
  throw UnknownNameError(what, name, known);
}

}  // namespace amontons
