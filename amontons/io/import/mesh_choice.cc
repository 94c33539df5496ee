#include "amontons/io/import/mesh_choice.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/name_pattern.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>

namespace amontons::io {

template <typename Value>
void ValuesByName<Value>::add(const std::string& pattern, Value value,
                              const SourceLocation& where) {
  entries_.push_back({pattern, value, where});
}

template <typename Value>
Value ValuesByName<Value>::of(const std::string& name, Value otherwise) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return matches_pattern(name, entry.pattern);
  });
  return found == entries_.rend() ? otherwise : found->value;
}

template <typename Value>
void ValuesByName<Value>::check(const std::vector<std::string>& names,
                                const std::string& what) const {
  for (const Entry& entry : entries_) {
    // The word for everything may meet nothing.
    const auto matches = [&](const std::string& name) {
      return matches_pattern(name, entry.pattern);
    };
    if (entry.pattern == "*" || std::any_of(names.begin(), names.end(), matches)) continue;
    fail_at(entry.where, what + ": no body or link is called '" + entry.pattern + "'" +
                             did_you_mean(entry.pattern, names));
  }
}

template class ValuesByName<MeshCollision>;
template class ValuesByName<int>;

}  // namespace amontons::io
