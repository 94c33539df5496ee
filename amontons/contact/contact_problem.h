#pragma once

#include "amontons/contact/bounded_row.h"
#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/math/block_sparse_matrix.h"

#include <Eigen/Core>

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace amontons {

/// Names a contact from one step to the next by the shapes that touch and by their features. The
/// order of keys is the canonical order of contacts.
struct ContactKey {
  std::int32_t shape_a = -1, shape_b = -1;  ///< shape indices in the system, shape_a < shape_b
  std::uint32_t feature = 0;                ///< feature of the contact manifold
  /// Orders by shape_a, then shape_b, then feature.
  auto operator<=>(const ContactKey&) const = default;
};

/// Describes one contact besides its rows of the Jacobian.
struct Contact {
  int body_a = -1, body_b = -1;  ///< body indices in the system, for reports only
  ContactKey key;                ///< its name from step to step
  Eigen::Vector3d position_W = Eigen::Vector3d::Zero();  ///< in world frame W [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();   ///< unit vector from A into B, in W [-]
  double gap = 0.0;       ///< signed, linearized at the start of the step [m]
  double reach = 0.0;     ///< largest coordinate besides position_W that the gap comes from [m]
  double friction = 0.0;  ///< mu [-], >= 0
  double viscous_friction = 0.0;  ///< mu_v [N s/m], >= 0
  double restitution = 0.0;       ///< e [-], in [0, 1]
  /// Largest speed at which its overlap is removed, where that is below the problem's overlap_speed
  /// [m/s]; 0: no motion removes it (ContactProblem::is_blocked()).
  double opening_speed = std::numeric_limits<double>::infinity();
  /// Largest |p_t| without a load, besides mu p_n [N s]. A second phase of restitution has none.
  double friction_offset = 0.0;
  bool is_joint_row = false;  ///< a bounded row in the form of a contact (rows_as_contacts.h)
};

/// Rounding of a gap as a share of the coordinates it is computed from [-]: poses of a chain of
/// bodies, a rotation and a difference make a few units in the last place each.
inline constexpr double kGapRounding = 16.0 * std::numeric_limits<double>::epsilon();

/// Share of overlap_speed below which an overlap that no motion opens is only left as it is [-].
inline constexpr double kBlockedShare = 1e-2;

/// Share of overlap_speed at which an overlap opens without haste [-]: no body has a lever of a
/// thousand of its own sizes.
inline constexpr double kSmallOpening = 1e-3;

/// Holds one time step's contact problem: find impulses p, c, f and a velocity v+ with
///
///   M (v+ - v_free) = J_C' p + J' c + L' f,     u = J_C v+ + contact_bias,
///   J v+ + joint_bias = -gamma Theta/h
///
/// and a contact law between p and u. The law of bounded_row.h holds between f and L v+: limits,
/// dry friction and effort bounds of joints. The problem is a plain value without bodies or shapes,
/// so that it can be saved, reloaded and solved alone. Impulses act on body B, in the contact frame
/// (t1, t2, n) of math/rotation.h, contact_frame(). Sections 1 and 2 of docs/theory.md derive it.
struct ContactProblem {
  double step = 0.0;           ///< h [s], > 0; 0 for an impact
  double gamma = 1.0;          ///< share of an overlap that one step removes [-], in [0, 1]
  bool literal_gamma = false;  ///< scale positive gaps by gamma too (as printed: errata AH-2)
  double rest_speed = 0.0;     ///< approach below which nothing bounces [m/s]
  /// Largest speed at which an overlap is removed [m/s, of limits also rad/s]. A deeper overlap
  /// than one step can remove takes several steps.
  double overlap_speed = std::numeric_limits<double>::infinity();
  BlockDiagonalMatrix mass_matrix;     ///< M [nv x nv]
  Eigen::VectorXd velocity;            ///< v at the start of the step [nv]
  Eigen::VectorXd free_velocity;       ///< v_free [nv], at the end without contact or loop joints
  std::vector<Contact> contacts;       ///< [nc], sorted by key
  BlockSparseMatrix contact_jacobian;  ///< J_C [3 nc x nv], one block row (t1, t2, n) per contact
  Eigen::VectorXd contact_bias;        ///< [3 nc] minus the velocity of prescribed motions [m/s]
  BlockSparseMatrix joint_jacobian;    ///< J [nj x nv], one block row per loop joint
  Eigen::VectorXd joint_error;         ///< Theta [nj] [m or rad]
  Eigen::VectorXd joint_bias;          ///< [nj] velocity of prescribed motions, [m/s or rad/s]
  /// [nj] Rate at which the step corrects Theta [m/s or rad/s], where that is not -gamma Theta/h;
  /// empty: it is. Wide errors are closed at overlap_speed, rows that depend on others by least
  /// squares, and all as far as limits allow (simulation/stepping/correction_limits.h).
  Eigen::VectorXd joint_correction;
  std::vector<BoundedRow> bounded_rows;  ///< [nb], sorted by key
  BlockSparseMatrix bounded_jacobian;    ///< L [nb x nv], one block row per bounded row

  std::size_t num_contacts() const { return contacts.size(); }  ///< nc

  /// Returns the first row of contact i in J_C, the impulses and the contact velocities.
  static Eigen::Index row(std::size_t contact) { return 3 * static_cast<Eigen::Index>(contact); }

  /// Returns u = J_C v + contact_bias [3 nc] [m/s] at velocities v [nv].
  Eigen::VectorXd contact_velocities(const Eigen::Ref<const Eigen::VectorXd>& v) const;
  /// Writes the same velocities into `u`, whose memory is kept.
  void contact_velocities(const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& u) const;

  /// Returns s_i [m/s] of the nonpenetration condition u_n + s >= 0: gap/h outside, gamma gap/h
  /// inside, but not below -overlap_speed and -opening_speed [Anitescu, Miller, Hart 2003, eqs.
  /// 2.8-2.12, with errata AH-2; docs/theory.md, section 1]. A blocked overlap is asked to open at
  /// overlap_speed. It is 0 where h is 0 (an impact). An overlap counts less its rounding
  /// (gap_rounding()), so that parts that fit exactly touch. An overlap of a contact with
  /// restitution opens no faster than the contact opens already, or at rest_speed: what has bounced
  /// needs no push, which would add energy.
  double stabilized_gap(std::size_t contact) const;

  /// Returns a bound of the rounding in the gap of a contact [m]: kGapRounding times the largest
  /// coordinate that it is computed from, position_W or reach.
  double gap_rounding(std::size_t contact) const;
  Eigen::VectorXd stabilized_gaps() const;  ///< [nc]
  /// Writes the same speeds into `gaps`, whose memory is kept.
  void stabilized_gaps(Eigen::VectorXd& gaps) const;

  /// Returns the number of contacts and limits whose overlap is deeper than one step removes at
  /// overlap_speed.
  std::size_t num_deferred_overlaps() const;

  /// Returns true if a contact, or a limit, has an overlap that no motion within overlap_speed
  /// opens (simulation/stepping/opening_limits.h), deeper than one step removes at a hundredth of
  /// that speed. Its condition contradicts others.
  bool is_blocked(const Contact& contact) const;
  bool is_blocked(const BoundedRow& row) const;  ///< the same of a limit

  bool has_blocked_overlaps() const;  ///< true if any contact or limit is blocked

  /// Returns true if any overlap or passed limit opens faster than kSmallOpening, or is blocked.
  bool opens_overlaps() const;

  /// Returns s of a bounded row [m/s, rad/s]. For a limit it is the stabilized gap, by the rule of
  /// stabilized_gap().
  double bounded_offset(std::size_t row) const;

  /// Returns the right-hand side of the joint rows: J v+ = -gamma Theta/h - joint_bias  [nj], with
  /// joint_correction in place of -gamma Theta/h where it is given.
  Eigen::VectorXd joint_target() const;
};

/// Checks sizes, finiteness, ranges and the order of keys.
/// @throws std::invalid_argument naming the field, if sizes disagree, a value is not finite, or a
/// coefficient is out of range.
void validate(const ContactProblem& problem);

}  // namespace amontons
