#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/bounded_row_scaling.h"
#include "amontons/contact/operators/contact_scales.h"
#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/contact/operators/rebound.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

struct DampedStep;

/// Holds the scales of models and certificate. They depend on the problem alone, so that both share
/// them. The problem must stay constant while its scaling is used.
struct ProblemScaling {
  ProblemScaling() = default;
  /// @throws what compute() throws.
  explicit ProblemScaling(const ContactProblem& problem) { compute(problem); }

  /// Measures another problem; memory is kept.
  /// @throws std::domain_error if M is not positive definite.
  void compute(const ContactProblem& problem);

  /// Measures a problem in the form of contacts, rows_as_contacts(rows), from the scaling of
  /// `rows`. The parts that both have in common are not computed again.
  void compute(const ContactProblem& contacts, const ContactProblem& rows,
               const ProblemScaling& scaling_of_rows);

  BlockDiagonalFactor mass_factor;          ///< M = L' L
  BlockSparseMatrix contact_rows;           ///< J_C L^-1 (whitened_jacobian.h)
  BlockSparseMatrix joint_rows;             ///< J L^-1
  IndependentJointRows independent_joints;  ///< rows of J that do not repeat others
  Eigen::VectorXd free_momentum;            ///< M v_free [nv]
  Eigen::VectorXd free_contact_velocity;    ///< J_C v_free + bias [3 nc] [m/s]
  Rebound rebound;                          ///< speeds at which contacts that bounce leave
  Eigen::VectorXd gap_speeds;               ///< s [nc] [m/s]
  ContactScales scales;                     ///< units of the certificate's residuals
  /// Contacts that may bounce in this step [nc]. They have e > 0, an approach above rest_speed, and
  /// a gap that the speed V of the island could close in the step. The impulse decides which of
  /// them bounce. A limit of a joint (bounded_row.h) has no rest_speed. It bounces above twice the
  /// speed that the free motion gains in the step, as 2 g h of a contact.
  std::vector<char> may_bounce;
  std::vector<char> is_elastic;  ///< true at contacts with restitution [nc]
  BoundedRowScaling bounded;     ///< scales of the bounded rows
  /// Says what else holds where viscous friction is part of M; null: it is not.
  const DampedStep* damped = nullptr;

  /// Makes this the scaling of a problem whose M contains the viscous friction of another: what
  /// bounces, and how fast, is decided by the motion without drag.
  /// @param scaling  of the other problem.
  void add_drag(const DampedStep& step, const ProblemScaling& scaling);

 private:
  /// Holds scratch of measure(): islands are named by their first block of M.
  struct Scratch {
    std::vector<int> island;      // of each contact [nc]
    std::vector<double> pushing;  // what rows of J may press on contacts with [blocks] [sqrt(J)]
    std::vector<double> largest;  // speed of contacts [blocks] [m/s]
    std::vector<double> fastest;  // of rows of joints and contacts [blocks] [sqrt(J)]
  };

  void measure(const ContactProblem& problem);
  /// Sets V of each contact.
  void measure_speeds(const ContactProblem& problem);

  Scratch scratch_;
};

}  // namespace amontons
