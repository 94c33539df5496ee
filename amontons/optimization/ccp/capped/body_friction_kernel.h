#pragma once

#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/capped/multiplier_form.h"
#include "amontons/optimization/ccp/capped/symmetric_block.h"
#include "amontons/optimization/sparse/block_factorization.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Solves the linearized conditions of a friction problem of maximum dissipation on bodies
/// (body_friction.h), the system of its interior point method and of its Newton's method alike:
///
///   dx = -k - D dgamma,                 dgamma = G dw + a n dp       dv = G' dx
///   dlambda = -e - Lambda (G dv)_n      dp = g + pi a'dx_n           dw = dv - G_n' dlambda
///
/// D is block-diagonal and symmetric positive semidefinite, Lambda >= 0 diagonal, pi >= 0. Two
/// velocity fields remain, v of the reactions x and w with the multipliers lambda removed:
///
///   [ -Q  1 ] [ dv ]   [ G_n' e            ]      Q = 1 + G_n' Lambda G_n
///   [  1  H ] [ dw ] = [ -G'(k + D a n dp) ]      H = G' D G
///
/// Where bodies are few, dv is eliminated, and H + Q^-1 is factored dense. Where contacts are few
/// beside the bodies, the multipliers are unknown instead of dv (multiplier_form.h). Else the
/// blocks of a body's dv and dw are one node of a block-sparse quasidefinite factorization. The cap
/// adds one row, by a second solution.
class BodyFrictionKernel {
 public:
  /// Gives a change of x, lambda and p, and what it does to their conditions.
  struct Direction {
    Eigen::VectorXd x, multipliers;  ///< dx [3 n], dlambda [n]
    double price = 0.0;              ///< dp
    Eigen::VectorXd gamma, slack;    ///< dgamma [3 n] with the price's part, (G dv)_n [n]
  };
  /// Holds the constants of the linearized conditions.
  struct Constants {
    Eigen::VectorXd reactions, multipliers;  ///< k [3 n], e [n]
    double price = 0.0;                      ///< g
  };

  /// Starts with a problem; its rows and weights must outlive the kernel and stay constant.
  void reset(const BodySpaceOperator& rows, const Eigen::VectorXd& weights);

  /// Factors the system.
  /// @param D              [n]
  /// @param slopes         Lambda [n]
  /// @param price_slope    pi
  /// @returns false where it is singular.
  bool factor(std::span<const SymmetricBlock> D, const Eigen::VectorXd& slopes, double price_slope);

  /// Solves it for these constants.
  /// @param refinements  of the solution, by the residual of D's factors: D and Lambda may have
  /// entries of any size.
  void solve(const Constants& constants, int refinements, Direction& direction);

 private:
  /// Names the unknowns that are left.
  enum class Form : char { Dense, Bodies, Multipliers };
  /// Holds the unknowns of the system, or what they miss.
  struct Fields {
    Eigen::VectorXd dv, dw;
    Eigen::VectorXd m;  // -Lambda G_n dv [n]; empty where it is not unknown
    double price = 0.0;
  };

  bool factor_without_price();
  bool factor_dense();
  bool factor_bodies();
  void solve_without_price(Fields& fields);
  void solve_fields(Fields& fields);
  double pressed(const Eigen::VectorXd& dw, double price);
  void write_contacts(const Constants& constants, const Fields& fields, Direction& direction);
  void find_missed(const Constants& constants, const Fields& fields, const Direction& direction);
  Eigen::Index num_contacts() const { return weights_->size(); }
  Eigen::Index num_unknown_multipliers() const {
    return form_ == Form::Multipliers ? num_contacts() : 0;
  }

  const BodySpaceOperator* rows_ = nullptr;
  const Eigen::VectorXd* weights_ = nullptr;
  std::span<const int> sizes_;              // velocities of each body
  std::span<const Eigen::Index> offsets_;   // first velocity of each body
  std::vector<int> node_sizes_;             // velocities of each node of the pattern
  std::vector<std::pair<int, int>> pairs_;  // bodies that share a contact
  Eigen::Index num_velocities_ = 0;
  Form form_ = Form::Dense;
  std::span<const SymmetricBlock> D_;
  Eigen::VectorXd slopes_;
  double price_slope_ = 0.0;
  Eigen::MatrixXd Q_matrix_, H_;
  Eigen::LLT<Eigen::MatrixXd> Q_, sum_;  // factors of Q and H + Q^-1
  BlockFactorization sparse_;
  MultiplierForm with_multipliers_;
  Fields fields_, missed_, of_price_;  // the solution; what it misses; the response to dp = 1
  double pressed_by_price_ = 0.0;      // a'dx_n of that response
  Eigen::VectorXd both_, scratch_;     // fields, node by node; [3 n]
};

}  // namespace amontons
