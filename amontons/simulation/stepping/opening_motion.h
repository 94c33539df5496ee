#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace amontons {

/// Holds an overlap, a passed limit or a small gap: the row n of its opening, in coordinates in
/// which M is the identity.
struct OpeningRow {
  struct Part {
    Eigen::Index offset;
    Eigen::VectorXd values;
  };
  std::vector<Part> parts;  ///< of n, without what would move loops
  bool is_limit = false;
  std::size_t index = 0;   ///< of the contact or bounded row
  int group = -1;          ///< articulations that it is connected to
  double wanted = 0.0;     ///< opening asked [m/s, rad/s]
  double least = 0.0;      ///< opening below which it would be pressed [m/s, rad/s], <= 0
  double by_loops = 0.0;   ///< opening by the correction of loops [m/s, rad/s]
  double square = 0.0;     ///< n M^-1 n'
  double most_push = 0.0;  ///< impulse that alone moves a point at overlap_speed [N s, N m s]
  double impulse = 0.0;    ///< with which it pushes [N s, N m s]
  bool is_held = false;    ///< no motion that joints and other rows allow opens it
  /// Opening by the velocity that was added for a row which pushes elsewhere held [m/s, rad/s].
  double least_opening = 0.0;

  /// Returns the opening that a whitened velocity makes [m/s, rad/s].
  double times(const Eigen::VectorXd& z) const;
  /// Adds the velocity that a change of its impulse makes.
  void add(double change, Eigen::VectorXd& z) const;
};

/// Finds the motion of one group of articulations that opens its overlaps (opening_limits.h).
class OpeningMotion {
 public:
  /// @param rows   of the group; their impulses are set. They must outlive the object.
  /// @param size   of the velocities, nv.
  /// @param limit  overlap_speed [m/s].
  OpeningMotion(std::vector<OpeningRow>& rows, Eigen::Index size, double limit);

  /// Finds it by projected Gauss-Seidel, and by pivoting where that does not settle. The result is
  /// that of pushes within their bounds at any time.
  void find();

  /// Returns the opening of a row [m/s, rad/s].
  double opening(const OpeningRow& row) const { return row.by_loops + row.times(whitened_); }

  /// Returns true if the motion presses what must not close.
  bool presses() const;

  /// Returns the projection z of a row n on the velocities that close no other row of this motion
  /// whose way is less than `reserve` [m/s, rad/s] [nv, whitened]: n z = |z|^2, and no velocity of
  /// that length opens the row faster. It is zero where the other rows and joints hold the row, and
  /// where it is not found.
  Eigen::VectorXd free_direction(const OpeningRow& row, double reserve) const;

  /// Adds a whitened velocity to the motion.
  void add(const Eigen::VectorXd& velocity) { whitened_ += velocity; }

  /// Returns L v, without the correction of loops [nv].
  const Eigen::VectorXd& whitened() const { return whitened_; }

 private:
  /// Runs one sweep; returns whether nothing has changed.
  bool relax();
  /// Solves the dual problem: impulses that push within bounds, and impulses that hold.
  void pivot();

  std::vector<OpeningRow>& rows_;
  const double limit_;
  Eigen::VectorXd whitened_;
};

}  // namespace amontons
