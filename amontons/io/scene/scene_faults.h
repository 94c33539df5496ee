#pragma once

#include "amontons/io/common/parse_error.h"
#include "amontons/io/yaml/yaml_value.h"

#include <functional>
#include <string>

namespace amontons::io {

/// Searches a scene for faults besides the first one, and throws all of them.
///
/// It makes a wrong value the number 1, or takes the faulty part out of the document, and reads the
/// rest again, until nothing is wrong or FaultList::kMostFaults are found. A fault that only
/// follows from such a change does not count: a key that is missing now, or a name.
/// @param document  the scene; by value, since it is changed.
/// @param read      reads a document, and throws its first ParseError.
/// @param shown     returns the name under which errors show a file that the scene names.
/// @throws ParseError  with the first fault, or ParseErrors with several (fault_list.h).
[[noreturn]] void throw_scene_faults(const ParseError& first, YamlValue document,
                                     const std::function<void(const YamlValue&)>& read,
                                     const std::function<std::string(const std::string&)>& shown);

}  // namespace amontons::io
