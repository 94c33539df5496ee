#include "amontons/io/import/extruded_lines.h"

#include "amontons/io/mesh/polygon_cut.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {
namespace {

using Eigen::Vector2d;
using Line = std::vector<Vector2d>;

constexpr double kSamePoint = 1e-4;  // [m], as in Gazebo
constexpr std::size_t kMostPoints = 2000;

double cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }
/// Returns twice the area of a triangle, positive for a turn to the left at b.
double turn(const Vector2d& a, const Vector2d& b, const Vector2d& c) { return cross(b - a, c - b); }

double area_of(const Line& line) {
  double twice = 0.0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    twice += cross(line[i] - line[0], line[(i + 1) % line.size()] - line[0]);
  }
  return 0.5 * twice;
}

/// Returns a line without points that repeat the one before, and without those in the middle of a
/// straight piece.
Line cleaned(const Line& written) {
  Line line;
  for (const Vector2d& p : written) {
    if (line.empty() || (p - line.back()).norm() > kSamePoint) line.push_back(p);
  }
  while (line.size() > 1 && (line.front() - line.back()).norm() <= kSamePoint) line.pop_back();
  Line result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Vector2d before = line[i] - line[(i + line.size() - 1) % line.size()];
    const Vector2d after = line[(i + 1) % line.size()] - line[i];
    const bool is_straight = std::abs(cross(before, after)) <= 1e-12 * before.norm() * after.norm();
    if (!is_straight || before.dot(after) < 0.0) result.push_back(line[i]);
  }
  if (result.size() < 3 || area_of(result) == 0.0) {
    throw std::invalid_argument("a line must have three points at least, and enclose an area");
  }
  return result;
}

/// Returns true if two pieces meet, in a point or along a part.
bool meet(const Vector2d& a, const Vector2d& b, const Vector2d& c, const Vector2d& d) {
  // Pieces with separate bounds are the usual case.
  if ((a.cwiseMax(b).array() < c.cwiseMin(d).array()).any() ||
      (c.cwiseMax(d).array() < a.cwiseMin(b).array()).any()) {
    return false;
  }
  const auto sign = [](double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; };
  return sign(turn(a, b, c)) * sign(turn(a, b, d)) <= 0 &&
         sign(turn(c, d, a)) * sign(turn(c, d, b)) <= 0;
}

/// Throws for lines that touch or cross each other or themselves.
void require_apart(const std::vector<Line>& lines) {
  struct Piece {
    Vector2d start, end;
    std::size_t line = 0, index = 0, size = 0;
  };
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (std::size_t i = 0; i < lines[k].size(); ++i) {
      pieces.push_back({lines[k][i], lines[k][(i + 1) % lines[k].size()], k, i, lines[k].size()});
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = i + 1; j < pieces.size(); ++j) {
      const Piece &a = pieces[i], &b = pieces[j];
      bool crossed = false;
      if (a.line == b.line && (b.index == a.index + 1 || (a.index == 0 && b.index + 1 == b.size))) {
        // Neighbors have a point in common, and must not turn back there.
        const Vector2d d = a.end - a.start, e = b.end - b.start;
        crossed = cross(d, e) == 0.0 && d.dot(e) < 0.0;
      } else {
        crossed = meet(a.start, a.end, b.start, b.end);
      }
      if (crossed) throw std::invalid_argument("its lines touch or cross each other or themselves");
    }
  }
}

/// Returns true if a point that is not on a line lies within it.
bool is_within(const Vector2d& p, const Line& line) {
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Vector2d &a = line[i], &b = line[(i + 1) % line.size()];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    // An upward piece has the point at its left.
    const double side = cross(b - a, p - a);
    if ((b.y() > a.y()) == (side > 0.0)) inside = !inside;
  }
  return inside;
}

/// Makes the prism.
class Extrusion {
 public:
  Extrusion(std::vector<Line> lines, double height) : lines_(std::move(lines)), height_(height) {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      depth_.push_back(0);
      for (std::size_t j = 0; j < lines_.size(); ++j) {
        if (j != k && is_within(lines_[k][0], lines_[j])) ++depth_[k];
      }
      // Outer lines run counterclockwise, holes clockwise.
      const bool is_hole = depth_[k] % 2 == 1;
      if ((area_of(lines_[k]) < 0.0) != is_hole) std::reverse(lines_[k].begin(), lines_[k].end());
    }
  }

  TriangleMesh run() {
    std::vector<std::vector<int>> corners;
    for (const Line& line : lines_) {
      std::vector<int>& own = corners.emplace_back();
      for (const Vector2d& p : line) {
        own.push_back(static_cast<int>(points_.size()));
        points_.push_back(p);
      }
    }
    // The cap of each outer line with its holes, the holes with the largest x first.
    TriangleMesh cap;
    for (const Vector2d& p : points_) cap.vertices.emplace_back(p.x(), p.y(), height_);
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (depth_[k] % 2 == 0) cut(k, corners, cap);
    }
    return closed(cap, corners);
  }

 private:
  const Vector2d& at(int corner) const { return points_[static_cast<std::size_t>(corner)]; }

  /// Cuts the area of an outer line into triangles.
  void cut(std::size_t outer, const std::vector<std::vector<int>>& corners, TriangleMesh& cap) {
    std::vector<std::vector<int>> holes;
    double area = area_of(lines_[outer]);
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (depth_[k] != depth_[outer] + 1 || !is_within(lines_[k][0], lines_[outer])) continue;
      holes.push_back(corners[k]);
      area += area_of(lines_[k]);
      // It begins at its corner of largest x.
      const auto right = std::max_element(holes.back().begin(), holes.back().end(),
                                          [&](int a, int b) { return at(a).x() < at(b).x(); });
      std::rotate(holes.back().begin(), right, holes.back().end());
    }
    std::stable_sort(holes.begin(), holes.end(), [&](const auto& a, const auto& b) {
      return at(a.front()).x() > at(b.front()).x();
    });
    std::vector<int> loop = corners[outer];
    for (const std::vector<int>& hole : holes) join(hole, loop);
    const std::size_t first = cap.triangles.size();
    // The number of points is below what is cut.
    if (!cut_polygon(loop, cap)) throw std::invalid_argument("it has too many points");
    double sum = 0.0;
    for (std::size_t i = first; i < cap.triangles.size(); ++i) {
      const auto& [a, b, c] = cap.triangles[i];
      const double own = 0.5 * turn(at(a), at(b), at(c));
      sum += std::abs(own);
    }
    if (std::abs(sum - area) > 1e-9 * area) {
      throw std::invalid_argument("its area cannot be cut into triangles; make a mesh of it");
    }
  }

  /// Joins a hole to a loop around it by a bridge from its first corner, which is run both ways.
  void join(const std::vector<int>& hole, std::vector<int>& loop) const {
    const std::size_t place = bridge(at(hole.front()), loop);
    std::vector<int> way(hole);
    way.push_back(hole.front());
    way.push_back(loop[place]);
    loop.insert(loop.begin() + static_cast<std::ptrdiff_t>(place) + 1, way.begin(), way.end());
  }

  /// Returns the place in a loop of a corner that is visible from a point inside: the end of the
  /// first piece that a ray along x meets, or of the corners before it the one nearest to the ray.
  std::size_t bridge(const Vector2d& m, const std::vector<int>& loop) const {
    const std::size_t n = loop.size();
    std::size_t best = n;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      const Vector2d &a = at(loop[i]), &b = at(loop[(i + 1) % n]);
      if (!(a.y() <= m.y() && b.y() >= m.y() && a.y() < b.y())) continue;
      const double x = a.x() + (m.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x());
      if (x < m.x() || x >= nearest) continue;
      nearest = x;
      best = a.x() > b.x() ? i : (i + 1) % n;
    }
    if (best == n) throw std::invalid_argument("a hole has no line around it");
    const Vector2d hit(nearest, m.y()), end = at(loop[best]);
    double least = std::numeric_limits<double>::infinity();
    std::size_t chosen = best;
    const double side = end.y() < m.y() ? -1.0 : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vector2d& p = at(loop[i]);
      if (p.x() < m.x() || p == m || !sees(loop, i, m)) continue;
      const bool within = side * turn(m, hit, p) >= 0.0 && side * turn(hit, end, p) >= 0.0 &&
                          side * turn(end, m, p) >= 0.0;
      if (!within && i != best) continue;
      const double slope = std::abs(p.y() - m.y()) / (p.x() - m.x());
      const bool nearer = slope == least && (p - m).norm() < (at(loop[chosen]) - m).norm();
      if (slope < least || nearer) {
        least = slope;
        chosen = i;
      }
    }
    return chosen;
  }

  /// Returns true if a point lies in the angle of a corner, seen from inside the loop.
  bool sees(const std::vector<int>& loop, std::size_t i, const Vector2d& m) const {
    const std::size_t n = loop.size();
    const Vector2d &a = at(loop[(i + n - 1) % n]), &p = at(loop[i]), &b = at(loop[(i + 1) % n]);
    const bool left_of_both = turn(a, p, m) >= 0.0 && turn(p, b, m) >= 0.0;
    const bool left_of_one = turn(a, p, m) >= 0.0 || turn(p, b, m) >= 0.0;
    return turn(a, p, b) >= 0.0 ? left_of_both : left_of_one;
  }

  /// Returns the prism below a cap: the cap, its reverse at z = 0, and the walls.
  TriangleMesh closed(const TriangleMesh& cap, const std::vector<std::vector<int>>& corners) const {
    TriangleMesh mesh = cap;
    const int n = static_cast<int>(points_.size());
    for (const Vector2d& p : points_) mesh.vertices.emplace_back(p.x(), p.y(), 0.0);
    for (const auto& [a, b, c] : cap.triangles) mesh.triangles.push_back({a + n, c + n, b + n});
    for (const std::vector<int>& line : corners) {
      for (std::size_t i = 0; i < line.size(); ++i) {
        const int a = line[i], b = line[(i + 1) % line.size()];
        mesh.triangles.push_back({a + n, b + n, b});
        mesh.triangles.push_back({a + n, b, a});
      }
    }
    return mesh;
  }

  std::vector<Line> lines_;
  double height_;
  std::vector<int> depth_;        // lines around each
  std::vector<Vector2d> points_;  // of all lines
};

}  // namespace

TriangleMesh extrude_lines(const std::vector<std::vector<Vector2d>>& lines, double height) {
  std::vector<Line> clean;
  std::size_t count = 0;
  for (const Line& line : lines) count += line.size();
  if (count > kMostPoints) {
    throw std::invalid_argument("it has more than " + std::to_string(kMostPoints) + " points");
  }
  for (const Line& line : lines) clean.push_back(cleaned(line));
  require_apart(clean);
  return Extrusion(std::move(clean), height).run();
}

}  // namespace amontons::io
