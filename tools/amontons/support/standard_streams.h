#pragma once

namespace amontons::cli {

/// Takes the places of standard streams that the caller has closed; a file opened later would
/// otherwise get one of them, and be written what is meant for a terminal.
void hold_standard_streams();

/// Lets a write beyond the limit of a file's size fail as on a full disk. The system would end the
/// program otherwise.
void report_size_limits();

/// Sends off what was printed. @throws io::OutputError  if not all of it could be written.
void finish_standard_output();

}  // namespace amontons::cli
