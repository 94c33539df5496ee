#include "amontons/geometry/shapes/coplanar_groups.h"
#include "amontons/geometry/shapes/hull_facets.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Holds a closed surface of polygons by its directed edges; edge k of a facet starts at corner k.
class HalfEdges {
 public:
  explicit HalfEdges(const std::vector<FacetLoop>& facets) {
    for (std::size_t f = 0; f < facets.size(); ++f) {
      const FacetLoop& loop = facets[f];
      first_.push_back(static_cast<int>(tail_.size()));
      for (std::size_t k = 0; k < loop.size(); ++k) {
        const int next_k = k + 1 < loop.size() ? static_cast<int>(k) + 1 : 0;
        tail_.push_back(loop[k]);
        head_.push_back(loop[at(next_k)]);
        next_.push_back(first_.back() + next_k);
        facet_.push_back(static_cast<int>(f));
      }
    }
    first_.push_back(static_cast<int>(tail_.size()));
    pair_twins();
  }

  int size() const { return static_cast<int>(tail_.size()); }
  int first(int facet) const { return first_[at(facet)]; }
  int tail(int edge) const { return tail_[at(edge)]; }
  int next(int edge) const { return next_[at(edge)]; }
  int twin(int edge) const { return twin_[at(edge)]; }
  int facet(int edge) const { return facet_[at(edge)]; }

 private:
  /// Pairs each edge with the one that runs back. @throws std::runtime_error if one is missing.
  void pair_twins() {
    std::vector<int> order(tail_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [this](int e) { return std::pair(tail_[at(e)], head_[at(e)]); };
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      check_stop();
      return key(a) < key(b);
    });
    twin_.resize(tail_.size());
    for (int e = 0; e < size(); ++e) {
      check_stop();
      const std::pair wanted(head_[at(e)], tail_[at(e)]);
      const auto found =
          std::lower_bound(order.begin(), order.end(), wanted,
                           [&](int a, const std::pair<int, int>& b) { return key(a) < b; });
      if (found == order.end() || key(*found) != wanted) {
        throw std::runtime_error("convex hull: the facets do not close");
      }
      twin_[at(e)] = *found;
    }
  }

  std::vector<int> first_, tail_, head_, next_, facet_, twin_;
};

/// Returns the facets across the sides of each facet.
std::vector<std::vector<int>> neighbors_of(const HalfEdges& edges, std::size_t num_facets) {
  std::vector<std::vector<int>> neighbors(num_facets);
  for (int e = 0; e < edges.size(); ++e) {
    neighbors[at(edges.facet(e))].push_back(edges.facet(edges.twin(e)));
  }
  return neighbors;
}

/// Holds the outline of a group, with the facet that it was grown from.
struct Outline {
  FacetLoop corners;
  int seed = 0;
};
/// Returns the outlines of the groups.
std::vector<Outline> trace_outlines(const HalfEdges& edges, const std::vector<int>& group) {
  const auto is_inner = [&](int e) {
    return group[at(edges.facet(e))] == group[at(edges.facet(edges.twin(e)))];
  };
  std::vector<Outline> outlines;
  std::vector<char> done(at(edges.size()), 0);
  for (int start = 0; start < edges.size(); ++start) {
    if (done[at(start)] || is_inner(start)) continue;
    outlines.push_back({{}, group[at(edges.facet(start))]});
    for (int e = start; !done[at(e)];) {
      done[at(e)] = 1;
      outlines.back().corners.push_back(edges.tail(e));
      e = edges.next(e);
      // Edges inside the group are skipped by a turn around their tail, from facet to facet.
      while (is_inner(e)) e = edges.next(edges.twin(e));
    }
  }
  return outlines;
}

/// Drops corners with fewer than three facets around them and the two-sided facets that this
/// leaves. Each pass may create more of both, hence the repetition.
void drop_straight_corners(std::size_t num_points, std::vector<Outline>& outlines) {
  for (bool changed = true; changed;) {
    changed = false;
    check_stop();
    std::vector<int> num_facets(num_points, 0);
    for (const Outline& outline : outlines) {
      for (int v : outline.corners) ++num_facets[at(v)];
    }
    for (Outline& outline : outlines) {
      const auto is_straight = [&](int v) { return num_facets[at(v)] < 3; };
      changed |= std::erase_if(outline.corners, is_straight) > 0;
    }
    const auto is_edge = [](const Outline& outline) { return outline.corners.size() < 3; };
    changed |= std::erase_if(outlines, is_edge) > 0;
  }
}

}  // namespace

std::vector<MergedFacet> merge_coplanar_facets(const std::vector<Eigen::Vector3d>& points,
                                               const std::vector<FacetLoop>& facets,
                                               double tolerance) {
  const HalfEdges edges(facets);
  std::vector<Outline> outlines = trace_outlines(
      edges, group_coplanar(points, facets, neighbors_of(edges, facets.size()), tolerance));
  drop_straight_corners(points.size(), outlines);
  std::vector<MergedFacet> result;
  for (Outline& outline : outlines) {
    result.push_back({std::move(outline.corners), loop_normal(points, facets[at(outline.seed)])});
  }
  return result;
}

}  // namespace amontons
