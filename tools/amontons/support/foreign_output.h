#pragma once

#include "amontons/io/common/foreign_output.h"
#include "tools/amontons/support/command_line.h"

#include <string>

namespace amontons::cli {

/// Adds the option --force.
void add_force(Verb& verb, bool& force);

/// Refuses an output as io::refuse_foreign_output(), with the option --force as the remedy.
inline void refuse_foreign_output(const std::string& output, const io::OutputKind& kind,
                                  bool force) {
  io::refuse_foreign_output(output, kind, force, "--force");
}

}  // namespace amontons::cli
