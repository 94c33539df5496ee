#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds some contacts in contact space: u = A p + b, rows (t1, t2, n) per contact.
struct ContactSubset {
  Eigen::MatrixXd A;                ///< [3k x 3k] [1/kg], symmetric positive semidefinite
  Eigen::VectorXd b;                ///< [3k] velocities without these contacts' impulses [m/s]
  Eigen::VectorXd gap_speeds;       ///< s [k] of u_n + s >= 0 [m/s]
  Eigen::VectorXd friction;         ///< mu [k]
  Eigen::VectorXd given_load;       ///< [k] normal impulse that loads friction besides p_n [N s]
  Eigen::VectorXd friction_offset;  ///< [k] largest |p_t| without a load [N s]

  /// Returns true if a contact has friction variables: it has friction, or a friction offset.
  bool has_friction(Eigen::Index contact) const {
    return friction(contact) > 0.0 || friction_offset(contact) > 0.0;
  }
};

/// Holds the LCP of Stewart-Trinkle, Anitescu-Potra and Anitescu-Hart with v+ eliminated, D the
/// directions of the friction polygon [Stewart, Trinkle 1996; Anitescu, Potra 1997, eq. 2.12;
/// Anitescu, Hart 2004, constraint-stabilized]:
///
///   0 <= p_n     perp  u_n + s [- mu lambda]              >= 0
///   0 <= beta_k  perp  d_k . u_t + lambda                 >= 0,     p_t = sum_k beta_k d_k
///   0 <= lambda  perp  mu (p_n + load) + friction_offset - sum_k beta_k  >= 0
///
/// The term in brackets is the convex relaxation [Anitescu, Hart 2004, fixed-point iteration]: with
/// it the matrix is positive semidefinite, without it copositive. The unknowns follow contact by
/// contact, (p_n, beta, lambda).
struct FrictionLcp {
  LinearComplementarityProblem lcp;
  std::vector<Eigen::Index> first;  ///< [k + 1] index of each contact's p_n; the last is the size
};

/// Assembles the LCP of some contacts.
/// @param convex  true for the convex relaxation.
FrictionLcp assemble_lcp(const ContactSubset& subset, const Eigen::Matrix2Xd& directions,
                         bool convex);

/// Returns the impulses [3k] [N s] of a solution z.
Eigen::VectorXd impulses_from(const FrictionLcp& problem, const Eigen::Matrix2Xd& directions,
                              const Eigen::Ref<const Eigen::VectorXd>& z);

/// Returns the complementary basis that belongs to similar impulses [3k]: stick, or slide along the
/// directions that carried friction.
std::vector<char> basis_from(const FrictionLcp& problem, const ContactSubset& subset,
                             const Eigen::Matrix2Xd& directions,
                             const Eigen::Ref<const Eigen::VectorXd>& impulses);

}  // namespace amontons
