#include "amontons/simulation/system/warm_start.h"

#include "amontons/math/rotation.h"
#include "amontons/math/same_bits.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

/// Returns the impulse of a contact in the world. An impulse that equals the last step's, bit for
/// bit in the contact's frame, keeps the last step's world value. Rotating it back would round, and
/// a body at rest would never repeat its bits.
Eigen::Vector3d impulse_in_world(const Contact& contact, const Eigen::Vector3d& impulse,
                                 const std::vector<WarmStartEntry>& last) {
  const Eigen::Matrix3d frame = contact_frame(contact.normal_W);
  const auto it = std::lower_bound(
      last.begin(), last.end(), contact.key,
      [](const WarmStartEntry& entry, const ContactKey& key) { return entry.key < key; });
  if (it != last.end() && it->key == contact.key) {
    const Eigen::Vector3d known = frame.transpose() * it->impulse_W;
    if (same_bits(known, impulse)) return it->impulse_W;
  }
  return frame * impulse;
}

}  // namespace

Eigen::VectorXd transported_warm_start(const State& state, const ContactProblem& problem) {
  Eigen::VectorXd result;
  transport_warm_start(state, problem, result);
  return result;
}

void transport_warm_start(const State& state, const ContactProblem& problem,
                          Eigen::VectorXd& result) {
  const std::vector<WarmStartEntry>& last = state.warm_start;
  if (last.empty()) {
    result.resize(0);
    return;
  }
  const auto nc = static_cast<Eigen::Index>(problem.num_contacts());
  const auto nb = static_cast<Eigen::Index>(problem.bounded_rows.size());
  result.setZero(3 * nc + nb);
  // Both lists are sorted by key, so that one pass finds the matches.
  auto entry = last.begin();
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Contact& contact = problem.contacts[i];
    while (entry != last.end() && entry->key < contact.key) ++entry;
    if (entry == last.end()) break;
    if (entry->key != contact.key) continue;
    result.segment<3>(ContactProblem::row(i)) =
        contact_frame(contact.normal_W).transpose() * entry->impulse_W;
  }
  // Bounded rows have one impulse each and no direction in the world.
  for (Eigen::Index i = 0; i < nb; ++i) {
    const ContactKey key = key_of(problem.bounded_rows[static_cast<std::size_t>(i)]);
    while (entry != last.end() && entry->key < key) ++entry;
    if (entry == last.end()) break;
    if (entry->key == key) result(3 * nc + i) = entry->impulse_W.x();
  }
  // Steps of one length keep the bits of what rests.
  if (problem.step > 0.0 && state.warm_start_step > 0.0 && problem.step != state.warm_start_step) {
    result *= problem.step / state.warm_start_step;
  }
}

void keep_impulses(const ContactProblem& problem, const ContactSolution& solution,
                   const State& last, State& end) {
  std::vector<WarmStartEntry>& kept = end.warm_start;
  kept.clear();
  end.warm_start_step = problem.step;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // Zero is what a contact without an entry starts from.
    const Eigen::Vector3d impulse = solution.impulses.segment<3>(ContactProblem::row(i));
    if (impulse.isZero(0.0)) continue;
    const Contact& contact = problem.contacts[i];
    kept.push_back({contact.key, impulse_in_world(contact, impulse, last.warm_start)});
  }
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const BoundedRow& row = problem.bounded_rows[i];
    const double impulse = solution.bounded_impulses(static_cast<Eigen::Index>(i));
    // A servo below its limit is part of M in the next step.
    const bool inside = row.kind == BoundedRowKind::Servo && std::abs(impulse) < row.upper;
    if (impulse == 0.0 || inside) continue;
    kept.push_back({key_of(row), Eigen::Vector3d(impulse, 0.0, 0.0)});
  }
}

Eigen::VectorXd lasting_impulse(const ContactProblem& problem, const ContactSolution& solution) {
  LastingImpulseWorkspace work;
  Eigen::VectorXd result;
  lasting_impulse(problem, solution, work, result);
  return result;
}

void lasting_impulse(const ContactProblem& problem, const ContactSolution& solution,
                     LastingImpulseWorkspace& work, Eigen::VectorXd& result) {
  constexpr double kShare = 0.5;  // of the approach without impulses [-]
  auto& [at_start, free, impulses] = work;
  problem.contact_velocities(problem.velocity, at_start);
  problem.contact_velocities(problem.free_velocity, free);
  impulses = solution.impulses;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const double approach = -kShare * free[row + 2];
    if (-at_start[row + 2] > approach || -problem.stabilized_gap(i) > approach)
      impulses.segment<3>(row).setZero();
  }
  problem.contact_jacobian.transpose_times(impulses, result);
}

}  // namespace amontons
