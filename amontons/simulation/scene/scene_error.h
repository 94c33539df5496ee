#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <stdexcept>
#include <string>

namespace amontons {

/// Reports a scene that cannot be assembled. The message begins with the place as far as it is
/// known: "file:line: ".
class SceneError : public std::invalid_argument {
 public:
  /// @param fault  the message without its place.
  SceneError(const SourceLocation& where, const std::string& fault)
      : std::invalid_argument(place(where) + fault), where_(where), fault_(fault) {}

  const SourceLocation& where() const { return where_; }  ///< no file: the place is unknown
  const std::string& fault() const { return fault_; }     ///< the message without its place

 private:
  static std::string place(const SourceLocation& where) {
    if (where.file.empty()) return "";
    return where.file + ":" + std::to_string(where.line) + ": ";
  }

  SourceLocation where_;
  std::string fault_;
};

}  // namespace amontons
