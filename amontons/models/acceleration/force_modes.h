#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the mode of a contact from an instant on: Open, Stick or Slide.
struct ForceMode {
  ContactMode mode = ContactMode::Open;            ///< mode of the motion that follows
  bool is_loaded = false;                          ///< false: closed, and others carry the load
  Eigen::Vector2d slip = Eigen::Vector2d::Zero();  ///< Slide: unit direction; 0: no friction
  /// True: a share of its viscous friction alone keeps the contact closed, without a load. Its
  /// force is along `drag`, against the slip of the instant; the unknown is its size.
  bool shares_drag = false;
  Eigen::Vector2d drag = Eigen::Vector2d::Zero();  ///< direction of the drag, unit
  /// A unit tangent along which the contact is held, too; 0: none.
  Eigen::Vector2d held = Eigen::Vector2d::Zero();
};

/// Returns the mode of a contact that a share of its viscous friction keeps closed.
inline ForceMode dragged_mode() {
  ForceMode mode;
  mode.mode = ContactMode::Slide;
  mode.shares_drag = true;
  return mode;
}

/// Computes contact forces while modes do not change, where they are linear equations. The rows R
/// are those of normals that stay closed and of tangents that stick. Where a contact slides along d
/// its force is (-mu f_n d, f_n). Then
///
///   R (rate + W f) = 0,     W = J_C M^-1 J_C'.
///
/// Redundant forces are the least ones, each measured by the motion it causes. The same equations
/// remove a drift of velocities or gaps: the drift enters as the rate, and impulses are the forces.
class ForcesInModes {
 public:
  /// Reads M, J_C and friction of the problem, which has no joint rows.
  /// @param problem  M, J_C and friction; without joint rows. Nothing else is read.
  explicit ForcesInModes(const ContactProblem& problem);

  /// Returns f [3 nc] [N] for rates of contacts [3 nc] [m/s^2] without it.
  /// @param redundant  share of the largest singular value below which a row repeats others [-].
  Eigen::VectorXd solve(const std::vector<ForceMode>& modes, const Eigen::VectorXd& rate,
                        double redundant = kRedundant) const;

  /// Returns M^-1 J_C' f [nv].
  Eigen::VectorXd response(const Eigen::VectorXd& forces) const { return compliance_ * forces; }
  /// Returns the largest entry of |J_C| |a|, the terms that contact accelerations are summed from
  /// [m/s^2], for accelerations a [nv]. They cancel where bodies move alike.
  double largest_term(const Eigen::VectorXd& accelerations) const;
  const Eigen::MatrixXd& jacobian() const { return J_; }             ///< J_C [3 nc x nv]
  const Eigen::MatrixXd& compliance() const { return compliance_; }  ///< M^-1 J_C' [nv x 3 nc]

 private:
  static constexpr double kRedundant = 1e-9;

  Eigen::VectorXd least_forces(const std::vector<Eigen::VectorXd>& held,
                               const std::vector<Eigen::VectorXd>& directions,
                               const Eigen::VectorXd& rate, double redundant) const;

  Eigen::MatrixXd J_, compliance_;
  Eigen::VectorXd friction_;
};

}  // namespace amontons
