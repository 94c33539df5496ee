#include "amontons/simulation/events/sliding_forces.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/models/acceleration/coulomb_acceleration.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace amontons {
namespace {

// Contacts of an island up to which all sets of active forces are enumerated.
constexpr std::size_t kMaxContacts = 8;
// Time of the later gaps, at which errors of rounding and of curvature balance [s].
constexpr double kLookAhead = 1e-4;

/// Returns the row of J that a unit velocity along a direction of the contact frame has.
Eigen::RowVectorXd row_of(const ContactProblem& problem, std::size_t contact,
                          const Eigen::Vector3d& direction_C) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(problem.velocity.size());
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    row.segment(block.col, block.num_cols) +=
        direction_C.transpose() * problem.contact_jacobian.values(block);
  }
  return row;
}

/// Holds the complementarity problem of one island's sliding contacts.
struct SlidingContacts {
  std::vector<std::size_t> contacts;
  Eigen::MatrixXd N;  // normal rows [contacts x nv]
  Eigen::MatrixXd K;  // accelerations along the normals per normal force [1/kg]
};

/// Assembles that problem but for the accelerations without forces.
SlidingContacts sliding_contacts(const ContactProblem& problem,
                                 const BlockDiagonalFactor& mass_factor,
                                 const std::vector<std::size_t>& contacts,
                                 const Eigen::VectorXd& u) {
  const auto n = static_cast<Eigen::Index>(contacts.size());
  Eigen::MatrixXd N(n, problem.velocity.size()), forces(problem.velocity.size(), n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t contact = contacts[static_cast<std::size_t>(i)];
    // Force of contact i per normal force: n - mu d, d the direction of slip.
    const Eigen::Vector2d slip = u.segment<2>(ContactProblem::row(contact)).normalized();
    const double mu = problem.contacts[contact].friction;
    N.row(i) = row_of(problem, contact, Eigen::Vector3d::UnitZ());
    forces.col(i) = row_of(problem, contact, {-mu * slip.x(), -mu * slip.y(), 1.0}).transpose();
  }
  mass_factor.solve_in_place(forces);
  // K = N M^-1 (N - mu D)'
  Eigen::MatrixXd K = N * forces;
  return {contacts, std::move(N), std::move(K)};
}

/// Returns true if the forces have one solution whatever the accelerations without them: the
/// symmetric part of K is positive definite, by more than rounding [Cottle, Pang, Stone 1992].
bool has_one_solution(const Eigen::MatrixXd& K) {
  constexpr double kRounding = 1e-9;  // share of the largest diagonal entry
  Eigen::MatrixXd symmetric = 0.5 * (K + K.transpose());
  symmetric.diagonal().array() -= kRounding * K.diagonal().cwiseAbs().maxCoeff();
  return symmetric.llt().info() == Eigen::Success;
}

}  // namespace

/// Returns false if a contact has changed its feature.
bool SlidingForces::compute_gap_accelerations(const ContactProblem& problem,
                                              const std::vector<std::size_t>& contacts,
                                              Eigen::VectorXd& result) {
  result.resize(static_cast<Eigen::Index>(contacts.size()));
  const Eigen::VectorXd u = problem.contact_velocities(problem.velocity);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& now = problem.contacts[contacts[i]];
    const auto then =
        std::lower_bound(contacts_later_.begin(), contacts_later_.end(), now.key,
                         [](const Contact& c, const ContactKey& k) { return c.key < k; });
    if (then == contacts_later_.end() || then->key != now.key) return false;
    // Second difference of the gap: Phi(t) = Phi + t u_n + t^2/2 Ndot v.
    const double straight = now.gap + kLookAhead * u(ContactProblem::row(contacts[i]) + 2);
    result(static_cast<Eigen::Index>(i)) = 2.0 * (then->gap - straight) / (kLookAhead * kLookAhead);
  }
  return true;
}

SlidingLaw SlidingForces::assess_sliding(const SystemKinematics& start,
                                         const ContactProblem& problem, double rest_speed) {
  SlidingLaw worst = SlidingLaw::Determined;
  if (problem.joint_error.size() > 0 || !problem.bounded_rows.empty() || !(problem.step > 0.0)) {
    return worst;
  }
  const Eigen::VectorXd u = problem.contact_velocities(problem.velocity);
  const std::vector<int> island = islands_of_contacts(problem);
  // Islands with a sticking or resting contact have other laws than K f + b, so they are excluded.
  std::map<int, std::vector<std::size_t>> sliding;
  std::vector<int> not_asked;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    if (island[i] < 0 || problem.contacts[i].gap > touching_ || u(row + 2) > rest_speed) continue;
    const bool slides = u.segment<2>(row).norm() > rest_speed && problem.contacts[i].friction > 0.0;
    if (slides) {
      sliding[island[i]].push_back(i);
    } else {
      not_asked.push_back(island[i]);
    }
  }
  for (const int own : not_asked) sliding.erase(own);
  std::erase_if(sliding, [](const auto& entry) { return entry.second.size() > kMaxContacts; });
  if (sliding.empty()) return worst;

  // Most islands have one solution, which needs no accelerations of gaps.
  const BlockDiagonalFactor mass_factor(problem.mass_matrix);
  std::vector<SlidingContacts> undecided;
  for (const auto& [own, contacts] : sliding) {
    SlidingContacts candidate = sliding_contacts(problem, mass_factor, contacts, u);
    if (!has_one_solution(candidate.K)) undecided.push_back(std::move(candidate));
  }
  if (undecided.empty()) return worst;

  // Gaps a little later, at constant velocities.
  const double time = start.time + kLookAhead;
  compute_kinematics(*system_, integrate_positions(*system_, start.q, problem.velocity, kLookAhead),
                     problem.velocity, time, later_);
  detector_.find_contacts(later_, problem.velocity, problem.velocity, kLookAhead, {},
                          contacts_later_);
  const Eigen::VectorXd a_free = (problem.free_velocity - problem.velocity) / problem.step;
  Eigen::VectorXd gap_acceleration;
  for (const SlidingContacts& own : undecided) {
    if (!compute_gap_accelerations(problem, own.contacts, gap_acceleration)) continue;
    // b = N a_free + Ndot v
    worst = std::max(worst, solve_sliding(own.K, own.N * a_free + gap_acceleration).law);
  }
  return worst;
}

}  // namespace amontons
