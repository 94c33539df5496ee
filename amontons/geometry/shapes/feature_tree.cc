#include "amontons/geometry/shapes/feature_tree.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

namespace amontons {
namespace {

using Eigen::Matrix3d;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Holds a box that is empty at first.
struct GrowingBox : Aabb {
  GrowingBox() : Aabb(empty()) {}
};

/// Holds values that are computed once in a search, where they are needed. Its memory serves one
/// search after the other.
template <typename Value>
class ComputedOnce {
 public:
  void clear(std::size_t size) {
    if (values_.size() < size) {
      values_.resize(size);
      turns_.resize(size, 0);
    }
    if (++turn_ != 0) return;
    std::fill(turns_.begin(), turns_.end(), 0u);
    turn_ = 1;
  }
  template <typename Compute>
  const Value& get(int i, const Compute& compute) {
    if (turns_[at(i)] != turn_) {
      compute(values_[at(i)]);
      turns_[at(i)] = turn_;
    }
    return values_[at(i)];
  }

 private:
  std::vector<Value> values_;
  std::vector<std::uint32_t> turns_;  // the search in which a value was computed last
  std::uint32_t turn_ = 0;
};

/// Collects numbers below some size, each once.
class NumberSet {
 public:
  void clear(std::size_t size) { words_.assign(size / kBits + 1, 0); }
  bool has(int i) const { return (words_[at(i) / kBits] >> (at(i) % kBits) & 1u) != 0; }
  void add(int i) { words_[at(i) / kBits] |= std::uint64_t{1} << (at(i) % kBits); }
  /// Replaces `numbers` by those of the set, in increasing order.
  void list(std::vector<int>& numbers) const {
    numbers.clear();
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        numbers.push_back(static_cast<int>(w * kBits) + std::countr_zero(word));
      }
    }
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace

FeatureTree::FeatureTree(const std::vector<Aabb>& boxes, std::vector<Aabb> normals)
    : boxes_(boxes), normals_(std::move(normals)) {
  const std::vector<GrowingBox> united =
      boxes_.sum_per_node<GrowingBox>([this](int k) { return normals_[at(k)]; },
                                      [](Aabb& sum, const Aabb& more) { sum.include(more); });
  node_normals_.assign(united.begin(), united.end());
  if (!boxes_.empty()) add_group(0);
}

int FeatureTree::add_group(int node) {
  const int number = static_cast<int>(groups_.size());
  const BoxTree::Node& own = boxes_.node(at(node));
  Group group;
  group.node = node;
  group.is_leaf = own.count > 0;
  group.size = static_cast<float>((own.box.upper - own.box.lower).squaredNorm());
  groups_.push_back(group);
  // The members are the features of a leaf, else the children of both children.
  std::array<int, kFeaturesOfGroup> nodes{};
  int count = 0;
  if (group.is_leaf) {
    for (int k = 0; k < own.count; ++k) group.members[at(count++)] = boxes_.item(own.first + k);
  } else {
    for (const int child : {node + 1, own.right}) {
      const BoxTree::Node& below = boxes_.node(at(child));
      if (below.count > 0) {
        nodes[at(count++)] = child;
        continue;
      }
      nodes[at(count++)] = child + 1;
      nodes[at(count++)] = below.right;
    }
    for (int k = 0; k < count; ++k) group.members[at(k)] = add_group(nodes[at(k)]);
  }
  for (int k = 0; k < count; ++k) group.add({box_of(group, k), normals_of(group, k)});
  groups_[at(number)] = group;
  return number;
}

const Aabb& FeatureTree::box_of(const Group& group, int member) const {
  const int own = group.members[at(member)];
  return group.is_leaf ? boxes_.item_box(own) : boxes_.node(at(groups_[at(own)].node)).box;
}

const Aabb& FeatureTree::normals_of(const Group& group, int member) const {
  const int own = group.members[at(member)];
  return group.is_leaf ? normals_[at(own)] : node_normals_[at(groups_[at(own)].node)];
}

/// Visits the pairs of features of two trees whose bounds allow that they touch.
class FeatureTree::PairSearch {
 public:
  /// @param reach  null: the boxes of pairs overlap, whatever their normals are.
  PairSearch(const FeatureTree& own, const FeatureTree& other, const Pose& X_TO,
             const FeatureReach* reach, const std::optional<ClosingMotion>& motion)
      : own_(own),
        theirs_(other),
        X_TO_(X_TO),
        sizes_(X_TO.rotation.cwiseAbs()),
        overlapping_(reach == nullptr),
        reach_(reach == nullptr ? FeatureReach{} : *reach),
        motion_(motion ? std::optional<RoundedMotion>(*motion) : std::nullopt) {
    turned_.clear(other.groups_.size());
    velocities_.clear(motion ? own.groups_.size() : 0);
  }

  template <typename Visit>
  void run(const Visit& visit_pair) {
    if (own_.groups_.empty() || theirs_.groups_.empty()) return;
    visit(0, 0, turned(theirs_.boxes_.bounds(), theirs_.node_normals_[0]), visit_pair);
  }

 private:
  // Groups whose boxes differ by more than this in size are not divided at once [-], squared.
  static constexpr float kLarger = 4.0f;

  /// Returns bounds of the other tree in the frame of this one, with opposite normals. All is
  /// computed by coordinates, several times faster than by vectors.
  FeatureBounds turned(const Aabb& box_O, const Aabb& normals_O) const {
    const Matrix3d& R = X_TO_.rotation;
    Aabb box, opposed;
    for (int i = 0; i < 3; ++i) {
      double middle = X_TO_.translation[i], half = 0.0, normal = 0.0, spread = 0.0;
      for (int j = 0; j < 3; ++j) {
        middle += 0.5 * R(i, j) * (box_O.lower[j] + box_O.upper[j]);
        half += 0.5 * sizes_(i, j) * (box_O.upper[j] - box_O.lower[j]);
        normal += 0.5 * R(i, j) * (normals_O.lower[j] + normals_O.upper[j]);
        spread += 0.5 * sizes_(i, j) * (normals_O.upper[j] - normals_O.lower[j]);
      }
      box.lower[i] = middle - half;
      box.upper[i] = middle + half;
      opposed.lower[i] = -normal - spread;
      opposed.upper[i] = -normal + spread;
    }
    return {box, opposed};
  }
  /// Returns the bounds of the members of the other tree's group, turned once.
  const std::array<FeatureBounds, kFeaturesOfGroup>& members_of(int theirs) {
    return turned_.get(theirs, [&](std::array<FeatureBounds, kFeaturesOfGroup>& members) {
      const Group& group = theirs_.groups_[at(theirs)];
      for (int k = 0; k < group.count; ++k) {
        members[at(k)] = turned(theirs_.box_of(group, k), theirs_.normals_of(group, k));
      }
    });
  }
  /// Returns the velocities of the other surface at an own group, computed once; null: any.
  const FeatureVelocities* velocities_at(int own) {
    if (!motion_) return nullptr;
    return &velocities_.get(own, [&](FeatureVelocities& velocities) {
      const Group& group = own_.groups_[at(own)];
      velocities = FeatureVelocities(group.lower, group.upper, *motion_);
    });
  }

  /// Returns the members of a group that may touch what has these bounds, or that overlap it.
  unsigned near(const Group& group, const FeatureBounds& bounds,
                const FeatureVelocities* velocities) const {
    return overlapping_ ? group.overlapping(bounds) : group.may_touch(bounds, reach_, velocities);
  }

  /// Searches below two groups.
  /// @param bounds  of the other tree's group, in the frame of this one.
  template <typename Visit>
  void visit(int own, int theirs, const FeatureBounds& bounds, const Visit& visit_pair) {
    check_stop();
    const Group &a = own_.groups_[at(own)], &b = theirs_.groups_[at(theirs)];
    const FeatureVelocities* velocities = velocities_at(own);
    // The group that is larger by far is divided alone, and so is one against features.
    if (!a.is_leaf && (b.is_leaf || a.size > kLarger * b.size)) {
      for (unsigned bits = near(a, bounds, velocities); bits != 0; bits &= bits - 1) {
        visit(a.members[at(std::countr_zero(bits))], theirs, bounds, visit_pair);
      }
      return;
    }
    const std::array<FeatureBounds, kFeaturesOfGroup>& members = members_of(theirs);
    for (int j = 0; j < b.count; ++j) {
      unsigned bits = near(a, members[at(j)], velocities);
      const int other = b.members[at(j)];
      if (!b.is_leaf && (a.is_leaf || b.size > kLarger * a.size)) {
        if (bits != 0) visit(own, other, members[at(j)], visit_pair);
        continue;
      }
      for (; bits != 0; bits &= bits - 1) {
        const int member = a.members[at(std::countr_zero(bits))];
        if (a.is_leaf) {
          visit_pair(member, other);
        } else {
          visit(member, other, members[at(j)], visit_pair);
        }
      }
    }
  }

  const FeatureTree& own_;
  const FeatureTree& theirs_;
  const Pose& X_TO_;
  Matrix3d sizes_;
  bool overlapping_;
  RoundedReach reach_;
  std::optional<RoundedMotion> motion_;
  // Memory of the thread: trees are large, and few of their parts are near the other one.
  static inline thread_local ComputedOnce<std::array<FeatureBounds, kFeaturesOfGroup>> turned_;
  static inline thread_local ComputedOnce<FeatureVelocities> velocities_;
};

void FeatureTree::visit_overlaps(const FeatureTree& other, const Pose& X_TO,
                                 const std::function<void(int, int)>& visit) const {
  PairSearch(*this, other, X_TO, nullptr, std::nullopt).run(visit);
}

void FeatureTree::find_facing(const FeatureTree& other, const Pose& X_TO, const FeatureReach& reach,
                              const std::optional<ClosingMotion>& motion, const Test& may_touch,
                              std::vector<int>& own, std::vector<int>& theirs) const {
  static thread_local NumberSet own_found, their_found;
  own_found.clear(normals_.size());
  their_found.clear(other.normals_.size());
  PairSearch(*this, other, X_TO, &reach, motion).run([&](int a, int b) {
    if ((own_found.has(a) && their_found.has(b)) || !may_touch(a, b)) return;
    own_found.add(a);
    their_found.add(b);
  });
  own_found.list(own);
  their_found.list(theirs);
}

}  // namespace amontons
