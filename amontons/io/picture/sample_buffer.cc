#include "amontons/io/picture/sample_buffer.h"

#include "amontons/math/stop.h"

#include <cmath>
#include <limits>

namespace amontons::io {
namespace {

/// Returns the first sample whose center is at or after a place, within [least, most].
int first_center(double place, int least, int most) {
  return static_cast<int>(
      std::ceil(std::clamp(place - 0.5, static_cast<double>(least), static_cast<double>(most))));
}

/// Returns where the line from a to b crosses a height. Edges that two triangles share have the
/// same ends in the same order, so that no sample between them is left out.
double crossing(const ScreenPoint& a, const ScreenPoint& b, double y) {
  const double share = (y - static_cast<double>(a.y)) / (static_cast<double>(b.y) - a.y);
  return static_cast<double>(a.x) + (static_cast<double>(b.x) - a.x) * share;
}

struct Span {
  float start = 0.0f, slope = 0.0f;  // of the nearness along a row, from x = 0
  float least = 0.0f, most = 0.0f;   // of the nearness of the corners
};

// The compiler draws several samples at a time: each one is written, changed or not.
void fill(float* nearness, std::uint32_t* ids, int begin, int end, const Span& span,
          std::uint32_t id) {
  for (int x = begin; x < end; ++x) {
    const float plane = span.start + span.slope * static_cast<float>(x);
    const float bounded = std::min(std::max(plane, span.least), span.most);
    const float before = nearness[x];
    const bool is_nearer = bounded > before;
    nearness[x] = is_nearer ? bounded : before;
    ids[x] = is_nearer ? id : ids[x];
  }
}

}  // namespace

SampleBuffer::SampleBuffer(int width, int height)
    : width_(width),
      height_(height),
      nearness_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0.0f),
      ids_((check_stop(), nearness_.size()), 0u) {
  check_stop();  // large ones take a tenth of a second each
}

void SampleBuffer::clear(float nearness, int first, int end) {
  std::fill(nearness_.data() + place(0, first), nearness_.data() + place(0, end), nearness);
  std::fill(ids_.data() + place(0, first), ids_.data() + place(0, end), 0u);
}

void SampleBuffer::copy_nearness(const SampleBuffer& other, int first, int end) {
  std::copy(other.nearness_.data() + place(0, first), other.nearness_.data() + place(0, end),
            nearness_.data() + place(0, first));
}

void SampleBuffer::draw(const std::array<ScreenPoint, 3>& corners, std::uint32_t id, int first,
                        int end) {
  // Corners by height: the first edge spans all rows, the other two a part each.
  std::array<ScreenPoint, 3> p = corners;
  if (p[1].y < p[0].y) std::swap(p[0], p[1]);
  if (p[2].y < p[0].y) std::swap(p[0], p[2]);
  if (p[2].y < p[1].y) std::swap(p[1], p[2]);
  const int first_row = first_center(p[0].y, first, end);
  const int end_row = first_center(p[2].y, first, end);
  if (first_row >= end_row) return;

  // The plane of the nearness over the picture.
  const double ax = static_cast<double>(p[1].x) - p[0].x, ay = static_cast<double>(p[1].y) - p[0].y;
  const double bx = static_cast<double>(p[2].x) - p[0].x, by = static_cast<double>(p[2].y) - p[0].y;
  const double an = static_cast<double>(p[1].nearness) - p[0].nearness;
  const double bn = static_cast<double>(p[2].nearness) - p[0].nearness;
  const double area = ax * by - bx * ay;
  if (!(std::abs(area) > std::numeric_limits<float>::min())) return;
  const double slope_x = (an * by - bn * ay) / area;
  const double slope_y = (bn * ax - an * bx) / area;
  Span span;
  span.slope = static_cast<float>(slope_x);
  span.least = std::min({p[0].nearness, p[1].nearness, p[2].nearness});
  span.most = std::max({p[0].nearness, p[1].nearness, p[2].nearness});

  for (int row = first_row; row < end_row; ++row) {
    const double y = row + 0.5;
    const double across = crossing(p[0], p[2], y);
    const double other = y < p[1].y ? crossing(p[0], p[1], y) : crossing(p[1], p[2], y);
    const int begin = first_center(std::min(across, other), 0, width_);
    const int finish = first_center(std::max(across, other), 0, width_);
    if (begin >= finish) continue;
    span.start =
        static_cast<float>(p[0].nearness + slope_x * (0.5 - p[0].x) + slope_y * (y - p[0].y));
    fill(nearness_.data() + place(0, row), ids_.data() + place(0, row), begin, finish, span, id);
  }
}

}  // namespace amontons::io
