#pragma once

#include "tools/amontons/support/command_line.h"

#include <string>

namespace amontons::cli {

/// Names the kind of file that a verb writes.
enum class OutputKind { Run, Checkpoint, Problem, Table, Page, Report, Picture, Video };

/// Adds the option --force.
void add_force(Verb& verb, bool& force);

/// Refuses an output that is a symbolic link, or would take the place of a file that this program
/// has not written as one of its kind. An empty file is replaced.
/// @param force  replaces any file, but no link.
/// @throws io::ParseError naming the output.
void refuse_foreign_output(const std::string& output, OutputKind kind, bool force);

/// Refuses a run as refuse_foreign_output(), also for its checkpoint and for each contact problem
/// beside it that has the name of a step of this run.
void refuse_foreign_outputs_of_run(const std::string& run, bool force);

}  // namespace amontons::cli
