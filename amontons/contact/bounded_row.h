#pragma once

#include <cstdint>
#include <limits>

namespace amontons {

struct ContactKey;

/// What a bounded row stands for.
enum class BoundedRowKind : std::uint8_t {
  Limit = 0,     ///< a stop of a joint: 0 <= p perp u + s >= 0, s its stabilized gap
  Friction = 1,  ///< dry friction of a joint: |p| <= h mu_c, opposing u where it slides
  Servo = 2,     ///< an implicit servo at its effort limit: |p| <= h effort
  Spring = 3,    ///< an implicit spring of a joint that is rows of J: without bounds
  Damper = 4,    ///< an implicit damper of such a joint: without bounds
};

const char* to_string(BoundedRowKind kind);

/// A scalar row of the contact problem besides contacts and loop joints. Its impulse p and the
/// velocity u = L v+ of its row L of the bounded Jacobian obey
///
///   p = Proj_[lower, upper](p - (u + s + R p)),
///
/// i.e. u + s + R p = 0 inside the bounds, >= 0 at the lower and <= 0 at the upper one. Units of a
/// turning coordinate (rad, N m s), of a sliding one (m, N s).
struct BoundedRow {
  BoundedRowKind kind = BoundedRowKind::Limit;  ///< what the row is
  /// Names the row: the index of the joint coordinate, or of the servo, in the system.
  std::int32_t index = -1;
  bool is_upper = false;  ///< which of the two limits
  /// Bounds of p: [0, infinity) of a limit, else symmetric.
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();
  double gap = 0.0;          ///< of a limit: way left, negative beyond it
  double offset = 0.0;       ///< s of a servo or spring
  double compliance = 0.0;   ///< R of a servo, spring or damper, >= 0
  double restitution = 0.0;  ///< e of a limit, in [0, 1]

  /// True of what gives any impulse that its equation u + s + R p = 0 asks for, R > 0.
  bool is_unbounded() const {
    return upper == std::numeric_limits<double>::infinity() && lower == -upper;
  }
};

/// The last kind, for readers of files.
inline constexpr BoundedRowKind kLastBoundedRowKind = BoundedRowKind::Damper;

/// `shape_a` of the keys of bounded rows, above that of any contact.
inline constexpr std::int32_t kBoundedRowShape = std::numeric_limits<std::int32_t>::max();

/// Names a row from one step to the next, behind the keys of all contacts.
ContactKey key_of(const BoundedRow& row);

}  // namespace amontons
