#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns true if a text is UTF-8: no byte is out of place, and no code is longer than it must be
/// or a surrogate.
bool is_utf8(std::string_view text);

/// Returns true if a UTF-8 text holds a control character: C0, DEL or C1. A terminal obeys them.
/// @param with_layout  true: line breaks and tabs count, too.
bool has_control_characters(std::string_view text, bool with_layout = true);

/// Returns a text whose control characters are escapes, such as "\x1b", so that a terminal shows
/// them and obeys none. Line breaks and tabs stay.
std::string printable(std::string_view text);

/// Returns a UTF-8 text in which words of more than 300 bytes are cut in their middle, with the
/// number of bytes left out: a name of a megabyte hides what is said about it.
std::string with_short_words(std::string_view text);

/// Returns a UTF-8 text as one line for a message. Its control characters, line breaks and tabs
/// among them, are escapes; long words, and the middle of a text of more than 4000 bytes, are cut.
std::string message_line(std::string_view text);

}  // namespace amontons::io
