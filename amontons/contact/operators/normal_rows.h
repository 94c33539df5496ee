#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/row_complement.h"
#include "amontons/math/row_factor.h"
#include "amontons/optimization/lcp/factored_lcp.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace amontons {

/// Poses the normal problem of contacts with some rows held: find p_n with
///
///   0 <= p_n  perp  u_n + s >= 0,    J v = joint_target(),    u_t = 0 at the sticking contacts
///
/// as a FactoredLcp in a = L v, M = L'L, on the rows N L^-1 [Drumwright 2015, secs. V, VI]. Where
/// the held rows leave few motions, a basis of those takes the place of a. Memory is kept from
/// problem to problem.
class NormalRows {
 public:
  NormalRows() = default;
  NormalRows(const NormalRows&) = delete;  // problem() refers to members
  NormalRows& operator=(const NormalRows&) = delete;

  /// Begins a problem, with the loop joints held alone. Problem and scaling must stay constant
  /// while it is used.
  /// @param active     contacts that take part [nc].
  /// @param tolerance  bound of the certificate's residuals [-].
  void begin(const ContactProblem& problem, const ProblemScaling& scaling,
             const std::vector<char>& active, double tolerance);

  /// Holds the loop joints, as ContactSpace does (independent_joint_rows.h). It also holds the
  /// tangent rows of these contacts [nc], as many of them as are independent [Drumwright 2015,
  /// Algorithm 2]: rows that depend on others hold with them.
  void hold(const std::vector<char>& sticking);

  /// Makes rows that nearly depend on others comply, for the lists that follow:
  /// u_n + s + e^2 |g|^2 p_n >= 0, and u_t + e^2 |g|^2 p_t = 0 where a tangent depends on those
  /// held by a sine below 1e-3; g is the row in the norm of M^-1. Each such row gets a dimension of
  /// its own with the entry e |g|. Impulses of rows that nearly depend on each other cancel: they
  /// are then at most 1 / (2 e) times what they change, and what a row gives way is at most e / 2
  /// times that.
  /// @param sine  e [-]; 0: no row complies.
  void set_compliance(double sine) { compliance_ = sine; }

  /// Returns true if some held tangents nearly depend on others, by a sine below 1e-3, and none
  /// complies: their impulses may cancel.
  bool may_cancel() const { return may_cancel_; }

  /// Sets s [nc] [m/s] and the impulses that act besides [3 nc] [N s].
  void pose(const Eigen::VectorXd& gap_speeds, const Eigen::VectorXd& given_impulses);

  /// Returns the problem posed. Its a_0 is the velocity before contact that the held rows allow.
  const FactoredLcp& problem() const { return problem_; }
  Eigen::Index num_rows() const { return static_cast<Eigen::Index>(contact_of_.size()); }
  /// Returns the contact of a row of the problem.
  int contact_of(Eigen::Index row) const { return contact_of_[static_cast<std::size_t>(row)]; }
  /// Returns the length of a row of N L^-1, sqrt(n'M^-1 n) [1/sqrt(kg)].
  double length(Eigen::Index row) const { return lengths_(row); }

  /// Returns |a_0 - a_free|, what the held rows alone change, in the norm of M.
  double start_distance() const { return (start_ - before_).norm(); }

  /// Writes the impulses of the held tangents [3 nc] that belong to a solution.
  /// @param z  impulses of the rows; `support` has those that are not zero.
  void write_tangents(const Eigen::VectorXd& z, std::span<const int> support,
                      Eigen::VectorXd& impulses);

  /// Returns the rows of J_C that are held.
  std::vector<Eigen::Index> held_tangents() const;

 private:
  /// Describes a held row.
  struct EqualityRow {
    Eigen::Index row;  // row of J_C, or -1: of a joint
    double target;     // target of the row times v
  };

  bool complies() const { return compliance_ > 0.0; }
  void use_free_motion();
  void find_rows(const std::vector<char>& active);
  void hold_rows();
  void add_rows();
  void hold_joints();
  void order_tangents();
  void hold_tangents(double sine);
  bool hold_row(double sine);
  void write_row(Eigen::Index row);
  void reduce();
  void hold_weak_tangents();
  void start_at_equalities();
  void start_at_weak_tangents();
  Eigen::VectorXd weak_impulses(const Eigen::VectorXd& z, std::span<const int> support);

  const ContactProblem* contacts_ = nullptr;
  const ProblemScaling* scaling_ = nullptr;
  double tolerance_ = 0.0, compliance_ = 0.0;
  std::vector<int> contact_of_;  // contact of each row of the problem
  Eigen::VectorXd lengths_;      // of the rows of N L^-1
  Eigen::VectorXd free_;         // L v_free
  RowFactor held_;
  bool tests_first_ = false;  // tangents are tested by left_, before held_ takes them
  RowComplement left_;        // what the held rows leave
  std::vector<EqualityRow> equality_rows_;
  std::vector<Eigen::Index> left_tangents_;  // rows of J_C to hold that are not held yet
  // Where the problem is reduced, a = start_ + Z (y - Z'before_), y its unknown velocity.
  bool is_reduced_ = false, may_cancel_ = false;
  Eigen::MatrixXd motions_;       // Z, an orthonormal basis of what the held rows leave
  Eigen::MatrixXd weak_rows_;     // left tangents in y, [rows x columns of Z]
  Eigen::MatrixXd weak_weights_;  // U of the rows U'weak_rows_ that are held with compliance
  RowFactor weak_;                // of those
  FactoredLcp problem_;
  Eigen::VectorXd row_, before_, start_, target_, weak_target_, multipliers_;
};

}  // namespace amontons
