#include "benchmarks/peers/overlap.h"

#include "amontons/geometry/signed_distance.h"

#include <algorithm>

namespace amontons::peers {

OverlapMeter::OverlapMeter(const World& world) {
  for (std::size_t b = 0; b < world.moving.size(); ++b) {
    for (const WorldShape& shape : world.moving[b].shapes) {
      items_.push_back({static_cast<int>(b), shape.shape, shape.X_BG});
    }
  }
  for (const WorldBody& body : world.fixed_bodies) {
    for (const WorldShape& shape : body.shapes) {
      items_.push_back({-1, shape.shape, body.X_WB * shape.X_BG});
    }
  }
  for (const Item& item : items_) is_static_.push_back(item.body < 0);
  X_WG_.resize(items_.size());
  boxes_.resize(items_.size());
}

double OverlapMeter::deepest(const std::vector<BodyState>& states) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    X_WG_[i] =
        item.body < 0 ? item.X_BG : states[static_cast<std::size_t>(item.body)].X_WB * item.X_BG;
    boxes_[i] = bounding_box(item.shape, X_WG_[i]);
  }
  double depth = 0.0;
  for (const auto& [first, second] : broad_phase_.find_pairs(boxes_, is_static_)) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    if (items_[a].body == items_[b].body) continue;
    const SignedDistance gap =
        signed_distance(items_[a].shape, X_WG_[a], items_[b].shape, X_WG_[b]);
    depth = std::max(depth, -gap.distance);
  }
  return depth;
}

}  // namespace amontons::peers
