#pragma once

#include <string>
#include <vector>

namespace amontons::io {

/// Refuses an output that would overwrite a file from which it is made.
/// @throws ParseError  naming the output, if it is one of the inputs, under any name.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs);

/// Refuses an output that is a symbolic link: writing it would change a file of another name. A
/// link to a device or pipe, such as /dev/stdout, is none: what is written there replaces nothing.
/// @throws ParseError  naming the output.
void refuse_link(const std::string& output);

/// Refuses an output that is a device, pipe or socket, where a new file would take its place.
/// @throws OutputError  naming the output.
void refuse_device(const std::string& output);

}  // namespace amontons::io
