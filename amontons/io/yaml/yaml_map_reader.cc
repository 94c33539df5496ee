#include "amontons/io/yaml/yaml_map_reader.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace amontons::io {
namespace {

/// Returns how an error shows a value.
std::string kind_of(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::Null:
      return "nothing";
    case YamlValue::Kind::Scalar:
      return "'" + value.text + "'";
    case YamlValue::Kind::Sequence:
      return "a list";
    case YamlValue::Kind::Map:
      return "a map";
  }
  return "something else";
}

/// Returns the text of a scalar without quotes; quoted scalars are text, never numbers or truth
/// values.
const std::string& plain_text(const YamlValue& value, const std::string& what,
                              const std::string& needed) {
  if (value.kind != YamlValue::Kind::Scalar || value.quoted) {
    const std::string found =
        value.quoted ? "the quoted text '" + value.text + "'" : kind_of(value);
    fail_at(value.where, what + " must be " + needed + ", not " + found);
  }
  return value.text;
}

/// Reads a decimal integer: digits alone, with a minus for signed types.
template <typename Integer>
Integer parse_integer(const YamlValue& value, const std::string& what, const std::string& needed) {
  const std::string& text = plain_text(value, what, needed);
  Integer number = 0;
  const char* end = text.data() + text.size();
  // The whole text must be consumed, so that "3.5" and "0x10" are errors.
  const std::from_chars_result result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) {
    fail_at(value.where, what + " must be " + needed + ", not '" + text + "'");
  }
  return number;
}

/// Refuses a map that gives a key twice, which most parsers would merge silently.
void check_duplicates(const YamlValue& value, const std::string& what) {
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (value.keys[i].text == value.keys[j].text) {
        fail_at(value.keys[i].where, "key '" + value.keys[i].text + "' of " + what +
                                         " is given twice, first in line " +
                                         std::to_string(value.keys[j].where.line));
      }
    }
  }
}

/// Returns the words separated by commas.
std::string join(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + word;
  return result;
}

}  // namespace

double read_number(const YamlValue& value, const std::string& what) {
  const std::string& text = plain_text(value, what, "a number");
  double number = 0.0;
  const std::string fault = parse_number(text, number);
  if (!fault.empty()) fail_at(value.where, what + " " + fault);
  return number;
}

double read_positive(const YamlValue& value, const std::string& what) {
  const double number = read_number(value, what);
  if (!(number > 0.0)) fail_at(value.where, what + " must be positive, not " + value.text);
  if (number < kSmallestNumber) fail_at(value.where, what + " is absurdly small: " + value.text);
  return number;
}

double read_non_negative(const YamlValue& value, const std::string& what) {
  const double number = read_number(value, what);
  if (number < 0.0) fail_at(value.where, what + " must not be negative, but is " + value.text);
  return number;
}

double read_within(const YamlValue& value, const std::string& what, double lower, double upper) {
  const double number = read_number(value, what);
  if (number < lower || number > upper) {
    fail_at(value.where, what + " must lie in [" + shortest_text(lower) + ", " +
                             shortest_text(upper) + "], but is " + value.text);
  }
  return number;
}

std::uint64_t read_count(const YamlValue& value, const std::string& what) {
  return parse_integer<std::uint64_t>(value, what, "an integer from 0 to 2^64 - 1");
}

int read_integer(const YamlValue& value, const std::string& what, int lower, int upper) {
  const std::string needed =
      "an integer from " + std::to_string(lower) + " to " + std::to_string(upper);
  const int number = parse_integer<int>(value, what, needed);
  if (number < lower || number > upper) {
    fail_at(value.where, what + " must be " + needed + ", not " + value.text);
  }
  return number;
}

bool read_bool(const YamlValue& value, const std::string& what) {
  const std::string& text = plain_text(value, what, "true or false");
  if (text != "true" && text != "false") {
    fail_at(value.where, what + " must be true or false, not '" + text + "'");
  }
  return text == "true";
}

std::string read_text(const YamlValue& value, const std::string& what) {
  if (value.kind != YamlValue::Kind::Scalar) {
    fail_at(value.where, what + " must be a text, not " + kind_of(value));
  }
  if (value.text.empty()) fail_at(value.where, what + " must not be empty");
  return value.text;
}

std::string read_choice(const YamlValue& value, const std::string& what,
                        const std::vector<std::string>& choices) {
  const std::string text = read_text(value, what);
  if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
    fail_at(value.where, what + " cannot be '" + text + "'" + did_you_mean(text, choices) +
                             " (one of: " + join(choices) + ")");
  }
  return text;
}

const std::vector<YamlValue>& read_list(const YamlValue& value, const std::string& what) {
  if (value.kind != YamlValue::Kind::Sequence) {
    fail_at(value.where, what + " must be a list, not " + kind_of(value));
  }
  return value.items;
}

std::vector<double> read_numbers(const YamlValue& value, const std::string& what,
                                 std::size_t count) {
  const std::string needed = "a list of " + std::to_string(count) + " numbers";
  if (value.is_partial_list) {
    fail_at(value.where, what + " must be " + needed + ", and has no default of which one number " +
                             "could be replaced; give the whole list");
  }
  if (value.kind != YamlValue::Kind::Sequence) {
    fail_at(value.where, what + " must be " + needed + ", not " + kind_of(value));
  }
  if (value.items.size() != count) {
    fail_at(value.where, what + " must be " + needed + ", but has " +
                             std::to_string(value.items.size()) + " entries");
  }
  std::vector<double> numbers;
  for (const YamlValue& item : value.items) numbers.push_back(read_number(item, what));
  return numbers;
}

Eigen::Vector2d read_vector2(const YamlValue& value, const std::string& what) {
  const std::vector<double> numbers = read_numbers(value, what, 2);
  return {numbers[0], numbers[1]};
}

Eigen::Vector3d read_vector3(const YamlValue& value, const std::string& what) {
  const std::vector<double> numbers = read_numbers(value, what, 3);
  return {numbers[0], numbers[1], numbers[2]};
}

Eigen::Vector3d read_direction(const YamlValue& value, const std::string& what) {
  const Eigen::Vector3d direction = read_vector3(value, what);
  // Division by the largest component keeps the norm from overflow and underflow.
  const double largest = direction.cwiseAbs().maxCoeff();
  if (largest < kSmallestNumber) {
    fail_at(value.where, what + " must not be zero: it gives a direction");
  }
  return (direction / largest).normalized();
}

MapReader::MapReader(const YamlValue& value, std::string what, const FormatMap& format)
    : value_(&value), what_(std::move(what)), format_(&format) {
  if (value.kind != YamlValue::Kind::Map) {
    fail_at(value.where, what_ + " must be a map of keys, not " + kind_of(value));
  }
  // Unknown keys come first: a typing error explains a required key that is missing.
  const std::vector<std::string> known_keys = format.names();
  for (const YamlValue::Key& key : value.keys) {
    if (std::find(known_keys.begin(), known_keys.end(), key.text) == known_keys.end()) {
      fail_at(key.where, "unknown key '" + key.text + "' in " + what_ +
                             did_you_mean(key.text, known_keys) + " (keys: " + join(known_keys) +
                             ")");
    }
  }
  check_duplicates(value, what_);
  // Required keys are checked at once, so that readers may rely on them.
  for (const FormatKey& key : format.keys) {
    if (key.otherwise == kRequired) required(key.name);
  }
}

// The format is asked first, so that a reader cannot ask for a key that the reference does not
// list.
const YamlValue* MapReader::find(const std::string& key) const {
  return value_->find(format_->key(key).name);
}

const YamlValue& MapReader::required(const std::string& key) const {
  const YamlValue* found = find(key);
  if (found == nullptr) fail_at(where(), what_ + " needs the key '" + key + "'");
  return *found;
}

double MapReader::number(const std::string& key, double otherwise) const {
  const YamlValue* found = find(key);
  return found ? read_number(*found, name_of(key)) : otherwise;
}

std::vector<double> MapReader::numbers(const std::string& key,
                                       const std::vector<double>& otherwise) const {
  const YamlValue* found = find(key);
  if (found == nullptr) return otherwise;
  if (!found->is_partial_list) return read_numbers(*found, name_of(key), otherwise.size());
  std::vector<double> numbers = otherwise;
  for (std::size_t i = 0; i < found->keys.size(); ++i) {
    const std::string& text = found->keys[i].text;
    std::size_t index = 0;
    const std::from_chars_result result =
        std::from_chars(text.data(), text.data() + text.size(), index);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
        index >= numbers.size()) {
      fail_at(found->keys[i].where, name_of(key) + " has no item '" + text + "': it is a list of " +
                                        std::to_string(numbers.size()) +
                                        " numbers, the first of which is 0");
    }
    numbers[index] = read_number(found->items[i], name_of(key));
  }
  return numbers;
}

Eigen::Vector3d MapReader::vector3(const std::string& key, const Eigen::Vector3d& otherwise) const {
  const std::vector<double> found = numbers(key, {otherwise.x(), otherwise.y(), otherwise.z()});
  return {found[0], found[1], found[2]};
}

std::string MapReader::choice(const std::string& key) const {
  return read_choice(required(key), name_of(key), format_->key(key).choices);
}

std::size_t MapReader::index_of_choice(const std::string& key) const {
  // choice() has refused every other word, so that the search succeeds.
  const std::vector<std::string>& choices = format_->key(key).choices;
  return static_cast<std::size_t>(
      std::distance(choices.begin(), std::find(choices.begin(), choices.end(), choice(key))));
}

const std::vector<YamlValue::Key>& read_names(const YamlValue& value, const std::string& what) {
  if (value.kind != YamlValue::Kind::Map) {
    fail_at(value.where, what + " must be a map, not " + kind_of(value));
  }
  check_duplicates(value, what);
  return value.keys;
}

}  // namespace amontons::io
