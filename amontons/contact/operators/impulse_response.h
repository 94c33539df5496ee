#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// Computes the motion that belongs to prescribed contact impulses p [3 nc], the loop joints kept:
///
///   M (v+ - v_free) = J_C' p + J' c,     J v+ = joint_target()
///
/// Without loop joints the velocity is a sum over contacts; with them c follows from the joints
/// (ContactSpace).
class ImpulseResponse {
 public:
  /// The problem, its scaling and its space must outlive the response and stay constant.
  /// @param space  space of the problem; if null, the response makes one where there are loop
  /// joints.
  ImpulseResponse(const ContactProblem& problem, const ProblemScaling& scaling,
                  const ContactSpace* space = nullptr);

  /// Computes v+ [nv] and c [nj].
  void apply(const Eigen::Ref<const Eigen::VectorXd>& impulses, Eigen::VectorXd& velocity,
             Eigen::VectorXd& joint_impulses) const;

  /// Returns u = J_C v+ + bias [3 nc] [m/s].
  Eigen::VectorXd contact_velocities(const Eigen::Ref<const Eigen::VectorXd>& impulses) const;

 private:
  const ContactSpace* space() const { return own_space_ ? &*own_space_ : given_space_; }

  const ContactProblem* problem_;
  const ProblemScaling* scaling_;
  const ContactSpace* given_space_;
  std::optional<ContactSpace> own_space_;
};

}  // namespace amontons
