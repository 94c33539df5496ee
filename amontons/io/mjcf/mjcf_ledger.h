#pragma once

#include "amontons/io/mjcf/mjcf_document.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace amontons::io {

/// Records what the reader did with the elements and attributes of an MJCF file.
class MjcfFates {
 public:
  /// Holds the fate of one element or attribute.
  struct Record {
    ImportFate fate = ImportFate::Applied;
    std::string reason;
  };

  /// Records that the element or attribute has had its effect on a reader's element.
  void use(const void* node, const void* user);
  /// Records another fate. Where one default serves many elements, the worst fate stays.
  void set(const void* node, ImportFate fate, const std::string& reason);
  /// Records that an element is left out after all: what it has used has had no effect on it.
  void leave_out(const void* user) { left_out_.insert(user); }
  /// Records what a viewer makes of an element or attribute; it counts where nothing else has used
  /// it.
  void set_look(const void* node, const std::string& reason) { looks_[node] = reason; }
  /// While paused, nothing is recorded.
  void set_paused(bool paused) { paused_ = paused; }
  /// Returns null if nobody has used it.
  const Record* find(const void* node) const;
  /// Returns what a viewer makes of it; null where it draws nothing of it.
  const std::string* find_look(const void* node) const;
  /// Returns false if all that has used an element or attribute is left out.
  bool acts(const void* node) const;

 private:
  // These are looked up only: addresses order nothing.
  std::map<const void*, Record> records_;
  std::map<const void*, std::vector<const void*>> users_;
  std::set<const void*> left_out_;
  std::map<const void*, std::string> looks_;
  bool paused_ = false;
};

/// Writes one entry for each element and each attribute of the file and of those that it includes.
/// The entry says its fate where the reader has used it, else why it is left out.
void write_mjcf_ledger(const MjcfDocument& document, const MjcfFates& fates, ImportLedger& ledger);

}  // namespace amontons::io
