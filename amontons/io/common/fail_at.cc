#include "amontons/io/common/fail_at.h"

#include "amontons/io/common/parse_error.h"

namespace amontons::io {

void fail_at(const SourceLocation& where, const std::string& message) {
  throw ParseError(where.file, where.line, where.column, message);
}

}  // namespace amontons::io
