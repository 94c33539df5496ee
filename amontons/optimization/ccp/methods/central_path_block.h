#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Gives one block of a cone problem its part of the central path (central_path_point.h): reaction
/// and velocity as functions of z and tau, and their derivatives. All vectors are in the order (t1,
/// t2, n) and in units of a speed V.
///
///   cone       spectral form of (R, U), see central_path_point.h
///   halfline   mu = 0: r_n = p(z_n), u_n = s(z_n), r_t = 0 and u_t = z_t
///   disc       mu = 0, friction_offset > 0: z_t = r_t - u_t with
///              u_t = -tau^2 r_t / (offset^2 - |r_t|^2), r_n = 0 and u_n = z_n
///   equality   r = z, u = 0
class CentralPathBlock {
 public:
  /// Holds the values at a point that derivatives need.
  struct Values {
    Eigen::Vector2d e = Eigen::Vector2d::UnitX();  ///< direction of z_t
    /// Eigenvalues of R and of the shifted velocity; disc: |r_t|, the distance from the rim, |u_t|.
    double p_plus = 0.0, p_minus = 0.0, s_plus = 0.0, s_minus = 0.0;
    double shift = 0.0;  ///< g
  };
  /// Holds the linearization at a point.
  struct Linearization {
    Eigen::Matrix3d reaction;  ///< dr/dz
    Eigen::Matrix3d velocity;  ///< du/dz
    Eigen::Matrix3d inverse;   ///< (du/dz)^-1, bounded
    Eigen::Matrix3d D;         ///< -reaction * inverse, without cancellation
    double weight = 1.0;       ///< of z in the local metric: 1 over the squared nearest eigenvalue
  };

  /// @param speed  V, the unit of the block [sqrt(J)].
  CentralPathBlock(const Cone& cone, ConeLaw law, double speed);

  /// Returns true if a cone has a path: mu = 0 or friction_offset = 0, no polygon.
  static bool supports(const Cone& cone) {
    return cone.polygon == nullptr && (cone.mu == 0.0 || cone.friction_offset == 0.0);
  }

  /// Computes r and u at a point.
  Values evaluate(const Eigen::Vector3d& z, double tau, Eigen::Ref<Eigen::Vector3d> r,
                  Eigen::Ref<Eigen::Vector3d> u) const;
  /// Linearizes at a point.
  /// @param largest_gain  bound of the eigenvalues of dr/du in `inverse` and D.
  Linearization linearize(const Values& at, const Eigen::Vector3d& z, double tau,
                          double largest_gain) const;
  /// Computes dr and du per d(ln tau) at fixed z.
  void along_tau(const Values& at, double tau, Eigen::Ref<Eigen::Vector3d> dr,
                 Eigen::Ref<Eigen::Vector3d> du) const;

 private:
  enum class Kind : unsigned char { Cone, Halfline, Disc, Equality };

  Values evaluate_cone(const Eigen::Vector3d& z, double tau, Eigen::Ref<Eigen::Vector3d> r,
                       Eigen::Ref<Eigen::Vector3d> u) const;
  Values evaluate_disc(const Eigen::Vector3d& z, double tau, Eigen::Ref<Eigen::Vector3d> r,
                       Eigen::Ref<Eigen::Vector3d> u) const;
  Linearization linearize_cone(const Values& at, const Eigen::Vector3d& z, double tau,
                               double largest_gain) const;
  Linearization linearize_halfline(const Values& at, const Eigen::Vector3d& z, double tau,
                                   double largest_gain) const;
  Linearization linearize_disc(const Values& at, const Eigen::Vector3d& z, double tau,
                               double largest_gain) const;
  /// Returns |r_t|' of a disc at fixed |z_t|: tau^2 (offset^2 + |r_t|^2) / (offset^2 - |r_t|^2)^2.
  double disc_stiffness(const Values& at, double tau) const;

  Kind kind_ = Kind::Cone;
  bool is_shifted_ = false;              // Coulomb's law
  double normal_ = 1.0, tangent_ = 1.0;  // r = (tangent R_t, normal R_0)
  double radius_ = 0.0;                  // of a disc
};

}  // namespace amontons
