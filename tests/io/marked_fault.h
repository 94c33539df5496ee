#pragma once

#include <catch2/catch.hpp>

#include <string>

// Broken input: each text has one fault, whose place has the sign @.

namespace amontons::test {

struct MarkedFault {
  const char* title;
  std::string text;
  const char* message;  ///< text that the error must contain
};

struct MarkedPlace {
  int line = 1, column = 1;
};

/// Takes the sign out; returns its place.
inline MarkedPlace take_marker(std::string& text) {
  const std::size_t at = text.find('@');
  REQUIRE(at != std::string::npos);
  MarkedPlace place;
  for (std::size_t i = 0; i < at; ++i) {
    ++place.column;
    if (text[i] == '\n') place = {place.line + 1, 1};
  }
  text.erase(at, 1);
  return place;
}

}  // namespace amontons::test
