#include "benchmarks/peers/dynamics/dynamics_engine.h"
#include "benchmarks/peers/engines/mujoco_handles.h"
#include "benchmarks/peers/engines/mujoco_model.h"

#include <vector>

namespace amontons::peers {
namespace {

using RowMatrix = Eigen::Matrix<mjtNum, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class MujocoDynamics : public DynamicsEngine {
 public:
  explicit MujocoDynamics(const Robot& robot)
      : model_(load_mujoco_model(mujoco_model(robot.world, {}))),
        data_(mj_makeData(model_.get())),
        bias_(Eigen::VectorXd::Zero(model_->nv)),
        acceleration_(Eigen::VectorXd::Zero(model_->nv)),
        linear_(RowMatrix::Zero(3, model_->nv)),
        angular_(RowMatrix::Zero(3, model_->nv)) {
    for (const WorldJoint& joint : robot.world.joints) {
      const std::string& child = robot.world.moving[static_cast<std::size_t>(joint.child)].name;
      const int own = model_->body_jntadr[body_named(child)];
      q_.push_back(model_->jnt_qposadr[own]);
      v_.push_back(model_->jnt_dofadr[own]);
    }
    last_ = body_named(robot.world.moving.back().name);
  }

  void compute_mass_matrix(const JointState& state) override {
    place(state);
    mj_crb(model_.get(), data_.get());
  }

  void compute_bias(const JointState& state) override {
    place(state);
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 0, bias_.data());
  }

  void compute_forward_dynamics(const JointState& state) override {
    compute_bias(state);
    mj_crb(model_.get(), data_.get());
    mj_factorM(model_.get(), data_.get());
    acceleration_ = -bias_;
    mj_solveM(model_.get(), data_.get(), acceleration_.data(), acceleration_.data(), 1);
  }

  void compute_jacobian(const JointState& state) override {
    place(state);
    mj_jacBody(model_.get(), data_.get(), linear_.data(), angular_.data(), last_);
  }

  Eigen::MatrixXd mass_matrix() override {
    RowMatrix M(model_->nv, model_->nv);
    mj_fullM(model_.get(), M.data(), data_->qM);
    return M(v_, v_);
  }
  Eigen::VectorXd bias() override { return bias_(v_); }
  Eigen::VectorXd acceleration() override { return acceleration_(v_); }
  Eigen::MatrixXd jacobian() override {
    Eigen::MatrixXd J(6, static_cast<Eigen::Index>(v_.size()));
    J << angular_(Eigen::all, v_), linear_(Eigen::all, v_);
    return J;
  }

 private:
  int body_named(const std::string& name) const {
    return mj_name2id(model_.get(), mjOBJ_BODY, name.c_str());
  }

  void place(const JointState& state) {
    for (std::size_t j = 0; j < q_.size(); ++j) {
      data_->qpos[q_[j]] = state.position[static_cast<Eigen::Index>(j)];
      data_->qvel[v_[j]] = state.rate[static_cast<Eigen::Index>(j)];
    }
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
  }

  MujocoModel model_;
  MujocoData data_;
  std::vector<int> q_, v_;  // offsets of each joint
  int last_ = 0;
  Eigen::VectorXd bias_, acceleration_;
  RowMatrix linear_, angular_;
};

}  // namespace

std::unique_ptr<DynamicsEngine> make_mujoco_dynamics(const Robot& robot) {
  return std::make_unique<MujocoDynamics>(robot);
}

}  // namespace amontons::peers
