#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace amontons::fuzz {

/// Calls a reader. Whatever its input is, it ends, or throws the error of a reader with the name of
/// a file: every other exception leaves this function and is a finding.
void expect_error_of_reader(const std::function<void()>& read);

/// Writes bytes to a file that only this process uses, and returns its path.
std::string file_of(const std::uint8_t* data, std::size_t size, const std::string& name);

/// Returns the bytes as text.
std::string text_of(const std::uint8_t* data, std::size_t size);

}  // namespace amontons::fuzz
