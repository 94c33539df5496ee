#include "experiments/arm-sliding/reference.h"

#include "amontons/optimization/box_qp.h"
#include "amontons/simulation/kinematics.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace amontons::experiments {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Where an event lies in a step is found to this share of it.
constexpr int kBisections = 50;

class FrictionArm {
 public:
  explicit FrictionArm(const System& system) : system_(system) {
    const Index n = system.num_velocities();
    q = system.initial_state().q;
    v = system.initial_state().v;
    dry_.resize(n);
    viscous_.resize(n);
    for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
      dry_(own.v_index) = own.dynamics.coulomb_friction;
      viscous_(own.v_index) = own.dynamics.viscous_friction;
    }
    choose_modes();
  }

  /// One step of this length, in as many parts as it has events.
  void advance(double length) {
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
      stop_joints();
      choose_modes();
      length -= high;
    }
  }

  VectorXd q, v;

 private:
  struct Trial {
    VectorXd q, v;
  };

  /// Torque without friction, and M.
  void evaluate(const VectorXd& q_at, const VectorXd& v_at, Eigen::MatrixXd& M,
                VectorXd& torque) const {
    SystemKinematics kinematics;
    compute_kinematics(system_, q_at, v_at, 0.0, kinematics);
    const Articulation& tree = system_.articulations().front();
    M = tree.mass_matrix(kinematics.trees.front());
    torque.resize(v_at.size());
    tree.gravity_forces(kinematics.trees.front(), system_.gravity(), torque);
    torque -= tree.bias_forces(kinematics.trees.front(), v_at);
  }

  /// q'' with the modes as they are; `holding`: the friction of joints that stick.
  VectorXd acceleration(const VectorXd& q_at, const VectorXd& v_at,
                        VectorXd* holding = nullptr) const {
    Eigen::MatrixXd M;
    VectorXd torque;
    evaluate(q_at, v_at, M, torque);
    std::vector<Index> sliding;
    for (Index j = 0; j < v.size(); ++j) {
      if (modes_[static_cast<std::size_t>(j)] == 0) continue;
      sliding.push_back(j);
      torque(j) -= viscous_(j) * v_at(j) + dry_(j) * modes_[static_cast<std::size_t>(j)];
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

  /// Whether a joint has turned round, or one that sticks would need more than its friction.
  bool has_event(const Trial& trial) const {
    VectorXd holding;
    acceleration(trial.q, trial.v, &holding);
    for (Index j = 0; j < v.size(); ++j) {
      const int mode = modes_[static_cast<std::size_t>(j)];
      if (mode != 0 && trial.v(j) * mode < 0.0) return true;
      if (mode == 0 && std::abs(holding(j)) > dry_(j)) return true;
    }
    return false;
  }

  void take(const Trial& trial) {
    q = trial.q;
    v = trial.v;
  }

  void stop_joints() {
    for (Index j = 0; j < v.size(); ++j) {
      if (v(j) * modes_[static_cast<std::size_t>(j)] <= 0.0) v(j) = 0.0;
    }
  }

  /// Moving joints slide their way; of those at rest friction decides.
  void choose_modes() {
    modes_.assign(static_cast<std::size_t>(v.size()), 0);
    Eigen::MatrixXd M;
    VectorXd torque;
    evaluate(q, v, M, torque);
    std::vector<Index> resting;
    for (Index j = 0; j < v.size(); ++j) {
      if (v(j) == 0.0) {
        resting.push_back(j);
        continue;
      }
      modes_[static_cast<std::size_t>(j)] = v(j) > 0.0 ? 1 : -1;
      torque(j) -= viscous_(j) * v(j) + dry_(j) * modes_[static_cast<std::size_t>(j)];
    }
    if (resting.empty()) return;
    const Eigen::MatrixXd inverse = M.inverse();
    BoxQuadraticProgram program;
    program.H = inverse(resting, resting);
    program.H = 0.5 * (program.H + program.H.transpose()).eval();
    program.g = VectorXd(inverse * torque)(resting);
    program.upper = dry_(resting);
    program.lower = -program.upper;
    const BoxQpSolution friction = solve_box_qp(program, {.tolerance = 1e-13});
    for (std::size_t k = 0; k < resting.size(); ++k) {
      const Index own = static_cast<Index>(k);
      int& mode = modes_[static_cast<std::size_t>(resting[k])];
      if (friction.x(own) >= program.upper(own)) mode = -1;
      if (friction.x(own) <= program.lower(own)) mode = 1;
    }
  }

  const System& system_;
  VectorXd dry_, viscous_;
  std::vector<int> modes_;  // -1 and 1: slides so; 0: sticks
};

}  // namespace

std::vector<Eigen::VectorXd> integrate_with_friction(const System& system, double duration,
                                                     double step, double interval) {
  FrictionArm arm(system);
  const int per_interval = static_cast<int>(std::lround(interval / step));
  const int intervals = static_cast<int>(std::lround(duration / interval));
  std::vector<VectorXd> result = {arm.q};
  for (int i = 0; i < intervals; ++i) {
    for (int k = 0; k < per_interval; ++k) arm.advance(step);
    result.push_back(arm.q);
  }
  return result;
}

}  // namespace amontons::experiments
