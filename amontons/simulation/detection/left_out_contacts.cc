#include "amontons/geometry/shape_kinds.h"
#include "amontons/simulation/detection/contact_detector.h"

#include <algorithm>
#include <limits>

// Contacts that the detector has found and leaves out: those at points that another shape covers,
// and those of shapes that pass each other.

namespace amontons {

template <typename IsKept>
void ContactDetector::keep_contacts(const IsKept& is_kept) {
  // Contacts move up over those that are left out.
  std::size_t size = 0;
  for (PairContacts& pair : pairs_) {
    const std::size_t first = size;
    for (std::size_t i = pair.first; i < pair.last; ++i) {
      if (is_kept(pair, contacts_[i])) contacts_[size++] = contacts_[i];
    }
    pair.is_whole = pair.is_whole && size - first == pair.last - pair.first;
    pair.first = first;
    pair.last = size;
  }
  contacts_.resize(size);
}

ShapeInStep ContactDetector::shape_in_step(int shape) const {
  const auto i = static_cast<std::size_t>(shape);
  return {system_->shapes()[i].shape, X_WG_[i], velocities_[i], thickness_[i]};
}

bool ContactDetector::passes(const PairContacts& pair, double h) const {
  const ShapeInStep A = shape_in_step(pair.shapes.first), B = shape_in_step(pair.shapes.second);
  if (pair.first == pair.last || !is_bounded_convex(A.shape) || !is_bounded_convex(B.shape)) {
    return false;
  }
  return pass_without_touching(A, B, contacts_of(pair), h, system_->protective_layer());
}

std::span<const Contact> ContactDetector::contacts_of(const PairContacts& pair) const {
  return {contacts_.data() + pair.first, pair.last - pair.first};
}

void ContactDetector::leave_out_covered() {
  if (!flush_shapes_.any()) return;
  // The least gap of each pair, before any contact is left out.
  least_gaps_.clear();
  for (const PairContacts& pair : pairs_) {
    double least = std::numeric_limits<double>::infinity();
    for (const Contact& contact : contacts_of(pair)) least = std::min(least, contact.gap);
    least_gaps_.push_back(least);
  }
  const auto least_gap = [this](int a, int b) {
    const std::pair<int, int> shapes = std::minmax(a, b);
    const auto found = std::lower_bound(
        pairs_.begin(), pairs_.end(), shapes,
        [](const PairContacts& pair, const auto& key) { return pair.shapes < key; });
    if (found == pairs_.end() || found->shapes != shapes)
      return std::numeric_limits<double>::infinity();
    return least_gaps_[static_cast<std::size_t>(found - pairs_.begin())];
  };
  keep_contacts([&](const PairContacts&, const Contact& contact) {
    return !flush_shapes_.cover(contact, system_->protective_layer(), X_WG_, least_gap);
  });
}

int ContactDetector::tree_of(int shape) const {
  const int body = system_->shapes()[static_cast<std::size_t>(shape)].body;
  return system_->bodies()[static_cast<std::size_t>(body)].articulation;
}

void ContactDetector::find_what_meets(double h) {
  const std::size_t num_trees = system_->articulations().size();
  groups_.reset(num_trees);
  meeting_.clear();
  for (const PairContacts& pair : pairs_) {
    const auto [a, b] = pair.shapes;
    if (pair.passes || pair.first == pair.last) continue;
    const int tree_a = tree_of(a), tree_b = tree_of(b);
    if (tree_a >= 0 && tree_b >= 0) groups_.join(tree_a, tree_b);
    if (meet_at_start(shape_in_step(a), shape_in_step(b), contacts_of(pair), h)) {
      meeting_.push_back(tree_a >= 0 ? tree_a : tree_b);
    }
  }
  meets_.assign(num_trees, 0);
  for (const int tree : meeting_) meets_[static_cast<std::size_t>(groups_.root(tree))] = 1;
}

void ContactDetector::leave_out_passing(double h) {
  bool any = false;
  for (PairContacts& pair : pairs_) any |= (pair.passes = passes(pair, h));
  if (!any) return;
  // What meets something changes its way, and with it that of all that it may push.
  find_what_meets(h);
  const auto keeps_its_way = [&](int shape) {
    const int tree = tree_of(shape);
    return tree < 0 || meets_[static_cast<std::size_t>(groups_.root(tree))] == 0;
  };
  const auto is_left_out = [&](const PairContacts& pair) {
    return pair.passes && keeps_its_way(pair.shapes.first) && keeps_its_way(pair.shapes.second);
  };
  for (const PairContacts& pair : pairs_) {
    if (is_left_out(pair)) passing_.push_back(pair.shapes);
  }
  keep_contacts([&](const PairContacts& pair, const Contact&) { return !is_left_out(pair); });
}

}  // namespace amontons
