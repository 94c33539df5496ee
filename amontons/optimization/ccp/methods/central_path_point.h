#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"
#include "amontons/optimization/ccp/methods/central_path_block.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Says which path is followed.
struct CentralPathSystem {
  /// Compliance [-] added to W along the path, `compliance` tau^6. A heap that is wedged has no
  /// interior: without the compliance reactions that balance each other grow along its path.
  double compliance = 0.0;
  /// Bound [-] of the eigenvalues of d(reaction)/d(velocity) in the matrix that is factored. It
  /// keeps the digits of the kernel I + D W. The equation itself has no such bound. In a wedged
  /// heap the reactions are hundreds of times what stops its motion, and d(reaction)/d(velocity)
  /// grows with their square: below 1e8 the directions are too rough there.
  double largest_gain = 1e9;
  /// Steps of GMRES that correct a direction for the bound.
  int refinements = 2;
};

/// Holds a point of the central path of a cone problem, by the variable of the normal map.
///
/// Each contact has its variable z = (z_0, z_t), in the order (t1, t2, n) like reactions. With its
/// eigenvalues l = z_0 +- |z_t|, p(l) = (l + sqrt(l^2 + 4 tau^2))/2 and s = p - l = tau^2/p, the
/// reaction R has the eigenvalues p(l) and the shifted velocity U + g e_0 the eigenvalues s(l). So
/// both lie inside the self-dual cone |x_t| <= x_0, and their Jordan product is tau^2 e. Under
/// Coulomb's law g = sqrt(|U_t|^2 + eps^2), eps = 1e-6 tau [De Saxce, Feng 1998], under the
/// associated law g = 0. R and U are the reaction and the velocity in units of their own,
///
///   R = (mu r_n, r_t)/a,   U = a (u_n/mu, u_t),   a = min(1, mu/0.1),
///
/// divided by a speed V that makes the rows of q about one. The only equation is
///
///   F(z, tau) = u(z, tau) - (W + compliance tau^6) r(z, tau) - q = 0.
///
/// At tau = 0 it is the normal map of the law. Other blocks are in central_path_block.h.
class CentralPathPoint {
 public:
  /// Starts at z = 0, tau = 1.
  CentralPathPoint(const ConeProblem& problem, const CentralPathSystem& system,
                   ConeWorkspace& work);

  /// Returns true if the path exists for these cones: mu = 0 or friction_offset = 0, no polygon.
  static bool supports(const ConeProblem& problem);

  double log_tau() const { return present_.log_tau; }
  const Eigen::VectorXd& z() const { return present_.z; }

  /// Evaluates another point as the trial point.
  /// @returns its |F| over sqrt(number of contacts) [-], infinite where it is not finite.
  double evaluate_trial(const Eigen::VectorXd& z, double log_tau);
  /// Makes the trial point the present one.
  void accept_trial();
  /// Returns |F| of the present point, as evaluate_trial() does.
  double residual() const { return present_.residual; }

  /// Linearizes F and factors its kernel; returns false where it is singular.
  bool factor();
  /// Returns the sign of det(dF/dz) relative to that of a monotone problem, 1 or -1.
  int orientation() const { return problem_.W->determinant_sign(); }
  /// Computes the step back to the path at this tau, the solution of dF/dz x = -F.
  void to_path(Eigen::VectorXd& x);
  /// Computes the tangent dz/d(ln tau), the solution of dF/dz x = -dF/d(ln tau).
  void along_path(Eigen::VectorXd& x);
  /// Returns the product of two directions in the local metric of the point, per contact.
  double inner(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;

  /// Writes the reactions in the problem's units, evaluated.
  void to_iterate(ConeIterate& iterate) const;

 private:
  /// Holds a point with its values.
  struct State {
    Eigen::VectorXd z, r, u, F;
    std::vector<CentralPathBlock::Values> values;
    double log_tau = 0.0, residual = 0.0;
  };

  void evaluate(State& state);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x);
  void precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x);
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& b);
  double compliance(const State& state) const;

  const ConeProblem& problem_;
  const CentralPathSystem system_;
  ConeWorkspace& work_;
  double speed_ = 1.0;  // V
  Eigen::VectorXd q_;   // q / V
  std::vector<CentralPathBlock> blocks_;
  State present_, trial_;
  std::vector<CentralPathBlock::Linearization> linearized_;  // of the present point
  Eigen::VectorXd rhs_, image_, along_r_;
  std::vector<Eigen::VectorXd> basis_, directions_;  // of GMRES
};

}  // namespace amontons
