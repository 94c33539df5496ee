#include "amontons/io/verify/verify_island.h"

#include "amontons/contact/certificate/law_distance.h"
#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/models/islands/islandwise_solver.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;

/// Returns the mass block of an articulation.
BlockDiagonalMatrix::Block block_of(const ContactProblem& problem, int index) {
  return problem.mass_matrix.block(static_cast<std::size_t>(index));
}

/// Copies the multipliers of maximum dissipation that belong to an island.
void extract_witnesses(const Island& island, const ContactSolution& whole,
                       ContactSolution& solution) {
  if (whole.witnesses.empty()) return;
  solution.witnesses.resize(solution.has_two_phases() ? 2 : 1);
  for (std::size_t phase = 0; phase < solution.witnesses.size(); ++phase) {
    // Witnesses of contacts come first, those of bounded rows follow.
    for (const int contact : island.contacts) {
      solution.witnesses[phase].push_back(
          whole.witnesses[phase][static_cast<std::size_t>(contact)]);
    }
    for (const int row : island.bounded_rows) {
      solution.witnesses[phase].push_back(
          whole.witnesses[phase][whole.modes.size() + static_cast<std::size_t>(row)]);
    }
  }
}

/// Copies the shares of the rebound that belong to an island, where any is below 1.
void extract_shares(const Island& island, const ContactSolution& whole, ContactSolution& solution) {
  if (whole.restitution_shares.size() == 0) return;
  const auto nc = static_cast<Index>(whole.modes.size());
  solution.restitution_shares.resize(
      static_cast<Index>(island.contacts.size() + island.bounded_rows.size()));
  Index next = 0;
  for (const int i : island.contacts) {
    solution.restitution_shares(next++) = whole.restitution_shares(i);
  }
  for (const int i : island.bounded_rows) {
    solution.restitution_shares(next++) = whole.restitution_shares(nc + i);
  }
}

/// Returns the law that the contacts of an island claim.
/// @throws std::invalid_argument if they claim different ones.
LawKind law_of(const Island& island, const ContactSolution& whole) {
  if (island.contacts.empty()) return whole.law.kind;
  const LawKind law = whole.law_of(static_cast<std::size_t>(island.contacts.front()));
  for (const int contact : island.contacts) {
    if (whole.law_of(static_cast<std::size_t>(contact)) == law) continue;
    throw std::invalid_argument("contacts of one island claim different laws");
  }
  return law;
}

/// Returns the part of a solution that belongs to an island: the reverse of
/// contact/islands/islands.h, scatter().
ContactSolution extract_solution(const ContactProblem& problem, const Island& island,
                                 const ContactProblem& part, const ContactSolution& whole) {
  ContactSolution solution;
  solution.status = whole.status;
  solution.law = whole.law;
  solution.law.kind = law_of(island, whole);
  // Velocities of the island's articulations, block by block.
  solution.velocity.resize(part.mass_matrix.size());
  Index next = 0;
  for (const int b : island.blocks) {
    const Index n = block_of(problem, b).matrix.rows();
    solution.velocity.segment(next, n) = whole.velocity.segment(block_of(problem, b).offset, n);
    next += n;
  }
  // Impulses [N s] of contacts, and their parts before restitution under Poisson's law.
  const bool two_phases = whole.has_two_phases();
  solution.impulses.resize(part.contact_jacobian.rows());
  Eigen::VectorXd compression(two_phases ? solution.impulses.size() : 0);
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const auto contact = static_cast<std::size_t>(island.contacts[i]);
    const Index to = ContactProblem::row(i), from = ContactProblem::row(contact);
    solution.impulses.segment<3>(to) = whole.impulses.segment<3>(from);
    if (two_phases) compression.segment<3>(to) = whole.compression_impulses.segment<3>(from);
    solution.modes.push_back(whole.modes[contact]);
  }
  // The same for the bounded rows of joints.
  const auto nb = static_cast<Index>(island.bounded_rows.size());
  solution.bounded_impulses.resize(nb);
  Eigen::VectorXd bounded_compression(two_phases ? nb : 0);
  for (Index i = 0; i < nb; ++i) {
    const int row = island.bounded_rows[static_cast<std::size_t>(i)];
    solution.bounded_impulses(i) = whole.bounded_impulses(row);
    if (two_phases) bounded_compression(i) = whole.bounded_compression(row);
    solution.bounded_modes.push_back(whole.bounded_modes[static_cast<std::size_t>(row)]);
  }
  // An island where nothing bounced was solved in one phase; the whole then repeats its impulses.
  // What bounced has two, though they are equal where no rebound is left.
  const bool bounced = any_impact(solution) && !is_collision_law(solution.law.kind);
  if (two_phases && (bounced || compression != solution.impulses ||
                     bounded_compression != solution.bounded_impulses)) {
    solution.compression_impulses = compression;
    solution.bounded_compression = bounded_compression;
  }
  // Shares of the rebound, witnesses, and impulses of the loop joints.
  extract_shares(island, whole, solution);
  extract_witnesses(island, whole, solution);
  solution.joint_impulses.resize(part.joint_jacobian.rows());
  next = 0;
  for (const int row : island.joint_rows) {
    const auto r = static_cast<std::size_t>(row);
    const Index n = problem.joint_jacobian.num_rows(r);
    solution.joint_impulses.segment(next, n) =
        whole.joint_impulses.segment(problem.joint_jacobian.first_row(r), n);
    next += n;
  }
  return solution;
}

/// Returns the largest |v - v_free| / (|v| + |v_free|) of articulations outside all islands [-].
double free_deviation(const ContactProblem& problem, const ContactSolution& solution,
                      const std::vector<Island>& islands) {
  // Articulations of an island are evaluated by its certificate.
  std::vector<char> in_island(problem.mass_matrix.blocks().size(), 0);
  for (const Island& island : islands) {
    for (const int b : island.blocks) in_island[static_cast<std::size_t>(b)] = 1;
  }
  double worst = 0.0;
  for (std::size_t b = 0; b < in_island.size(); ++b) {
    if (in_island[b] != 0) continue;
    const BlockDiagonalMatrix::Block& block = problem.mass_matrix.blocks()[b];
    const Index n = block.matrix.rows();
    const Eigen::VectorXd v = solution.velocity.segment(block.offset, n);
    const Eigen::VectorXd v_free = problem.free_velocity.segment(block.offset, n);
    const double difference = (v - v_free).norm();
    if (difference > 0.0) worst = std::max(worst, difference / (v.norm() + v_free.norm()));
  }
  return worst;
}

/// Returns the recorded multipliers: one list per phase, contacts first, then bounded rows.
std::vector<std::vector<DissipationWitness>> recorded_witnesses(const RunRow& row,
                                                                bool two_phases) {
  std::vector<std::vector<DissipationWitness>> witnesses(two_phases ? 2 : 1);
  for (const RunContact& contact : row.contacts) {
    const auto add = [&contact](const Eigen::Vector3d& own,
                                std::vector<DissipationWitness>& witness) {
      witness.push_back({own.x(), own.y(), own.z(), contact.restitution_share});
    };
    add(contact.witness, witnesses.back());
    if (two_phases) add(contact.first_witness, witnesses.front());
  }
  for (const RunBoundedRow& bounded : row.bounded_rows) {
    const Eigen::Vector3d &own = bounded.witness, &first = bounded.first_witness;
    const double share = bounded.restitution_share;
    witnesses.back().push_back({own.x(), own.y(), own.z(), share});
    if (two_phases) witnesses.front().push_back({first.x(), first.y(), first.z(), share});
  }
  return witnesses;
}

}  // namespace

bool any_impact(const ContactSolution& solution) {
  const auto is_impact = [](ContactMode mode) { return mode == ContactMode::Impact; };
  return std::any_of(solution.modes.begin(), solution.modes.end(), is_impact) ||
         std::any_of(solution.bounded_modes.begin(), solution.bounded_modes.end(), is_impact);
}

ContactSolution recorded_solution(const RunRow& row, const ContactProblem& problem) {
  ContactSolution solution;
  // Facts of the whole step.
  solution.status = row.status;
  solution.law = row.law;
  solution.velocity = row.v;
  solution.joint_impulses = row.joint_impulse;
  // Impulses of the contacts, in the frame (t1, t2, n) [N s].
  solution.impulses.resize(problem.contact_jacobian.rows());
  Eigen::VectorXd compression(solution.impulses.size());
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    solution.impulses.segment<3>(ContactProblem::row(i)) = row.contacts[i].impulse;
    compression.segment<3>(ContactProblem::row(i)) = row.contacts[i].compression;
    solution.modes.push_back(row.contacts[i].mode);
    solution.contact_laws.push_back(row.contacts[i].law);
  }
  // Impulses of the bounded rows [N s or N m s].
  const auto nb = static_cast<Index>(row.bounded_rows.size());
  solution.bounded_impulses.resize(nb);
  Eigen::VectorXd bounded_compression(nb);
  for (Index i = 0; i < nb; ++i) {
    const RunBoundedRow& bounded = row.bounded_rows[static_cast<std::size_t>(i)];
    solution.bounded_impulses(i) = bounded.impulse;
    bounded_compression(i) = bounded.compression;
    solution.bounded_modes.push_back(bounded.mode);
  }
  // Only Poisson's law has a first phase; elsewhere zeros were recorded.
  if (!compression.isZero(0.0) || !bounded_compression.isZero(0.0)) {
    solution.compression_impulses = compression;
    solution.bounded_compression = bounded_compression;
  }
  // Shares of the rebound, of contacts and then of bounded rows; maximum dissipation has them in
  // its witnesses.
  solution.restitution_shares.resize(static_cast<Index>(row.contacts.size()) + nb);
  Index next = 0;
  for (const RunContact& contact : row.contacts) {
    solution.restitution_shares(next++) = contact.restitution_share;
  }
  for (const RunBoundedRow& bounded : row.bounded_rows) {
    solution.restitution_shares(next++) = bounded.restitution_share;
  }
  if (dissipates_most(row.law.kind) ||
      std::any_of(solution.contact_laws.begin(), solution.contact_laws.end(), dissipates_most)) {
    solution.witnesses = recorded_witnesses(row, solution.has_two_phases());
  }
  return solution;
}

Certificate certify_islands(const ContactProblem& problem, const ContactSolution& solution,
                            double tolerance, const ContactLaw* asked,
                            const std::function<void(const IslandPart&)>& visit) {
  const std::vector<Island> islands = islands_of_law(problem, solution.law.kind);
  Certificate result = vacuous_certificate();
  for (std::size_t k = 0; k < islands.size(); ++k) {
    const Island& island = islands[k];
    // Each island has scales of its own: evaluated as a whole, a light one could hide in a heavy
    // one.
    const ContactProblem part = extract(problem, island);
    const ProblemScaling scaling(part);
    const ContactSolution own = extract_solution(problem, island, part, solution);
    Certificate certificate = certify(part, scaling, own, tolerance);
    if (asked != nullptr) {
      certificate.law_distance = law_distance(part, scaling, own, certificate, *asked, tolerance);
    }
    if (visit) visit({island, part, scaling, own});
    // The places of the largest residuals are those of the whole problem again.
    restore_indices(problem, island, certificate);
    if (k == 0) {
      result = certificate;
    } else {
      result.merge(certificate);
    }
  }
  // Articulations outside all islands add to the residual of the equations of motion.
  const double free_residual = free_deviation(problem, solution, islands);
  if (!(free_residual <= result.dynamics.value)) result.dynamics = {free_residual, -1};
  result.require(free_residual <= tolerance);
  return result;
}

}  // namespace amontons::io
