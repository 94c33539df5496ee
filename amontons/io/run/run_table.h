#pragma once

#include "amontons/io/run/run_reader.h"

#include <functional>
#include <iosfwd>

namespace amontons::io {

/// Writes the rows of a run as comma-separated values, one line per row.
///
/// A line has the time, state, bodies, joint impulses, certificate, energies and records of the
/// solver. Each number is the shortest text that reads back to the same bits. The first line names
/// the columns: the dataset without its slash (docs/run-format.md), then the body or joint and the
/// number's place in it.
/// @param progress  called with the fraction done.
/// @throws ParseError if a row cannot be read.
void write_row_table(RunReader& run, std::ostream& out,
                     const std::function<void(double)>& progress = {});

/// Writes the contacts of a run likewise: one line per contact, with the row's time and the bodies'
/// names.
/// @param progress  called with the fraction done.
/// @throws ParseError if a row cannot be read.
void write_contact_table(RunReader& run, std::ostream& out,
                         const std::function<void(double)>& progress = {});

}  // namespace amontons::io
