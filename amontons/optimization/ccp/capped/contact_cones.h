#pragma once

#include "amontons/optimization/ccp/capped/capped_contacts.h"
#include "amontons/optimization/ccp/capped/symmetric_block.h"
#include "amontons/optimization/socp/second_order_cone.h"

#include <Eigen/Core>

namespace amontons {

/// Holds one contact's reaction x in its cones, for an interior point method of maximum dissipation
/// (body_friction_interior.h): sigma = F x + f in the second-order cone with multiplier z, and
/// x_n >= 0 with multiplier nu. The pull F'z + nu n must be gamma of x.
///
/// A direction (dx, dz, dnu) keeps sigma o z = target 1 and x_n nu = target to first order:
/// dx = -D (dpull - wanted), where linearize() gives D and aim() what is wanted. A compliance c
/// softens D, to (W^-2 + c)^-1 in the variable of the cone, so that no entry exceeds 1/c.
class ContactCones {
 public:
  ContactCones(const CappedContacts& contacts, Eigen::Index i);

  /// Returns true if x_n may be positive.
  bool presses() const { return freedom_ != Freedom::None && freedom_ != Freedom::Disc; }
  /// Returns the number of cones.
  int degree() const { return int{has_cone()} + int{has_halfline()}; }

  /// Starts at a reaction inside the cones, with multipliers of equal complementarity.
  void start(const Eigen::Vector3d& x, double gap);

  /// Returns the sum of sigma . z and x_n nu after a step along the direction.
  double gap_after(double step) const;
  /// Returns F'z + nu n.
  Eigen::Vector3d pull() const;

  /// Linearizes complementarity at the present point; returns D.
  SymmetricBlock linearize(double compliance);
  /// Sets the targets of complementarity to `target`, with the second-order terms of the last
  /// direction if `corrected`; returns what they ask of the pull.
  Eigen::Vector3d aim(double target, bool corrected);
  /// Completes the direction of a change of x and of the pull. The multipliers follow the pull:
  /// what complementarity makes of dx has a rounding that grows from step to step where a cone is
  /// thin.
  void follow(const Eigen::Vector3d& dx, const Eigen::Vector3d& dpull);

  /// Returns the longest step along the direction that leaves no cone.
  double longest_step() const;
  /// Takes a step along the direction.
  void move(double step);

 private:
  /// Names what the reaction is free to do.
  enum class Freedom : char {
    None,        // nothing
    Halfline,    // x_n >= 0
    Cone,        // |x_t| <= mu x_n
    OffsetCone,  // |x_t| <= mu x_n + offset, x_n >= 0
    Disc         // |x_t| <= offset, x_n = 0
  };

  bool has_cone() const { return freedom_ >= Freedom::Cone; }
  bool has_halfline() const {
    return freedom_ == Freedom::Halfline || freedom_ == Freedom::OffsetCone;
  }
  /// Returns true if the pull alone gives z: F is square and invertible.
  bool is_square() const {
    return (freedom_ == Freedom::Cone || freedom_ == Freedom::OffsetCone) && cone_.mu > 0.0;
  }
  Eigen::Vector3d image(const Eigen::Vector3d& x) const;
  Eigen::Vector3d pull_back(const Eigen::Vector3d& z) const;
  SymmetricBlock of_cone() const;
  Eigen::Matrix3d of_offset_cone() const;

  Cone cone_;
  Freedom freedom_ = Freedom::None;
  double scale_ = 1.0;  // steep cones are scaled, so that rows stay near 1
  double compliance_ = 0.0;
  double x_n_ = 0.0, nu_ = 0.0, dx_n_ = 0.0, dnu_ = 0.0, aimed_nu_ = 0.0;
  Eigen::Vector3d sigma_ = Eigen::Vector3d::Zero(), z_ = Eigen::Vector3d::Zero(),
                  dsigma_ = Eigen::Vector3d::Zero(), dz_ = Eigen::Vector3d::Zero(),
                  aimed_z_ = Eigen::Vector3d::Zero();
  NesterovToddScaling scaling_;
};

}  // namespace amontons
