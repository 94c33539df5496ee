#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <cstddef>

namespace amontons::test {

/// Returns a problem of free bodies, (w, v), in units of which `mass` make a kilogram and `length`
/// a meter: 1e3 and 1e3 for grams and millimeters. Seconds stay. Joints are ball joints.
inline ContactProblem in_units(const ContactProblem& problem, double mass, double length) {
  ContactProblem result = problem;
  for (std::size_t b = 0; b < problem.mass_matrix.num_blocks(); ++b) {
    auto M = result.mass_matrix.mutable_block(b);
    M *= mass;
    M.topRows(3) *= length;
    M.leftCols(3) *= length;
  }
  const auto scaled = [length](const BlockSparseMatrix& jacobian) {
    BlockSparseMatrix rows(jacobian.cols());
    for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
      rows.add_block_row(jacobian.num_rows(r));
      for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
        Eigen::MatrixXd values = jacobian.values(block);
        values.leftCols(3) *= length;
        rows.add_block(block.col, values);
      }
    }
    return rows;
  };
  result.contact_jacobian = scaled(problem.contact_jacobian);
  result.joint_jacobian = scaled(problem.joint_jacobian);
  result.contact_bias *= length;
  result.joint_bias *= length;
  result.joint_error *= length;
  result.rest_speed *= length;
  for (Contact& contact : result.contacts) {
    contact.gap *= length;
    contact.position_W *= length;
  }
  for (Eigen::VectorXd* v : {&result.velocity, &result.free_velocity}) {
    for (Eigen::Index i = 3; i < v->size(); i += 6) v->segment<3>(i) *= length;
  }
  return result;
}

/// Returns velocities of free bodies in the old units.
inline Eigen::VectorXd from_units(Eigen::VectorXd velocity, double length) {
  for (Eigen::Index i = 3; i < velocity.size(); i += 6) velocity.segment<3>(i) /= length;
  return velocity;
}

}  // namespace amontons::test
