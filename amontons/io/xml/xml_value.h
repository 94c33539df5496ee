#pragma once

#include "amontons/io/xml/xml_rules.h"
#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Checks a value of an XML file.
/// @param what  the value's name in the error, e.g. "link 'a': value of <mass>".
/// @returns the value without superfluous blanks, which the readers behind do not accept.
/// @throws ParseError for a value that is malformed, not finite, beyond 1e100 or out of range.
std::string check_value(const std::string& text, XmlValue kind, const std::string& what,
                        const SourceLocation& where);

/// Returns a value of numbers without the quote, comma, semicolon or full stop that follows one of
/// them; libsdformat and Bullet read the number before it. The same text where a number is followed
/// by nothing, by more than one such character, or by any other one, and where a value of this kind
/// is no number.
std::string without_stray_ends(const std::string& text, XmlValue kind);

/// Returns ": it is 'TEXT'" where a text holds more than the word at fault, blanks included, on one
/// line; else nothing.
std::string beside_word(std::string_view word, std::string text);

/// Returns true for a word that stands for no bound, of either sign: infinity, or a number beyond
/// 1e100, as the largest one of a machine.
bool is_no_bound(std::string_view word);

/// Returns true for a text of lengths or factors of which one is zero and none negative: a shape of
/// that size is not there. False for a null text and for one that is malformed.
bool has_zero_size(const char* text);

}  // namespace amontons::io
