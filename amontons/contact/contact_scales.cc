#include "amontons/contact/contact_scales.h"

#include "amontons/contact/block_response.h"
#include "amontons/contact/islands.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

/// Sum of the absolute values of the terms of one contact's velocity and gap, its largest row.
double sum_of_terms(const ContactProblem& problem, std::size_t contact) {
  Eigen::Vector3d terms = problem.contact_bias.segment<3>(ContactProblem::row(contact)).cwiseAbs();
  terms.z() += std::abs(problem.stabilized_gap(contact));
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    terms += problem.contact_jacobian.values(block).cwiseAbs() *
             problem.free_velocity.segment(block.col, block.num_cols).cwiseAbs();
  }
  return terms.maxCoeff();
}

}  // namespace

Eigen::VectorXd approach_speeds(const ContactProblem& problem) {
  const Eigen::VectorXd u = problem.contact_jacobian * problem.velocity + problem.contact_bias;
  Eigen::VectorXd approach(static_cast<Index>(problem.num_contacts()));
  for (Index i = 0; i < approach.size(); ++i) approach(i) = -u(3 * i + 2);
  return approach;
}

ContactScales contact_scales(const ContactProblem& problem) {
  const Index nc = static_cast<Index>(problem.num_contacts());
  ContactScales scales{Eigen::VectorXd::Zero(nc), Eigen::VectorXd::Zero(nc)};
  const BlockDiagonalFactor factor(problem.mass_matrix);
  const Eigen::VectorXd free_u =
      problem.contact_jacobian * problem.free_velocity + problem.contact_bias;
  const Eigen::VectorXd approach = approach_speeds(problem);

  Eigen::VectorXd speed(nc);
  for (Index i = 0; i < nc; ++i) {
    const std::size_t contact = static_cast<std::size_t>(i);
    scales.inverse_mass(i) = response_trace(problem.contact_jacobian, contact, factor) / 3.0;
    speed(i) = std::max({free_u.segment<3>(3 * i).norm(), -problem.stabilized_gap(contact),
                         problem.contacts[contact].restitution * approach(i),
                         1e-6 * sum_of_terms(problem, contact)});
  }
  for (const Island& island : find_islands(problem)) {
    double largest = 0.0;
    for (const int i : island.contacts) largest = std::max(largest, speed(i));
    for (const int i : island.contacts) scales.speed(i) = largest;
  }
  return scales;
}

std::vector<char> may_bounce(const ContactProblem& problem, const ContactScales& scales) {
  const Eigen::VectorXd approach = approach_speeds(problem);
  std::vector<char> result(problem.num_contacts(), 0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Index row = static_cast<Index>(i);
    result[i] = problem.contacts[i].restitution > 0.0 && approach(row) > problem.rest_speed &&
                problem.stabilized_gap(i) <= scales.speed(row);
  }
  return result;
}

}  // namespace amontons
