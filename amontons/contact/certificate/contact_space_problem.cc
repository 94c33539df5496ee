#include "amontons/contact/certificate/contact_space_problem.h"

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/math/small_product.h"

namespace amontons {

using Eigen::Index;

Eigen::MatrixXd symmetric_delassus(const ContactSpaceProblem& problem) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(problem.q.size(), problem.q.size());
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    W.block<3, 3>(3 * block.row, 3 * block.column) += block.value;
  }
  return 0.5 * (W + W.transpose());
}

ContactProblem with_unit_masses(const ContactSpaceProblem& problem) {
  const Index rows = problem.q.size();
  // W = Q D Q' gives J = Q D^(1/2): with unit masses J J' is W.
  const SymmetricEigen eigen = symmetric_eigen(symmetric_delassus(problem));
  const Eigen::MatrixXd J = eigen.vectors * eigen.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  ContactProblem result;
  // Contact i has the rows 3 i to 3 i + 2 of J. Its bias is q, its gap 0.
  result.step = 1.0;
  result.mass_matrix.add_block(Eigen::MatrixXd::Identity(rows, rows));
  result.velocity = Eigen::VectorXd::Zero(rows);
  result.free_velocity = Eigen::VectorXd::Zero(rows);
  result.contact_jacobian = BlockSparseMatrix(rows);
  result.contact_bias = problem.q;
  result.joint_jacobian = BlockSparseMatrix(rows);
  for (int i = 0; i < problem.num_contacts(); ++i) {
    result.contact_jacobian.add_block_row(3);
    result.contact_jacobian.add_block(0, J.middleRows(3 * i, 3));
    Contact contact;
    contact.key.feature = static_cast<std::uint32_t>(i);
    contact.friction = problem.friction(i);
    result.contacts.push_back(contact);
  }
  return result;
}

Eigen::VectorXd contact_velocities(const ContactSpaceProblem& problem,
                                   const Eigen::VectorXd& impulses) {
  Eigen::VectorXd u = problem.q;
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    // Most contacts of a heap are open and add nothing.
    if (!has_impulse(impulses, block.column)) continue;
    add_product(block.value, impulses.data() + 3 * block.column, u.data() + 3 * block.row);
  }
  return u;
}

Certificate vacuous_contact_certificate() {
  Certificate result;
  for (Residual* residual :
       {&result.normal, &result.friction, &result.limit, &result.joint_friction, &result.coulomb,
        &result.inequality, &result.law_distance}) {
    residual->value = 0.0;
  }
  result.set_holds_by_laws(0.0);
  return result;
}

Certificate certify(const ContactSpaceProblem& problem, const ContactLaw& law,
                    const Eigen::VectorXd& impulses, double tolerance) {
  const ContactSpaceIslands islands(problem);
  Certificate result = vacuous_contact_certificate();
  for (std::size_t k = 0; k < islands.size(); ++k) {
    result.merge(certify(problem, islands, k, law, impulses, tolerance));
  }
  return result;
}

}  // namespace amontons
