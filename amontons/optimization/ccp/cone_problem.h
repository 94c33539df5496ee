#pragma once

#include "amontons/optimization/ccp/delassus_operator.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons {

/// What a block of three rows (t1, t2, n) may carry.
enum class ConeKind : std::uint8_t {
  Friction,  ///< r_n >= 0, |r_t| <= mu r_n + friction_offset, or r_t in a polygon of that radius
  Equality,  ///< r free, u = 0 (rows of zeros in W and q are padding)
};

/// The set of one block of r.
struct Cone {
  ConeKind kind = ConeKind::Friction;  ///< which set
  double mu = 0.0;                     ///< [-], >= 0
  double friction_offset = 0.0;        ///< radius of the disc at r_n = 0, same unit as r, >= 0
  /// polygon_directions(n) where a regular polygon stands for the disc; not owned.
  const Eigen::Matrix2Xd* polygon = nullptr;
};

/// Which relation holds between u and r on a friction cone.
enum class ConeLaw : std::uint8_t {
  Coulomb,     ///< 0 <= r_n perp u_n >= 0; r_t in its disc dissipates most
  Associated,  ///< 0 = r - Proj_K(r - u): KKT conditions of  min 1/2 r'W r + q'r, r in K
};

/// Find r and u = W r + q with r in the product of cones and the law between them: a cone
/// complementarity problem [De Saxce, Feng 1998; Acary, Brogliato 2008].
///
/// Every block is scaled so that trace(W_ii) is its number of rows that are not zero, hence r and u
/// have the unit sqrt(J) and r - u makes sense; see models/formulation/cone_assembly.h.
struct ConeProblem {
  DelassusOperator* W = nullptr;   ///< not owned
  Eigen::VectorXd q;               ///< [3 n]
  std::vector<Cone> cones;         ///< [n]
  Eigen::VectorXd residual_scale;  ///< [n], > 0: turns each block's residual into its residual
  double work_scale = 0.0;         ///< turns work added by r, max(0, r . u), into its residual
  ConeLaw law = ConeLaw::Coulomb;  ///< what relates r and u

  int num_blocks() const { return static_cast<int>(cones.size()); }  ///< of three rows each
};

/// Distance of (r, u) from the law, max_i |F_i| residual_scale_i with the natural map F of each
/// block
///
///   Coulomb [Alart, Curnier 1991]:  F_n = r_n - max(0, z_n),  F_t = r_t - Proj_disc(z_t),
///                                   disc of radius mu max(0, z_n) + friction_offset
///   Associated:                     F = r - Proj_K(z), or where it is larger, on round cones,
///                                   F_n = r_n - max(0, r_n - u_n + mu |u_t|) and
///                                   F_t = r_t - Proj_disc(z_t), disc of radius mu r_n
///   Equality:                       F = u
///
/// with z = r - u. Zero if and only if the law holds.
double largest_residual(const ConeProblem& problem, const Eigen::VectorXd& r,
                        const Eigen::VectorXd& u);

/// Whether all friction cones are round with their tip at zero, as interior methods need them.
bool are_round_cones(const ConeProblem& problem);
bool has_polygons(const ConeProblem& problem);

/// Projects every block on its cone; equality blocks stay.
void project_on_cones(const ConeProblem& problem, Eigen::VectorXd& r);

/// The point of {z_n >= 0, |z_t| <= mu z_n + friction_offset} nearest to z (z_t in the polygon of
/// that radius, where the cone has one).
Eigen::Vector3d project(const Cone& cone, const Eigen::Vector3d& z);

/// P(z) of a law r = P(r - rho u). Associated: the nearest point of the cone. Coulomb:
/// (Proj_disc(z_t), max(0, z_n)), the disc of radius mu max(0, z_n) + friction_offset. Equality: z.
Eigen::Vector3d project(const Cone& cone, ConeLaw law, const Eigen::Vector3d& z);

}  // namespace amontons
