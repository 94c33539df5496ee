#pragma once

#include "amontons/io/xml/xml_walk.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <map>
#include <string>

namespace amontons::test {

/// Counts the elements and attributes that each line of a document holds.
inline void count_things(const tinyxml2::XMLElement& element, std::map<int, int>& per_line) {
  ++per_line[element.GetLineNum()];
  for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    ++per_line[a->GetLineNum()];
  }
  for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    count_things(*e, per_line);
  }
}

/// Names the lines of an XML text whose elements and attributes do not have exactly one record each
/// in the ledger. The text is empty where all is accounted for. Findings and start positions are
/// records of no element.
inline std::string unaccounted(const std::string& text, const std::string& file,
                               const ImportLedger& ledger) {
  tinyxml2::XMLDocument document;
  io::parse_leniently(text, file, document);
  if (document.Error()) return "not XML";
  std::map<int, int> balance;
  count_things(*document.RootElement(), balance);
  for (const LedgerEntry& entry : ledger.entries) {
    const bool remark = entry.element.find("start position") != std::string::npos;
    // XML readers have no columns, and records of the whole file no lines.
    const bool of_scene = entry.where.column > 0 || entry.where.line == 0;
    if (entry.where.file != file || entry.fate == ImportFate::Warning || remark || of_scene) {
      continue;
    }
    --balance[entry.where.line];
  }
  std::string result;
  for (const auto& [line, missing] : balance) {
    if (missing == 0) continue;
    result +=
        "line " + std::to_string(line) + ": " + std::to_string(missing) + " without a record; ";
  }
  return result;
}

}  // namespace amontons::test
