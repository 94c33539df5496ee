#include "amontons/models/reactions/jam.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/elementary.h"
#include "amontons/math/stop.h"
#include "amontons/optimization/lp/linear_program.h"

#include <algorithm>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Rounding of a gap, as a share of 1 m and of the position [-].
constexpr double kGapRounding = 1e-9;
// Share of the largest generator below which one counts as zero [-].
constexpr double kNoGenerator = 1e-12;
// Corners of a polygon with an inside.
constexpr int kFewestCorners = 3;
// Linear programs of an island at most: two or three decide nearly all.
constexpr int kMaxRounds = 60;
// Share of all reactions below which one is rounding of the linear program [-].
constexpr double kNoReaction = 1e-9;

/// Holds one generator of the cone of reactions: a corner of a contact's cone, or a limit.
struct Generator {
  int contact = -1, limit = -1;
  Eigen::Vector3d reaction = Eigen::Vector3d::Zero();  ///< of unit normal part
  VectorXd effect;                                     ///< L^-T G'reaction, M = L'L [nv]
};

/// Returns true if the free motion closes a gap within the step.
bool closes(double gap, double rounding, double normal_speed, double step) {
  return gap <= rounding + std::max(0.0, -step * normal_speed);
}

/// Collects generators of an island's contacts and limits that touch: corners of polygons within
/// the friction discs.
class ReactionCone {
 public:
  ReactionCone(const ContactProblem& problem, const ProblemScaling& scaling, int directions)
      : problem_(problem), scaling_(scaling) {
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) add_contact(i, directions);
    for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) add_limit(i);
    keep_acting();
  }

  const std::vector<Generator>& generators() const { return generators_; }

  /// Adds the corner on which a velocity does the least work, for each contact whose round cone has
  /// one without work. The velocity does work on all generators.
  /// @param z  in coordinates in which M is the identity [nv].
  /// @returns false if it does work on all reactions of the round cones.
  bool add_corners_without_work(const VectorXd& z) {
    // Generators of a contact follow each other; new ones are inserted behind them.
    std::vector<Generator> all;
    bool added = false;
    for (std::size_t k = 0; k < generators_.size(); ++k) {
      const int contact = generators_[k].contact;
      all.push_back(std::move(generators_[k]));
      const bool is_last = k + 1 == generators_.size() || generators_[k + 1].contact != contact;
      if (contact < 0 || !is_last) continue;
      const Eigen::Vector3d u = rows_times(static_cast<std::size_t>(contact), z);
      const double friction = problem_.contacts[static_cast<std::size_t>(contact)].friction;
      const double slip = u.head<2>().norm();
      if (u.z() - friction * slip > 0.0 || !(slip > 0.0)) continue;
      const Eigen::Vector2d direction = -u.head<2>() / slip;
      all.push_back(corner(contact, {friction * direction.x(), friction * direction.y(), 1.0}));
      added = true;
    }
    generators_ = std::move(all);
    return added;
  }

 private:
  void add_contact(std::size_t i, int directions) {
    const Contact& contact = problem_.contacts[i];
    const Index row = ContactProblem::row(i);
    const double rounding = kGapRounding * (1.0 + contact.position_W.lpNorm<Eigen::Infinity>());
    if (!closes(contact.gap, rounding, scaling_.free_contact_velocity(row + 2), problem_.step)) {
      return;
    }
    const int corners = contact.friction > 0.0 ? directions : 1;
    check_stop();
    for (int k = 0; k < corners; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / corners;
      generators_.push_back(
          corner(static_cast<int>(i), {contact.friction * elementary::cos(angle),
                                       contact.friction * elementary::sin(angle), 1.0}));
    }
  }

  Generator corner(int contact, const Eigen::Vector3d& reaction) const {
    Generator own;
    own.contact = contact;
    own.effect.setZero(problem_.mass_matrix.size());
    own.reaction = reaction;
    add_rows(scaling_.contact_rows, static_cast<std::size_t>(contact), own.reaction, own.effect);
    return own;
  }

  void add_limit(std::size_t i) {
    const BoundedRow& row = problem_.bounded_rows[i];
    const double speed = scaling_.bounded.free_velocity(static_cast<Index>(i));
    if (row.kind != BoundedRowKind::Limit || !closes(row.gap, kGapRounding, speed, problem_.step)) {
      return;
    }
    Generator own;
    own.limit = static_cast<int>(i);
    own.effect.setZero(problem_.mass_matrix.size());
    add_rows(scaling_.bounded.rows, i, VectorXd::Ones(1), own.effect);
    generators_.push_back(std::move(own));
  }

  /// Removes the reactions without effect on anything that moves, which are no jam of the island.
  void keep_acting() {
    double largest = 0.0;
    for (const Generator& own : generators_) largest = std::max(largest, own.effect.norm());
    std::erase_if(generators_, [largest](const Generator& own) {
      return !(own.effect.norm() > kNoGenerator * largest);
    });
  }

  static void add_rows(const BlockSparseMatrix& rows, std::size_t index,
                       const Eigen::Ref<const VectorXd>& impulse, VectorXd& effect) {
    for (const BlockSparseMatrix::Block& block : rows.block_row(index)) {
      effect.segment(block.col, block.num_cols) += rows.values(block).transpose() * impulse;
    }
  }

  /// Returns the velocity u of a contact [m/s].
  Eigen::Vector3d rows_times(std::size_t contact, const VectorXd& z) const {
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    for (const BlockSparseMatrix::Block& block : scaling_.contact_rows.block_row(contact)) {
      u += scaling_.contact_rows.values(block) * z.segment(block.col, block.num_cols);
    }
    return u;
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  std::vector<Generator> generators_;
};

/// States the linear program: reactions and impulses of J that balance, the reactions' sum is one.
/// Reactions are in units of their effect, so that heavy and light bodies count alike.
LinearProgram balance(const ProblemScaling& scaling, const std::vector<Generator>& generators,
                      Index nv) {
  const std::vector<Index>& joints = scaling.independent_joints.indices;
  const auto ng = static_cast<Index>(generators.size()), nj = static_cast<Index>(joints.size());
  LinearProgram program{VectorXd::Zero(ng + 2 * nj), Eigen::MatrixXd::Zero(nv + 1, ng + 2 * nj),
                        VectorXd::Unit(nv + 1, nv)};
  for (Index k = 0; k < ng; ++k) {
    program.A.col(k).head(nv) = generators[static_cast<std::size_t>(k)].effect.normalized();
    program.A(nv, k) = 1.0;
  }
  // Rows of J act in both senses, and do not count in the sum.
  const Eigen::MatrixXd J = scaling.joint_rows.to_dense();
  for (Index j = 0; j < nj; ++j) {
    const VectorXd row = J.row(joints[static_cast<std::size_t>(j)]).transpose();
    const double size = row.norm();
    if (!(size > 0.0)) continue;
    program.A.col(ng + 2 * j).head(nv) = row / size;
    program.A.col(ng + 2 * j + 1).head(nv) = -row / size;
  }
  return program;
}

/// Returns the reactions of a solution of the linear program, with the indices of the problem.
Jam read_jam(const Island& island, const std::vector<Generator>& generators, const VectorXd& y) {
  const auto ng = static_cast<Index>(generators.size());
  VectorXd amounts = y.head(ng);
  for (Index k = 0; k < ng; ++k)
    amounts(k) /= generators[static_cast<std::size_t>(k)].effect.norm();
  const double sum = amounts.sum();
  Jam jam;
  std::vector<Eigen::Vector3d> reactions;
  for (Index k = 0; k < ng; ++k) {
    const double amount = amounts(k) / sum;
    if (!(amount > kNoReaction)) continue;
    const Generator& own = generators[static_cast<std::size_t>(k)];
    if (own.limit >= 0) {
      jam.limits.push_back(island.bounded_rows[static_cast<std::size_t>(own.limit)]);
      jam.limit_reactions.push_back(amount);
      continue;
    }
    // The generators of a contact follow each other.
    const int contact = island.contacts[static_cast<std::size_t>(own.contact)];
    if (jam.contacts.empty() || jam.contacts.back() != contact) {
      jam.contacts.push_back(contact);
      reactions.push_back(Eigen::Vector3d::Zero());
    }
    reactions.back() += amount * own.reaction;
  }
  jam.reactions.resize(3, static_cast<Index>(reactions.size()));
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    jam.reactions.col(static_cast<Index>(i)) = reactions[i];
  }
  return jam;
}

/// Returns the velocity that belongs to multipliers p of the program, which prove it infeasible:
/// p_nv > 0 and p'A <= 0. In the coordinates in which M is the identity it is -p without its last
/// entry.
OpeningVelocity opening_velocity(const ContactProblem& problem, const Island& island,
                                 const ProblemScaling& scaling,
                                 const std::vector<Generator>& generators, const VectorXd& p) {
  OpeningVelocity result;
  for (const Generator& own : generators) {
    std::vector<int>& list = own.limit >= 0 ? result.limits : result.contacts;
    const int index = own.limit >= 0 ? island.bounded_rows[static_cast<std::size_t>(own.limit)]
                                     : island.contacts[static_cast<std::size_t>(own.contact)];
    if (list.empty() || list.back() != index) list.push_back(index);
  }
  // The velocity of the island, then its place in the whole.
  Eigen::MatrixXd own = -p.head(p.size() - 1).normalized();
  scaling.mass_factor.unwhiten_in_place(own);
  result.velocity.setZero(problem.mass_matrix.size());
  Index first = 0;
  for (const int index : island.blocks) {
    const auto block = problem.mass_matrix.blocks()[static_cast<std::size_t>(index)];
    const Index size = block.matrix.rows();
    result.velocity.segment(block.offset, size) = own.col(0).segment(first, size);
    first += size;
  }
  return result;
}

/// Examines one island. Each linear program adds the corners of the round cones that the last one
/// lacked, until its reactions balance or its velocity does work on all of the round cones.
void examine(const ContactProblem& problem, const Island& island, const JamSettings& settings,
             JamSearch& search) {
  const ContactProblem part = extract(problem, island);
  const ProblemScaling scaling(part);
  const Index nv = part.mass_matrix.size();
  // The fewest corners tell if anything touches; islands that are too large need no others.
  const bool is_small = nv <= settings.max_velocities;
  ReactionCone cone(part, scaling, is_small ? settings.directions : kFewestCorners);
  const std::vector<Generator>& generators = cone.generators();
  if (generators.empty()) return;
  ++search.num_examined;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!is_small || static_cast<int>(generators.size()) > settings.max_generators) break;
    const LinearProgramSolution solution = solve_linear_program(balance(scaling, generators, nv));
    if (solution.status == SolveStatus::Converged) {
      search.jams.push_back(read_jam(island, generators, solution.y));
      return;
    }
    if (!solution.infeasibility) break;
    if (!cone.add_corners_without_work(-solution.infeasibility->head(nv))) {
      search.openings.push_back(
          opening_velocity(problem, island, scaling, generators, *solution.infeasibility));
      return;
    }
  }
  ++search.num_skipped;
}

}  // namespace

JamSearch find_jams(const ContactProblem& problem, const JamSettings& settings) {
  if (settings.directions < kFewestCorners) {
    throw std::invalid_argument("find_jams: directions is " + std::to_string(settings.directions) +
                                ", must be at least " + std::to_string(kFewestCorners));
  }
  JamSearch search;
  for (const Island& island : find_islands(problem)) examine(problem, island, settings, search);
  return search;
}

}  // namespace amontons
