#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Minimizes 1/2 x'H x + g'x over lower <= x <= upper for a few variables and a positive definite
/// H: block principal pivoting with bounds [Judice, Pires 1994], with single pivots of largest
/// index [Murty 1974] where it cycles. Memory is kept from call to call.
///
/// The free variables solve their equations by Cholesky's factor with one refinement, without any
/// ridge: velocities of what sticks are zero to rounding. solve_box_qp() solves all other problems.
class SmallBoxQp {
 public:
  /// @param x  [n]; entries strictly within the bounds on entry are free in the first round.
  /// @returns false, without a solution, where H is not safely positive definite.
  bool solve(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::VectorXd& lower,
             const Eigen::VectorXd& upper, Eigen::VectorXd& x);

  int factorizations() const { return factorizations_; }

 private:
  enum class Place : char { Lower, Free, Upper };
  bool solve_free(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::VectorXd& lower,
                  const Eigen::VectorXd& upper, Eigen::VectorXd& x);
  bool factor(const Eigen::MatrixXd& H);
  void solve_factored(Eigen::VectorXd& b) const;

  std::vector<Place> places_;
  std::vector<Eigen::Index> free_;
  Eigen::MatrixXd L_;  // factor of the free part, lower triangle
  Eigen::VectorXd right_, gradient_;
  int factorizations_ = 0;
};

}  // namespace amontons
