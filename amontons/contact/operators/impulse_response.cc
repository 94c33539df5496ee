#include "amontons/contact/operators/impulse_response.h"

namespace amontons {

ImpulseResponse::ImpulseResponse(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSpace* space)
    : problem_(&problem), scaling_(&scaling), given_space_(space) {
  if (problem.joint_jacobian.rows() > 0 && space == nullptr) own_space_.emplace(problem, scaling);
}

void ImpulseResponse::apply(const Eigen::Ref<const Eigen::VectorXd>& impulses,
                            Eigen::VectorXd& velocity, Eigen::VectorXd& joint_impulses) const {
  if (problem_->joint_jacobian.rows() > 0) {
    space()->apply(impulses, velocity, joint_impulses);
    return;
  }
  joint_impulses.resize(0);
  // v+ = v_free + L^-1 (L^-T J_C'p).
  scaling_->contact_rows.transpose_times(impulses, velocity);
  scaling_->mass_factor.unwhiten_in_place(velocity);
  velocity += problem_->free_velocity;
}

Eigen::VectorXd ImpulseResponse::contact_velocities(
    const Eigen::Ref<const Eigen::VectorXd>& impulses) const {
  Eigen::VectorXd velocity, joint_impulses;
  apply(impulses, velocity, joint_impulses);
  return problem_->contact_velocities(velocity);
}

}  // namespace amontons
