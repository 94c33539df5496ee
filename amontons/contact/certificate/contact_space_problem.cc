#include "amontons/contact/certificate/contact_space_problem.h"

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/number_limits.h"
#include "amontons/math/small_product.h"
#include "amontons/optimization/programs/low_rank_root.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;

// Entries rounded to single precision move an eigenvalue by less than this share of the largest sum
// of absolute entries in a row [-].
constexpr double kEntryRounding = 1e-6;

/// Checks sizes and numbers of W, q and mu.
void check_numbers(const Eigen::SparseMatrix<double>& W, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& friction) {
  const Index nc = friction.size();
  if (W.rows() != 3 * nc || W.cols() != 3 * nc || q.size() != 3 * nc) {
    throw std::invalid_argument("for " + std::to_string(nc) +
                                " contacts W has 3 nc rows and columns, and q 3 nc entries");
  }
  const Eigen::Map<const Eigen::VectorXd> entries(W.valuePtr(), W.nonZeros());
  if (!entries.allFinite() || !q.allFinite()) {
    throw std::invalid_argument("W and q must be finite");
  }
  if (!friction.allFinite() || (nc > 0 && friction.minCoeff() < 0.0)) {
    throw std::invalid_argument("friction must be finite and not negative");
  }
  const auto largest = [](const auto& values) {
    return values.size() == 0 ? 0.0 : values.cwiseAbs().maxCoeff();
  };
  require_magnitude("W", largest(entries));
  require_magnitude("q", largest(q));
  require_magnitude("friction", largest(friction));
}

/// Returns the largest sum of absolute entries in a row of an island's W [1/kg].
double largest_row(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                   std::size_t island) {
  double largest = 0.0;
  for (std::size_t k = 0; k < islands.contacts(island).size(); ++k) {
    Eigen::Vector3d sums = Eigen::Vector3d::Zero();
    for (const int b : islands.row(island, k)) {
      sums += problem.blocks[static_cast<std::size_t>(b)].value.cwiseAbs().rowwise().sum();
    }
    largest = std::max(largest, sums.maxCoeff());
  }
  return largest;
}

/// Returns true if W of an island is positive semidefinite up to rounding of its entries: with
/// kEntryRounding added to its diagonal, in parts of the largest row, it has a Cholesky factor.
bool is_semidefinite(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                     std::size_t island) {
  const double size = largest_row(problem, islands, island);
  if (size == 0.0) return true;
  const std::span<const int> contacts = islands.contacts(island);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int row = 3 * static_cast<int>(k);
    for (int a = 0; a < 3; ++a) entries.emplace_back(row + a, row + a, kEntryRounding);
    for (const int b : islands.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
      const int column = 3 * islands.place(block.column);
      for (int a = 0; a < 9; ++a) {
        entries.emplace_back(row + a / 3, column + a % 3, block.value(a / 3, a % 3) / size);
      }
    }
  }
  const Index n = 3 * static_cast<Index>(contacts.size());
  Eigen::SparseMatrix<double> shifted(n, n);
  shifted.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(shifted);
  return factor.info() == Eigen::Success;
}

}  // namespace

ContactSpaceProblem contact_space_problem(const Eigen::SparseMatrix<double>& W,
                                          const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& friction) {
  check_numbers(W, q, friction);
  ContactSpaceProblem problem;
  problem.q = q;
  problem.friction = friction;
  // The symmetric part, gathered by pairs of contacts.
  std::map<std::pair<int, int>, Eigen::Matrix3d> blocks;
  const Eigen::Matrix3d zero = Eigen::Matrix3d::Zero();
  for (int i = 0; i < problem.num_contacts(); ++i) blocks.try_emplace({i, i}, zero);
  for (Index column = 0; column < W.outerSize(); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(W, column); entry; ++entry) {
      if (entry.value() == 0.0) continue;
      const int i = static_cast<int>(entry.row() / 3), j = static_cast<int>(column / 3);
      const Index a = entry.row() % 3, b = column % 3;
      blocks.try_emplace({i, j}, zero).first->second(a, b) += 0.5 * entry.value();
      blocks.try_emplace({j, i}, zero).first->second(b, a) += 0.5 * entry.value();
    }
  }
  for (const auto& [place, value] : blocks) {
    problem.blocks.push_back({place.first, place.second, value});
  }
  // Every model takes W for J M^-1 J'; what no bodies have is refused by its island.
  const ContactSpaceIslands islands(problem);
  for (std::size_t island = 0; island < islands.size(); ++island) {
    if (is_semidefinite(problem, islands, island)) continue;
    const std::span<const int> contacts = islands.contacts(island);
    throw std::invalid_argument(
        "W is not positive semidefinite, beyond the rounding of single precision, among the " +
        std::to_string(contacts.size()) + " contacts coupled to contact " +
        std::to_string(contacts.front()) + "; give J M^-1 J'");
  }
  return problem;
}

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
