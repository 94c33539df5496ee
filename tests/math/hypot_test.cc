#include "amontons/math/elementary.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace amontons::elementary {
namespace {

TEST_CASE("A hypotenuse errs by less than a unit in the last place, at any size of its sides") {
  std::mt19937 engine(20270315);
  std::uniform_real_distribution<double> side(-1.0, 1.0);
  std::uniform_int_distribution<int> size(-1000, 1000), ratio(-70, 0);
  for (int i = 0; i < test::num_cases(100000); ++i) {
    const double x = std::ldexp(side(engine), size(engine));
    const double y = std::ldexp(x, ratio(engine)) * side(engine);
    const double h = hypot(x, y);

    // A long double has eleven binary digits more, or sixty.
    const long double exact = std::hypot(static_cast<long double>(x), static_cast<long double>(y));
    const double unit = std::nextafter(h, std::numeric_limits<double>::infinity()) - h;
    CHECK(std::abs(static_cast<double>(h - exact)) < unit);
    CHECK(hypot(y, x) == h);
    CHECK(hypot(-x, y) == h);
  }
}

TEST_CASE("Scaling by a power of two scales a hypotenuse exactly") {
  std::mt19937 engine(20270316);
  std::uniform_real_distribution<double> side(0.1, 1.0);
  std::uniform_int_distribution<int> size(-900, 1000);
  for (int i = 0; i < test::num_cases(100000); ++i) {
    const double x = side(engine), y = side(engine);
    const int power = size(engine);
    CHECK(hypot(std::ldexp(x, power), std::ldexp(y, power)) == std::ldexp(hypot(x, y), power));
  }
}

TEST_CASE("Right triangles of whole sides have an exact hypotenuse") {
  for (int m = 2; m < 60; ++m) {
    for (int n = 1; n < m; ++n) {
      CHECK(hypot(m * m - n * n, 2 * m * n) == m * m + n * n);
    }
  }
}

TEST_CASE("A hypotenuse has the same bits on processors with and without fused operations") {
  // Fused operations, as the C library has them on aarch64, change the last bit of each of these.
  CHECK(hypot(0.3, 0.2) == 0x1.71355d04de18fp-2);
  CHECK(hypot(0.5, 0.2) == 0x1.13b86ea20ae5cp-1);
  CHECK(hypot(0.9, 0.6) == 0x1.14e805c3a692cp+0);
  CHECK(hypot(1.1, 0.9) == 0x1.6bd8282135500p+0);
}

TEST_CASE("An infinite side makes an infinite hypotenuse, and no number makes none") {
  const double infinity = std::numeric_limits<double>::infinity(), none = std::nan("");
  CHECK(hypot(-infinity, 1.0) == infinity);
  CHECK(hypot(none, infinity) == infinity);
  CHECK(std::isnan(hypot(none, 1.0)));
  CHECK(std::isnan(hypot(0.0, none)));
  CHECK(hypot(0.0, -0.0) == 0.0);
  CHECK(hypot(std::numeric_limits<double>::max(), std::numeric_limits<double>::max()) == infinity);
}

}  // namespace
}  // namespace amontons::elementary
