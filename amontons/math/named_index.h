#pragma once

#include "amontons/math/nearest_name.h"

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
  std::vector<std::string> known;
  for (const Item& item : items) {
    known.push_back(std::invoke(name_of, item));
    if (known.back() == name) return static_cast<int>(known.size()) - 1;
  }
  throw std::invalid_argument("there is no " + std::string(what) + " '" + name + "'" +
                              did_you_mean(name, known));
}

}  // namespace amontons
