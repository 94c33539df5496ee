#include "amontons/contact/bounded_row.h"

#include "amontons/contact/contact_problem.h"

#include <stdexcept>

namespace amontons {

const char* to_string(BoundedRowKind kind) {
  switch (kind) {
    case BoundedRowKind::Limit:
      return "limit";
    case BoundedRowKind::Friction:
      return "friction";
    case BoundedRowKind::Servo:
      return "servo";
    case BoundedRowKind::Spring:
      return "spring";
    case BoundedRowKind::Damper:
      return "damper";
  }
  throw std::invalid_argument("to_string: no such BoundedRowKind");
}

ContactKey key_of(const BoundedRow& row) {
  // The lowest bit of the feature tells the upper from the lower limit of a coordinate.
  const auto kind = static_cast<std::uint32_t>(row.kind);
  return {kBoundedRowShape, row.index, (kind << 1U) | (row.is_upper ? 1U : 0U)};
}

}  // namespace amontons
