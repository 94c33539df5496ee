#include "amontons/simulation/system/collision_filters.h"

#include <algorithm>
#include <map>

namespace amontons {

PairFate CollisionFilters::fate(int shape_a, int shape_b) const {
  const FilteredShape &a = shapes_[static_cast<std::size_t>(shape_a)],
                      &b = shapes_[static_cast<std::size_t>(shape_b)];
  // Shapes that cannot move relative to each other.
  if (a.link == b.link) return a.link < 0 ? PairFate::BothFixed : PairFate::SameBody;
  if (a.rigid == b.rigid) return PairFate::Welded;
  // Rules of the scene, then pairs that a file includes.
  if (const int rule = rule_of(a, b); rule >= 0) {
    return rule_collides_[static_cast<std::size_t>(rule)] != 0 ? PairFate::Collides
                                                               : PairFate::Filtered;
  }
  const std::pair<int, int> pair_of_shapes = std::minmax(shape_a, shape_b);
  if (std::binary_search(included_.begin(), included_.end(), pair_of_shapes)) {
    return PairFate::Collides;
  }
  // Masks and excluded pairs of bodies.
  if (a.filter.is_none() || b.filter.is_none()) return PairFate::CollideNone;
  if (!a.filter.admits(b.filter)) return PairFate::Masks;
  const BodyPair* pair = find(excluded_, std::minmax(a.body, b.body));
  return pair == nullptr ? PairFate::Collides : pair->reason;
}

/// Returns the last rule that names a pair of shapes, or -1.
int CollisionFilters::rule_of(const FilteredShape& a, const FilteredShape& b) const {
  if (rule_collides_.empty()) return -1;
  const BodyPair* joined = find(joined_, std::minmax(a.body, b.body));
  const int by_kind = rule_of_kinds_[static_cast<std::size_t>(a.kind * num_kinds_ + b.kind)];
  return std::max(by_kind, joined == nullptr ? -1 : joined->rule);
}

const CollisionFilters::BodyPair* CollisionFilters::find(const std::vector<BodyPair>& pairs,
                                                         std::pair<int, int> bodies) {
  const auto before = [](const BodyPair& pair, const std::pair<int, int>& key) {
    return pair.bodies < key;
  };
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), bodies, before);
  return found == pairs.end() || found->bodies != bodies ? nullptr : &*found;
}

void CollisionFilters::add_shape(int body, int link, int rigid, const CollisionFilter& filter) {
  while (static_cast<int>(first_shape_.size()) <= body) {
    first_shape_.push_back(static_cast<int>(shapes_.size()));
  }
  shapes_.push_back({body, link, rigid, 0, filter});
}

void CollisionFilters::exclude(int body_a, int body_b, PairFate reason) {
  excluded_.push_back({std::minmax(body_a, body_b), reason, -1});
}

int CollisionFilters::index_of(const ShapeSite& site) const {
  return first_shape_[static_cast<std::size_t>(site.body)] + site.shape;
}

void CollisionFilters::include(const ShapeSite& a, const ShapeSite& b) {
  included_.emplace_back(std::minmax(index_of(a), index_of(b)));
}

void CollisionFilters::add_rules(const std::vector<CollisionRule>& rules) {
  // The lists in which each shape occurs: 2 i and 2 i + 1 are those of rule i.
  std::vector<std::vector<int>> lists(shapes_.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const int index = static_cast<int>(i);
    rule_collides_.push_back(static_cast<char>(rules[i].collide));
    for (const ShapeSite& site : rules[i].first) {
      lists[static_cast<std::size_t>(index_of(site))].push_back(2 * index);
    }
    for (const ShapeSite& site : rules[i].second) {
      lists[static_cast<std::size_t>(index_of(site))].push_back(2 * index + 1);
    }
    for (const auto& [a, b] : rules[i].joined) {
      joined_.push_back({std::minmax(a, b), PairFate::Filtered, index});
    }
  }
  // Shapes in the same lists are of one kind.
  std::map<std::vector<int>, int> kinds;
  std::vector<std::vector<int>> kinds_of_list(2 * rules.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const auto [place, is_new] = kinds.emplace(lists[i], static_cast<int>(kinds.size()));
    shapes_[i].kind = place->second;
    if (!is_new) continue;
    for (const int list : lists[i]) {
      kinds_of_list[static_cast<std::size_t>(list)].push_back(place->second);
    }
  }
  // A later rule overwrites those before it.
  num_kinds_ = std::max(1, static_cast<int>(kinds.size()));
  const auto n = static_cast<std::size_t>(num_kinds_);
  rule_of_kinds_.assign(n * n, -1);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const int a : kinds_of_list[2 * i]) {
      for (const int b : kinds_of_list[2 * i + 1]) {
        const auto ka = static_cast<std::size_t>(a), kb = static_cast<std::size_t>(b);
        rule_of_kinds_[ka * n + kb] = rule_of_kinds_[kb * n + ka] = static_cast<int>(i);
      }
    }
  }
  // Of several rules of one joined pair the last one counts.
  std::stable_sort(joined_.begin(), joined_.end(), [](const BodyPair& x, const BodyPair& y) {
    return std::pair(x.bodies, -x.rule) < std::pair(y.bodies, -y.rule);
  });
}

void CollisionFilters::sort() {
  // Of several reasons the first one stays in front.
  std::stable_sort(excluded_.begin(), excluded_.end(),
                   [](const BodyPair& x, const BodyPair& y) { return x.bodies < y.bodies; });
  std::sort(included_.begin(), included_.end());
}

}  // namespace amontons
