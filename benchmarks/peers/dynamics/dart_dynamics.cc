#include "benchmarks/peers/dynamics/dynamics_engine.h"
#include "benchmarks/peers/engines/dart_world.h"

#include <set>
#include <vector>

namespace amontons::peers {
namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::SkeletonPtr;

class DartDynamics : public DynamicsEngine {
 public:
  explicit DartDynamics(const Robot& robot) : num_joints_(robot.world.joints.size()) {
    bodies_ = add_dart_bodies(robot.world, trees_);
    for (const SkeletonPtr& tree : trees_) tree->setGravity(robot.world.gravity);
    for (const WorldJoint& joint : robot.world.joints) {
      dart::dynamics::Joint* own = bodies_[static_cast<std::size_t>(joint.child)]->getParentJoint();
      joints_.push_back(own);
    }
  }

  void compute_mass_matrix(const JointState& state) override {
    place(state);
    for (const SkeletonPtr& tree : trees_) tree->getMassMatrix();
  }

  void compute_bias(const JointState& state) override {
    place(state);
    for (const SkeletonPtr& tree : trees_) tree->getCoriolisAndGravityForces();
  }

  void compute_forward_dynamics(const JointState& state) override {
    place(state);
    for (const SkeletonPtr& tree : trees_) tree->computeForwardDynamics();
  }

  void compute_jacobian(const JointState& state) override {
    place(state);
    bodies_.back()->getWorldJacobian();
  }

  Eigen::MatrixXd mass_matrix() override {
    const auto n = static_cast<Eigen::Index>(num_joints_);
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        if (tree_of(i) != tree_of(j)) continue;
        M(i, j) = tree_of(i)->getMassMatrix()(dof_of(i), dof_of(j));
      }
    }
    return M;
  }
  Eigen::VectorXd bias() override {
    Eigen::VectorXd result(static_cast<Eigen::Index>(num_joints_));
    for (Eigen::Index i = 0; i < result.size(); ++i) {
      result[i] = tree_of(i)->getCoriolisAndGravityForces()[dof_of(i)];
    }
    return result;
  }
  Eigen::VectorXd acceleration() override {
    Eigen::VectorXd result(static_cast<Eigen::Index>(num_joints_));
    for (Eigen::Index i = 0; i < result.size(); ++i) {
      result[i] = joints_[static_cast<std::size_t>(i)]->getAcceleration(0);
    }
    return result;
  }
  Eigen::MatrixXd jacobian() override {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, static_cast<Eigen::Index>(num_joints_));
    const dart::math::Jacobian& own = bodies_.back()->getWorldJacobian();
    const std::vector<std::size_t>& dofs = bodies_.back()->getDependentGenCoordIndices();
    for (Eigen::Index i = 0; i < J.cols(); ++i) {
      if (tree_of(i) != bodies_.back()->getSkeleton()) continue;
      for (std::size_t k = 0; k < dofs.size(); ++k) {
        if (static_cast<Eigen::Index>(dofs[k]) == dof_of(i)) {
          J.col(i) = own.col(static_cast<Eigen::Index>(k));
        }
      }
    }
    return J;
  }

 private:
  SkeletonPtr tree_of(Eigen::Index i) const {
    return joints_[static_cast<std::size_t>(i)]->getSkeleton();
  }
  Eigen::Index dof_of(Eigen::Index i) const {
    return static_cast<Eigen::Index>(joints_[static_cast<std::size_t>(i)]->getIndexInSkeleton(0));
  }

  void place(const JointState& state) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      joints_[j]->setPosition(0, state.position[static_cast<Eigen::Index>(j)]);
      joints_[j]->setVelocity(0, state.rate[static_cast<Eigen::Index>(j)]);
    }
  }

  std::size_t num_joints_;
  std::vector<SkeletonPtr> trees_;
  std::vector<BodyNode*> bodies_;
  std::vector<dart::dynamics::Joint*> joints_;
};

}  // namespace

std::unique_ptr<DynamicsEngine> make_dart_dynamics(const Robot& robot) {
  return std::make_unique<DartDynamics>(robot);
}

}  // namespace amontons::peers
