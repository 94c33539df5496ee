#include "amontons/optimization/ccp/methods/gauss_seidel.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/single_polygon_contact.h"

#include <numeric>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Solves one contact with the reactions of all others fixed.
/// @param W  the problem's operator, or its rows.
template <typename Operator>
void relax(const ConeProblem& problem, ConeWorkspace& work, Operator& W, int i,
           Eigen::VectorXd& r) {
  const std::size_t k = static_cast<std::size_t>(i);
  const SingleCoulombContact& contact = work.contacts[k];
  const Cone& cone = problem.cones[k];
  const Vector3d r_i = r.segment<3>(3 * i);
  const Vector3d response = W.response(i);
  // The velocity at the present reactions; for Coulomb's law less the contact's own part W_ii r_i.
  Vector3d q = response + problem.q.segment<3>(3 * i);
  Vector3d next;
  // Equalities: a correction by the inverse of W_ii's rows.
  if (cone.kind == ConeKind::Equality) {
    next = r_i + contact.solve(q);
  } else if (problem.law == ConeLaw::Associated) {
    next = work.associated[k].solve(r_i, q);
  } else {
    const Eigen::Matrix3d& own = W.diagonal(i);
    q -= own.col(0) * r_i.x() + own.col(1) * r_i.y() + own.col(2) * r_i.z();
    next =
        cone.polygon != nullptr ? solve_polygon_contact(W.diagonal(i), cone, q) : contact.solve(q);
  }
  const Vector3d dr = next - r_i;
  work.change.segment<3>(3 * i) = dr;
  // Contacts that do not change cost no update of the others' velocities.
  if (dr.isZero(0.0)) return;
  W.add(i, dr);
  r.segment<3>(3 * i) = next;
}

/// Solves one contact after the other.
template <typename Operator>
void relax_all(const ConeProblem& problem, ConeWorkspace& work, Operator& W,
               std::span<const int> contacts, bool forward, Eigen::VectorXd& r) {
  if (forward) {
    for (const int i : contacts) relax(problem, work, W, i, r);
  } else {
    for (std::size_t k = contacts.size(); k-- > 0;) relax(problem, work, W, contacts[k], r);
  }
}

}  // namespace

void prepare_sweeps(const ConeProblem& problem, ConeWorkspace& work) {
  // Factors of each contact's W_ii, kept over all sweeps.
  const bool associated = problem.law == ConeLaw::Associated;
  const auto* bodies = dynamic_cast<const BodySpaceOperator*>(problem.W);
  work.has_rows = bodies != nullptr && work.rows.copy(*bodies);
  work.change.resize(3 * problem.num_blocks());
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

void begin_sweeps(const ConeProblem& problem, ConeWorkspace& work, const Eigen::VectorXd& r) {
  work.has_rows ? work.rows.begin_sweep(r) : problem.W->begin_sweep(r);
}

Eigen::VectorXd& sweep_state(const ConeProblem& problem, ConeWorkspace& work) {
  return work.has_rows ? work.rows.sweep_state() : problem.W->sweep_state();
}

void sweep(const ConeProblem& problem, ConeWorkspace& work, std::span<const int> contacts,
           bool forward, Eigen::VectorXd& r) {
  if (work.has_rows) {
    relax_all(problem, work, work.rows, contacts, forward, r);
  } else {
    relax_all(problem, work, *problem.W, contacts, forward, r);
  }
}

ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate) {
  prepare_sweeps(problem, work);
  ConeResult result;
  // Sweeps alternate in direction, so that loads travel up and down a stack.
  begin_sweeps(problem, work, iterate.r);
  while (result.iterations < settings.max_sweeps) {
    sweep(problem, work, work.order, result.iterations % 2 == 0, iterate.r);
    ++result.iterations;
    count_sweeps(1);
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
