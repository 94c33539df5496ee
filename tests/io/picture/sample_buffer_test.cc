#include "amontons/io/picture/sample_buffer.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons::io {
namespace {

constexpr int kWidth = 40, kHeight = 30;
constexpr float kMost = 1e6f;

int count(const SampleBuffer& buffer, std::uint32_t id) {
  int number = 0;
  for (int y = 0; y < buffer.height(); ++y) {
    for (int x = 0; x < buffer.width(); ++x) number += buffer.id(x, y) == id;
  }
  return number;
}

TEST_CASE("a fan of triangles around a point covers each sample inside exactly once") {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> inside(1.0f, 29.0f);
  std::uniform_int_distribution<int> coarse(0, 60);
  for (int k = 0; k < 200; ++k) {
    // Halves of samples are hit, too: there edges go through centers.
    const ScreenPoint middle =
        k % 2 == 0 ? ScreenPoint{inside(random), inside(random), 1.0f}
                   : ScreenPoint{0.5f * static_cast<float>(coarse(random)),
                                 0.5f * static_cast<float>(coarse(random) / 2), 1.0f};
    const ScreenPoint corners[5] = {
        {0, 0, 1.0f}, {kWidth, 0, 1.0f}, {kWidth, kHeight, 1.0f}, {0, kHeight, 1.0f}, {0, 0, 1.0f}};
    int total = 0;
    SampleBuffer all(kWidth, kHeight);
    all.clear(0.0f, 0, kHeight);
    for (int t = 0; t < 4; ++t) {
      SampleBuffer one(kWidth, kHeight);
      one.clear(0.0f, 0, kHeight);
      one.draw({middle, corners[t], corners[t + 1]}, 1u, 0, kHeight);
      all.draw({corners[t + 1], middle, corners[t]}, 1u, 0, kHeight);
      total += count(one, 1u);
    }
    CHECK(count(all, 1u) == kWidth * kHeight);
    CHECK(total == kWidth * kHeight);
  }
}

TEST_CASE("of two triangles the nearer one is seen, on each side of the line where they cross") {
  SampleBuffer buffer(kWidth, kHeight);
  buffer.clear(0.0f, 0, kHeight);
  // Nearness x / 40 against 1 - x / 40, in either order of drawing.
  for (const bool is_swapped : {false, true}) {
    buffer.clear(0.0f, 0, kHeight);
    for (const bool is_first : {!is_swapped, is_swapped}) {
      const float left = is_first ? 1e-6f : 1.0f, right = is_first ? 1.0f : 1e-6f;
      const ScreenPoint a{0, 0, left}, b{kWidth, 0, right}, c{kWidth, kHeight, right},
          d{0, kHeight, left};
      buffer.draw({a, b, c}, is_first ? 1u : 2u, 0, kHeight);
      buffer.draw({a, c, d}, is_first ? 1u : 2u, 0, kHeight);
    }
    for (int x = 0; x < kWidth; ++x) {
      CHECK(buffer.id(x, 11) == (x < kWidth / 2 ? 2u : 1u));
      const float share = (static_cast<float>(x) + 0.5f) / kWidth;
      CHECK(buffer.nearness(x, 11) == Approx(std::max(share, 1.0f - share)).margin(1e-5));
    }
  }
}

TEST_CASE("what lies far outside of the picture, or has no area, draws nothing wrong") {
  SampleBuffer buffer(kWidth, kHeight);
  buffer.clear(0.0f, 0, kHeight);
  buffer.draw({{{-kMost, -kMost, 1.0f}, {-1.0f, -kMost, 1.0f}, {-1.0f, kMost, 1.0f}}}, 1u, 0,
              kHeight);
  buffer.draw({{{3.0f, 3.0f, 1.0f}, {9.0f, 9.0f, 1.0f}, {6.0f, 6.0f, 1.0f}}}, 1u, 0, kHeight);
  buffer.draw({{{5.0f, 5.0f, 1.0f}, {5.0f, 5.0f, 1.0f}, {5.0f, 5.0f, 1.0f}}}, 1u, 0, kHeight);
  CHECK(count(buffer, 1u) == 0);
  buffer.draw({{{-kMost, -kMost, 1.0f}, {kMost, -kMost, 1.0f}, {0.0f, 2.0f * kMost, 1.0f}}}, 1u, 3,
              5);
  CHECK(count(buffer, 1u) == 2 * kWidth);  // of rows 3 and 4 alone
}

}  // namespace
}  // namespace amontons::io
