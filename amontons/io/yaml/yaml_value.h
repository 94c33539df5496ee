#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons::io {

/// One value of a YAML document with its place in the file. Unlike the parser's own tree it keeps
/// duplicate keys, the place of every key, and whether a scalar was quoted, and converts nothing.
struct YamlValue {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Key {
    std::string text;
    SourceLocation where;
  };

  Kind kind = Kind::Null;
  std::string text;              ///< of a scalar
  bool quoted = false;           ///< a quoted scalar is text, never a number or a truth value
  std::vector<Key> keys;         ///< of a map, in the order of the file
  std::vector<YamlValue> items;  ///< of a sequence, or the values of a map, one per key
  SourceLocation where;

  const YamlValue* find(const std::string& key) const;
};

/// The document of a YAML text. Anchors and aliases are expanded.
/// @param name  of the file, for the places.
/// @throws ParseError for a syntax error, an empty text, several documents, a tag, a key that is
/// not plain text, an alias inside its own anchor, or nesting or expansion beyond reason.
YamlValue parse_yaml(const std::string& text, const std::string& name);

}  // namespace amontons::io
