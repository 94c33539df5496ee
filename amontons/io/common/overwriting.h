#pragma once

#include <string>
#include <vector>

namespace amontons::io {

/// Refuses an output that would overwrite a file from which it is made.
/// @throws ParseError  naming the output, if it is one of the inputs, under any name.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace amontons::io
