#pragma once

#include "amontons/optimization/ccp/delassus_operator.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons {

/// Names the set that a block of three rows (t1, t2, n) may carry.
enum class ConeKind : std::uint8_t {
  Friction,  ///< r_n >= 0, |r_t| <= mu r_n + friction_offset, or r_t in a polygon of that radius
  Equality,  ///< r free, u = 0 (rows of zeros in W and q are padding)
};

/// Describes the set of one block of r.
struct Cone {
  ConeKind kind = ConeKind::Friction;  ///< kind of set
  double mu = 0.0;                     ///< coefficient of friction [-], >= 0
  double friction_offset = 0.0;        ///< radius of the disc at r_n = 0 [sqrt(J)], >= 0
  /// polygon_directions(n) where a regular polygon replaces the disc; not owned.
  const Eigen::Matrix2Xd* polygon = nullptr;
};

/// Names the relation between u and r on a friction cone.
enum class ConeLaw : std::uint8_t {
  Coulomb,     ///< 0 <= r_n perp u_n >= 0; r_t in its disc dissipates most
  Associated,  ///< 0 = r - Proj_K(r - u): KKT conditions of  min 1/2 r'W r + q'r, r in K
};

/// States a cone complementarity problem: find r and u = W r + q with r in the product of cones and
/// the law between them [De Saxce, Feng 1998; Acary, Brogliato 2008].
///
/// Every block is scaled so that trace(W_ii) is its number of rows that are not zero. Hence r and u
/// have the unit sqrt(J), and r - u makes sense; see models/formulation/cone_assembly.h and
/// docs/theory/cone-solver.md.
struct ConeProblem {
  DelassusOperator* W = nullptr;   ///< [3 n x 3 n] [-], not owned
  Eigen::VectorXd q;               ///< [3 n] velocity at r = 0 [sqrt(J)]
  std::vector<Cone> cones;         ///< [n]
  Eigen::VectorXd residual_scale;  ///< [n], > 0: from |F_i| [sqrt(J)] to the residual [-]
  double work_scale = 0.0;         ///< [1/J] from work added by r, max(0, r . u), to its residual
  ConeLaw law = ConeLaw::Coulomb;  ///< relation between r and u

  int num_blocks() const { return static_cast<int>(cones.size()); }  ///< blocks of three rows each
};

/// Returns the residual of (r, u) [-], max_i |F_i| residual_scale_i with the natural map F of each
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

/// Returns true if all cones are round with their tip at zero, as interior methods need them.
bool are_round_cones(const ConeProblem& problem);
/// Returns true if a cone has a polygon.
bool has_polygons(const ConeProblem& problem);

/// Projects every block on its cone; equality blocks stay.
void project_on_cones(const ConeProblem& problem, Eigen::VectorXd& r);

/// Returns the point of {z_n >= 0, |z_t| <= mu z_n + friction_offset} nearest to z (z_t in the
/// polygon of that radius, where the cone has one).
Eigen::Vector3d project(const Cone& cone, const Eigen::Vector3d& z);

/// Returns P(z) of a law r = P(r - rho u). Associated: the nearest point of the cone. Coulomb:
/// (Proj_disc(z_t), max(0, z_n)), the disc of radius mu max(0, z_n) + friction_offset. Equality: z.
Eigen::Vector3d project(const Cone& cone, ConeLaw law, const Eigen::Vector3d& z);

}  // namespace amontons
