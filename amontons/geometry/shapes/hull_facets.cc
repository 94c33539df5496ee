#include "amontons/geometry/shapes/hull_facets.h"

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/math/stop.h"

#include <Eigen/Geometry>
#include <libqhull_r/libqhull_r.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

/// Owns one run of qhull and its memory. The messages of qhull go to a text. Qhull has no hook but
/// its reports of progress: the text that receives them ends the run where a stop is asked.
class QhullRun {
 public:
  /// Runs qhull on centered points of unit extent: it only decides which points form which facets.
  /// @param options  of qhull, besides those of every run.
  explicit QhullRun(const std::vector<Eigen::Vector3d>& points, const std::string& options = "") {
    messages_ = fopencookie(
        this, "w", {.read = nullptr, .write = &receive, .seek = nullptr, .close = nullptr});
    if (messages_ == nullptr) throw std::runtime_error("convex hull: out of memory");
    std::setvbuf(messages_, nullptr, _IONBF, 0);
    const Aabb box = Aabb::around(points);
    const Eigen::Vector3d center = box.center();
    const double scale = 1.0 / (box.upper - box.lower).maxCoeff();
    coordinates_.reserve(3 * points.size());
    for (const Eigen::Vector3d& p : points) {
      for (int k = 0; k < 3; ++k) coordinates_.push_back(scale * (p[k] - center[k]));
    }
    qh_zero(&qhull_, messages_);
    // Pp: no warnings about precision; TF: a report each time that so many facets were made.
    std::string command = "qhull Pp TF1000" + options;
    status_ = qh_new_qhull(&qhull_, 3, static_cast<int>(points.size()), coordinates_.data(), False,
                           command.data(), nullptr, messages_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  // Qhull frees its long blocks first, then those of its own allocator.
  ~QhullRun() {
    int long_blocks = 0, long_bytes = 0;
    qh_freeqhull(&qhull_, !qh_ALL);
    qh_memfreeshort(&qhull_, &long_blocks, &long_bytes);
    std::fclose(messages_);
  }

  qhT* get() { return &qhull_; }
  int status() const { return status_; }

  /// Returns the first line of the messages that states an error: the reason of a failure.
  std::string reason() {
    const std::size_t error = text_.find(" error");
    const std::size_t newline = error == std::string::npos ? error : text_.rfind('\n', error);
    const std::size_t start = newline == std::string::npos ? 0 : newline + 1;
    return text_.substr(start, text_.find('\n', start) - start);
  }

  /// Returns the number of the input point of a vertex.
  int index_of(const vertexT* vertex) const {
    return static_cast<int>((vertex->point - qhull_.first_point) / 3);
  }

 private:
  /// Takes what qhull writes. An exception or a jump must not leave qhull from here; with STOPadd
  /// it adds no further point.
  static ssize_t receive(void* run, const char* bytes, std::size_t size) {
    auto& own = *static_cast<QhullRun*>(run);
    own.text_.append(bytes, size);
    if (is_stop_requested()) own.qhull_.STOPadd = 1;
    return static_cast<ssize_t>(size);
  }

  qhT qhull_;
  int status_ = 0;
  FILE* messages_ = nullptr;
  std::string text_;
  std::vector<coordT> coordinates_;
};

/// Returns the corners of a triangle; a flag of qhull says whether they run clockwise.
FacetLoop simplicial_loop(const QhullRun& run, const facetT* facet) {
  FacetLoop loop;
  vertexT *vertex, **vertexp;
  FOREACHvertex_(facet->vertices) loop.push_back(run.index_of(vertex));
  if (!facet->toporient) std::swap(loop[0], loop[1]);
  return loop;
}

/// Chains the ridges of a merged facet, each of which runs from tail to head around it. `head_of`
/// is scratch memory, one entry a point.
FacetLoop ridge_loop(const QhullRun& run, const facetT* facet, std::vector<int>& head_of) {
  int first = 0, num_ridges = 0;
  ridgeT *ridge, **ridgep;
  FOREACHridge_(facet->ridges) {
    int tail = run.index_of(SETfirstt_(ridge->vertices, vertexT));
    int head = run.index_of(SETsecondt_(ridge->vertices, vertexT));
    if (ridge->top != facet) std::swap(tail, head);
    head_of[static_cast<std::size_t>(tail)] = head;
    first = tail;
    ++num_ridges;
  }
  // The facet lies on the left of each ridge, so the heads lead once around it.
  FacetLoop loop;
  for (int i = 0, vertex = first; i < num_ridges; ++i) {
    loop.push_back(vertex);
    vertex = head_of[static_cast<std::size_t>(vertex)];
  }
  return loop;
}

/// Returns three times the volume enclosed by the loops [m^3], about one of their corners.
double signed_volume(const std::vector<Eigen::Vector3d>& points,
                     const std::vector<FacetLoop>& loops) {
  const Eigen::Vector3d& origin = points[static_cast<std::size_t>(loops.front().front())];
  double volume = 0.0;
  for (const FacetLoop& loop : loops) {
    const Eigen::Vector3d corner = points[static_cast<std::size_t>(loop.front())] - origin;
    volume += corner.dot(area_vector(points, loop));
  }
  return volume;
}

/// Checks that a run succeeded. @throws std::runtime_error with its message if not.
void check(QhullRun& run) {
  check_stop();
  if (run.status() != 0) throw std::runtime_error("convex hull: " + run.reason());
}

}  // namespace

Eigen::Vector3d area_vector(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop) {
  const auto point = [&](std::size_t i) -> const Eigen::Vector3d& {
    return points[static_cast<std::size_t>(loop[i])];
  };
  // Sum of the areas of a fan of triangles at the first corner.
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t i = 2; i < loop.size(); ++i) {
    sum += 0.5 * (point(i - 1) - point(0)).cross(point(i) - point(0));
  }
  return sum;
}

Eigen::Vector3d loop_normal(const std::vector<Eigen::Vector3d>& points, const FacetLoop& loop) {
  const Eigen::Vector3d normal = area_vector(points, loop).normalized();
  const Eigen::Vector3d& first = points[static_cast<std::size_t>(loop[0])];
  Eigen::Vector3d longest = Eigen::Vector3d::Zero();
  for (int v : loop) {
    const Eigen::Vector3d diagonal = points[static_cast<std::size_t>(v)] - first;
    if (diagonal.squaredNorm() > longest.squaredNorm()) longest = diagonal;
  }
  // The sum errs by rounding of length^2. Over the small area of a needle that is a tilt along it,
  // which the projection removes.
  return (normal - normal.dot(longest) / longest.squaredNorm() * longest).normalized();
}

std::vector<Eigen::Vector3d> distinct_points(const std::vector<Eigen::Vector3d>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto coordinates = [&points](std::size_t i) {
    return std::array{points[i].x(), points[i].y(), points[i].z()};
  };
  // Equal points become neighbors in the sorted order, and the stable sort keeps the first of each.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    check_stop();
    return coordinates(a) < coordinates(b);
  });
  const auto same = [&](std::size_t a, std::size_t b) { return points[a] == points[b]; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  std::sort(order.begin(), order.end());
  std::vector<Eigen::Vector3d> result;
  for (std::size_t i : order) result.push_back(points[i]);
  return result;
}

std::vector<FacetLoop> compute_hull_facets(const std::vector<Eigen::Vector3d>& points) {
  auto first = std::make_unique<QhullRun>(points);
  // A plate a billionth of its size thick may have facets as thick as it is itself, which qhull
  // refuses unless Q12 allows them.
  check_stop();
  if (first->status() != 0) first = std::make_unique<QhullRun>(points, " Q12");
  QhullRun& run = *first;
  check(run);
  std::vector<int> head_of(points.size(), 0);
  std::vector<FacetLoop> loops;
  const qhT* qh = run.get();
  facetT* facet;
  FORALLfacets {
    loops.push_back(facet->simplicial ? simplicial_loop(run, facet)
                                      : ridge_loop(run, facet, head_of));
  }
  // The orientation of all facets is that of the volume: outward if it is positive.
  if (signed_volume(points, loops) < 0.0) {
    for (FacetLoop& loop : loops) loop = FacetLoop(loop.rbegin(), loop.rend());
  }
  return loops;
}

std::vector<int> first_simplex(const std::vector<Eigen::Vector3d>& points) {
  QhullRun run(points, " TA0");  // TA0: stop when no point is added to the first simplex
  check(run);
  std::vector<int> indices;
  const qhT* qh = run.get();
  vertexT* vertex;
  FORALLvertices indices.push_back(run.index_of(vertex));
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace amontons
