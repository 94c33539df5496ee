#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Names a contact between free bodies that nothing else touches: an island of its own.
struct SingleContactIsland {
  int contact = -1;                     ///< index in the problem
  std::array<std::size_t, 2> blocks{};  ///< blocks of M, in the order of the row of J_C
};

/// Finds such islands in problem after problem; memory is kept.
class SingleContactFinder {
 public:
  /// Returns the islands without restitution, viscous friction and friction_offset, ascending. They
  /// are valid until the next call.
  std::span<const SingleContactIsland> find(const ContactProblem& problem);

 private:
  std::vector<SingleContactIsland> islands_;
  std::vector<std::size_t> block_of_column_;
  std::vector<int> rows_on_;  // block rows that act on each block of M
};

/// Solves for the motion of such an island, and certifies it, in fixed size and in place. It holds
/// what ProblemScaling would compute. Copies and memory of the general path would cost more than
/// the arithmetic.
class SingleContact {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  /// Holds an impulse and the velocities that belong to it.
  struct Response {
    Eigen::Vector3d impulse;           ///< p [N s]
    std::array<Vector6, 2> velocity;   ///< v+ of each body
    Eigen::Vector3d contact_velocity;  ///< u [m/s]
  };

  /// Computes the Delassus operator, the free velocity and the scales of the island. The problem
  /// must outlive the object and stay constant.
  /// @throws std::domain_error if M is not positive definite.
  SingleContact(const ContactProblem& problem, const SingleContactIsland& island);

  int index() const { return index_; }  ///< index of the contact in the problem
  /// Returns mu [-].
  double friction() const { return contact_.friction; }
  const Eigen::Matrix3d& delassus() const { return A_; }            ///< A [1/kg]
  const Eigen::Vector3d& free_velocity() const { return u_free_; }  ///< J_C v_free + bias [m/s]
  double gap_speed() const { return s_; }                           ///< s [m/s]
  double inverse_mass() const { return w_; }                        ///< w = trace(A) / 3 [1/kg]
  double speed() const { return V_; }                               ///< V [m/s] (contact_scales.h)

  /// Returns the velocities that belong to an impulse. The velocity of a body is zero where its
  /// norm in M is at most `rest` times that of its free motion.
  Response respond(const Eigen::Vector3d& impulse, double rest) const;

  /// Returns true if all velocities are zero.
  bool is_at_rest(const Response& response) const;

  /// Returns what certify() returns for the island's own problem, with contact indices of the
  /// whole.
  /// @param law  a law of single contacts.
  Certificate certify(const ContactLaw& law, const Response& response, double tolerance) const;

  /// Writes the bodies' velocities into those of the whole problem [nv].
  void scatter(const Response& response, Eigen::VectorXd& velocity) const;

 private:
  using Matrix6 = BlockDiagonalFactor::FreeMatrix;
  using Rows = Eigen::Matrix<double, 3, 6>;

  /// Holds the data of one body of the contact.
  struct Body {
    std::size_t block;  // block of M
    Eigen::Index offset;
    const double *M, *J, *v_free;  // [6 x 6], [3 x 6], [6]
    Matrix6 inverse_factor;        // L^-1, M = L'L
    Rows G;                        // J L^-1
    Vector6 free_momentum;         // M v_free
    double free_length;            // |v_free| in the norm of M
  };

  const Contact& contact_;
  int index_;
  std::size_t num_bodies_;
  std::array<Body, 2> bodies_;
  Eigen::Vector3d bias_;
  Eigen::Matrix3d A_;
  Eigen::Vector3d u_free_;
  double s_, w_, V_;
};

}  // namespace amontons
