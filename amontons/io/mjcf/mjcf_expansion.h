#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

namespace amontons::io {

/// Makes the copies of an MJCF document: those of each <replicate>, and what each <attach> takes
/// from this or another model. Also makes the bodies of each <composite> of rigid ones. Elements
/// outside the tree that refer to what is copied are copied with it: contacts, tendons,
/// constraints, actuators, sensors. Names get the endings of <replicate> and the prefix of
/// <attach>. Defaults and assets of other models are copied under the prefix.
/// @throws ParseError for a count, name or file that is missing or wrong, a model that attaches
///     itself, and more than two million elements.
void expand_mjcf(MjcfReader& reader);

}  // namespace amontons::io
