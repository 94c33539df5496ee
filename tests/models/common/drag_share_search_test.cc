#include "amontons/models/common/drag_share_search.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-9;

/// Returns z, with the values below the tolerance as zero.
VectorXd rounded(VectorXd z) {
  for (double& value : z) {
    if (std::abs(value) <= kTolerance) value = 0.0;
  }
  return z;
}

// Each contact wants what the other one has not: no list of zeros and ones is right.
TEST_CASE("Shares of two contacts that lift and press each other lie within, whatever the kink") {
  for (const double kink : {1.0, 50.0, 1e3}) {
    for (const double number : {1.0, 30.0, 1e4}) {
      const auto loads_of = [&](const VectorXd& theta, bool /*accurate*/) {
        VectorXd z(2);
        z << theta(1) - 0.3 / number, 0.6 / number - theta(0);
        z *= number;
        for (double& value : z) value *= value > 0.0 ? kink : 1.0;
        return std::optional(rounded(z));
      };
      VectorXd shares = VectorXd::Zero(2);
      CAPTURE(kink, number);
      CHECK(find_drag_shares(shares, VectorXd::Constant(2, number), loads_of));
      CHECK(shares(0) == Approx(0.6 / number).epsilon(1e-6));
      CHECK(shares(1) == Approx(0.3 / number).epsilon(1e-6));
    }
  }
}

TEST_CASE("Shares of up to four contacts are found for any continuous loads") {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> in(-1.0, 1.0);
  for (int k = 0; k < 200; ++k) {
    const Index n = 1 + static_cast<Index>(random() % 4);
    const Eigen::MatrixXd slope = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return in(random); });
    const VectorXd start = VectorXd::NullaryExpr(n, [&] { return in(random); });
    const auto loads_of = [&](const VectorXd& theta, bool /*accurate*/) {
      VectorXd z = start + slope * theta + 0.3 * (3.0 * theta).array().sin().matrix();
      for (double& value : z) value *= value > 0.0 ? 20.0 : 1.0;
      return std::optional(rounded(z));
    };
    VectorXd shares = VectorXd::Zero(n);
    CAPTURE(k, n);
    REQUIRE(find_drag_shares(shares, VectorXd::Ones(n), loads_of));
    const VectorXd z = *loads_of(shares, true);
    for (Index i = 0; i < n; ++i) {
      CHECK((z(i) == 0.0 || shares(i) == (z(i) > 0.0 ? 1.0 : 0.0)));
    }
  }
}

// The corners of an edge open together, and share the load of the closed edge in any way. A line of
// shares is right: the moments of both drags about the other edge balance the weight.
TEST_CASE("Shares of corners that lift together are found in a few solves") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int k = 0; k < 100; ++k) {
    const Index n = 2 + static_cast<Index>(random() % 3);
    const VectorXd arms = VectorXd::NullaryExpr(n, [&] { return 0.1 + unit(random); });
    const double weight = arms.sum() * (0.05 + 0.9 * unit(random)), kink = 20.0 * unit(random);
    int solves = 0;
    const auto loads_of = [&](const VectorXd& theta, bool /*accurate*/) {
      ++solves;
      const double lift = arms.dot(theta) - weight;
      VectorXd z = VectorXd::Constant(n, -lift);
      if (lift < 0.0) {
        // The split of the load among the corners is the solver's.
        for (double& value : z) value *= kink * (0.1 + unit(random));
      }
      return std::optional(rounded(z));
    };
    VectorXd shares = VectorXd::Zero(n);
    CAPTURE(k, n, weight);
    REQUIRE(find_drag_shares(shares, VectorXd::Ones(n), loads_of));
    CHECK(arms.dot(shares) == Approx(weight).margin(1e-7));
    // Three of the lists, two ends, and the Illinois method at order 1.44.
    CHECK(solves <= 60);
  }
}

// Corners 2 and 3 lift by their drag. Without drag they press so much that 0 and 1 open in turn,
// and all four have a wrong share.
TEST_CASE("Corners keep the drag that they had before others were dropped") {
  int solves = 0;
  const auto loads_of = [&](const VectorXd& theta, bool /*accurate*/) {
    ++solves;
    const double lift = theta(2) + theta(3) - 1.2;
    VectorXd z(4);
    z << 0.5 + std::min(lift, 0.0), 0.5 + std::min(lift, 0.0), -lift, -lift;
    if (lift < 0.0) z(3) *= 0.1;
    return std::optional(rounded(z));
  };
  VectorXd shares = VectorXd::Zero(4);
  REQUIRE(find_drag_shares(shares, VectorXd::Ones(4), loads_of));
  CHECK(shares.head(2) == VectorXd::Ones(2));
  CHECK(shares(2) + shares(3) == Approx(1.2).margin(1e-7));
  CHECK(solves <= 40);
}

TEST_CASE("A load that jumps has no share, and the search says so") {
  const auto loads_of = [](const VectorXd& theta, bool /*accurate*/) {
    return std::optional(VectorXd(VectorXd::Constant(1, theta(0) < 0.4 ? 1.0 : -1.0)));
  };
  VectorXd shares = VectorXd::Zero(1);
  CHECK_FALSE(find_drag_shares(shares, VectorXd::Ones(1), loads_of));
  const auto unsolved = [](const VectorXd&, bool /*accurate*/) {
    return std::optional<VectorXd>();
  };
  CHECK_FALSE(find_drag_shares(shares, VectorXd::Ones(1), unsolved));
}

TEST_CASE("Contacts without drag have no share") {
  int solves = 0;
  const auto loads_of = [&](const VectorXd& theta, bool /*accurate*/) {
    ++solves;
    return std::optional(VectorXd(VectorXd::Ones(theta.size())));
  };
  VectorXd shares = VectorXd::Zero(3);
  CHECK(find_drag_shares(shares, VectorXd::Zero(3), loads_of));
  CHECK(shares.isZero(0.0));
  CHECK(solves == 1);
}

}  // namespace
}  // namespace amontons
