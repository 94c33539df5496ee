#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// What a contact does from an instant on: Open, Stick or Slide.
struct ForceMode {
  ContactMode mode = ContactMode::Open;  ///< how the contact goes on
  bool is_loaded = false;                ///< one that stays closed may leave the load to others
  Eigen::Vector2d slip = Eigen::Vector2d::Zero();  ///< Slide: its direction, unit; 0: no friction
};

/// Contact forces while modes do not change, where they are linear equations: with the rows R of
/// normals that stay closed and of tangents that stick, and f = (-mu f_n d, f_n) where a contact
/// slides along d,
///
///   R (rate + W f) = 0,     W = J_C M^-1 J_C'.
///
/// Of redundant forces the least, each measured by what it moves. The same equations take a drift
/// of velocities or gaps away, with these in place of rates and impulses in place of forces.
class ForcesInModes {
 public:
  /// @param problem  M, J_C and friction; without joint rows. Nothing else is read.
  explicit ForcesInModes(const ContactProblem& problem);

  /// f [3 nc] for rates of contacts [3 nc] without it.
  Eigen::VectorXd solve(const std::vector<ForceMode>& modes, const Eigen::VectorXd& rate) const;

  /// M^-1 J_C' f [nv].
  Eigen::VectorXd response(const Eigen::VectorXd& forces) const { return compliance_ * forces; }
  const Eigen::MatrixXd& jacobian() const { return J_; }             ///< J_C [3 nc x nv]
  const Eigen::MatrixXd& compliance() const { return compliance_; }  ///< M^-1 J_C' [nv x 3 nc]

 private:
  Eigen::MatrixXd J_, compliance_;
  Eigen::VectorXd friction_;
};

}  // namespace amontons
