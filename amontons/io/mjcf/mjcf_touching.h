#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

namespace amontons::io {

/// Notes what of the contacts of geoms is not carried out, where they touch others of the file.
void note_mjcf_touching(const MjcfReader& reader);

/// Notes that what softens the contacts of a geom has no effect.
void note_mjcf_idle_contact(const MjcfElement& geom);

/// Notes a geom or <pair> whose contacts act at a distance, margin - gap, which is a finding: here
/// they act at the surface.
void note_mjcf_margin(const MjcfReader& reader, const MjcfElement& element);

}  // namespace amontons::io
