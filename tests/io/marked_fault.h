#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// Broken input: each text has one fault, whose line bears the sign @.

namespace amontons::test {

struct MarkedFault {
  const char* title;
  std::string text;
  const char* message;  ///< part of what the error must say
};

/// Takes the sign out; returns its line.
inline int take_marker(std::string& text) {
  const std::size_t at = text.find('@');
  REQUIRE(at != std::string::npos);
  const auto end = text.begin() + static_cast<std::string::difference_type>(at);
  const int line = 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
  text.erase(at, 1);
  return line;
}

}  // namespace amontons::test
