#pragma once

#include <string>
#include <vector>

namespace amontons::io {

/// Keeps an output from taking the place of a file that it is made from.
/// @throws ParseError  naming the output, if it is one of the inputs, under whatever name.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace amontons::io
