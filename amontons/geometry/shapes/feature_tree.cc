#include "amontons/geometry/shapes/feature_tree.h"

#include "amontons/math/stop.h"

#include <algorithm>
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

/// Marks numbers, and forgets all marks at once. Its memory serves one search after the other.
class Marks {
 public:
  void clear(std::size_t size) {
    if (turns_.size() < size) turns_.resize(size, 0);
    if (++turn_ != 0) return;
    std::fill(turns_.begin(), turns_.end(), 0u);
    turn_ = 1;
  }
  bool has(int i) const { return turns_[at(i)] == turn_; }
  void set(int i) { turns_[at(i)] = turn_; }

 private:
  std::vector<std::uint32_t> turns_;  // the turn in which a number was marked last
  std::uint32_t turn_ = 0;
};

/// Holds values that are computed once in a search, where they are needed.
template <typename Value>
class ComputedOnce {
 public:
  void clear(std::size_t size) {
    known_.clear(size);
    if (values_.size() < size) values_.resize(size);
  }
  template <typename Compute>
  const Value& get(int i, const Compute& compute) {
    if (!known_.has(i)) {
      values_[at(i)] = compute();
      known_.set(i);
    }
    return values_[at(i)];
  }

 private:
  Marks known_;
  std::vector<Value> values_;
};

}  // namespace

FeatureTree::Bounds::Bounds(const Aabb& box, const Aabb& normals) {
  lower[3] = upper[3] = normals_lower[3] = normals_upper[3] = 0.0f;
  for (int i = 0; i < 3; ++i) {
    lower[i] = rounded_down(box.lower[i]);
    upper[i] = rounded_up(box.upper[i]);
    normals_lower[i] = rounded_down(normals.lower[i]);
    normals_upper[i] = rounded_up(normals.upper[i]);
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

FeatureTree::Velocities::Velocities(const Aabb& box, const ClosingMotion& motion) {
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
  for (int i = 0; i < 3; ++i) {
    lower[i] = rounded_down(range.lower[i]);
    upper[i] = rounded_up(range.upper[i]);
  }
}

bool FeatureTree::Bounds::may_touch(const Bounds& other, const RoundedReach& reach,
                                    const Velocities& velocities) const {
  // The common normal is near the normals of both: n is in [low, high]. Where they touch, the other
  // feature is at most `ahead` before this one along an axis, and at most `back` behind it.
  const Eigen::Array4f low = normals_lower.max(other.normals_lower) - reach.lean;
  const Eigen::Array4f high = normals_upper.min(other.normals_upper) + reach.lean;
  // The speed at which a gap closes is -n . v; the largest products bound it.
  const Eigen::Array4f least = (low * velocities.lower)
                                   .min(low * velocities.upper)
                                   .min(high * velocities.lower)
                                   .min(high * velocities.upper);
  const float closing = -(least[0] + least[1] + least[2]);
  const float gap =
      std::min(reach.gap, velocities.still + velocities.time * std::max(closing, 0.0f));
  const Eigen::Array4f ahead = (gap * high).max(-reach.depth * low).max(0.0f);
  const Eigen::Array4f back = (-gap * low).max(reach.depth * high).max(0.0f);
  const Eigen::Array4f apart =
      ((lower - back - other.upper).max(other.lower - upper - ahead) - reach.beside)
          .max(low + reach.lean - high);
  return apart[0] <= 0.0f && apart[1] <= 0.0f && apart[2] <= 0.0f;
}

FeatureTree::FeatureTree(const std::vector<Aabb>& boxes, std::vector<Aabb> normals)
    : boxes_(boxes), normals_(std::move(normals)) {
  const std::vector<GrowingBox> united =
      boxes_.sum_per_node<GrowingBox>([this](int k) { return normals_[at(k)]; },
                                      [](Aabb& sum, const Aabb& more) { sum.include(more); });
  node_normals_.assign(united.begin(), united.end());
  for (std::size_t n = 0; n < united.size(); ++n) {
    nodes_.emplace_back(boxes_.node(n).box, united[n]);
  }
  for (std::size_t k = 0; k < boxes.size(); ++k) items_.emplace_back(boxes[k], normals_[k]);
}

void FeatureTree::find(const Aabb& box, const Aabb& normals, const FeatureReach& reach,
                       std::vector<int>& features) const {
  features.clear();
  const Bounds other(box, opposite(normals));
  const RoundedReach rounded(reach);
  const Velocities any;
  boxes_.visit_below([&](std::size_t node) { return nodes_[node].may_touch(other, rounded, any); },
                     [&](int k) {
                       if (items_[at(k)].may_touch(other, rounded, any)) features.push_back(k);
                     });
  std::sort(features.begin(), features.end());
}

/// Visits the pairs of features of two trees whose bounds allow that they touch.
class FeatureTree::PairSearch {
 public:
  PairSearch(const FeatureTree& own, const FeatureTree& other, const Pose& X_TO,
             const FeatureReach& reach, const std::optional<ClosingMotion>& motion)
      : own_(own),
        theirs_(other),
        X_TO_(X_TO),
        sizes_(X_TO.rotation.cwiseAbs()),
        reach_(reach),
        motion_(motion) {
    nodes_.clear(other.nodes_.size());
    items_.clear(other.items_.size());
    velocities_.clear(motion ? own.nodes_.size() : 0);
  }

  template <typename Visit>
  void run(const Visit& visit_pair) {
    if (!own_.boxes_.empty() && !theirs_.boxes_.empty()) visit(0, 0, visit_pair);
  }

 private:
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
  /// Returns the bounds of their nodes and features; each is turned once, where it is needed.
  const Bounds& of_node(int node) {
    return nodes_.get(node, [&] {
      return turned(theirs_.boxes_.node(at(node)).box, theirs_.node_normals_[at(node)]);
    });
  }
  const Bounds& of_item(int item) {
    return items_.get(
        item, [&] { return turned(theirs_.boxes_.item_box(item), theirs_.normals_[at(item)]); });
  }

  /// Returns the velocities of the other surface at an own node, computed once.
  const Velocities& velocities_at(int node) {
    if (!motion_) return any_;
    return velocities_.get(node,
                           [&] { return Velocities(own_.boxes_.node(at(node)).box, *motion_); });
  }

  /// Searches below two nodes.
  template <typename Visit>
  void visit(int own, int theirs, const Visit& visit_pair) {
    check_stop();
    const Velocities& velocities = velocities_at(own);
    if (!own_.nodes_[at(own)].may_touch(of_node(theirs), reach_, velocities)) return;
    const BoxTree::Node &a = own_.boxes_.node(at(own)), &b = theirs_.boxes_.node(at(theirs));
    // Two leaves: every item against every item.
    if (a.count > 0 && b.count > 0) {
      for (int j = b.first; j < b.first + b.count; ++j) {
        const int their_item = theirs_.boxes_.item(j);
        const Bounds& bounds = of_item(their_item);
        for (int i = a.first; i < a.first + a.count; ++i) {
          const int own_item = own_.boxes_.item(i);
          if (own_.items_[at(own_item)].may_touch(bounds, reach_, velocities)) {
            visit_pair(own_item, their_item);
          }
        }
      }
      return;
    }
    // The larger node is split, so that both boxes shrink at the same rate.
    const bool own_is_larger =
        (a.box.upper - a.box.lower).squaredNorm() > (b.box.upper - b.box.lower).squaredNorm();
    if (b.count > 0 || (a.count == 0 && own_is_larger)) {
      visit(own + 1, theirs, visit_pair);
      visit(a.right, theirs, visit_pair);
    } else {
      visit(own, theirs + 1, visit_pair);
      visit(own, b.right, visit_pair);
    }
  }

  const FeatureTree& own_;
  const FeatureTree& theirs_;
  const Pose& X_TO_;
  Matrix3d sizes_;
  RoundedReach reach_;
  const std::optional<ClosingMotion>& motion_;
  Velocities any_;  // without a motion
  // Memory of the thread: trees are large, and few of their parts are near the other one.
  static inline thread_local ComputedOnce<Bounds> nodes_, items_;  // of the other tree
  static inline thread_local ComputedOnce<Velocities> velocities_;
};

void FeatureTree::visit_overlaps(const FeatureTree& other, const Pose& X_TO,
                                 const std::function<void(int, int)>& visit) const {
  // Normals may differ by more than any two do.
  PairSearch(*this, other, X_TO, {0.0, 0.0, 0.0, 3.0}, std::nullopt).run(visit);
}

void FeatureTree::find_facing(const FeatureTree& other, const Pose& X_TO, const FeatureReach& reach,
                              const std::optional<ClosingMotion>& motion, const Test& may_touch,
                              std::vector<int>& own, std::vector<int>& theirs) const {
  static thread_local Marks own_marks, their_marks;
  own_marks.clear(items_.size());
  their_marks.clear(other.items_.size());
  own.clear();
  theirs.clear();
  const auto add = [](int item, Marks& marks, std::vector<int>& found) {
    if (marks.has(item)) return;
    marks.set(item);
    found.push_back(item);
  };
  PairSearch(*this, other, X_TO, reach, motion).run([&](int a, int b) {
    if ((own_marks.has(a) && their_marks.has(b)) || !may_touch(a, b)) return;
    add(a, own_marks, own);
    add(b, their_marks, theirs);
  });
  std::sort(own.begin(), own.end());
  std::sort(theirs.begin(), theirs.end());
}

}  // namespace amontons
