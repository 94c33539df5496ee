#include "amontons/geometry/shapes/feature_tree.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kFar = std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Holds a box that is empty at first.
struct GrowingBox : Aabb {
  GrowingBox() : Aabb{Vector3d::Constant(kFar), Vector3d::Constant(-kFar)} {}
};

/// Returns the box of the vectors opposite to those of a box.
Aabb opposite(const Aabb& box) { return {-box.upper, -box.lower}; }

}  // namespace

Aabb FeatureReach::around(const Aabb& box, const Aabb& normals) const {
  Aabb found;
  for (int i = 0; i < 3; ++i) {
    found.lower[i] = box.lower[i] - back(normals.lower[i] - lean, normals.upper[i] + lean);
    found.upper[i] = box.upper[i] + ahead(normals.lower[i] - lean, normals.upper[i] + lean);
  }
  return found;
}

FeatureTree::FeatureTree(const std::vector<Aabb>& boxes, std::vector<Aabb> normals)
    : normals_(std::move(normals)), boxes_(boxes) {
  const std::vector<GrowingBox> united =
      boxes_.sum_per_node<GrowingBox>([this](int k) { return normals_[at(k)]; },
                                      [](Aabb& sum, const Aabb& more) {
                                        sum.lower = sum.lower.cwiseMin(more.lower);
                                        sum.upper = sum.upper.cwiseMax(more.upper);
                                      });
  node_normals_.assign(united.begin(), united.end());
}

void FeatureTree::find(const Aabb& box, const Aabb& normals, const FeatureReach& reach,
                       std::vector<int>& features) const {
  features.clear();
  Aabb opposed = opposite(normals);
  opposed.lower.array() -= reach.lean;
  opposed.upper.array() += reach.lean;
  const Aabb around = reach.around(box, normals);
  boxes_.visit_below(
      [&](std::size_t node) {
        return boxes_.node(node).box.overlaps(around) && node_normals_[node].overlaps(opposed);
      },
      [&](int k) {
        if (boxes_.item_box(k).overlaps(around) && normals_[at(k)].overlaps(opposed)) {
          features.push_back(k);
        }
      });
  std::sort(features.begin(), features.end());
}

/// Bounds features: the box around them, and the box around the opposites of their normals. Both
/// are computed by coordinates, several times faster than by vectors.
struct FeatureTree::Bounds {
  Aabb box, opposed;

  /// Turns boxes of the other tree into the frame of this one.
  /// @param sizes  absolute values of the rotation.
  Bounds(const Aabb& box_O, const Aabb& normals_O, const Pose& X_TO, const Matrix3d& sizes) {
    const Matrix3d& R = X_TO.rotation;
    for (int i = 0; i < 3; ++i) {
      double middle = X_TO.translation[i], half = 0.0, normal = 0.0, spread = 0.0;
      for (int j = 0; j < 3; ++j) {
        middle += 0.5 * R(i, j) * (box_O.lower[j] + box_O.upper[j]);
        half += 0.5 * sizes(i, j) * (box_O.upper[j] - box_O.lower[j]);
        normal += 0.5 * R(i, j) * (normals_O.lower[j] + normals_O.upper[j]);
        spread += 0.5 * sizes(i, j) * (normals_O.upper[j] - normals_O.lower[j]);
      }
      box.lower[i] = middle - half;
      box.upper[i] = middle + half;
      opposed.lower[i] = -normal - spread;
      opposed.upper[i] = -normal + spread;
    }
  }

  /// Returns true if features with these bounds may touch some in `own` with the normals given.
  bool may_touch(const Aabb& own, const Aabb& normals, const FeatureReach& reach) const {
    for (int i = 0; i < 3; ++i) {
      // The common normal is near the normals of both.
      const double low = std::max(normals.lower[i], opposed.lower[i]) - reach.lean;
      const double high = std::min(normals.upper[i], opposed.upper[i]) + reach.lean;
      if (low + reach.lean > high) return false;
      if (own.lower[i] - reach.back(low, high) > box.upper[i]) return false;
      if (own.upper[i] + reach.ahead(low, high) < box.lower[i]) return false;
    }
    return true;
  }
};

/// Finds the features of two trees that may touch one of the other. Nodes below which all are found
/// are not searched again.
class FeatureTree::FacingSearch {
 public:
  FacingSearch(const FeatureTree& own, const FeatureTree& other, const Pose& X_TO,
               const FeatureReach& reach, const Test& may_touch)
      : own_{own},
        theirs_{other},
        X_TO_(X_TO),
        sizes_(X_TO.rotation.cwiseAbs()),
        reach_(reach),
        may_touch_(may_touch) {}

  void run() { visit(0, 0, bounds_of(0)); }
  std::vector<int> own() const { return own_.found(); }
  std::vector<int> theirs() const { return theirs_.found(); }

 private:
  /// Holds one of both trees, and what was found of it.
  struct Side {
    const FeatureTree& features;
    const BoxTree& tree = features.boxes_;
    std::vector<char> is_found = std::vector<char>(features.normals_.size(), 0);
    std::vector<char> is_done = std::vector<char>(features.node_normals_.size(), 0);

    /// Marks a node if all below it is found.
    void update(int index) {
      const BoxTree::Node& node = tree.node(at(index));
      bool is_all = node.count > 0 || (is_done[at(index + 1)] != 0 && is_done[at(node.right)] != 0);
      for (int k = node.first; k < node.first + node.count; ++k) {
        is_all = is_all && is_found[at(tree.item(k))] != 0;
      }
      is_done[at(index)] = static_cast<char>(is_all);
    }
    std::vector<int> found() const {
      std::vector<int> numbers;
      for (std::size_t k = 0; k < is_found.size(); ++k) {
        if (is_found[k] != 0) numbers.push_back(static_cast<int>(k));
      }
      return numbers;
    }
  };

  Bounds bounds_of(int their_node) const {
    return {theirs_.tree.node(at(their_node)).box, theirs_.features.node_normals_[at(their_node)],
            X_TO_, sizes_};
  }

  /// Searches below two nodes, given the bounds of the second one in the first tree's frame.
  void visit(int own, int theirs, const Bounds& bounds) {
    check_stop();
    if (own_.is_done[at(own)] != 0 && theirs_.is_done[at(theirs)] != 0) return;
    const BoxTree::Node &a = own_.tree.node(at(own)), &b = theirs_.tree.node(at(theirs));
    if (!bounds.may_touch(a.box, own_.features.node_normals_[at(own)], reach_)) return;
    // The larger node is split, so that both boxes shrink at the same rate.
    const bool own_is_larger =
        (a.box.upper - a.box.lower).squaredNorm() > (b.box.upper - b.box.lower).squaredNorm();
    if (a.count > 0 && b.count > 0) {
      compare_leaves(a, b);
      own_.update(own);
      theirs_.update(theirs);
    } else if (b.count > 0 || (a.count == 0 && own_is_larger)) {
      visit(own + 1, theirs, bounds);
      visit(a.right, theirs, bounds);
      own_.update(own);
    } else {
      visit(own, theirs + 1, bounds_of(theirs + 1));
      visit(own, b.right, bounds_of(b.right));
      theirs_.update(theirs);
    }
  }

  /// Tests every item of one leaf against every item of the other, unless both are found.
  void compare_leaves(const BoxTree::Node& a, const BoxTree::Node& b) {
    for (int j = b.first; j < b.first + b.count; ++j) {
      const int theirs = theirs_.tree.item(j);
      const Bounds bounds(theirs_.tree.item_box(theirs), theirs_.features.normals_[at(theirs)],
                          X_TO_, sizes_);
      char& is_found = theirs_.is_found[at(theirs)];
      for (int i = a.first; i < a.first + a.count; ++i) {
        const int own = own_.tree.item(i);
        char& own_is_found = own_.is_found[at(own)];
        if (is_found != 0 && own_is_found != 0) continue;
        const Aabb& normals = own_.features.normals_[at(own)];
        if (!bounds.may_touch(own_.tree.item_box(own), normals, reach_)) continue;
        if (may_touch_(own, theirs)) is_found = own_is_found = 1;
      }
    }
  }

  Side own_, theirs_;
  const Pose& X_TO_;
  Matrix3d sizes_;
  const FeatureReach& reach_;
  const Test& may_touch_;
};

void FeatureTree::find_facing(const FeatureTree& other, const Pose& X_TO, const FeatureReach& reach,
                              const Test& may_touch, std::vector<int>& own,
                              std::vector<int>& theirs) const {
  own.clear();
  theirs.clear();
  if (boxes_.empty() || other.boxes_.empty()) return;
  FacingSearch search(*this, other, X_TO, reach, may_touch);
  search.run();
  own = search.own();
  theirs = search.theirs();
}

}  // namespace amontons
