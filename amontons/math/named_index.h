#pragma once

#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {

/// Returns the index of the item with a name.
/// @param what     kind of the items, for the error.
/// @param name_of  function or member that gives the name of an item.
/// @throws std::invalid_argument "there is no WHAT 'NAME'", with the nearest name, if none has it.
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
  throw std::invalid_argument("there is no " + std::string(what) + " '" + name + "'" +
                              did_you_mean(name, known));
}

}  // namespace amontons
