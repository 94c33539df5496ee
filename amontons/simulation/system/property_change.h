#pragma once

#include <array>
#include <cstdint>

namespace amontons {

/// Names a property of a system that a program may change between steps. `index` and `other` of a
/// PropertyChange say whose it is, and `values` are in the order given here.
enum class PropertyKind : std::uint8_t {
  Gravity,       ///< gravity, in W [m/s^2] (3)
  Material,      ///< of a material: mu [-], e [-], mu_v [N s/m] (3); listed pairs keep theirs
  MaterialPair,  ///< of two materials that meet: the same (3)
  Mass,          ///< mass of a body's rigid link [kg] (1); its inertia scales with it
  /// Of a servo: kp, kd, its effort limit both ways (3); 0 leaves the scene's limits of different
  /// sizes.
  ServoGains,
  Collision,  ///< of two bodies: 1 lets them collide, 0 does not (1)
  /// Of a joint that is rows of J: 1 holds, 0 does not; then M's pose in B as quaternion w x y z
  /// and position [m] (8).
  Attachment,
  Parked,  ///< of a body's tree: 1 takes it out of all contact and carries its weight (1)
  /// Of a muscle: its control [-], and since when [s] from which activation [-] (3).
  MuscleControl,
};
inline constexpr int kNumPropertyKinds = 9;  ///< number of them

/// Returns how many values a kind has.
constexpr std::size_t num_values(PropertyKind kind) {
  constexpr std::array<std::size_t, kNumPropertyKinds> numbers = {3, 3, 3, 1, 3, 1, 8, 1, 3};
  return numbers[static_cast<std::size_t>(kind)];
}

/// Returns true if a kind names two things, by `index` and `other`.
constexpr bool has_other(PropertyKind kind) {
  return kind == PropertyKind::MaterialPair || kind == PropertyKind::Collision;
}

/// Holds a property that a program has changed.
struct PropertyChange {
  PropertyKind kind = PropertyKind::Gravity;  ///< the property
  int index = -1;  ///< material, body, servo, muscle or System::loop_joints(); or -1
  int other = -1;  ///< the second material or body, not below the first; or -1
  std::array<double, 8> values{};  ///< the new values; zero where the kind has no more

  /// Returns true if both change the same property.
  bool is_same_property(const PropertyChange& change) const {
    return kind == change.kind && index == change.index && other == change.other;
  }
  bool operator==(const PropertyChange&) const = default;  ///< compares member by member
};

}  // namespace amontons
