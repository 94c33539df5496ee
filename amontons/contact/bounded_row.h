#pragma once

#include <cstdint>
#include <limits>

namespace amontons {

struct ContactKey;

/// Names what a bounded row represents.
enum class BoundedRowKind : std::uint8_t {
  Limit = 0,     ///< stop of a joint: 0 <= p perp u + s >= 0, s its stabilized gap
  Friction = 1,  ///< dry friction of a joint: |p| <= h mu_c, opposing u where it slides
  Servo = 2,     ///< an implicit servo at its effort limits: h least <= p <= h largest
  Spring = 3,    ///< an implicit spring of a joint that is rows of J; no bounds
  Damper = 4,    ///< an implicit damper of such a joint; no bounds
};

/// Returns the name of a kind, as messages and files print it.
const char* to_string(BoundedRowKind kind);

/// Describes a scalar row of the contact problem besides contacts and loop joints. Its impulse p
/// and the velocity u = L v+ of its row L of the bounded Jacobian obey
///
///   p = Proj_[lower, upper](p - (u + s + R p)).
///
/// So u + s + R p is 0 inside the bounds, >= 0 at the lower and <= 0 at the upper one. A turning
/// coordinate has units (rad, N m s), a sliding one (m, N s). The page docs/theory/joint-rows.md
/// derives the rows of each kind.
struct BoundedRow {
  BoundedRowKind kind = BoundedRowKind::Limit;  ///< kind of the row
  /// Names the row: the index of the joint coordinate, or of the servo, in the system.
  std::int32_t index = -1;
  /// Marks the upper of the two limits of a coordinate.
  bool is_upper = false;
  /// Bounds of p [N s, N m s]: [0, infinity) of a limit, else symmetric.
  double lower = 0.0, upper = std::numeric_limits<double>::infinity();
  double gap = 0.0;          ///< way left to a limit, negative beyond it [m, rad]
  double offset = 0.0;       ///< s of a servo or spring [m/s, rad/s]
  double compliance = 0.0;   ///< R of a servo, spring or damper [1/kg, 1/(kg m^2)], >= 0
  double restitution = 0.0;  ///< e of a limit [-], in [0, 1]
  /// Largest speed at which a passed limit is corrected, as Contact::opening_speed [m/s, rad/s].
  double opening_speed = std::numeric_limits<double>::infinity();

  /// Returns true if the row gives any impulse that its equation u + s + R p = 0 asks for, R > 0.
  bool is_unbounded() const {
    return upper == std::numeric_limits<double>::infinity() && lower == -upper;
  }
};

/// The last kind; readers of files reject larger codes.
inline constexpr BoundedRowKind kLastBoundedRowKind = BoundedRowKind::Damper;

/// `shape_a` of the keys of bounded rows. It is above that of any contact, so that the rows sort
/// behind them.
inline constexpr std::int32_t kBoundedRowShape = std::numeric_limits<std::int32_t>::max();

/// Returns the key that names a row from one step to the next. It sorts behind the keys of all
/// contacts.
ContactKey key_of(const BoundedRow& row);

}  // namespace amontons
