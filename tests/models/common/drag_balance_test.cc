#include "amontons/models/common/drag_balance.h"

#include "amontons/models/common/drag_share_search.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Two contacts, each of which the other one's drag presses.
TEST_CASE("Newton's method finds the shares with which contacts just touch") {
  int solves = 0;
  const auto overlaps_of = [&](const VectorXd& shares, const std::vector<Index>&) {
    ++solves;
    VectorXd overlaps(2);
    overlaps << 0.4 - shares(0) * (1.0 - 0.5 * shares(1)), 0.3 - shares(1) / (1.0 + shares(0));
    return std::optional(overlaps);
  };
  std::vector<Index> lifted{0, 1};
  VectorXd shares = VectorXd::Constant(2, 0.9);
  CHECK(balance_drag(lifted, shares, overlaps_of));
  CHECK(lifted.size() == 2);
  CHECK(std::abs(0.4 - shares(0) * (1.0 - 0.5 * shares(1))) < 1e-12);
  CHECK(std::abs(0.3 - shares(1) / (1.0 + shares(0))) < 1e-12);
  CHECK(solves <= 20);
}

TEST_CASE("A contact that overlaps with all of its drag leaves those that touch") {
  const auto overlaps_of = [](const VectorXd& shares, const std::vector<Index>&) {
    VectorXd overlaps(2);
    overlaps << 1.5 - shares(0), 0.5 * shares(0) - shares(1) * shares(1);
    return std::optional(overlaps);
  };
  std::vector<Index> lifted{0, 1};
  VectorXd shares = VectorXd::Constant(2, 0.5);
  CHECK(balance_drag(lifted, shares, overlaps_of));
  CHECK(lifted == std::vector<Index>{1});
  CHECK(shares(0) == 1.0);
  CHECK(shares(1) == Approx(std::sqrt(0.5)));
}

// The loads have a kink of 1e6 where a contact begins to press, and contacts two different shares.
TEST_CASE("Shares that differ are found in a few solves where overlaps are given") {
  const auto overlaps_at = [](const VectorXd& theta) {
    VectorXd z(2);
    z << theta(1) - 0.3, 0.6 - theta(0);
    return z;
  };
  int solves = 0;
  const auto loads_of = [&](const VectorXd& theta, bool) {
    ++solves;
    VectorXd z = overlaps_at(theta);
    for (double& value : z) {
      value *= value > 0.0 ? 1e6 : 1.0;
      if (std::abs(value) <= 1e-9) value = 0.0;
    }
    return std::optional(z);
  };
  const auto overlaps_of = [&](const VectorXd& theta, const std::vector<Index>&) {
    ++solves;
    return std::optional(overlaps_at(theta));
  };
  VectorXd shares = VectorXd::Zero(2);
  CHECK(find_drag_shares(shares, VectorXd::Ones(2), loads_of, overlaps_of));
  CHECK(shares(0) == Approx(0.6));
  CHECK(shares(1) == Approx(0.3));
  CHECK(solves <= 60);
}

}  // namespace
}  // namespace amontons
