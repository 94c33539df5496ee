#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <string>

namespace amontons::peers {

/// A contact problem as FCLIB states it, reduced to its contacts: u = W r + q, rows (n, t1, t2) or
/// (n, t) per contact, Signorini's condition and Coulomb's law between r and u.
struct FclibProblem {
  int dimension = 3;
  Eigen::SparseMatrix<double> W;
  Eigen::VectorXd q, mu;

  int num_contacts() const { return static_cast<int>(mu.size()); }
};

/// Reads the Local layout as it is. A Global one is reduced: W = H' M^-1 H and q = H' M^-1 f + w.
/// @throws io::ParseError, or std::runtime_error if M cannot be factorized.
FclibProblem load_fclib_problem(const std::string& path);

/// Returns the dimensionless natural-map residual of r:
///
///   |r' - P_K(r' - (u' + mu |u'_t| n))| / |q'|,   r' = sqrt(w) r,  u' = u / sqrt(w),
///
/// w the mean diagonal of each contact's block of W. NaN if |q'| = 0.
double natural_map_residual(const FclibProblem& problem, const Eigen::VectorXd& r);

}  // namespace amontons::peers
