#include "amontons/models/reactions/island_reactions.h"

#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/math/independent_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

/// Returns sqrt(w), and 1 for contacts that move nothing.
VectorXd roots_of(const VectorXd& inverse_masses) {
  return (inverse_masses.array() > 0.0).select(inverse_masses.cwiseSqrt(), 1.0);
}

/// Returns X with X'X = D A D, D = 1/sqrt(w): the rows of its pivoted Cholesky factor.
Sparse root_of(MatrixXd A, const VectorXd& roots) {
  /// Entries of X, of size 1, below this are rounding [-].
  constexpr double kEntryRounding = 1e-14;
  VectorXd scale(A.rows());
  for (Index i = 0; i < roots.size(); ++i) scale.segment<3>(3 * i).setConstant(1.0 / roots(i));
  A = scale.asDiagonal() * A * scale.asDiagonal();
  for (Index i = 0; i < A.rows(); ++i) {
    // A row that the joints fix has only rounding of its own.
    if (A(i, i) > kFixedByJoints) continue;
    A.row(i).setZero();
    A.col(i).setZero();
  }
  // A = L L' on the independent rows gives X = L^-1 A of these rows.
  const IndependentRows rows = independent_rows(A);
  const MatrixXd X =
      rows.factor.triangularView<Eigen::Lower>().solve(MatrixXd(A(rows.indices, Eigen::all)));
  return X.sparseView(1.0, kEntryRounding);
}

/// Returns X of an island without loop joints: its rows of G', G = J L^-1.
Sparse transposed_rows(const ContactProblem& problem, const BlockSparseMatrix& G,
                       const Island& island, const VectorXd& roots) {
  std::map<Index, Index> offsets;  // first column of a block: whole problem -> island
  Index size = 0;
  for (const int block : island.blocks) {
    const BlockDiagonalMatrix::Block own =
        problem.mass_matrix.block(static_cast<std::size_t>(block));
    offsets[own.offset] = size;
    size += own.matrix.rows();
  }
  // Column 3 k + i of X is row i of contact k, divided by sqrt(w_k).
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const Index column = 3 * static_cast<Index>(k);
    for (const BlockSparseMatrix::Block& block :
         G.block_row(static_cast<std::size_t>(island.contacts[k]))) {
      const MatrixXd values = G.values(block) / roots(static_cast<Index>(k));
      const Index row = offsets.at(block.col);
      for (Index j = 0; j < values.cols(); ++j) {
        for (Index i = 0; i < 3; ++i) {
          if (values(i, j) != 0.0) entries.emplace_back(row + j, column + i, values(i, j));
        }
      }
    }
  }
  Sparse X(size, 3 * static_cast<Index>(island.contacts.size()));
  X.setFromTriplets(entries.begin(), entries.end());
  return X;
}

// Impulse w p_n / V up to which a contact bears no load, and has no drag [-].
constexpr double kLoadTolerance = 1e-8;

/// Returns a contact in the state that its law reads: dry impulse, velocity, s of gap or rebound.
ContactState point_of(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactSolution& solution, const VectorXd& u, double drag_share,
                      int i) {
  const std::size_t contact = static_cast<std::size_t>(i);
  const Contact& own = problem.contacts[contact];
  ContactState point{solution.impulses.segment<3>(3 * i),
                     u.segment<3>(3 * i),
                     scaling.gap_speeds(i),
                     own.friction,
                     scaling.scales.inverse_mass(i),
                     0.0};
  // The law holds for the impulse without the drag -theta h mu_v u_t.
  point.impulse.head<2>() += drag_share * viscous_drag(problem, contact) * point.velocity.head<2>();
  const double share =
      solution.restitution_shares.size() > 0 ? solution.restitution_shares(i) : 1.0;
  point.gap_speed = restituted_gap_speed(point.gap_speed, scaling.rebound.speed(i),
                                         scaling.may_bounce[contact], own.restitution > 0.0, share);
  // A contact beyond the activation gap is open, whatever its velocity.
  if (own.gap > solution.law.activation_gap) {
    point.gap_speed = std::numeric_limits<double>::infinity();
  }
  return point;
}

}  // namespace

std::vector<IslandReactions> island_reactions(const ContactProblem& problem,
                                              const ProblemScaling& scaling,
                                              const ContactSolution& solution) {
  if (solution.compression_impulses.size() > 0) {
    throw std::invalid_argument("island answers: Poisson restitution acts in two phases");
  }
  // Only loop joints need the contact space of the problem.
  std::optional<ContactSpace> space;
  if (problem.joint_jacobian.rows() > 0) space.emplace(problem, scaling);
  const VectorXd u = problem.contact_velocities(solution.velocity);
  const VectorXd drag_shares = contact_drag(problem, scaling, solution, kLoadTolerance).shares;
  std::vector<IslandReactions> result;
  for (const Island& island : find_islands(problem)) {
    if (island.contacts.empty()) continue;
    IslandReactions reactions;
    reactions.contacts = island.contacts;
    reactions.speeds = scaling.scales.speed(island.contacts);
    reactions.roots = roots_of(scaling.scales.inverse_mass(island.contacts));
    for (const int i : island.contacts) {
      reactions.points.push_back(point_of(problem, scaling, solution, u, drag_shares(i), i));
    }
    // X'X = D A D: rows of G' where the bodies are known, else a factor of A.
    reactions.X = island.joint_rows.empty()
                      ? transposed_rows(problem, scaling.contact_rows, island, reactions.roots)
                      : root_of(space->delassus(island.contacts), reactions.roots);
    result.push_back(std::move(reactions));
  }
  return result;
}

std::vector<IslandReactions> island_reactions(const ContactSpaceProblem& problem,
                                              const VectorXd& impulses) {
  const ContactSpaceIslands islands(problem);
  std::vector<IslandReactions> result;
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const ContactSpaceProblem part = extract(problem, islands, k);
    const MatrixXd W = symmetric_delassus(part);
    const Index n = part.num_contacts();
    IslandReactions reactions;
    reactions.contacts.assign(islands.contacts(k).begin(), islands.contacts(k).end());
    // w from the diagonal of W, V the largest free speed of the island.
    VectorXd own(3 * n), w(n);
    double V = 0.0;
    for (Index i = 0; i < n; ++i) {
      own.segment<3>(3 * i) =
          impulses.segment<3>(3 * reactions.contacts[static_cast<std::size_t>(i)]);
      w(i) = W.block<3, 3>(3 * i, 3 * i).trace() / 3.0;
      V = std::max(V, part.q.segment<3>(3 * i).norm());
    }
    const VectorXd u = contact_velocities(part, own);
    for (Index i = 0; i < n; ++i) {
      reactions.points.push_back(
          {own.segment<3>(3 * i), u.segment<3>(3 * i), 0.0, part.friction(i), w(i), 0.0});
    }
    reactions.speeds = VectorXd::Constant(n, V > 0.0 ? V : 1.0);
    reactions.roots = roots_of(w);
    reactions.X = root_of(W, reactions.roots);
    result.push_back(std::move(reactions));
  }
  return result;
}

}  // namespace amontons
