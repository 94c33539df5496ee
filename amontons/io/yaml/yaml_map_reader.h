#pragma once

#include "amontons/io/common/format_map.h"
#include "amontons/io/yaml/yaml_value.h"

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// The strict layer over a YAML tree: every conversion names the place and the remedy.

/// A decimal number within +-1e100 (no physical quantity is larger, and squares must not overflow):
/// no NaN, no infinity, no octal, no hexadecimal. `what` names the quantity in the error, e.g.
/// "mass".
double read_number(const YamlValue& value, const std::string& what);
double read_positive(const YamlValue& value, const std::string& what);  ///< at least 1e-100
double read_non_negative(const YamlValue& value, const std::string& what);
/// A number in [lower, upper].
double read_within(const YamlValue& value, const std::string& what, double lower, double upper);

std::uint64_t read_count(const YamlValue& value, const std::string& what);  ///< an integer >= 0
int read_integer(const YamlValue& value, const std::string& what, int lower, int upper);
bool read_bool(const YamlValue& value, const std::string& what);         ///< true or false only
std::string read_text(const YamlValue& value, const std::string& what);  ///< not empty
/// One of the given words.
std::string read_choice(const YamlValue& value, const std::string& what,
                        const std::vector<std::string>& choices);

std::vector<double> read_numbers(const YamlValue& value, const std::string& what,
                                 std::size_t count);
Eigen::Vector2d read_vector2(const YamlValue& value, const std::string& what);
Eigen::Vector3d read_vector3(const YamlValue& value, const std::string& what);
Eigen::Vector3d read_direction(const YamlValue& value, const std::string& what);  ///< made unit
/// The items of a list.
const std::vector<YamlValue>& read_list(const YamlValue& value, const std::string& what);

/// A map whose keys are those of its format, and no others.
class MapReader {
 public:
  /// @param what    names the map in errors, e.g. "body 'box'".
  /// @param format  must outlive the reader.
  /// @throws ParseError if the value is not a map, has an unknown or duplicate key, or lacks a
  /// required one.
  MapReader(const YamlValue& value, std::string what, const FormatMap& format);

  /// Null where the file does not give the key.
  /// @throws std::logic_error for a key that the format does not have; so do all below.
  const YamlValue* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }
  /// @throws ParseError at the map if the key is missing.
  const YamlValue& required(const std::string& key) const;

  const YamlValue& value() const { return *value_; }
  const SourceLocation& where() const { return value_->where; }
  const SourceLocation& where(const std::string& key) const { return required(key).where; }
  const std::string& what() const { return what_; }
  /// "mass of body 'box'".
  std::string name_of(const std::string& key) const { return key + " of " + what_; }

  double number(const std::string& key, double otherwise) const;
  Eigen::Vector3d vector3(const std::string& key, const Eigen::Vector3d& otherwise) const;

  /// The word of a key that is there: one of its choices.
  std::string choice(const std::string& key) const;
  /// The same as the enumerator at the word's place.
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

/// Like MapReader's check of duplicate keys, for a map of free names. Returns value's keys.
const std::vector<YamlValue::Key>& read_names(const YamlValue& value, const std::string& what);

}  // namespace amontons::io
