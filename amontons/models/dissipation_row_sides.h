#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/contact_scales.h"

#include <Eigen/Core>

#include <set>
#include <string>
#include <vector>

namespace amontons {

/// Holds the multipliers of a bounded row of a joint in phase II, as velocities [m/s, rad/s].
struct RowMultipliers {
  double speed = 0.0;   ///< u + s + R f
  double answer = 0.0;  ///< w phi, phi the row's impulse in answer to the multipliers
  double change = 0.0;  ///< psi, the velocity that multipliers and answers give the row
};

/// Holds on which side of its law each bounded row of a joint is, in the form of contacts
/// (rows_as_contacts.h). A row holds, u + s + R f = 0 with f inside its bounds, or f is a bound and
/// u + s + R f has the sign that the bound asks for. The rows' law is the union of these sides.
/// Phase II of maximum dissipation is convex on each choice of sides (dissipation_phases.h).
///
/// Where two sides meet, f is at its bound and u + s + R f is zero. The multipliers say there if
/// the other side holds points of less energy.
class DissipationRowSides {
 public:
  /// The arguments must outlive the object.
  /// @param gap_speeds  s of each contact and limit [nc] [m/s, rad/s].
  /// @param offsets     bounds of the rows that are no limits [nc] [N s, N m s].
  DissipationRowSides(const ContactProblem& problem, const ContactScales& scales,
                      const Eigen::VectorXd& gap_speeds, const Eigen::VectorXd& offsets);

  std::size_t size() const { return slots_.size(); }
  /// Returns the entry of a row in the impulses and velocities of the form of contacts [3 nc].
  Eigen::Index slot(std::size_t row) const { return slots_[row]; }
  /// Returns s of a row that is a limit, else 0 (it is in the bias) [m/s, rad/s].
  double shift(std::size_t row) const;
  double lower(std::size_t row) const;  ///< bounds of f [N s, N m s]
  double upper(std::size_t row) const;
  bool holds(std::size_t row) const { return sides_[row] == Side::Holds; }
  /// Returns the impulse of a row that does not hold.
  double bound(std::size_t row) const {
    return sides_[row] == Side::AtLower ? lower(row) : upper(row);
  }
  /// Returns the sign that u + s + R f has at the present bound.
  double sign(std::size_t row) const { return sides_[row] == Side::AtLower ? 1.0 : -1.0; }

  /// Returns |w f - Proj(w f - (u + s + R f))| of a row [m/s, rad/s], 0 where nothing moves it.
  double missed(std::size_t row, double impulse, double speed) const;

  /// Chooses the sides on which impulses and velocities [3 nc] lie: those rows hold whose w f - (u
  /// + s + R f) is inside the bounds.
  void choose(const Eigen::VectorXd& impulses, const Eigen::VectorXd& velocities);

  /// Moves the row across the kink whose multipliers promise most, to sides that were not visited.
  /// @param impulses     f [rows] [N s, N m s], on the present sides.
  /// @param multipliers  [rows]
  /// @param tolerance    share of V up to which a speed is zero [-].
  /// @returns false if no row is at a kink with less energy on its other side.
  bool cross(const Eigen::VectorXd& impulses, const std::vector<RowMultipliers>& multipliers,
             double tolerance);

 private:
  /// Names the sides of a row's law.
  enum class Side : char { Holds, AtLower, AtUpper };
  /// Describes a row that would rather be on its other side.
  struct Crossing {
    double promise;
    std::size_t row;
    Side side;
  };
  bool is_limit(std::size_t row) const { return slots_[row] % 3 == 2; }
  std::string present() const;

  const ContactScales* scales_;
  const Eigen::VectorXd *gap_speeds_, *offsets_;
  std::vector<Eigen::Index> slots_;  // [rows]
  std::vector<Side> sides_;          // [rows]
  std::set<std::string> visited_;
};

}  // namespace amontons
