#pragma once

#include "amontons/io/common/format_map.h"
#include "amontons/io/yaml/yaml_value.h"

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

// The strict layer over a YAML tree: every conversion error names the place and the remedy. All
// functions throw a ParseError at the value, in which `what` names the quantity, e.g. "mass".

/// Reads a decimal number within +-1e100: no NaN, no infinity, no octal, no hexadecimal. No
/// physical quantity is larger, and squares must not overflow.
double read_number(const YamlValue& value, const std::string& what);
/// Reads a number of at least kSmallestNumber.
double read_positive(const YamlValue& value, const std::string& what);
double read_non_negative(const YamlValue& value, const std::string& what);
/// Reads a number in [lower, upper].
double read_within(const YamlValue& value, const std::string& what, double lower, double upper);

// Integers, truth values and words.
std::uint64_t read_count(const YamlValue& value, const std::string& what);  ///< an integer >= 0
int read_integer(const YamlValue& value, const std::string& what, int lower, int upper);
bool read_bool(const YamlValue& value, const std::string& what);         ///< true or false only
std::string read_text(const YamlValue& value, const std::string& what);  ///< not empty
/// Reads one of the given words.
std::string read_choice(const YamlValue& value, const std::string& what,
                        const std::vector<std::string>& choices);

/// Reads a list of exactly `count` numbers.
std::vector<double> read_numbers(const YamlValue& value, const std::string& what,
                                 std::size_t count);
Eigen::Vector2d read_vector2(const YamlValue& value, const std::string& what);
Eigen::Vector3d read_vector3(const YamlValue& value, const std::string& what);
Eigen::Vector3d read_direction(const YamlValue& value, const std::string& what);  ///< made unit
/// Returns the items of a list.
const std::vector<YamlValue>& read_list(const YamlValue& value, const std::string& what);

/// Reads a map whose keys are those of its format, and no others.
class MapReader {
 public:
  /// @param what    the map's name in errors, e.g. "body 'box'".
  /// @param format  the allowed keys; it must outlive the reader.
  /// @throws ParseError if the value is not a map, has an unknown or duplicate key, or lacks a
  /// required one.
  MapReader(const YamlValue& value, std::string what, const FormatMap& format);

  /// Returns the value of a key, null where the file does not give it.
  /// @throws std::logic_error for a key that the format does not have; so do all below.
  const YamlValue* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// Returns the value of a key.
  /// @throws ParseError at the map if the key is missing.
  const YamlValue& required(const std::string& key) const;

  const YamlValue& value() const { return *value_; }
  const SourceLocation& where() const { return value_->where; }
  const SourceLocation& where(const std::string& key) const { return required(key).where; }
  const std::string& what() const { return what_; }
  /// Returns the name of a quantity for errors: "mass of body 'box'".
  std::string name_of(const std::string& key) const { return key + " of " + what_; }

  /// Returns the number of a key, or `otherwise` where the file does not give it.
  double number(const std::string& key, double otherwise) const;
  /// Returns the list of a key, as many numbers as `otherwise` has. Numbers that the file does not
  /// give are those of `otherwise`, also beside single ones that overrides set.
  std::vector<double> numbers(const std::string& key, const std::vector<double>& otherwise) const;
  Eigen::Vector3d vector3(const std::string& key, const Eigen::Vector3d& otherwise) const;

  /// Returns the word of a key that the file gives: one of its choices.
  std::string choice(const std::string& key) const;
  /// Returns the enumerator at the word's index among the choices, or `otherwise`.
  template <typename Enum>
  Enum choice(const std::string& key, Enum otherwise) const {
    return has(key) ? static_cast<Enum>(index_of_choice(key)) : otherwise;
  }

 private:
  std::size_t index_of_choice(const std::string& key) const;

  const YamlValue* value_;
  std::string what_;
  const FormatMap* format_;
};

/// Checks a map of free names for duplicates, like MapReader, and returns its keys.
const std::vector<YamlValue::Key>& read_names(const YamlValue& value, const std::string& what);

}  // namespace amontons::io
