#include "amontons/io/common/fail_at.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/math/nearest_name.h"

namespace amontons::io {

void fail_at(const SourceLocation& where, const std::string& message) {
  throw ParseError(where.file, where.line, where.column, message);
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace amontons::io
