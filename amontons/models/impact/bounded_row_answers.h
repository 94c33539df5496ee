#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/models/impact/collision_path.h"
#include "amontons/optimization/qp/small_box_qp.h"

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Keeps dry friction and servos of joints through a sequence of collisions. Collisions take no
/// time, while these rows act for the whole step: their impulses f are no collisions, but answer
/// the velocities that all collisions so far leave,
///
///   f = Proj_[-bound, bound]( f - (u + s + R f) )       (docs/theory/joint-rows.md).
///
/// The rows have the form of contacts (contact/rows_as_contacts.h). In that form u contains s and
/// R f, and A contains R. Limits are no such rows: they collide.
class BoundedRowAnswers {
 public:
  /// The arguments must outlive the object.
  /// @param contacts  contacts and rows of the problem that move something, [k].
  /// @param A         their Delassus operator [3k x 3k], without the rest of the problem.
  BoundedRowAnswers(const ContactProblem& problem, std::span<const int> contacts,
                    const Eigen::MatrixXd& A);

  /// Returns true if contact k of the list is such a row, which never collides.
  bool is_row(std::size_t k) const { return is_row_[k] != 0; }

  /// Gives all rows the impulses that answer the present velocities: a box problem in f, whose
  /// solution has the least energy. No energy is added.
  /// @param u         velocities of the listed contacts [3k], which follow [m/s].
  /// @param impulses  those of all contacts of the problem, of which those of the rows change.
  void answer(Eigen::VectorXd& u, Eigen::VectorXd& impulses);

  /// Follows the collision of contact k of the list. Rows inside their bounds are kept as loop
  /// joints are: K is that of the bodies with these rows. Where a row would leave its bounds, the
  /// collision is interrupted: its impulse is the share at which the row reaches its bound. What
  /// still approaches then collides again. A share of an impulse that adds no energy adds none.
  /// @param alone  the collision without the rows.
  CollisionOutcome follow(const Collision& alone, std::size_t k,
                          const Eigen::VectorXd& impulses) const;

 private:
  /// Describes one row.
  struct Row {
    Eigen::Index entry;  ///< its row and column of A
    Eigen::Index slot;   ///< its entry of the impulses of the problem
    double bound;        ///< largest |f| [N s, N m s]
    double root;         ///< sqrt(A_ii), 1 where the loop joints hold it
  };
  void solve_box(const Eigen::VectorXd& free_velocity);

  const Eigen::MatrixXd& A_;
  std::vector<char> is_row_;  // [k]
  std::vector<Row> rows_;
  // The box problem in x = sqrt(A_ii) f, so that its diagonal is 1.
  SmallBoxQp box_;
  Eigen::MatrixXd H_;
  Eigen::VectorXd g_, lower_, upper_, x_;
};

}  // namespace amontons
