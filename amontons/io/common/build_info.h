#pragma once

#include <string>

namespace amontons::io {

/// Returns the release of the sources, e.g. "0.1.0".
std::string version();

/// Returns commit and build, e.g. "a93d8cc, Release, GNU 12.2.0". The commit is "unknown" where the
/// sources were built outside a repository. It ends in "-modified" where files differed from the
/// commit.
std::string build_description();

/// Returns version() and build_description(), as the header of a run records them.
std::string version_and_build();

}  // namespace amontons::io
