#include "amontons/simulation/change_list.h"

#include <algorithm>

namespace amontons {

std::vector<PropertyChange> with_change(std::vector<PropertyChange> changes,
                                        const PropertyChange& change) {
  const auto own = std::find_if(changes.begin(), changes.end(), [&](const PropertyChange& other) {
    return other.is_same_property(change);
  });
  if (own == changes.end()) {
    changes.push_back(change);
  } else {
    *own = change;
  }
  return changes;
}

std::vector<PropertyChange> without_controls(std::vector<PropertyChange> changes) {
  std::erase_if(changes, [](const PropertyChange& change) {
    return change.kind == PropertyKind::MuscleControl;
  });
  return changes;
}

}  // namespace amontons
