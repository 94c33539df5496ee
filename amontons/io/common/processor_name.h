#pragma once

#include <string>

namespace amontons::io {

/// Returns the processor of this machine as Linux names it, e.g. "AMD EPYC 7B13"; else its
/// architecture.
std::string processor_name();

}  // namespace amontons::io
