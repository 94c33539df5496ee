#pragma once

#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/capped/capped_contacts.h"

#include <Eigen/Core>

namespace amontons {

/// States the friction problem of maximum dissipation (capped_friction.h) without rows of joints,
/// with W = G G' kept as G.
struct BodyFrictionProblem : CappedContacts {
  const BodySpaceOperator* G = nullptr;  ///< [3 n x velocities], not owned
  /// Normal reactions that meet the normal conditions and spend the cap, near which the interior
  /// point method starts [n] [sqrt(J)].
  Eigen::VectorXd normals;
};

/// Holds the conditions of a point: how fast, and how far from them.
struct BodyFrictionMaps {
  Eigen::VectorXd gamma;     ///< G w + q + price a n [3 n], w = G'x - G_n' lambda
  Eigen::VectorXd slack;     ///< (W x)_n + c [n]
  double cap_slack = 0.0;    ///< cap - a'x_n
  Eigen::VectorXd reaction;  ///< x - P_K(x - gamma) [3 n]
  Eigen::VectorXd normal;    ///< min(lambda, slack) [n]
  double price = 0.0;        ///< min(price, cap_slack)

  /// Evaluates a point; memory is kept.
  void evaluate(const BodyFrictionProblem& problem, const CappedFrictionPoint& point);
  /// Evaluates it with weight times its distance from a center added to gamma and both slacks.
  void evaluate(const BodyFrictionProblem& problem, const CappedFrictionPoint& point, double weight,
                const CappedFrictionPoint& center);
  /// Returns the Euclidean norm of the natural maps.
  double norm() const;
  /// Returns their largest entry; infinite where one is not finite.
  double largest() const;

 private:
  void measure_motion(const BodyFrictionProblem& problem, const CappedFrictionPoint& point);
  void apply_laws(const BodyFrictionProblem& problem, const CappedFrictionPoint& point);

  Eigen::VectorXd driver_, velocity_;
};

/// Solves the problem: Newton's method from a guess, where there is one, then an interior point
/// method and Newton's method from its end. One step factors the system of
/// body_friction_kernel.h, at a cost that follows bodies and contacts and not pairs of contacts.
/// @param point  in: the guess x, or an empty x; out: the best point met, exactly in its cones.
CappedFrictionResult solve_body_friction(const BodyFrictionProblem& problem,
                                         const CappedFrictionSettings& settings,
                                         CappedFrictionPoint& point);

}  // namespace amontons
