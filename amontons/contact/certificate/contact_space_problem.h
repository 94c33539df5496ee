#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// A contact problem that is given by what contacts do to each other, without bodies: find p and
/// u = W p + q with a contact law between them. The form in which contact problems are exchanged
/// (FCLIB Local); rows (t1, t2, n) per contact.
struct ContactSpaceProblem {
  /// A block [3 x 3] of W.
  struct Block {
    int row = 0, column = 0;  ///< contacts, not rows
    Eigen::Matrix3d value;    ///< 1/kg
  };
  std::vector<Block> blocks;  ///< of W; where (i, j) is, (j, i) is, too
  Eigen::VectorXd q;          ///< [3 nc] [m/s]
  Eigen::VectorXd friction;   ///< mu [nc]

  int num_contacts() const { return static_cast<int>(friction.size()); }  ///< nc
};

/// The symmetric part of W  [3 nc x 3 nc].
Eigen::MatrixXd symmetric_delassus(const ContactSpaceProblem& problem);

/// The same as the problem of one body of unit masses, by the eigenvectors of W: W = J J'. Negative
/// eigenvalues, which are rounding, are dropped. O(nc^3).
ContactProblem with_unit_masses(const ContactSpaceProblem& problem);

/// The certificate of a problem without contacts, where every law holds: its normal, friction and
/// coulomb residuals are zero, the others are not known without bodies.
Certificate vacuous_contact_certificate();

/// Normal and friction residuals of impulses p [3 nc], as in certify() with w_i = trace(W_ii)/3 and
/// V the largest |q_i| of the island.
Certificate certify(const ContactSpaceProblem& problem, const ContactLaw& law,
                    const Eigen::VectorXd& impulses, double tolerance);

/// Whether a contact's impulse of p [3 nc] is not zero.
inline bool has_impulse(const Eigen::VectorXd& impulses, int contact) {
  const double* p = impulses.data() + 3 * contact;
  return p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0;
}

/// u = W p + q  [3 nc].
Eigen::VectorXd contact_velocities(const ContactSpaceProblem& problem,
                                   const Eigen::VectorXd& impulses);

}  // namespace amontons
