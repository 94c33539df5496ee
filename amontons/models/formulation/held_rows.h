#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_scales.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Splits the bounded rows of a problem in the form of contacts (rows_as_contacts.h) into those
/// that hold, u + s + R f = 0 with an impulse inside its bounds, and those at a bound. While the
/// split stays, a row that holds acts as a row of J, and the impulse of the others is constant.
class HeldRows {
 public:
  /// The arguments must outlive the object.
  /// @param scales      units of the contacts and rows.
  /// @param gap_speeds  s of each contact and limit [nc] [m/s, rad/s].
  /// @param offsets     bounds of the rows that are no limits [nc] [N s, N m s].
  HeldRows(const ContactProblem& problem, const ContactScales& scales,
           const Eigen::VectorXd& gap_speeds, const Eigen::VectorXd& offsets);

  std::size_t num_contacts() const { return num_contacts_; }  ///< contacts that are no rows
  Eigen::Index num_rows() const { return static_cast<Eigen::Index>(states_.size()); }  ///< rows

  /// Returns the entry of a row in the impulses and velocities of the form of contacts [3 nc].
  Eigen::Index slot(Eigen::Index row) const { return slots_[static_cast<std::size_t>(row)]; }
  bool holds(Eigen::Index row) const {
    return states_[static_cast<std::size_t>(row)] == State::Holds;
  }

  /// Splits the rows by impulses and velocities [3 nc]: those hold whose natural map w f - (u + s +
  /// R f) lies inside the bounds.
  void split(const Eigen::VectorXd& impulses, const Eigen::VectorXd& velocities);

  /// Splits again the rows that miss their law, |w f - Proj(w f - (u + s + R f))| > tolerance V.
  /// @param all   false: the last of them alone, for splits that would repeat otherwise [Murty
  ///              1974].
  /// @param keep  true: a row at a bound whose u + s + R f has the wrong sign stays there, and the
  ///              sign becomes a condition of the contacts; false: it holds.
  /// @returns true if any row misses its law.
  bool improve(const Eigen::VectorXd& impulses, const Eigen::VectorXd& velocities, double tolerance,
               bool all, bool keep);

  /// Lets rows with a kept sign hold whose answer to the multipliers (dissipation_residual.h) says
  /// that less impulse would leave less energy.
  /// @param answers   phi of the rows [3 nc] [N s].
  /// @param response  psi, the velocity that multipliers and answers give them [3 nc] [m/s].
  /// @returns true if there is any such row.
  bool release(const Eigen::VectorXd& answers, const Eigen::VectorXd& response, double tolerance);

  /// Returns the problem of the contacts alone, in which rows that hold are the last rows of J.
  /// @param impulses  those of earlier phases [3 nc]; rows have them in v_free, contacts have not.
  /// Rows with a kept sign follow the contacts as contacts that carry nothing, and whose
  /// nonpenetration is the sign of u + s + R f that the bound asks for.
  ContactProblem contacts_alone(const Eigen::VectorXd& impulses) const;

  /// Returns the rows with a kept sign, in the order of those contacts.
  std::vector<Eigen::Index> rows_with_kept_sign() const;

  /// Returns 1 for a row at its lower bound and -1 at its upper one: the sign that u + s + R f must
  /// not lose.
  double sign_at_bound(Eigen::Index row) const;

  /// Writes the impulses of the rows into `impulses` [3 nc].
  /// @param joint_impulses  those of the rows of J of contacts_alone().
  void write_rows(const Eigen::VectorXd& joint_impulses, Eigen::VectorXd& impulses) const;

 private:
  /// Says where a row is; KeepsSign is at a bound.
  enum class State : char { AtBound, Holds, KeepsSign };
  /// Holds what decides about a row, as velocities [m/s, rad/s].
  struct NaturalMap {
    double moved;         ///< w f - (u + s + R f)
    double lower, upper;  ///< w times the bounds
    double missed;        ///< |w f - Proj(moved)|
  };
  bool is_limit(Eigen::Index row) const { return slot(row) % 3 == 2; }
  NaturalMap natural_map(Eigen::Index row, const Eigen::VectorXd& impulses,
                         const Eigen::VectorXd& velocities) const;
  void split(Eigen::Index row, const NaturalMap& map);
  void add_kept_signs(ContactProblem& result) const;
  double shifted_bias(Eigen::Index row) const;

  const ContactProblem* problem_;
  const ContactScales* scales_;
  const Eigen::VectorXd *gap_speeds_, *offsets_;
  std::size_t num_contacts_ = 0;
  std::vector<Eigen::Index> slots_;  // [rows]
  std::vector<State> states_;        // [rows]
  Eigen::VectorXd bounds_;           // impulses of rows that do not hold [rows]
};

}  // namespace amontons
