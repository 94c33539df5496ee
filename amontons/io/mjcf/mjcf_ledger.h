#pragma once

#include "amontons/io/mjcf/mjcf_document.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <map>
#include <string>

namespace amontons::io {

/// Records what the reader did with the elements and attributes of an MJCF file.
class MjcfFates {
 public:
  /// Holds the fate of one element or attribute.
  struct Record {
    ImportFate fate = ImportFate::Applied;
    std::string reason;
  };

  /// Records that the element or attribute has had its effect.
  void use(const void* node) {
    if (!paused_) records_.try_emplace(node);
  }
  /// Records another fate. Where one default serves many elements, the worst fate stays.
  void set(const void* node, ImportFate fate, const std::string& reason);
  /// While paused, nothing is recorded.
  void set_paused(bool paused) { paused_ = paused; }
  /// Returns null if nobody has used it.
  const Record* find(const void* node) const;

 private:
  std::map<const void*, Record> records_;  // looked up only: addresses order nothing
  bool paused_ = false;
};

/// Writes one entry for each element and each attribute of the file and of those that it includes.
/// The entry says its fate where the reader has used it, else why it is left out.
void write_mjcf_ledger(const MjcfDocument& document, const MjcfFates& fates, ImportLedger& ledger);

}  // namespace amontons::io
