#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Holds one value of a YAML document with its place in the file. It keeps duplicate keys, the
/// place of every key, and quotes of scalars, which the parser's own tree drops. It converts
/// nothing.
struct YamlValue {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Key {
    std::string text;
    SourceLocation where;
  };

  Kind kind = Kind::Null;
  std::string text;              ///< text of a scalar
  bool quoted = false;           ///< a quoted scalar is text, never a number or a truth value
  std::vector<Key> keys;         ///< keys of a map, in the order of the file
  std::vector<YamlValue> items;  ///< items of a sequence, or the values of a map, one per key
  /// Marks a map from indices to single items of a list that the document does not give: those that
  /// overrides set. The other items have their defaults. No text has such a map.
  bool is_partial_list = false;
  SourceLocation where;

  /// Returns the value of a map's key, null where it is absent.
  const YamlValue* find(const std::string& key) const;
};

/// Returns the document of a YAML text. Anchors and aliases are expanded.
/// @param name  the file's name, for the places.
/// @throws ParseError for a syntax error, an empty text, several documents, or a tag. Also for a
/// key that is not plain text, an alias inside its own anchor, and excessive nesting or expansion.
YamlValue parse_yaml(const std::string& text, const std::string& name);

}  // namespace amontons::io
