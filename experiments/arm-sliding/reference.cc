#include "experiments/arm-sliding/reference.h"

#include "amontons/simulation/system/kinematics.h"
#include "experiments/arm-sliding/friction_modes.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Halvings of a step in the search for its event: below the spacing of doubles near a step's end.
constexpr int kBisections = 50;

// A joint that slides has stopped, and one that sticks breaks away, when it is beyond its bound by
// more than rounding; else a joint that has just begun to slide, at speed zero, would stop again at
// once, and the time would not advance [rad/s, share of the bound].
constexpr double kSpeedRounding = 1e-13, kFrictionRounding = 1e-12;

// Events within kInstant of each other are one instant; a joint has no more than one stop and one
// breakaway there.
constexpr double kInstant = 1e-13;

class FrictionArm {
 public:
  explicit FrictionArm(const System& system) : system_(system) {
    const Index n = system.num_velocities();
    q = system.initial_state().q;
    v = system.initial_state().v;
    dry_.setZero(n);
    viscous_.setZero(n);
    for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
      dry_(own.v_index) = own.dynamics.coulomb_friction;
      viscous_(own.v_index) = own.dynamics.viscous_friction;
    }
    modes_.assign(static_cast<std::size_t>(n), FrictionMode::Stick);
    choose_modes(std::vector<int>(modes_.size(), 0));
  }

  /// Takes one step of this length, in as many parts as it has events.
  void advance(double length) {
    int events_at_once = 0;
    while (length > 0.0) {
      const Trial whole = try_step(length);
      if (!has_event(whole)) {
        take(whole);
        return;
      }
      double low = 0.0, high = length;
      for (int k = 0; k < kBisections; ++k) {
        const double middle = 0.5 * (low + high);
        (has_event(try_step(middle)) ? high : low) = middle;
      }
      take(try_step(high));
      meet_event();
      length -= high;
      events_at_once = high < kInstant ? events_at_once + 1 : 0;
      if (events_at_once > 2 * static_cast<int>(modes_.size())) {
        throw std::runtime_error("arm-sliding: the events of the reference pile up");
      }
    }
  }

  VectorXd q, v;
  int stops = 0, breakaways = 0;

 private:
  struct Trial {
    VectorXd q, v;
  };

  int way(Index j) const { return static_cast<int>(modes_[static_cast<std::size_t>(j)]); }

  /// Evaluates M and the torque without friction.
  void evaluate(const VectorXd& q_at, const VectorXd& v_at, Eigen::MatrixXd& M,
                VectorXd& torque) const {
    compute_kinematics(system_, q_at, v_at, 0.0, kinematics_);
    const Articulation& tree = system_.articulations().front();
    M = tree.mass_matrix(kinematics_.trees.front());
    torque.resize(v_at.size());
    tree.gravity_forces(kinematics_.trees.front(), system_.gravity(), torque);
    torque -= tree.bias_forces(kinematics_.trees.front(), v_at);
  }

  /// Returns q'' with the present modes; `holding`: the friction of joints that stick.
  VectorXd acceleration(const VectorXd& q_at, const VectorXd& v_at,
                        VectorXd* holding = nullptr) const {
    Eigen::MatrixXd M;
    VectorXd torque;
    evaluate(q_at, v_at, M, torque);
    std::vector<Index> sliding;
    for (Index j = 0; j < v.size(); ++j) {
      if (way(j) == 0) continue;
      sliding.push_back(j);
      torque(j) -= viscous_(j) * v_at(j) + dry_(j) * way(j);
    }
    VectorXd result = VectorXd::Zero(v.size());
    if (!sliding.empty()) {
      const Eigen::MatrixXd own = M(sliding, sliding);
      const VectorXd right = torque(sliding), solved = own.ldlt().solve(right);
      result(sliding) = solved;
    }
    if (holding != nullptr) *holding = M * result - torque;
    return result;
  }

  Trial try_step(double h) const {
    const VectorXd a1 = acceleration(q, v);
    const VectorXd v2 = v + 0.5 * h * a1, a2 = acceleration(q + 0.5 * h * v, v2);
    const VectorXd v3 = v + 0.5 * h * a2, a3 = acceleration(q + 0.5 * h * v2, v3);
    const VectorXd v4 = v + h * a3, a4 = acceleration(q + h * v3, v4);
    return {q + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4),
            v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)};
  }

  bool stops_at(Index j, const VectorXd& v_at) const {
    return way(j) != 0 && v_at(j) * way(j) < -kSpeedRounding;
  }

  bool breaks_at(Index j, const VectorXd& holding) const {
    return way(j) == 0 && std::abs(holding(j)) > dry_(j) * (1.0 + kFrictionRounding);
  }

  /// Returns true if a joint has reversed, or one that sticks would need more than its friction.
  bool has_event(const Trial& trial) const {
    VectorXd holding;
    acceleration(trial.q, trial.v, &holding);
    for (Index j = 0; j < v.size(); ++j) {
      if (stops_at(j, trial.v) || breaks_at(j, holding)) return true;
    }
    return false;
  }

  void take(const Trial& trial) {
    q = trial.q;
    v = trial.v;
  }

  /// Stops joints that have reversed and releases joints that break away. A stop makes the friction
  /// of all joints jump, so that a joint that seemed to break away then is evaluated again.
  void meet_event() {
    VectorXd holding;
    acceleration(q, v, &holding);
    std::vector<int> breaking(modes_.size(), 0);
    bool stopped = false;
    for (Index j = 0; j < v.size(); ++j) {
      if (stops_at(j, v)) {
        v(j) = 0.0;
        modes_[static_cast<std::size_t>(j)] = FrictionMode::Stick;
        stopped = true;
        ++stops;
      } else if (breaks_at(j, holding)) {
        breaking[static_cast<std::size_t>(j)] = holding(j) > 0.0 ? -1 : 1;
      }
    }
    if (stopped) breaking.assign(breaking.size(), 0);
    choose_modes(breaking);
  }

  /// Joints that move keep their direction; the law decides those at rest. A joint that has just
  /// begun to slide is at rest as well, and may continue.
  void choose_modes(const std::vector<int>& breaking) {
    Eigen::MatrixXd M;
    VectorXd torque;
    evaluate(q, v, M, torque);
    std::vector<Index> resting;
    std::vector<int> forced;
    for (Index j = 0; j < v.size(); ++j) {
      if (way(j) == 0) {
        resting.push_back(j);
        forced.push_back(breaking[static_cast<std::size_t>(j)]);
        continue;
      }
      torque(j) -= viscous_(j) * v(j) + dry_(j) * way(j);
    }
    if (resting.empty()) return;
    const Eigen::MatrixXd inverse = M.llt().solve(Eigen::MatrixXd::Identity(v.size(), v.size()));
    const VectorXd unopposed = inverse * torque;
    const std::vector<FrictionMode> chosen = modes_at_rest(
        inverse(resting, resting), unopposed(resting), VectorXd(dry_(resting)), forced);
    for (std::size_t k = 0; k < resting.size(); ++k) {
      modes_[static_cast<std::size_t>(resting[k])] = chosen[k];
      if (chosen[k] != FrictionMode::Stick) ++breakaways;
    }
  }

  const System& system_;
  mutable SystemKinematics kinematics_;
  VectorXd dry_, viscous_;
  std::vector<FrictionMode> modes_;
};

}  // namespace

FrictionMotion integrate_with_friction(const System& system, double duration, double step,
                                       double interval) {
  FrictionArm arm(system);
  const int per_interval = static_cast<int>(std::lround(interval / step));
  const int intervals = static_cast<int>(std::lround(duration / interval));
  FrictionMotion result;
  result.positions.push_back(arm.q);
  for (int i = 0; i < intervals; ++i) {
    for (int k = 0; k < per_interval; ++k) arm.advance(step);
    result.positions.push_back(arm.q);
  }
  result.stops = arm.stops;
  result.breakaways = arm.breakaways;
  return result;
}

}  // namespace amontons::experiments
