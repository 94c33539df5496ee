#include "amontons/models/reactions/self_loading.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

// Share of the inverse mass of a contact below which what is left of it is rounding [-].
constexpr double kRoundingOfMass = 1e-9;

/// Returns true if a row drives joints: a servo, a spring or a damper.
bool is_drive(const BoundedRow& row) {
  return row.kind != BoundedRowKind::Limit && row.kind != BoundedRowKind::Friction;
}

/// Measures what loads the contacts of a problem.
class Loads {
 public:
  Loads(const ContactProblem& problem, const ContactSolution& solution)
      : problem_(problem),
        factor_(problem.mass_matrix),
        free_(problem.contact_velocities(problem.free_velocity)) {
    add_drives(solution);
  }

  /// Returns the speed at which the free motion, drives or an overlap drive a contact [m/s].
  double speed(int contact) const {
    const auto index = static_cast<std::size_t>(contact);
    const Index row = ContactProblem::row(index);
    const double driven = driven_.size() > 0 ? driven_.segment<3>(row).norm() : 0.0;
    return std::max({free_.segment<3>(row).norm(), driven, -problem_.stabilized_gap(index)});
  }

  /// Calls visit(block, mass) with each articulation and the mass that it shows to the normal of a
  /// contact [kg].
  template <typename Visit>
  void visit_masses(int contact, const Visit& visit) {
    for (const BlockSparseMatrix::Block& part :
         problem_.contact_jacobian.block_row(static_cast<std::size_t>(contact))) {
      const std::size_t b = factor_.block_of_row(part.col);
      const double w = inverse_mass_of(part, b);
      if (w > 0.0) visit(b, 1.0 / w);
    }
  }

  /// Returns the largest mass that an articulation shows to a contact [kg].
  double largest_mass(int contact) {
    double largest = 0.0;
    visit_masses(contact, [&](std::size_t, double mass) { largest = std::max(largest, mass); });
    return largest;
  }

  /// Returns the load that comes through rows of J, such as gears [N s]: the impulse at one contact
  /// that stops a linkage at the largest speed at which what drives it moves a contact.
  double through_joints(const Island& island) {
    ContactProblem driven = problem_;
    if (driven_velocity_.size() > 0) driven.free_velocity = driven_velocity_;
    const ContactProblem part = extract(driven, island);
    const ProblemScaling scaling(part);
    const ContactSpace space(part, scaling);
    double speed = 0.0, mass = 0.0;
    for (int i = 0; i < static_cast<int>(part.num_contacts()); ++i) {
      // Bodies without rows of J show the mass that they have alone.
      const int contact = island.contacts[static_cast<std::size_t>(i)];
      double inverse_mass = space.delassus(std::array{i})(2, 2);
      const double least = kRoundingOfMass * inverse_mass;
      for (const BlockSparseMatrix::Block& own :
           problem_.contact_jacobian.block_row(static_cast<std::size_t>(contact))) {
        const std::size_t b = factor_.block_of_row(own.col);
        if (!is_linked(b)) inverse_mass -= inverse_mass_of(own, b);
      }
      // A contact that no linkage or only a fixed one shares shows no mass of it.
      if (!(inverse_mass > std::max(least, kFixedByJoints * scaling.scales.inverse_mass(i)))) {
        continue;
      }
      speed = std::max(speed, space.free_contact_velocity().segment<3>(Index{3} * i).norm());
      mass = std::max(mass, 1.0 / inverse_mass);
    }
    return speed * mass;
  }

 private:
  /// Returns true if rows of J act on an articulation.
  bool is_linked(std::size_t b) {
    if (linked_.empty()) {
      linked_.resize(problem_.mass_matrix.num_blocks(), 0);
      const BlockSparseMatrix& J = problem_.joint_jacobian;
      for (std::size_t r = 0; r < J.num_block_rows(); ++r) {
        for (const BlockSparseMatrix::Block& own : J.block_row(r)) {
          linked_[factor_.block_of_row(own.col)] = 1;
        }
      }
    }
    return linked_[b] != 0;
  }

  /// Returns n M_b^-1 n' of a contact's normal row, by its part at an articulation [1/kg].
  double inverse_mass_of(const BlockSparseMatrix::Block& part, std::size_t b) {
    const auto n = problem_.contact_jacobian.values(part).row(2);
    if (factor_.is_free(b)) {
      const Eigen::Matrix<double, 6, 1> own = n.transpose();
      return factor_.inverse_of_free(b).transpose().lazyProduct(own).squaredNorm();
    }
    const BlockDiagonalMatrix::Block own = factor_.block(b);
    normal_.setZero(own.matrix.rows());
    normal_.segment(part.col - own.offset, part.num_cols) = n.transpose();
    factor_.whiten_block_in_place(b, normal_);
    return normal_.squaredNorm();
  }

  /// Computes the velocities of contacts with the impulses of servos, springs and dampers.
  void add_drives(const ContactSolution& solution) {
    Eigen::VectorXd impulses = solution.bounded_impulses;
    for (std::size_t i = 0; i < problem_.bounded_rows.size(); ++i) {
      if (!is_drive(problem_.bounded_rows[i])) impulses(static_cast<Index>(i)) = 0.0;
    }
    if (impulses.isZero(0.0)) return;
    Eigen::VectorXd change = problem_.bounded_jacobian.transpose_times(impulses);
    factor_.solve_in_place(change);
    driven_velocity_ = problem_.free_velocity + change;
    driven_ = problem_.contact_velocities(driven_velocity_);
  }

  const ContactProblem& problem_;
  BlockDiagonalFactor factor_;
  Eigen::VectorXd free_, driven_;    // velocities of contacts [3 nc]; empty where nothing drives
  Eigen::VectorXd driven_velocity_;  // [nv], or empty
  Eigen::VectorXd normal_;           // scratch
  std::vector<char> linked_;         // by block of M: rows of J act on it; empty: not yet found
};

}  // namespace

SelfLoading self_loading(const ContactProblem& problem, const ContactSolution& solution,
                         double least) {
  SelfLoading worst;
  const int num_contacts = static_cast<int>(problem.num_contacts());
  if (num_contacts == 0) return worst;
  Loads loads(problem, solution);
  const auto pressed = [&](int contact) {
    return solution.impulses(ContactProblem::row(static_cast<std::size_t>(contact)) + 2);
  };
  // The articulations and the speed of a loaded contact alone bound its island's load from below:
  // mostly this clears all contacts, and no island is needed.
  const auto is_clear = [&](int contact) {
    return !(pressed(contact) > 0.0) ||
           pressed(contact) <= least * loads.speed(contact) * loads.largest_mass(contact);
  };
  const auto contacts = std::views::iota(0, num_contacts);
  if (std::all_of(contacts.begin(), contacts.end(), is_clear)) return worst;

  std::vector<double> masses(problem.mass_matrix.num_blocks(), 0.0);
  for (const Island& island : find_islands(problem)) {
    // One contact cannot load itself.
    if (island.contacts.size() < 2) continue;
    double speed = 0.0, most = 0.0;
    int contact = -1;
    for (const int i : island.contacts) {
      speed = std::max(speed, loads.speed(i));
      if (pressed(i) > most) {
        most = pressed(i);
        contact = i;
      }
    }
    if (contact < 0 || most <= least * speed * loads.largest_mass(contact)) continue;
    // The sum over articulations, of the largest mass that each shows to a contact.
    for (const int i : island.contacts) {
      loads.visit_masses(
          i, [&](std::size_t b, double mass) { masses[b] = std::max(masses[b], mass); });
    }
    double mass = 0.0;
    for (const int b : island.blocks) {
      const auto index = static_cast<std::size_t>(b);
      mass += masses[index] > 0.0 ? masses[index]
                                  : problem.mass_matrix.block(index).matrix.diagonal().maxCoeff();
    }
    double load = speed * mass;
    if (most > std::max(least, worst.ratio) * load && !island.joint_rows.empty()) {
      load += loads.through_joints(island);
    }
    const double ratio = most / load;
    if (std::isfinite(ratio) && ratio > worst.ratio) worst = {ratio, contact};
  }
  return worst;
}

}  // namespace amontons
