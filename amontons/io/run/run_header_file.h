#pragma once

#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/run_commander.h"
#include "amontons/io/run/run_header.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Writes attributes, /inputs and the names of bodies and joints. @throws OutputError.
void write_run_header(const Hdf5Handle& file, const Scene& scene, const System& system,
                      RunCommander commander);

/// Reads the header of a run.
/// @throws ParseError if the file is no run, is of another version, or if the scene or an input
/// does not match its SHA-256.
RunHeader read_run_header(const Hdf5Handle& file, const std::string& path);

/// Writes the names behind each coded dataset as its attribute "names" ("0 Open, 1 Stick, ...").
void write_code_names(const Hdf5Handle& file);

}  // namespace amontons::io
