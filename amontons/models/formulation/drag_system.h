#pragma once

#include "amontons/math/solve_status.h"
#include "amontons/optimization/ccp/delassus_operator.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// States normal impulses and viscous friction of an island with unknown shares, in the units of
/// ConeAssembly: find reactions r, velocities u = W r + q and shares theta with
///
///   0 <= r_n perp u_n >= 0,     r_t = -theta b u_t,     0 <= theta <= 1,
///   theta = 1 where r_n > 0,    theta = 0 where u_n > 0
struct DragProblem {
  DelassusOperator* W = nullptr;  ///< [3 n x 3 n] [-], not owned
  Eigen::VectorXd q;              ///< [3 n] velocity at r = 0 [sqrt(J)]
  Eigen::VectorXd drag_numbers;   ///< b = h mu_v w [n] [-], >= 0
  Eigen::VectorXd speeds;         ///< unit V of the velocity of each contact [n] [sqrt(J)], > 0
  double size = 0.0;              ///< size of the motion, in which rounding is measured [sqrt(J)]
};

/// Holds the solution of a DragProblem.
struct DragSolution {
  SolveStatus status = SolveStatus::NotRun;
  Eigen::VectorXd r;   ///< [3 n] [sqrt(J)], also where the status is not Converged
  int iterations = 0;  ///< factorizations until now
};

/// Evaluates the law of a DragProblem in a form that is piecewise smooth. With y = -u_n / V,
///
///   z = z_0 + y / eps,     theta = clamp(z, 0, 1),     r_n = V max(0, z - 1)
///
/// Pieces are open (z <= 0), touching (z <= 1) and loaded. Contacts that are given their whole drag
/// have theta = 1 and r_n = V max(0, z).
class DragSystem {
 public:
  explicit DragSystem(const DragProblem& problem);

  double eps = 0.0;         ///< [-], > 0
  Eigen::VectorXd base;     ///< z_0 [n]
  std::vector<char> whole;  ///< true at contacts with the whole drag [n]

  /// Holds reactions, their velocity, and how far they are from the law.
  struct Point {
    Eigen::VectorXd r, u;   ///< u = W r + q
    Eigen::VectorXd z;      ///< [n]
    Eigen::VectorXd x;      ///< r less the reaction of the law to u
    double residual = 0.0;  ///< sqrt(x' W x) [sqrt(J)]
  };
  Point at;                ///< the present point
  Eigen::VectorXd dr, du;  ///< the step found last

  Eigen::Index num_contacts() const { return problem_->drag_numbers.size(); }
  const DragProblem& problem() const { return *problem_; }
  int num_steps() const { return steps_; }  ///< factorizations until now

  /// Returns y of a contact [-].
  double overlap(Eigen::Index i) const { return -at.u(3 * i + 2) / problem_->speeds(i); }
  /// Returns the z at which a contact's load begins.
  double first_load(Eigen::Index i) const { return is_whole(i) ? 0.0 : 1.0; }

  /// Makes the point with some reactions the present one.
  /// @param pieces  z in the pieces of the law to take [n], or null: those of the point itself.
  void move_to(const Eigen::VectorXd& r, const Eigen::VectorXd* pieces = nullptr);

  /// Finds Newton's step from the present point by the law's given pieces. The caller counts the
  /// work.
  /// @returns false where there is none.
  bool find_step(const Eigen::VectorXd& pieces);
  /// Finds the change of the solution with z_0 of a contact at the present point, with the factor
  /// of the last step.
  void find_tangent(Eigen::Index contact, const Eigen::VectorXd& pieces);

  /// Finds the zero of the residual by Newton's method with a line search.
  bool find_zero();

 private:
  bool is_whole(Eigen::Index i) const { return whole[static_cast<std::size_t>(i)] != 0; }
  Eigen::Vector3d reaction(Eigen::Index i, const Eigen::VectorXd& u, double z, double piece) const;
  void measure(Point& point, const Eigen::VectorXd* pieces);
  void take_part_of_step();

  const DragProblem* problem_;
  Point trial_;
  std::vector<Eigen::Matrix3d> D_;
  Eigen::VectorXd scratch_;
  int steps_ = 0;
};

}  // namespace amontons
