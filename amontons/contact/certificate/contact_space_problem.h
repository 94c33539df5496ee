#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <vector>

namespace amontons {

/// Holds a contact problem without bodies: find p and u = W p + q with a contact law between them.
/// W states what contacts do to each other. Contact problems are exchanged in this form (FCLIB
/// Local); rows are (t1, t2, n) per contact.
struct ContactSpaceProblem {
  /// Holds a block [3 x 3] of W.
  struct Block {
    int row = 0, column = 0;  ///< indices of contacts, not of rows
    Eigen::Matrix3d value;    ///< [1/kg]
  };
  std::vector<Block> blocks;  ///< blocks of W; where (i, j) is, (j, i) is, too
  Eigen::VectorXd q;          ///< velocities without impulses [3 nc] [m/s]
  Eigen::VectorXd friction;   ///< mu [nc]

  int num_contacts() const { return static_cast<int>(friction.size()); }  ///< nc
};

/// Makes a problem of the symmetric part of W, in blocks. Each contact has its diagonal block;
/// other blocks of zeros are left out. W = J M^-1 J' is positive semidefinite: the eigenvalues of
/// an island may be negative by 1e-6 of its largest sum of absolute entries in a row, more than
/// entries rounded to single precision move them.
/// @param W  [3 nc x 3 nc] [1/kg], rows (t1, t2, n) of each contact.
/// @param q  [3 nc] [m/s].
/// @param friction  mu [nc].
/// @throws std::invalid_argument  if sizes disagree, a number is not finite or above 1e100,
/// friction is negative, or W is not positive semidefinite.
ContactSpaceProblem contact_space_problem(const Eigen::SparseMatrix<double>& W,
                                          const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& friction);

/// Returns the symmetric part of W [3 nc x 3 nc] [1/kg].
Eigen::MatrixXd symmetric_delassus(const ContactSpaceProblem& problem);

/// Returns the same problem as that of one body of unit masses, with W = J J' by Cholesky's method.
/// Its number of velocities is the rank of W. Rows of W that are zero or equal keep zero or equal
/// rows of J, bit by bit. Negative parts of W are dropped: rounding in a problem of
/// contact_space_problem(). The cost is O(nc^2 rank).
ContactProblem with_unit_masses(const ContactSpaceProblem& problem);

/// Returns the certificate of a problem without contacts, where every law holds. Its normal,
/// friction and coulomb residuals are zero; the others are unknown without bodies.
Certificate vacuous_contact_certificate();

/// Returns normal and friction residuals of impulses p [3 nc] [N s]. They are those of
/// certify(ContactProblem) with w_i = trace(W_ii)/3 and V the largest |q_i| of the island. Each
/// velocity W p + q has the rounding eps |W| |p|. Where that exceeds `tolerance` V, the
/// impulses cancel to nothing that could be known, and the certificate does not hold.
Certificate certify(const ContactSpaceProblem& problem, const ContactLaw& law,
                    const Eigen::VectorXd& impulses, double tolerance);

/// Returns true if a contact's impulse of p [3 nc] is not zero.
inline bool has_impulse(const Eigen::VectorXd& impulses, int contact) {
  const double* p = impulses.data() + 3 * contact;
  return p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0;
}

/// Returns u = W p + q [3 nc] [m/s].
Eigen::VectorXd contact_velocities(const ContactSpaceProblem& problem,
                                   const Eigen::VectorXd& impulses);

}  // namespace amontons
