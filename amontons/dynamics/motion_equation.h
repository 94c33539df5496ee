#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/math/tree_factor.h"

#include <Eigen/Core>
#include <Eigen/LU>

#include <limits>

namespace amontons {

/// Holds the intermediate results of MotionEquation and of the steps that solve it. Its memory is
/// reused from call to call.
struct InertialWorkspace {
  NewtonEulerWorkspace newton;                ///< workspace of the bias forces
  ArticulationKinematics at_end;              ///< poses at the end of the step
  Eigen::MatrixXd factor;                     ///< L of M + D = L' L [nv x nv]
  Eigen::MatrixXd slope;                      ///< derivative of the equation [nv x nv]
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;    ///< factors of the derivative
  Eigen::VectorXd middle, bias, trial, step;  ///< [nv] velocities and forces
  Eigen::VectorXd start, other, forces;       ///< [nv]
  Eigen::VectorXd impulse, given, gain, end;  ///< [nv]
  Eigen::VectorXd friction, holding;          ///< [nv]
  Eigen::MatrixXd translations;               ///< motions of a whole tree [nv x 3, or no columns]
  Eigen::VectorXd q_end;                      ///< [nq]
};

/// Solves the equation of motion of a tree over a step from v to x, with inertial forces at the
/// mean velocity and at one configuration q,
///
///   M (x - v) + D x + h C(q, u) u = p,    u = (v + x)/2,
///
/// with impulses p [nv] and gains D of drives, a diagonal [nv]. It iterates a fixed point, and
/// where that contracts slowly takes Newton's method with exact derivatives. Both end at rounding,
/// which grows with the condition number of M; the fixed point earlier where set_accuracy() asks.
class MotionEquation {
 public:
  /// @param at    kinematics at q, with inertias; its velocities are not read.
  /// @param M     mass matrix at q [nv x nv], symmetric, without the gains of drives; it must live
  /// as long as the equation, as all the others.
  /// @param gain  D [nv]; empty: zero.
  /// @throws std::domain_error if M + D is not positive definite.
  MotionEquation(const Articulation& tree, const ArticulationKinematics& at,
                 const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::VectorXd& gain,
                 InertialWorkspace& work);

  /// Factors M + D anew, after a change of D.
  void factor();
  /// Solves the equation for x without impulses p and gains D; returns false if it does not
  /// converge.
  bool solve(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);
  /// Solves it with them.
  /// @param x  in: a velocity near the solution, if `near` says so; out: the solution.
  bool solve(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& impulse, Eigen::VectorXd& x,
             bool near = false);

  /// Lets the fixed point end where a change is below a share of the speed of the step [-]; at
  /// rounding by default.
  void set_accuracy(double share) { accuracy_ = share; }

 private:
  void divide_by_mass(Eigen::VectorXd& x) const;
  double norm(const Eigen::VectorXd& x) const;
  const Eigen::VectorXd& bias(const Eigen::VectorXd& u);
  void start(const Eigen::VectorXd& v, Eigen::VectorXd& x) const;
  bool iterate(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);
  double residual(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x);
  void differentiate(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x);
  bool newton(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x);

  const Articulation& tree_;
  const ArticulationKinematics& at_;
  const Eigen::Ref<const Eigen::MatrixXd>& M_;
  const Eigen::VectorXd& gain_;
  InertialWorkspace& work_;
  TreeParents parents_;
  double tolerance_ = 0.0;  // share of the velocity that counts as rounding [-]
  double accuracy_ = std::numeric_limits<double>::epsilon();  // at which iterations end [-]
  double size_ = 0.0;        // speed of the step, in the diagonal of M [sqrt(J)]
  bool has_forces_ = false;  // true: work_.forces holds p - D v
};

}  // namespace amontons
