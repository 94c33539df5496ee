#include "amontons/geometry/shapes/value_noise.h"

#include <catch2/catch.hpp>

#include <cmath>

using amontons::value_noise_heights;
using amontons::ValueNoise;

namespace {

constexpr ValueNoise kNoise{.amplitude = 0.02, .wavelength = 0.1, .seed = 7};

}  // namespace

TEST_CASE(
    "Noise heights stay within the amplitude and the slope within 3.75 amplitude/wavelength") {
  const Eigen::MatrixXd heights = value_noise_heights(kNoise, 400, 300, 4.0, 3.0);
  REQUIRE(heights.rows() == 401);
  REQUIRE(heights.cols() == 301);
  CHECK(heights.cwiseAbs().maxCoeff() <= kNoise.amplitude);
  const double steepest = 3.75 * kNoise.amplitude / kNoise.wavelength;
  const double dx = 0.01;
  CHECK((heights.bottomRows(400) - heights.topRows(400)).cwiseAbs().maxCoeff() <= steepest * dx);
  CHECK((heights.rightCols(300) - heights.leftCols(300)).cwiseAbs().maxCoeff() <= steepest * dx);
}

TEST_CASE("Noise depends on the seed alone") {
  const Eigen::MatrixXd heights = value_noise_heights(kNoise, 40, 30, 4.0, 3.0);
  CHECK(heights == value_noise_heights(kNoise, 40, 30, 4.0, 3.0));
  ValueNoise other = kNoise;
  other.seed = 8;
  CHECK((heights - value_noise_heights(other, 40, 30, 4.0, 3.0)).norm() > 0.1);
}

TEST_CASE("A finer grid samples the same terrain") {
  const Eigen::MatrixXd coarse = value_noise_heights(kNoise, 32, 32, 1.0, 1.0);
  const Eigen::MatrixXd fine = value_noise_heights(kNoise, 64, 64, 1.0, 1.0);
  for (Eigen::Index j = 0; j <= 32; ++j) {
    for (Eigen::Index i = 0; i <= 32; ++i) CHECK(coarse(i, j) == fine(2 * i, 2 * j));
  }
}

TEST_CASE("Heights at lattice points are independent and uniform") {
  ValueNoise noise = kNoise;
  noise.amplitude = 1.0;
  noise.wavelength = 1.0;
  const int n = 100;
  const Eigen::MatrixXd values = value_noise_heights(noise, n - 1, n - 1, n - 1.0, n - 1.0);
  // 10^4 uniform numbers: within 5 standard errors of mean 0, variance 1/3, covariance 0.
  const double count = n * n;
  CHECK(std::abs(values.mean()) < 5.0 / std::sqrt(3.0 * count));
  CHECK(std::abs(values.squaredNorm() / count - 1.0 / 3.0) < 5.0 * std::sqrt(4.0 / 45.0 / count));
  const double along_x = values.topRows(n - 1).cwiseProduct(values.bottomRows(n - 1)).mean();
  const double along_y = values.leftCols(n - 1).cwiseProduct(values.rightCols(n - 1)).mean();
  CHECK(std::abs(along_x) < 5.0 / 3.0 / std::sqrt(count));
  CHECK(std::abs(along_y) < 5.0 / 3.0 / std::sqrt(count));
}

TEST_CASE("Noise refuses values out of their range") {
  ValueNoise bad = kNoise;
  bad.wavelength = 0.0;
  CHECK_THROWS_AS(value_noise_heights(bad, 2, 2, 1.0, 1.0), std::invalid_argument);
  bad = kNoise;
  bad.amplitude = -1.0;
  CHECK_THROWS_AS(value_noise_heights(bad, 2, 2, 1.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(value_noise_heights(kNoise, 0, 2, 1.0, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(value_noise_heights(kNoise, 2, 2, 0.0, 1.0), std::invalid_argument);
}
