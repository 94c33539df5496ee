#include "amontons/optimization/ccp/methods/gauss_seidel.h"

#include "amontons/optimization/ccp/single_polygon_contact.h"

#include <numeric>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Solves one contact with the reactions of all others fixed.
void relax(const ConeProblem& problem, const ConeWorkspace& work, int i, Eigen::VectorXd& r) {
  const std::size_t k = static_cast<std::size_t>(i);
  const SingleCoulombContact& contact = work.contacts[k];
  const Vector3d r_i = r.segment<3>(3 * i);
  const Vector3d response = problem.W->response(i);
  // The velocity at the present reactions; for Coulomb's law less the contact's own part W_ii r_i.
  Vector3d q = response + problem.q.segment<3>(3 * i);
  Vector3d next;
  const Cone& cone = problem.cones[k];
  // Equalities: a correction by the inverse of W_ii's rows.
  if (cone.kind == ConeKind::Equality) {
    next = r_i + contact.solve(q);
  } else if (problem.law == ConeLaw::Associated) {
    next = work.associated[k].solve(r_i, q);
  } else {
    q.noalias() -= problem.W->diagonal(i).lazyProduct(r_i);
    next = cone.polygon != nullptr ? solve_polygon_contact(problem.W->diagonal(i), cone, q)
                                   : contact.solve(q);
  }
  const Vector3d dr = next - r_i;
  // Contacts that do not change cost no update of the others' velocities.
  if (dr.isZero(0.0)) return;
  problem.W->add(i, dr);
  r.segment<3>(3 * i) = next;
}

}  // namespace

void prepare_sweeps(const ConeProblem& problem, ConeWorkspace& work) {
  // Factors of each contact's W_ii, kept over all sweeps.
  const bool associated = problem.law == ConeLaw::Associated;
  work.order.resize(problem.cones.size());
  std::iota(work.order.begin(), work.order.end(), 0);
  work.contacts.resize(problem.cones.size());
  work.associated.resize(associated ? problem.cones.size() : 0);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    if (associated && problem.cones[k].kind == ConeKind::Friction) {
      work.associated[k] = SingleAssociatedContact(problem.W->diagonal(i), problem.cones[k]);
    } else {
      work.contacts[k] = SingleCoulombContact(problem.W->diagonal(i), problem.cones[k]);
    }
  }
}

void sweep(const ConeProblem& problem, const ConeWorkspace& work, std::span<const int> contacts,
           bool forward, Eigen::VectorXd& r) {
  if (forward) {
    for (const int i : contacts) relax(problem, work, i, r);
  } else {
    for (std::size_t k = contacts.size(); k-- > 0;) relax(problem, work, contacts[k], r);
  }
}

ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate) {
  prepare_sweeps(problem, work);
  ConeResult result;
  // Sweeps alternate in direction, so that loads travel up and down a stack.
  problem.W->begin_sweep(iterate.r);
  while (result.iterations < settings.max_sweeps) {
    sweep(problem, work, work.order, result.iterations % 2 == 0, iterate.r);
    ++result.iterations;
    if (result.iterations % settings.check_every != 0 && result.iterations != settings.max_sweeps) {
      continue;
    }
    // The residual costs half a sweep, so it is computed now and then.
    evaluate(problem, iterate);
    if (iterate.residual <= settings.tolerance) {
      result.status = SolveStatus::Converged;
      return result;
    }
  }
  result.status = SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
