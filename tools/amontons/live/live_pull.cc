#include "tools/amontons/live/live_pull.h"

#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <string>

namespace amontons::live {
namespace {

constexpr double kMaxRateOfStep = 0.2;  // largest rate times step length [rad]

std::optional<WrenchDrive> wrench_on(const Simulator& sim, int body) {
  for (const WrenchDrive& wrench : sim.system().commands().wrenches) {
    if (wrench.body == body) return wrench;
  }
  return {};
}

bool is_same(const std::optional<WrenchDrive>& a, const std::optional<WrenchDrive>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->body == b->body && a->force_W == b->force_W && a->torque_W == b->torque_W &&
         a->at_B == b->at_B;
}

void command(Simulator& sim, const WrenchDrive& wrench) {
  const std::string& name = sim.system().bodies()[static_cast<std::size_t>(wrench.body)].name;
  sim.set_wrench(name, wrench.force_W, wrench.torque_W, wrench.at_B);
}

/// Returns the wrench of no force: a program that commands it commands none.
WrenchDrive no_wrench(int body) {
  return {body, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
}

SystemKinematics kinematics_of(const Simulator& sim) {
  const State& state = sim.state();
  SystemKinematics kinematics;
  compute_kinematics(sim.system(), state.q, state.v, state.time, kinematics);
  return kinematics;
}

/// Returns the mass that a point of a tree has, its mean over three directions [kg].
double mass_at(const Simulator& sim, const SystemKinematics& kinematics, int body,
               const Eigen::Vector3d& p_W) {
  const System& system = sim.system();
  const auto tree =
      static_cast<std::size_t>(system.bodies()[static_cast<std::size_t>(body)].articulation);
  const Eigen::MatrixXd M = system.articulations()[tree].mass_matrix(kinematics.trees[tree]);
  const Eigen::MatrixXd J = body_jacobian(system, kinematics, body, p_W).bottomRows<3>();
  const Eigen::MatrixXd mobility = J * Eigen::LLT<Eigen::MatrixXd>(M).solve(J.transpose());
  const double trace = mobility.trace();
  return trace > 0.0 ? 3.0 / trace : 0.0;
}

}  // namespace

Eigen::Vector3d pull_force(const Simulator& sim, const LivePull& pull, double h) {
  const SystemKinematics kinematics = kinematics_of(sim);
  const Eigen::Vector3d p_W = kinematics.X_WB[static_cast<std::size_t>(pull.body)] * pull.at_B;
  const Eigen::Vector3d v_W =
      body_velocity(sim.system(), kinematics, pull.body, p_W, sim.state().v).tail<3>();
  const double rate = std::min(pull.rate, kMaxRateOfStep / h);
  return mass_at(sim, kinematics, pull.body, p_W) * rate *
         (rate * (pull.target_W - p_W) - 2.0 * v_W);
}

void PullDrive::apply(Simulator& sim, const std::optional<LivePull>& asked) {
  // A body that is parked takes no force.
  const bool is_parked = asked && sim.system().is_parked(asked->body);
  const std::optional<LivePull>& pull = is_parked ? std::nullopt : asked;
  if (commanded_ && (!pull || pull->body != commanded_->body)) end(sim);
  if (!pull) return;
  // A loop that takes several steps between two calls holds the force for all of them.
  const double step = sim.settings().step_size(sim.state().step_count);
  const double h = commanded_ ? std::max(step, sim.time() - applied_) : step;
  applied_ = sim.time();
  own_ = commanded_ ? own_wrench(sim) : wrench_on(sim, pull->body);
  WrenchDrive total = no_wrench(pull->body);
  total.force_W = pull_force(sim, *pull, h);
  total.at_B = pull->at_B;
  if (own_) {
    // The program's force moves to the pulled point, with its torque about that point.
    const SystemKinematics kinematics = kinematics_of(sim);
    const Eigen::Vector3d arm_W =
        kinematics.X_WB[static_cast<std::size_t>(pull->body)].rotation * (own_->at_B - pull->at_B);
    total.force_W += own_->force_W;
    total.torque_W += own_->torque_W + arm_W.cross(own_->force_W);
  }
  commanded_ = total;
  command(sim, total);
}

std::optional<WrenchDrive> PullDrive::own_wrench(const Simulator& sim) const {
  const std::optional<WrenchDrive> current = wrench_on(sim, commanded_->body);
  return is_same(current, commanded_) ? own_ : current;
}

void PullDrive::end(Simulator& sim) {
  if (is_same(wrench_on(sim, commanded_->body), commanded_)) {
    command(sim, own_.value_or(no_wrench(commanded_->body)));
  }
  commanded_.reset();
  own_.reset();
}

}  // namespace amontons::live
