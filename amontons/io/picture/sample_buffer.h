#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons::io {

/// Holds a corner of a triangle in a picture: x to the right and y down [samples], and a nearness
/// that is linear over the picture and greater for what is nearer.
struct ScreenPoint {
  float x = 0.0f, y = 0.0f, nearness = 0.0f;
};

/// Holds for each sample of a picture which triangle is nearest there.
class SampleBuffer {
 public:
  /// Makes an empty buffer.
  /// @throws Stopped if the thread was asked to stop.
  SampleBuffer(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }

  /// Empties rows first to end - 1: no triangle, at the least nearness that counts.
  void clear(float nearness, int first, int end);

  /// Draws those samples of rows first to end - 1 whose centers lie in the triangle and where none
  /// is nearer. A center on an edge that two triangles share belongs to exactly one of them.
  /// @param id  number of the triangle, > 0.
  void draw(const std::array<ScreenPoint, 3>& corners, std::uint32_t id, int first, int end);

  /// Returns the number of the triangle at a sample, 0 for none.
  std::uint32_t id(int x, int y) const { return ids_[place(x, y)]; }
  /// Returns true if a triangle covers a sample or the one at its right.
  bool has_triangle(int x, int y) const { return (ids_[place(x, y)] | ids_[place(x, y) + 1]) != 0; }
  /// Returns true if a sample and those at its right, below and beside have the same triangle.
  bool is_uniform(int x, int y) const {
    const std::uint32_t* const row = ids_.data() + place(x, y);
    const std::uint32_t* const next = row + width_;
    return row[0] == row[1] && row[0] == next[0] && row[0] == next[1];
  }
  /// Returns the mean nearness of the same four samples.
  float mean_nearness(int x, int y) const {
    const float* const row = nearness_.data() + place(x, y);
    return 0.25f * (row[0] + row[1] + row[width_] + row[width_ + 1]);
  }
  float nearness(int x, int y) const { return nearness_[place(x, y)]; }

  /// Copies the nearness of another buffer of the same size, where its rows are first to end - 1.
  void copy_nearness(const SampleBuffer& other, int first, int end);
  /// Raises the nearness of a sample, without a triangle.
  void raise(int x, int y, float nearness) {
    nearness_[place(x, y)] = std::max(nearness_[place(x, y)], nearness);
  }

 private:
  std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<float> nearness_;
  std::vector<std::uint32_t> ids_;
};

/// Returns true if the corners are clockwise in the picture: the outside of a surface is seen.
inline bool is_front(const std::array<ScreenPoint, 3>& p) {
  return (p[1].x - p[0].x) * (p[2].y - p[0].y) < (p[2].x - p[0].x) * (p[1].y - p[0].y);
}

}  // namespace amontons::io
