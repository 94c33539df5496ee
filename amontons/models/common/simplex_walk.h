#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace amontons {

/// Walks through the simplices of Freudenthal's triangulation K1 between two levels of a lattice
/// [Todd 1976, ch. III]: R^n at level 0, where labels are x - center, and at level 1, where they
/// are those of a map. A vertex is y_0, and each next one a step along one axis farther.
class SimplexWalk {
 public:
  /// Starts at the simplex of level 0 around the center.
  SimplexWalk(Eigen::VectorXd center, double edge)
      : center_(std::move(center)),
        edge_(edge),
        vertex_(static_cast<std::size_t>(center_.size() + 1), 0),
        axes_(static_cast<std::size_t>(center_.size() + 1)) {
    std::iota(axes_.begin(), axes_.end(), std::size_t{0});
  }

  std::size_t num_axes() const { return axes_.size(); }

  /// Returns 0 or 1 for vertex k inside, other levels outside.
  int level(std::size_t k) const { return coordinates(k).back(); }

  /// Returns the point of vertex k in R^n.
  Eigen::VectorXd point(std::size_t k) const {
    const std::vector<int> y = coordinates(k);
    const double n = static_cast<double>(center_.size());
    Eigen::VectorXd x = center_;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      // The center is the mean of the first n + 1 vertices.
      x(i) += edge_ * (y[static_cast<std::size_t>(i)] - (n - static_cast<double>(i)) / (n + 1.0));
    }
    return x;
  }

  /// Replaces vertex k by the one on the other side of its facet; returns that one's new place.
  /// All places are moved by -1, 0 or 1: see the return value.
  std::size_t cross_facet_of(std::size_t k) {
    const std::size_t last = axes_.size();
    if (k == 0) {
      ++vertex_[axes_.front()];
      std::rotate(axes_.begin(), axes_.begin() + 1, axes_.end());
      return last;
    }
    if (k == last) {
      --vertex_[axes_.back()];
      std::rotate(axes_.begin(), axes_.end() - 1, axes_.end());
      return 0;
    }
    std::swap(axes_[k - 1], axes_[k]);
    return k;
  }

 private:
  std::vector<int> coordinates(std::size_t k) const {
    std::vector<int> y = vertex_;
    for (std::size_t j = 0; j < k; ++j) ++y[axes_[j]];
    return y;
  }

  Eigen::VectorXd center_;
  double edge_;
  std::vector<int> vertex_;        // y_0, on the lattice, the level last
  std::vector<std::size_t> axes_;  // axis of each step from vertex to vertex
};

}  // namespace amontons
