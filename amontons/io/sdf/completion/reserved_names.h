#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Renames links and joints called `world`, which the format reserves and libsdformat refuses. A
/// link of that name without mass and shapes beside other links is the world itself, and removed;
/// Bullet reads such files so. All are findings.
/// @param sdf   the copied root, whose elements have their originals as user data.
/// @param file  the file as the ledger shows it.
void rename_reserved_names(tinyxml2::XMLElement& sdf, const std::string& file,
                           ImportLedger& ledger);

}  // namespace amontons::io
