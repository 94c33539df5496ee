#pragma once

#include "amontons/contact/contact_problem.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace amontons {

/// Identifies two shapes, the smaller index first.
using PairOfShapes = std::pair<std::int32_t, std::int32_t>;

/// Returns the shapes of a contact.
inline PairOfShapes pair_of(const ContactKey& key) { return {key.shape_a, key.shape_b}; }

/// Returns the pairs of shapes of entries sorted by their `key`, each once.
template <typename Entry>
std::vector<PairOfShapes> pairs_of(const std::vector<Entry>& entries) {
  std::vector<PairOfShapes> pairs;
  for (const Entry& entry : entries) {
    if (pairs.empty() || pairs.back() != pair_of(entry.key)) pairs.push_back(pair_of(entry.key));
  }
  return pairs;
}

/// Returns true if any of the entries, sorted by their `key`, belongs to the two shapes of `key`.
template <typename Entry>
bool has_pair(const std::vector<Entry>& entries, const ContactKey& key) {
  const auto it =
      std::lower_bound(entries.begin(), entries.end(), ContactKey{key.shape_a, key.shape_b, 0},
                       [](const Entry& entry, const ContactKey& k) { return entry.key < k; });
  return it != entries.end() && pair_of(it->key) == pair_of(key);
}

}  // namespace amontons
