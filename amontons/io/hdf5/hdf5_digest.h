#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"

#include <string>

namespace amontons::io {

/// Writes the attribute `sha256` of a group: the SHA-256 over all attributes, datasets and groups
/// in it, with their names. Numbers in the file have no other checksum unless they lie in chunks.
/// @throws OutputError naming the file.
void write_digest(const Hdf5Handle& group);

/// Compares a group with its attribute `sha256`, if it has one: older files have none.
/// @throws ParseError naming the file and the group, if they differ or it cannot be read.
void check_digest(const Hdf5Handle& group, const std::string& name);

}  // namespace amontons::io
