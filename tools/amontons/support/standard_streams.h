#pragma once

namespace amontons::cli {

/// Takes the places of standard streams that the caller has closed; a file opened later would
/// otherwise get one of them, and be written what is meant for a terminal.
void hold_standard_streams();

/// Sends off what was printed. @throws io::OutputError  if not all of it could be written.
void finish_standard_output();

}  // namespace amontons::cli
