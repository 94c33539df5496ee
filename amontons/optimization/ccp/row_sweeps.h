#pragma once

#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/free_body_rows.h"
#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <Eigen/Core>

#include <cmath>
#include <vector>

namespace amontons {

/// Sweeps over contacts between free bodies under Coulomb's law, with all that one contact needs in
/// one place. Where W_ii is diagonal and equal in both tangents, as at balls, a contact is a
/// projection of r_i - W_ii^-1 u_i; elsewhere it is a SingleCoulombContact.
class RowSweeps {
 public:
  /// Copies a problem, which must outlive the sweeps; memory is kept.
  /// @returns false where the law is another, or a block is no contact with a round cone at zero
  /// between free bodies.
  bool prepare(const ConeProblem& problem);

  /// Sets the reaction [3 n].
  void begin(const Eigen::VectorXd& r) { rows_.begin_sweep(r); }
  /// Returns G' r of the present reaction. Who moves it moves the reaction.
  Eigen::VectorXd& state() { return rows_.sweep_state(); }

  /// Solves each contact once, in order, with the others fixed: r <- T(r).
  /// @param last  an earlier point.
  /// @returns (T(r) - r) . (T(r) - last).
  double sweep(const Eigen::VectorXd& last, Eigen::VectorXd& r);

  /// Returns true if the residual of r (largest_residual(), and the work) is within a tolerance. It
  /// ends at the first contact that misses it, and begins with the one that missed it last.
  bool may_be_within(int sweeps, const Eigen::VectorXd& r, double tolerance);

 private:
  /// Holds the scalars of one contact.
  struct Contact {
    Eigen::Vector3d q;
    double mu = 0.0, scale = 0.0;             // friction, and residual_scale
    double inverse_t = 0.0, inverse_n = 0.0;  // of W_ii, where it is isotropic
    int general = -1;                         // index into general_, or -1
  };

  bool misses(int i, const Eigen::VectorXd& r, double tolerance, double& work) const;

  FreeBodyRows rows_;
  std::vector<Contact> contacts_;
  std::vector<SingleCoulombContact> general_;
  double work_scale_ = 0.0;
  int missed_ = 0;  // the contact that missed the tolerance last
};

}  // namespace amontons
