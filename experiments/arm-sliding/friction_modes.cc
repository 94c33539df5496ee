#include "experiments/arm-sliding/friction_modes.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The order in which modes are counted: sticking is tried first.
constexpr FrictionMode kOrder[] = {FrictionMode::Stick, FrictionMode::Up, FrictionMode::Down};

/// Returns the distance of a combination from the law: friction beyond its bound, or an
/// acceleration against the way the joint slides, as a torque through that joint's own inertia [N
/// m].
double violation_of(const std::vector<FrictionMode>& modes, const Eigen::MatrixXd& H,
                    const VectorXd& g, const VectorXd& bounds) {
  VectorXd friction = VectorXd::Zero(g.size());
  std::vector<Index> sticking;
  for (Index j = 0; j < g.size(); ++j) {
    const FrictionMode mode = modes[static_cast<std::size_t>(j)];
    if (mode == FrictionMode::Stick) sticking.push_back(j);
    friction(j) = -bounds(j) * static_cast<int>(mode);
  }
  if (!sticking.empty()) {
    const Eigen::MatrixXd own = H(sticking, sticking);
    const VectorXd right = -VectorXd(g + H * friction)(sticking), held = own.llt().solve(right);
    friction(sticking) = held;
  }
  const VectorXd acceleration = H * friction + g;
  double worst = 0.0;
  for (Index j = 0; j < g.size(); ++j) {
    const int way = static_cast<int>(modes[static_cast<std::size_t>(j)]);
    const double excess =
        way == 0 ? std::abs(friction(j)) - bounds(j) : -way * acceleration(j) / H(j, j);
    worst = std::max(worst, excess);
  }
  return worst;
}

/// Advances to the next combination; returns false after the last.
bool advance(std::vector<int>& digits, const std::vector<int>& forced) {
  for (std::size_t j = 0; j < digits.size(); ++j) {
    if (forced[j] != 0) continue;
    if (++digits[j] < 3) return true;
    digits[j] = 0;
  }
  return false;
}

}  // namespace

std::vector<FrictionMode> modes_at_rest(const Eigen::MatrixXd& H, const VectorXd& g,
                                        const VectorXd& bounds, const std::vector<int>& forced) {
  std::vector<int> digits(forced.size(), 0);
  std::vector<FrictionMode> modes(forced.size()), best(forced.size());
  double least = std::numeric_limits<double>::infinity();
  do {
    for (std::size_t j = 0; j < modes.size(); ++j) {
      modes[j] = forced[j] != 0 ? static_cast<FrictionMode>(forced[j]) : kOrder[digits[j]];
    }
    const double violation = violation_of(modes, H, g, bounds);
    if (violation < least) {
      least = violation;
      best = modes;
    }
    if (least == 0.0) break;
  } while (advance(digits, forced));
  return best;
}

}  // namespace amontons::experiments
