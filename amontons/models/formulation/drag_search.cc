#include "amontons/models/formulation/drag_search.h"

#include "amontons/models/common/drag_share_search.h"

#include <cmath>
#include <cstddef>
#include <optional>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Load or gap that is rounding of the regularized problem [-].
constexpr double kRounding = 1e-8;

}  // namespace

bool DragSearch::find(const DragProblem& problem, const std::vector<char>& whole) {
  const Index n = problem.drag_numbers.size();
  VectorXd numbers = problem.drag_numbers;
  VectorXd given = VectorXd::Zero(n);
  // The first search starts from the contacts that the free motion closes.
  if (shares_.size() == 0) {
    shares_.setZero(n);
    for (Index i = 0; i < n; ++i) shares_(i) = problem.q(3 * i + 2) < 0.0 ? 1.0 : 0.0;
  }
  for (Index i = 0; i < n; ++i) {
    if (whole[static_cast<std::size_t>(i)]) {
      numbers(i) = 0.0;
      given(i) = 1.0;
    }
    if (!(numbers(i) > 0.0)) shares_(i) = 0.0;
  }
  const auto loads_of = [&](const VectorXd& shares, bool /*accurate*/) -> std::optional<VectorXd> {
    if (!regularized_.solve(shares + given, {})) return std::nullopt;
    loads_ = regularized_.loads();
    return VectorXd((loads_.array().abs() > kRounding).select(loads_, 0.0));
  };
  const auto overlaps_of = [&](const VectorXd& shares,
                               const std::vector<Index>& lifted) -> std::optional<VectorXd> {
    if (!regularized_.solve(shares + given, lifted)) return std::nullopt;
    return regularized_.loads();
  };
  const bool found = find_drag_shares(shares_, numbers, loads_of, overlaps_of);
  shares_ += given;
  return found;
}

VectorXd DragSearch::bases(const std::vector<char>& whole, double dead_band) const {
  VectorXd result(loads_.size());
  for (Index i = 0; i < result.size(); ++i) {
    const bool is_whole = whole[static_cast<std::size_t>(i)] != 0;
    const bool is_open = loads_(i) < (is_whole ? 0.0 : -kRounding);
    result(i) = is_open ? -dead_band : is_whole ? 0.0 : loads_(i) > kRounding ? 1.0 : shares_(i);
  }
  return result;
}

}  // namespace amontons
