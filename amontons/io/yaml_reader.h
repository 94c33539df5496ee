#pragma once

#include "amontons/io/yaml_value.h"

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// The strict layer over a YAML tree: every conversion names the place and the remedy.

/// @throws ParseError  at a place.
[[noreturn]] void fail_at(const SourceLocation& where, const std::string& message);

/// "; did you mean 'x'?" for the nearest of the candidates, or nothing if there are none.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

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

/// A map whose keys are all known.
class MapReader {
 public:
  /// @param what   names the map in errors, e.g. "body 'box'".
  /// @throws ParseError if the value is not a map, or has an unknown or duplicate key.
  MapReader(const YamlValue& value, std::string what, std::vector<std::string> known_keys);

  const YamlValue* find(const std::string& key) const { return value_->find(key); }
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

  /// A key of the format that this version does not carry out.
  /// @throws ParseError if it is there.
  void refuse_unavailable(const std::string& key) const;

 private:
  const YamlValue* value_;
  std::string what_;
};

/// Like MapReader's check of duplicate keys, for a map of free names. Returns value's keys.
const std::vector<YamlValue::Key>& read_names(const YamlValue& value, const std::string& what);

}  // namespace amontons::io
