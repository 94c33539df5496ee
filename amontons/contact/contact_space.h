#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <functional>
#include <span>

namespace amontons {

/// The problem seen from its contacts: u = A p + b with the loop joints kept
/// [Drumwright, Shell: eqs. 1-5; errata 000 no. 4].
///
///   C = M^-1 - M^-1 J' (J M^-1 J')^-1 J M^-1  (dependent rows of J dropped),  A = J_C C J_C'
class ContactSpace {
 public:
  explicit ContactSpace(const ContactProblem& problem);

  /// A restricted to some contacts [3k x 3k], symmetric positive semidefinite [1/kg].
  Eigen::MatrixXd delassus(std::span<const int> contacts) const;

  /// b [3 nc]: contact velocities without contact impulses, prescribed motions and the joints' own
  /// correction included [m/s].
  const Eigen::VectorXd& free_contact_velocity() const { return b_; }

  /// v+ and c that belong to contact impulses p [3 nc].
  void apply(const Eigen::Ref<const Eigen::VectorXd>& impulses, Eigen::VectorXd& velocity,
             Eigen::VectorXd& joint_impulses) const;

 private:
  const ContactProblem* problem_;
  BlockDiagonalFactor factor_;
  std::vector<Eigen::Index> joint_rows_;   // independent rows of J
  Eigen::MatrixXd joint_response_;         // M^-1 J'
  Eigen::MatrixXd joint_factor_;           // Cholesky factor of J M^-1 J'
  Eigen::VectorXd unconstrained_velocity_; // v without contact, joints kept
  Eigen::VectorXd b_;
};

/// A by test impulses, for dynamics that are a black box: `response` maps contact impulses [n] to
/// contact velocities [n]; column i of A is response(e_i) - response(0).
Eigen::MatrixXd delassus_from_test_impulses(
    Eigen::Index n, const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& response);

}  // namespace amontons
