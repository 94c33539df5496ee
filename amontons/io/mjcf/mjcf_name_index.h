#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace amontons::io {

/// Finds items of a list by their names, in constant time. Items may be appended to the list
/// between searches; those that it has keep their places and names.
class MjcfNameIndex {
 public:
  /// Returns the index of the first item of a name; -1: there is none.
  template <typename Item>
  int find(const std::vector<Item>& items, const std::string& name) {
    for (; size_ < items.size(); ++size_) {
      first_.try_emplace(items[size_].name, static_cast<int>(size_));
    }
    const auto found = first_.find(name);
    return found == first_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::string, int> first_;
  std::size_t size_ = 0;  // items of the list that are known
};

/// Holds the indices of the lists of a reader, and of those of its model.
struct MjcfNameIndices {
  MjcfNameIndex bodies, joints, geoms, tendons, sites;
  MjcfNameIndex model_joints, loops, couplings, model_tendons;
};

}  // namespace amontons::io
