#include "amontons/geometry/shapes/feature_tree.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

/// Returns the box of the vectors opposite to those of a box.
Aabb opposite(const Aabb& box) { return {-box.upper, -box.lower}; }

/// Returns a number in single precision that is smaller, by more than the rounding of a few
/// operations with it.
float rounded_down(double x) {
  // Products of the least differences stay normal numbers: denormal ones are slow.
  constexpr float kRounding = 1e-6f, kLeast = 1e-12f;
  const auto nearest = static_cast<float>(x);
  return nearest - kRounding * std::abs(nearest) - kLeast;
}
float rounded_up(double x) { return -rounded_down(-x); }

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

FeatureTree::Bounds::Bounds(const Aabb& box, const Aabb& normals) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    lower[i] = rounded_down(box.lower[row]);
    upper[i] = rounded_up(box.upper[row]);
    normals_lower[i] = rounded_down(normals.lower[row]);
    normals_upper[i] = rounded_up(normals.upper[row]);
  }
}

FeatureTree::RoundedReach::RoundedReach(const FeatureReach& reach) {
  // What is infinite becomes more than any length, so that its product with 0 is 0.
  const auto finite = [](double x) { return rounded_up(std::min(x, 1e30)); };
  gap = finite(reach.gap);
  depth = finite(reach.depth);
  beside = finite(reach.beside);
  lean = finite(reach.lean);
}

void FeatureTree::Velocities::set_members(int first, int count, const Aabb& box,
                                          const ClosingMotion& motion) {
  time = rounded_up(motion.time);
  still = rounded_up(motion.still);
  const Eigen::Vector3d center = box.center(), half = 0.5 * (box.upper - box.lower);
  Aabb range = Aabb::empty();
  for (const ClosingMotion::Twist& twist : motion.twists) {
    // v + w x (center + d) with |d| <= half, for each coordinate.
    const Eigen::Vector3d middle = twist.at(center), turning = twist.angular.cwiseAbs();
    const Eigen::Vector3d spread(turning.y() * half.z() + turning.z() * half.y(),
                                 turning.z() * half.x() + turning.x() * half.z(),
                                 turning.x() * half.y() + turning.y() * half.x());
    range.include(Aabb{middle - spread, middle + spread});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    lower[i].segment(first, count) = rounded_down(range.lower[static_cast<Eigen::Index>(i)]);
    upper[i].segment(first, count) = rounded_up(range.upper[static_cast<Eigen::Index>(i)]);
  }
}

void FeatureTree::Group::set_member(int member, const Bounds& bounds) {
  for (std::size_t i = 0; i < 3; ++i) {
    lower[i][member] = bounds.lower[i];
    upper[i][member] = bounds.upper[i];
    normals_lower[i][member] = bounds.normals_lower[i];
    normals_upper[i][member] = bounds.normals_upper[i];
  }
}

unsigned FeatureTree::Group::may_touch(const Bounds& other, const RoundedReach& reach,
                                       const Velocities* velocities) const {
  using Eigen::Array4f;
  // The common normal is near the normals of both: n is in [low, high].
  OfMembers low, high;
  Array4f apart = Array4f::Constant(-1.0f);
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = normals_lower[i].max(other.normals_lower[i]) - reach.lean;
    high[i] = normals_upper[i].min(other.normals_upper[i]) + reach.lean;
    apart = apart.max(low[i] + reach.lean - high[i]);
  }
  // Most members that are left out face another way.
  if (apart.minCoeff() > 0.0f) return 0;
  Array4f gap = Array4f::Constant(reach.gap);
  if (velocities != nullptr) {
    // The speed at which a gap closes is -n . v; the largest products bound it.
    OfMembers least;
    for (std::size_t i = 0; i < 3; ++i) {
      const Array4f &v_low = velocities->lower[i], &v_high = velocities->upper[i];
      least[i] = (low[i] * v_low).min(low[i] * v_high).min(high[i] * v_low).min(high[i] * v_high);
    }
    const Array4f closing = -(least[0] + least[1] + least[2]);
    gap = gap.min(velocities->still + velocities->time * closing.max(0.0f));
  }
  // Where they touch, the other feature is at most `ahead` before a member along an axis, and at
  // most `back` behind it.
  for (std::size_t i = 0; i < 3; ++i) {
    const Array4f ahead = (gap * high[i]).max(-reach.depth * low[i]).max(0.0f);
    const Array4f back = (-gap * low[i]).max(reach.depth * high[i]).max(0.0f);
    const Array4f between =
        (lower[i] - back - other.upper[i]).max(other.lower[i] - upper[i] - ahead);
    apart = apart.max(between - reach.beside);
  }
  unsigned bits = 0;
  for (int k = 0; k < count; ++k) bits |= static_cast<unsigned>(apart[k] <= 0.0f) << k;
  return bits;
}

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
  for (OfMembers* of : {&group.lower, &group.upper, &group.normals_lower, &group.normals_upper}) {
    of->fill(Eigen::Array4f::Zero());
  }
  group.node = node;
  group.is_leaf = own.count > 0;
  group.size = static_cast<float>((own.box.upper - own.box.lower).squaredNorm());
  groups_.push_back(group);
  // The members are the features of a leaf, else the children of both children.
  std::array<int, kMembers> nodes{};
  if (group.is_leaf) {
    for (int k = 0; k < own.count; ++k)
      group.members[at(group.count++)] = boxes_.item(own.first + k);
  } else {
    for (const int child : {node + 1, own.right}) {
      const BoxTree::Node& below = boxes_.node(at(child));
      if (below.count > 0) {
        nodes[at(group.count++)] = child;
        continue;
      }
      nodes[at(group.count++)] = child + 1;
      nodes[at(group.count++)] = below.right;
    }
    for (int k = 0; k < group.count; ++k) group.members[at(k)] = add_group(nodes[at(k)]);
  }
  for (int k = 0; k < group.count; ++k) {
    group.set_member(k, {box_of(group, k), normals_of(group, k)});
  }
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

void FeatureTree::find(const Aabb& box, const Aabb& normals, const FeatureReach& reach,
                       const std::optional<ClosingMotion>& motion,
                       std::vector<int>& features) const {
  static thread_local NumberSet found;
  static thread_local std::vector<int> waiting;
  found.clear(normals_.size());
  waiting.clear();
  const Bounds other(box, opposite(normals));
  const RoundedReach rounded(reach);
  Velocities velocities;
  if (motion) velocities.set_members(0, kMembers, box.grown(0.5 * reach.gap), *motion);
  if (!groups_.empty()) waiting.push_back(0);
  while (!waiting.empty()) {
    check_stop();
    const Group& group = groups_[at(waiting.back())];
    waiting.pop_back();
    unsigned bits = group.may_touch(other, rounded, motion ? &velocities : nullptr);
    for (; bits != 0; bits &= bits - 1) {
      const int member = group.members[at(std::countr_zero(bits))];
      if (group.is_leaf) {
        found.add(member);
      } else {
        waiting.push_back(member);
      }
    }
  }
  found.list(features);
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
        motion_(motion) {
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
  Bounds turned(const Aabb& box_O, const Aabb& normals_O) const {
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
  const std::array<Bounds, kMembers>& members_of(int theirs) {
    return turned_.get(theirs, [&](std::array<Bounds, kMembers>& members) {
      const Group& group = theirs_.groups_[at(theirs)];
      for (int k = 0; k < group.count; ++k) {
        members[at(k)] = turned(theirs_.box_of(group, k), theirs_.normals_of(group, k));
      }
    });
  }
  /// Returns the velocities of the other surface at an own group, computed once; null: any.
  const Velocities* velocities_at(int own) {
    if (!motion_) return nullptr;
    return &velocities_.get(own, [&](Velocities& velocities) {
      const Group& group = own_.groups_[at(own)];
      if (group.is_leaf) {
        velocities.set_members(0, kMembers, own_.boxes_.node(at(group.node)).box, *motion_);
        return;
      }
      for (int k = 0; k < group.count; ++k) {
        velocities.set_members(k, 1, own_.box_of(group, k), *motion_);
      }
    });
  }

  /// Returns the members of a group that may touch what has these bounds, or that overlap it.
  unsigned near(const Group& group, const Bounds& bounds, const Velocities* velocities) const {
    if (!overlapping_) return group.may_touch(bounds, reach_, velocities);
    Eigen::Array4f apart = Eigen::Array4f::Constant(-1.0f);
    for (std::size_t i = 0; i < 3; ++i) {
      apart = apart.max(group.lower[i] - bounds.upper[i]).max(bounds.lower[i] - group.upper[i]);
    }
    unsigned bits = 0;
    for (int k = 0; k < group.count; ++k) bits |= static_cast<unsigned>(apart[k] <= 0.0f) << k;
    return bits;
  }

  /// Searches below two groups.
  /// @param bounds  of the other tree's group, in the frame of this one.
  template <typename Visit>
  void visit(int own, int theirs, const Bounds& bounds, const Visit& visit_pair) {
    check_stop();
    const Group &a = own_.groups_[at(own)], &b = theirs_.groups_[at(theirs)];
    const Velocities* velocities = velocities_at(own);
    // The group that is larger by far is divided alone, and so is one against features.
    if (!a.is_leaf && (b.is_leaf || a.size > kLarger * b.size)) {
      for (unsigned bits = near(a, bounds, velocities); bits != 0; bits &= bits - 1) {
        visit(a.members[at(std::countr_zero(bits))], theirs, bounds, visit_pair);
      }
      return;
    }
    const std::array<Bounds, kMembers>& members = members_of(theirs);
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
  const std::optional<ClosingMotion>& motion_;
  // Memory of the thread: trees are large, and few of their parts are near the other one.
  static inline thread_local ComputedOnce<std::array<Bounds, kMembers>> turned_;
  static inline thread_local ComputedOnce<Velocities> velocities_;
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
