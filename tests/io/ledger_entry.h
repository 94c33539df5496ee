#pragma once

#include "amontons/simulation/scene/scene.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

namespace amontons::test {

/// Returns the first record of an element, or null.
inline const LedgerEntry* find_entry(const Scene& scene, const std::string& element) {
  const auto& entries = scene.ledger.entries;
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const LedgerEntry& entry) {
    return entry.element == element;
  });
  return found == entries.end() ? nullptr : &*found;
}

/// Returns the first record of an element, which must exist.
inline LedgerEntry entry_of(const Scene& scene, const std::string& element) {
  const LedgerEntry* entry = find_entry(scene, element);
  INFO(element);
  REQUIRE(entry != nullptr);
  return *entry;
}

}  // namespace amontons::test
