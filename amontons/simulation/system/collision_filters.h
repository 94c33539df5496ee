#pragma once

#include "amontons/simulation/scene/collision_rules.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace amontons {

/// Names why two shapes do not collide, or that they do.
enum class PairFate : std::uint8_t {
  Collides,       ///< nothing forbids it
  SameBody,       ///< both belong to one body, or to bodies joined rigidly
  BothFixed,      ///< neither moves
  Welded,         ///< rows of J hold their bodies together
  CollideNone,    ///< one of them collides with nothing: `collide: none`
  Filtered,       ///< by `collision_filters` of the scene
  Masks,          ///< neither mask meets the other's category
  ModelFile,      ///< the model's file excludes them
  Joined,         ///< their links are joined by a joint
  ZeroOverlap,    ///< their links overlap in the zero pose of the model
  SelfCollision,  ///< the scene excludes collisions among the links of their model
};
inline constexpr std::size_t kNumPairFates = 11;  ///< number of them

/// Returns the name of a fate, as "masks".
constexpr const char* to_string(PairFate fate) {
  constexpr std::array<const char*, kNumPairFates> names = {
      "collide", "same_body",  "both_fixed", "welded",       "collide_none",  "collision_filters",
      "masks",   "model_file", "joined",     "zero_overlap", "self_collision"};
  return names[static_cast<std::size_t>(fate)];
}

/// Decides which pairs of shapes collide. What cannot move relative to each other never does.
/// Otherwise the scene's rules come first, then pairs that a model's file includes, then masks,
/// then pairs of bodies that are excluded.
class CollisionFilters {
 public:
  /// Returns why two shapes do not collide, or Collides.
  PairFate fate(int shape_a, int shape_b) const;
  /// Returns true if two shapes may collide.
  bool admit(int shape_a, int shape_b) const {
    return fate(shape_a, shape_b) == PairFate::Collides;
  }
  /// Returns true if no shape may collide with this one, by its own filter alone.
  bool admits_nothing(int shape) const {
    return rule_collides_.empty() && included_.empty() &&
           shapes_[static_cast<std::size_t>(shape)].filter.is_none();
  }

  // SystemBuilder calls the following functions in their order.

  /// Adds a shape.
  /// @param body  its body; the shapes of one body come one after the other.
  /// @param link  number of its rigid link over all articulations; -1: it is fixed.
  /// @param rigid  a number that links share which rows of J hold together, and all that is fixed.
  void add_shape(int body, int link, int rigid, const CollisionFilter& filter);
  /// Excludes two bodies for a reason; the first reason counts.
  void exclude(int body_a, int body_b, PairFate reason);
  /// Lets two shapes collide whatever their masks and bodies say.
  void include(const ShapeSite& a, const ShapeSite& b);
  /// Adds the rules of the scene, a later one before those ahead of it.
  void add_rules(const std::vector<CollisionRule>& rules);
  /// Sorts the pairs, after all of them are known.
  void sort();

  /// Replaces the number of the rigid group of a shape (add_shape()), as joints attach and detach.
  void set_rigid(int shape, int rigid) { shapes_[static_cast<std::size_t>(shape)].rigid = rigid; }

 private:
  /// Holds what decides the pairs of one shape.
  struct FilteredShape {
    int body = -1, link = -1;
    int rigid = -1;
    int kind = 0;  // shapes of one kind are in the same lists of all rules
    CollisionFilter filter;
  };
  /// Holds a pair of bodies with the reason of its exclusion, or the index of its rule.
  struct BodyPair {
    std::pair<int, int> bodies;
    PairFate reason = PairFate::ModelFile;
    int rule = -1;
  };

  int index_of(const ShapeSite& site) const;
  int rule_of(const FilteredShape& a, const FilteredShape& b) const;
  static const BodyPair* find(const std::vector<BodyPair>& pairs, std::pair<int, int> bodies);

  std::vector<FilteredShape> shapes_;
  std::vector<int> first_shape_;               // [bodies] index of the first shape of each
  std::vector<BodyPair> excluded_, joined_;    // sorted by bodies
  std::vector<std::pair<int, int>> included_;  // pairs of shapes, sorted
  std::vector<char> rule_collides_;            // [rules]
  int num_kinds_ = 1;
  std::vector<int> rule_of_kinds_;  // [kinds x kinds] index of the last rule; -1: none
};

}  // namespace amontons
