#include "amontons/contact/problem_magnitudes.h"

#include "amontons/contact/number_limits.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace amontons {
namespace {

/// Checks one member of a problem by its largest magnitude.
void check(const char* name, double largest) {
  require_magnitude(std::string("contact problem: ") + name, largest);
}

/// Checks the entries of a Jacobian.
void check(const char* name, const BlockSparseMatrix& jacobian) {
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      check(name, jacobian.values(block).lpNorm<Eigen::Infinity>());
    }
  }
}

}  // namespace

void require_magnitudes(const ContactProblem& problem) {
  // The system: Jacobians, masses, velocities.
  check("contact_jacobian", problem.contact_jacobian);
  check("joint_jacobian", problem.joint_jacobian);
  check("bounded_jacobian", problem.bounded_jacobian);
  for (const BlockDiagonalMatrix::Block& block : problem.mass_matrix.blocks()) {
    check("mass_matrix", block.matrix.lpNorm<Eigen::Infinity>());
  }
  check("free_velocity", problem.free_velocity.lpNorm<Eigen::Infinity>());
  check("velocity", problem.velocity.lpNorm<Eigen::Infinity>());
  check("contact_bias", problem.contact_bias.lpNorm<Eigen::Infinity>());
  check("joint_bias", problem.joint_bias.lpNorm<Eigen::Infinity>());
  // The contacts.
  for (const Contact& contact : problem.contacts) {
    check("gap", std::abs(contact.gap));
    check("friction", contact.friction);
  }
}

}  // namespace amontons
