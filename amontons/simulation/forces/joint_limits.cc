#include "amontons/simulation/forces/joint_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

/// Calls visit(beyond_lower, beyond_upper, v_index) for each coordinate of a tree that has limits:
/// its distances beyond them [rad or m], and its index in the tree's v.
template <typename Visit>
void for_each_limit(const System& system, int articulation,
                    const Eigen::Ref<const Eigen::VectorXd>& q, const Visit& visit) {
  const int q0 = system.q_offset(articulation), v0 = system.v_offset(articulation);
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!own.dynamics.limits || own.q_index < 0) continue;
    if (own.v_index < 0 || system.articulation_of(own.v_index) != articulation) continue;
    const auto& [lower, upper] = *own.dynamics.limits;
    const double position = q[own.q_index - q0];
    visit(lower - position, position - upper, own.v_index - v0);
  }
}

}  // namespace

double distance_beyond_limits(const System& system, int articulation,
                              const Eigen::Ref<const Eigen::VectorXd>& q) {
  double result = -std::numeric_limits<double>::infinity();
  for_each_limit(system, articulation, q, [&result](double below, double above, int) {
    result = std::max({result, below, above});
  });
  return result;
}

double approach_at_limits(const System& system, int articulation,
                          const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v) {
  double result = -std::numeric_limits<double>::infinity();
  for_each_limit(system, articulation, q, [&](double below, double above, int index) {
    if (below >= -kAtLimit) result = std::max(result, -v[index]);
    if (above >= -kAtLimit) result = std::max(result, v[index]);
  });
  return result;
}

double time_of_turn_beyond_limits(const System& system, int articulation,
                                  const Eigen::Ref<const Eigen::VectorXd>& q,
                                  const Eigen::Ref<const Eigen::VectorXd>& v_begin,
                                  const Eigen::Ref<const Eigen::VectorXd>& v_end, double length) {
  double first = std::numeric_limits<double>::infinity();
  for_each_limit(system, articulation, q, [&](double below, double above, int index) {
    const double begin = v_begin[index], end = v_end[index];
    if (!(begin * end < 0.0)) return;
    // The rate is zero at this instant; up to there its mean is half of that at the start.
    const double turn = begin / (begin - end) * length;
    const double beyond = begin > 0.0 ? above : below;
    if (beyond + 0.5 * std::abs(begin) * turn > 0.0) first = std::min(first, turn);
  });
  return first;
}

}  // namespace amontons
