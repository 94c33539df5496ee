#include "tools/amontons/replay/notes_on_looks.h"

#include <iostream>

namespace amontons::cli {

void print_notes_on_looks(const io::ReplayRun& run) {
  for (const std::string& line : run.notes_on_looks) {
    std::cerr << "note: " << run.title << ": " << line << "\n";
  }
}

}  // namespace amontons::cli
