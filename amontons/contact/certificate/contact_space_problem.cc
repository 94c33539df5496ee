#include "amontons/contact/certificate/contact_space_problem.h"

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/math/small_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Index;

// Rounding of a pivot after r steps of Cholesky's method at unit diagonal, as a share of r [-].
constexpr double kPivotRounding = 4.0 * std::numeric_limits<double>::epsilon();

/// Returns powers of two d_i that bring the diagonal of W to [1/2, 2] as W_ij / (d_i d_j), exactly;
/// 1 where the diagonal is zero.
Eigen::VectorXd unit_scales(const Eigen::MatrixXd& W) {
  Eigen::VectorXd d = Eigen::VectorXd::Ones(W.rows());
  for (Index i = 0; i < W.rows(); ++i) {
    if (W(i, i) > 0.0) d(i) = std::exp2(std::round(0.5 * std::log2(W(i, i))));
  }
  return d;
}

/// Returns J [n x r] with W = J J' up to rounding and r the rank of W, by Cholesky's method with
/// complete pivoting at unit diagonal. Rows of W that are zero or
/// repeat another stay so bit by bit, which eigenvectors would blur: pivoting on the blur fails.
/// Negative parts of W, which are rounding, are dropped, and with them what is no larger.
Eigen::MatrixXd low_rank_root(const Eigen::MatrixXd& W) {
  const Index n = W.rows();
  const Eigen::VectorXd d = unit_scales(W);
  const Eigen::VectorXd inverse = d.cwiseInverse();
  Eigen::MatrixXd left = inverse.asDiagonal() * W * inverse.asDiagonal();
  for (Index i = 0; i < n; ++i) {
    if (W(i, i) > 0.0) continue;
    left.row(i).setZero();
    left.col(i).setZero();
  }
  Eigen::MatrixXd J(n, n);
  Index rank = 0;
  for (; rank < n; ++rank) {
    Index next = 0;
    const double pivot = left.diagonal().maxCoeff(&next);
    const double rounding = kPivotRounding * static_cast<double>(n);
    if (!(pivot > std::max(rounding, -left.diagonal().minCoeff()))) break;
    const Eigen::VectorXd column = left.col(next) / std::sqrt(pivot);
    left.noalias() -= column * column.transpose();
    left.row(next).setZero();
    left.col(next).setZero();
    J.col(rank) = d.cwiseProduct(column);
  }
  return J.leftCols(rank);
}

}  // namespace

Eigen::MatrixXd symmetric_delassus(const ContactSpaceProblem& problem) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(problem.q.size(), problem.q.size());
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    W.block<3, 3>(3 * block.row, 3 * block.column) += block.value;
  }
  return 0.5 * (W + W.transpose());
}

ContactProblem with_unit_masses(const ContactSpaceProblem& problem) {
  // With unit masses J J' is W. A body without any coordinate would be none.
  Eigen::MatrixXd J = low_rank_root(symmetric_delassus(problem));
  if (J.cols() == 0) J.setZero(problem.q.size(), 1);
  const Index size = J.cols();
  ContactProblem result;
  // Contact i has the rows 3 i to 3 i + 2 of J. Its bias is q, its gap 0.
  result.step = 1.0;
  result.mass_matrix.add_block(Eigen::MatrixXd::Identity(size, size));
  result.velocity = Eigen::VectorXd::Zero(size);
  result.free_velocity = Eigen::VectorXd::Zero(size);
  result.contact_jacobian = BlockSparseMatrix(size);
  result.contact_bias = problem.q;
  result.joint_jacobian = BlockSparseMatrix(size);
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
