#include "amontons/contact/contact_space_problem.h"

#include "amontons/contact/law_residual.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/math/regular_polygon.h"

#include <algorithm>
#include <map>

namespace amontons {
namespace {

using Eigen::Index;

Eigen::VectorXd inverse_masses(const ContactSpaceProblem& problem) {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(problem.num_contacts());
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    if (block.row == block.column) w(block.row) += block.value.trace() / 3.0;
  }
  return w;
}

}  // namespace

std::vector<std::vector<int>> find_islands(const ContactSpaceProblem& problem) {
  DisjointSets sets(static_cast<std::size_t>(problem.num_contacts()));
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    sets.join(block.row, block.column);
  }
  std::map<int, std::vector<int>> islands;
  for (int i = 0; i < problem.num_contacts(); ++i) islands[sets.root(i)].push_back(i);
  std::vector<std::vector<int>> result;
  for (auto& [first, contacts] : islands) result.push_back(std::move(contacts));
  return result;
}

ContactSpaceProblem extract(const ContactSpaceProblem& problem, const std::vector<int>& contacts) {
  std::vector<int> place(static_cast<std::size_t>(problem.num_contacts()), -1);
  ContactSpaceProblem part;
  part.q.resize(3 * static_cast<Index>(contacts.size()));
  part.friction.resize(static_cast<Index>(contacts.size()));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Index own = static_cast<Index>(k);
    place[static_cast<std::size_t>(contacts[k])] = static_cast<int>(k);
    part.q.segment<3>(3 * own) = problem.q.segment<3>(3 * contacts[k]);
    part.friction(own) = problem.friction(contacts[k]);
  }
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    const int row = place[static_cast<std::size_t>(block.row)];
    const int column = place[static_cast<std::size_t>(block.column)];
    if (row >= 0 && column >= 0) part.blocks.push_back({row, column, block.value});
  }
  return part;
}

ContactProblem with_unit_masses(const ContactSpaceProblem& problem) {
  const Index rows = problem.q.size();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows, rows);
  for (const ContactSpaceProblem::Block& block : problem.blocks) {
    W.block<3, 3>(3 * block.row, 3 * block.column) += block.value;
  }
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (W + W.transpose()));
  const Eigen::MatrixXd J = eigen.vectors * eigen.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  ContactProblem result;
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
    u.segment<3>(3 * block.row) += block.value * impulses.segment<3>(3 * block.column);
  }
  return u;
}

Certificate certify(const ContactSpaceProblem& problem, const ContactLaw& law,
                    const Eigen::VectorXd& impulses, double tolerance) {
  const Eigen::VectorXd u = contact_velocities(problem, impulses);
  const Eigen::VectorXd w = inverse_masses(problem);
  const Eigen::Matrix2Xd directions =
      law.kind == LawKind::Pyramid || law.kind == LawKind::ConvexPyramid
          ? polygon_directions(law.directions)
          : Eigen::Matrix2Xd();
  Certificate result;
  for (Figure* figure : {&result.normal, &result.friction, &result.coulomb}) figure->value = 0.0;
  for (const std::vector<int>& island : find_islands(problem)) {
    double V = 0.0;
    for (const int i : island) V = std::max(V, problem.q.segment<3>(3 * i).norm());
    if (!(V > 0.0)) V = 1.0;
    for (const int i : island) {
      const ContactPoint point{
          impulses.segment<3>(3 * i), u.segment<3>(3 * i), 0.0, problem.friction(i), w(i), 0.0};
      const LawResidual residual = law_residual(law.kind, directions, point);
      result.normal.raise(residual.normal, V, i);
      result.friction.raise(residual.friction, V, i);
      result.coulomb.raise(de_saxce_residual(point), V, i);
    }
  }
  result.claimed = result.normal.value <= tolerance && result.friction.value <= tolerance;
  return result;
}

}  // namespace amontons
