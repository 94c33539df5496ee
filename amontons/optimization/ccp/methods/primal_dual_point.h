#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"
#include "amontons/optimization/socp/second_order_cone.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds an interior point (r, y) of a cone problem, for methods that keep r in K and
///
///   y = u + mu g(u_t) n  in K*,   u = W r + q,
///
/// g = 0 for the associated law and g = sqrt(|u_t|^2 + eps^2) for Coulomb's. All values are in
/// units where the largest |q_i| is 1. Directions solve two linearized equations per contact:
///
///   dy = B du + residual             (B = I + mu n grad g)
///   W^-1 dx + W dz = lambda \ target  (Nesterov-Todd; r_n dy_n + y_n dr_n = target_0 where mu = 0)
///
/// Near the solution W has eigenvalues that differ by 10^9. All that it multiplies is therefore
/// computed by its eigenvectors.
class PrimalDualPoint {
 public:
  /// Gives a change of r and y.
  struct Direction {
    Eigen::VectorXd r, y;  // [3 n]
  };

  /// Starts at r o y = 1. The problem's cones must have no friction_offset.
  PrimalDualPoint(const ConeProblem& problem, ConeWorkspace& work);

  /// Moves by this share, in [0, 1), of the way to reactions and velocities near a solution.
  void move_towards(const ConeIterate& guess, double share);

  int size() const { return problem_.num_blocks(); }
  const Cone& cone(int i) const { return problem_.cones[static_cast<std::size_t>(i)]; }
  bool has_complementarity(int i) const { return cone(i).kind == ConeKind::Friction; }
  Eigen::Vector3d velocity(int i) const { return u_.segment<3>(3 * i); }

  /// Sets eps of g.
  void set_smoothing(double eps) { smoothing_ = eps; }
  /// Returns g of a velocity.
  double slip(const Eigen::Vector3d& u) const;
  /// Returns the gradient of mu g with respect to u_t; zero for the associated law.
  Eigen::Vector2d shift_gradient(int i) const;
  /// Returns true if y contains the shift mu g.
  bool is_shifted(int i) const { return is_round(i) && problem_.law == ConeLaw::Coulomb; }

  /// Returns u + mu g n - y; u on the rows of equalities.
  Eigen::Vector3d dual_residual(int i) const;
  /// Returns the largest |dual_residual|.
  double largest_residual() const;
  /// Returns the mean of r . y over the contacts.
  double mean_gap() const;
  /// Returns the same after a step along a direction.
  double mean_gap(const Direction& along, double step) const;

  /// Scales and factors the linearized equations. @returns false where they are singular.
  bool factor();
  /// Solves for a direction; residual and target are [3 n], target in the order of
  /// second_order_cone.h.
  void solve(const Eigen::VectorXd& residual, const Eigen::VectorXd& target, Direction& direction);

  /// Returns lambda o lambda, the present value of a target; (r_n y_n, 0, 0) where mu = 0.
  Eigen::Vector3d complementarity(int i) const;
  /// Returns (W^-1 dx) o (W dz), the second-order change of complementarity along a direction.
  Eigen::Vector3d second_order(const Direction& direction, int i) const;

  /// Returns the largest step that stays in the cones.
  double longest_step(const Direction& direction) const;
  void move(const Direction& direction, double step);

  /// Writes the point, projected on the cones and in the problem's units, evaluated.
  void to_iterate(ConeIterate& iterate) const;

 private:
  bool is_round(int i) const { return has_complementarity(i) && cone(i).mu > 0.0; }
  bool is_halfline(int i) const { return has_complementarity(i) && cone(i).mu == 0.0; }
  void linearize(int i);
  Eigen::Vector3d answer(int i, const Eigen::Vector3d& x) const;
  Eigen::Vector3d aim(int i, const Eigen::Vector3d& target) const;
  /// Returns c T'T r, what the compliance adds to y.
  Eigen::Vector3d compliant_part(int i, const Eigen::Vector3d& r) const;
  void update_velocity();

  const ConeProblem& problem_;
  ConeWorkspace& work_;
  Eigen::VectorXd r_, y_, u_;
  std::vector<NesterovToddScaling> scalings_;
  std::vector<ScalingAxes> axes_;  // of the scalings
  const double compliance_;
  double scale_ = 1.0, smoothing_ = 0.0;
};

}  // namespace amontons
