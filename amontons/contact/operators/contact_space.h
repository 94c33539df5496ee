#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/block_response.h"
#include "amontons/contact/operators/free_contact_rows.h"
#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/Core>

#include <functional>
#include <span>
#include <vector>

namespace amontons {

struct ProblemScaling;  // contact/operators/problem_scaling.h

/// Maps contact impulses to contact velocities, u = A p + b, with the loop joints kept [Drumwright,
/// Shell 2010, eqs. 1-5, with errata DS-4].
///
///   C = M^-1 - M^-1 J' (J M^-1 J')^-1 J M^-1  (dependent rows of J dropped),  A = J_C C J_C'
///
/// Neither C nor A is formed. Each contact keeps M^-1 J_C' for the articulations it touches, or,
/// with joints, the part of it that they leave free. A row of which they leave less than 1e-10
/// cannot move. Rows of J that depend on others (independent_joint_rows.h) carry no impulse. They
/// hold as far as their targets agree with those of the rows kept. A coordinate of its own on which
/// one row of J acts and nothing else, such as a compliance (rows_as_contacts.h), moves exactly by
/// the impulse of that row. Its velocity can be any small part of the others, and a projection
/// would give it their rounding. The problem must outlive the space and stay constant.
class ContactSpace {
 public:
  /// Factors M and selects the independent rows of J.
  /// @throws std::invalid_argument as validate(problem).
  explicit ContactSpace(const ContactProblem& problem);
  /// Takes both from the scaling of the problem.
  ContactSpace(const ContactProblem& problem, const ProblemScaling& scaling);

  /// Returns A restricted to some contacts [3k x 3k], symmetric positive semidefinite [1/kg].
  Eigen::MatrixXd delassus(std::span<const int> contacts) const;

  /// Returns true if no impulse of a contact moves it: its block of A is zero.
  bool is_held(int contact) const;

  /// Returns b [3 nc] [m/s]: contact velocities without contact impulses, with prescribed motions
  /// and the joints' own correction.
  const Eigen::VectorXd& free_contact_velocity() const { return b_; }

  /// Returns u [3 nc] [m/s] of contact impulses p [3 nc] [N s], as b is given: speeds of rows that
  /// the joints fix are zero where they are rounding, or a tenth of the certificate's default
  /// tolerance. No impulse could change them.
  Eigen::VectorXd contact_velocities(const Eigen::Ref<const Eigen::VectorXd>& impulses) const;

  /// Computes v+ [nv] and c [nj] that belong to contact impulses p [3 nc] [N s].
  void apply(const Eigen::Ref<const Eigen::VectorXd>& impulses, Eigen::VectorXd& velocity,
             Eigen::VectorXd& joint_impulses) const;

 private:
  /// Describes an articulation of one coordinate on which one row of J alone acts.
  struct LoneCoordinate {
    Eigen::Index coordinate;  ///< its velocity coordinate
    Eigen::Index row;         ///< the row of J
    double response;          ///< velocity by a unit impulse of the row, J/M
  };

  void compute_contact_responses(const BlockSparseMatrix& contact_rows);
  void find_lone_coordinates();
  void drop_rounding_of_fixed_rows(const Eigen::VectorXd& velocity,
                                   Eigen::VectorXd& contact_velocities) const;
  Eigen::VectorXd joint_correction(const Eigen::Ref<const Eigen::VectorXd>& velocity) const;

  const ContactProblem* problem_;
  BlockDiagonalFactor factor_;
  Eigen::VectorXd speed_;                                      // V of the contacts [nc], or empty
  std::vector<std::vector<BlockResponse>> contact_responses_;  // [nc]
  Eigen::VectorXd joint_target_;
  IndependentJointRows joints_;
  Eigen::MatrixXd joint_motion_;      // L^-1 Q: velocity along each of their orthonormal rows
  FreeContactRows free_rows_;         // P, A = P'P; empty without joints
  std::vector<LoneCoordinate> lone_;  // in the order of the blocks of M
  Eigen::VectorXd b_;
};

/// Holds the contact space of dynamics that are a black box: contact velocities u = A p + b.
struct TestedContactSpace {
  Eigen::MatrixXd A;  ///< [n x n]
  Eigen::VectorXd b;  ///< velocities without impulses [n] [m/s]
};

/// Returns A and b by test impulses, for users whose dynamics are a black box. The library itself
/// knows M and J, and does not call it. Column i of A is response(e_i) - b with b = response(0).
/// @param response  maps contact impulses [n] [N s] to contact velocities [n] [m/s].
TestedContactSpace contact_space_from_test_impulses(
    Eigen::Index n, const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& response);

}  // namespace amontons
