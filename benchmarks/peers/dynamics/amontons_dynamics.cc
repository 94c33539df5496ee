#include "amontons/dynamics/forward_dynamics.h"
#include "benchmarks/peers/dynamics/dynamics_engine.h"

#include <vector>

namespace amontons::peers {
namespace {

class AmontonsDynamics : public DynamicsEngine {
 public:
  explicit AmontonsDynamics(const Robot& robot) : robot_(robot) {
    const System& system = robot.system;
    start_ = system.initial_state();
    q_ = start_.q;
    v_ = start_.v;
    bias_.setZero(v_.size());
    acceleration_.setZero(v_.size());
    no_force_.setZero(v_.size());
    M_.setZero(v_.size(), v_.size());
    trees_.resize(system.articulations().size());
    const Articulation& last = system.articulations().back();
    jacobian_.setZero(6, last.num_velocities());
  }

  void compute_mass_matrix(const JointState& state) override {
    place(state);
    for_each_tree([this](const Articulation& tree, ArticulationKinematics& at, int v0, int /*q0*/) {
      const int n = tree.num_velocities();
      tree.mass_matrix(at, M_.block(v0, v0, n, n));
    });
  }

  void compute_bias(const JointState& state) override {
    place(state);
    const Eigen::Vector3d& gravity = robot_.system.gravity();
    for_each_tree([&](const Articulation& tree, ArticulationKinematics& at, int v0, int /*q0*/) {
      const int n = tree.num_velocities();
      tree.bias_forces(at, v_.segment(v0, n), gravity, work_.newton, bias_.segment(v0, n));
    });
  }

  void compute_forward_dynamics(const JointState& state) override {
    place(state);
    const Eigen::Vector3d& gravity = robot_.system.gravity();
    for_each_tree([&](const Articulation& tree, ArticulationKinematics& at, int v0, int /*q0*/) {
      const int n = tree.num_velocities();
      forward_dynamics(tree, at, v_.segment(v0, n), no_force_.segment(v0, n), gravity, work_,
                       acceleration_.segment(v0, n));
    });
  }

  void compute_jacobian(const JointState& state) override {
    move(state);
    const Articulation& tree = robot_.system.articulations().back();
    const int link = tree.num_links() - 1;
    const auto i = static_cast<std::size_t>(link);
    const ArticulationKinematics& at = trees_.back();
    tree.frame_jacobian(at, link, at.X_WB[i] * tree.links()[i].inertia.center_of_mass, jacobian_);
  }

  Eigen::MatrixXd mass_matrix() override { return M_(robot_.v_index, robot_.v_index); }
  Eigen::VectorXd bias() override { return bias_(robot_.v_index); }
  Eigen::VectorXd acceleration() override { return acceleration_(robot_.v_index); }
  Eigen::MatrixXd jacobian() override {
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(6, v_.size());
    whole.rightCols(jacobian_.cols()) = jacobian_;
    return whole(Eigen::all, robot_.v_index);
  }

 private:
  void place(const JointState& state) {
    set(state);
    for_each_tree([this](const Articulation& tree, ArticulationKinematics& at, int v0, int q0) {
      tree.compute_kinematics(q_.segment(q0, tree.num_positions()),
                              v_.segment(v0, tree.num_velocities()), at);
    });
  }

  void move(const JointState& state) {
    set(state);
    for_each_tree([this](const Articulation& tree, ArticulationKinematics& at, int v0, int q0) {
      tree.compute_motion(q_.segment(q0, tree.num_positions()),
                          v_.segment(v0, tree.num_velocities()), at);
    });
  }

  void set(const JointState& state) {
    for (std::size_t j = 0; j < robot_.q_index.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      q_[robot_.q_index[j]] = start_.q[robot_.q_index[j]] + state.position[i];
      v_[robot_.v_index[j]] = state.rate[i];
    }
  }

  template <typename Visit>
  void for_each_tree(const Visit& visit) {
    for (std::size_t a = 0; a < trees_.size(); ++a) {
      visit(robot_.system.articulations()[a], trees_[a],
            robot_.system.v_offset(static_cast<int>(a)),
            robot_.system.q_offset(static_cast<int>(a)));
    }
  }

  const Robot& robot_;
  State start_;
  Eigen::VectorXd q_, v_, bias_, acceleration_, no_force_;
  Eigen::MatrixXd M_, jacobian_;
  std::vector<ArticulationKinematics> trees_;
  DynamicsWorkspace work_;
};

}  // namespace

std::unique_ptr<DynamicsEngine> make_amontons_dynamics(const Robot& robot) {
  return std::make_unique<AmontonsDynamics>(robot);
}

}  // namespace amontons::peers
