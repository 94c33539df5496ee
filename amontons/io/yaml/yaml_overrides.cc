#include "amontons/io/yaml/yaml_overrides.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/math/nearest_name.h"

#include <charconv>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

// Bounds of a path: far beyond the depth of a scene and the length of its names.
constexpr std::size_t kMaxParts = 100, kMaxPathBytes = 4096;
// Bytes of an override that messages show: every value of it holds this text.
constexpr std::size_t kShownBytes = 200;

/// Returns the override as errors name it, in place of a file and line.
SourceLocation place_of(const std::string& path, const std::string& value) {
  const std::string text = "override " + path + "=" + value;
  SourceLocation place{"", 0, 0};
  place.file.assign(text, 0, kShownBytes);
  if (text.size() > kShownBytes) place.file += "...";
  return place;
}

/// Returns the parts of a path, separated by dots. Dots within quotes are those of a name.
std::vector<std::string> split_path(const std::string& path, const SourceLocation& where) {
  std::vector<std::string> parts(1);
  bool is_quoted = false;
  for (const char c : path) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == '.' && !is_quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (is_quoted) fail_at(where, "a quote in the path is not closed");
  return parts;
}

/// Returns the number of a list's item by its `name`, else by its index.
std::optional<std::size_t> item_number(const YamlValue& list, const std::string& part) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const YamlValue* name = list.items[i].find("name");
    if (name != nullptr && name->text == part) return i;
  }
  // A name that looks like a number wins over the index.
  std::size_t index = 0;
  const char* end = part.data() + part.size();
  const std::from_chars_result result = std::from_chars(part.data(), end, index);
  if (result.ec != std::errc() || result.ptr != end || index >= list.items.size()) return {};
  return index;
}

/// Returns the item of a list by its `name`, else by its index.
YamlValue& find_in_list(YamlValue& list, const std::string& part, const SourceLocation& where) {
  if (const auto number = item_number(list, part)) return list.items[*number];
  std::vector<std::string> names;
  for (const YamlValue& item : list.items) {
    if (const YamlValue* name = item.find("name")) names.push_back(name->text);
  }
  fail_at(where, "the list has no item '" + part + "'" + did_you_mean(part, names));
}

/// Returns the value of a key, adding a Null for an absent one. Unknown keys need no check here:
/// the reader refuses them.
YamlValue& find_or_add_key(YamlValue& map, const std::string& part, const SourceLocation& where) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i].text == part) return map.items[i];
  }
  map.keys.push_back({part, where});
  map.items.emplace_back();
  map.items.back().where = where;
  return map.items.back();
}

/// Sets the place of a value and of all values in it to that of the override.
void set_places(YamlValue& value, const SourceLocation& where) {
  value.where = where;
  for (YamlValue::Key& key : value.keys) key.where = where;
  for (YamlValue& item : value.items) set_places(item, where);
}

}  // namespace

std::string path_part(const std::string& name) {
  return name.find('.') == std::string::npos ? name : "\"" + name + "\"";
}

std::optional<double> number_at(const YamlValue& document, const std::string& path) {
  const YamlValue* target = &document;
  for (const std::string& part : split_path(path, {path, 0, 0})) {
    if (target->kind == YamlValue::Kind::Sequence) {
      const auto number = item_number(*target, part);
      target = number ? &target->items[*number] : nullptr;
    } else {
      target = target->find(part);
    }
    if (target == nullptr) return {};
  }
  double number = 0.0;
  const bool is_number = target->kind == YamlValue::Kind::Scalar && !target->quoted &&
                         parse_number(target->text, number).empty();
  return is_number ? std::optional(number) : std::nullopt;
}

void apply_override(YamlValue& document, const std::string& path, const std::string& value) {
  const SourceLocation where = place_of(path, value);
  if (path.size() > kMaxPathBytes) fail_at(where, "the path has more than 4096 bytes");
  const std::vector<std::string> parts = split_path(path, where);
  if (parts.size() > kMaxParts) fail_at(where, "the path has more than 100 parts");
  YamlValue* target = &document;
  for (const std::string& part : parts) {
    if (part.empty()) fail_at(where, "the path has an empty part; write e.g. simulation.step");
    // A key that was just added becomes a map as soon as the path continues, or a list of which
    // only single items are given.
    if (target->kind == YamlValue::Kind::Null) {
      target->kind = YamlValue::Kind::Map;
      target->is_partial_list = part.find_first_not_of("0123456789") == std::string::npos;
    }
    if (target->kind == YamlValue::Kind::Scalar) {
      fail_at(where, "'" + part + "' lies below a single value");
    }
    target = target->kind == YamlValue::Kind::Sequence ? &find_in_list(*target, part, where)
                                                       : &find_or_add_key(*target, part, where);
  }
  if (value.find_first_not_of(" \t\n") == std::string::npos) {
    fail_at(where, "there is no value after the '='");
  }
  // The replacement is parsed like a file of its own, so that it may be a list or map.
  YamlValue replacement = parse_yaml(value, where.file);
  set_places(replacement, where);
  *target = std::move(replacement);
}

}  // namespace amontons::io
