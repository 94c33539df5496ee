#pragma once

#include "amontons/io/yaml/yaml_value.h"

#include <optional>
#include <string>

namespace amontons::io {

/// Sets one value of a document. The path leads through maps by key and through lists by the `name`
/// of an item or its index from 0, separated by dots. An absent key is added, also in the middle of
/// the path, which has at most 100 parts and 4096 bytes. An index below an absent key is that of a
/// list at its default (YamlValue::is_partial_list). A name with dots stands in quotes:
/// models.arm.links."part.001".mass.
/// @param value  the new value, as YAML.
/// @throws ParseError naming the override, if the path leads nowhere or the value is not YAML.
void apply_override(YamlValue& document, const std::string& path, const std::string& value);

/// Returns the number at a path of apply_override, or nothing where the document gives none there.
std::optional<double> number_at(const YamlValue& document, const std::string& path);

/// Returns a name as a part of a path: in quotes where it has dots.
std::string path_part(const std::string& name);

}  // namespace amontons::io
