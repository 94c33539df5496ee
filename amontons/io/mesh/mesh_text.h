#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Walks through the words of a mesh file in text form, and knows their lines. Blanks, tabs and
/// line ends, with or without a carriage return, separate words.
class MeshText {
 public:
  /// The bytes must outlive the text. The first of them is in line `first_line`.
  MeshText(std::string_view bytes, std::string name, int first_line = 1)
      : rest_(bytes), name_(std::move(name)), line_(first_line) {}

  /// Returns the next word, empty at the end of the file.
  std::string_view word();
  /// Returns the next word of this line, empty at its end.
  std::string_view word_of_line();
  /// Moves to the next line. A backslash at the end of a line joins the next one to it.
  /// @returns false at the end of the file.
  bool next_line();

  /// Reads a word as a finite coordinate [unit of the file].
  double coordinate(std::string_view word);
  /// Reads a word as an integer.
  long integer(std::string_view word) const;

  /// Returns true if no coordinate so far has more than nine digits.
  bool is_single() const { return most_digits_ <= 9; }
  int line() const { return line_; }  ///< from 1
  /// Returns the bytes behind the last word.
  std::string_view rest() const { return rest_; }
  /// Throws a ParseError at the line.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();

  std::string_view rest_;
  std::string name_;
  int line_;
  int most_digits_ = 0;
};

}  // namespace amontons::io
