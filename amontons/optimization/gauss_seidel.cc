#include "amontons/optimization/gauss_seidel.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Vector3d;

void relax(const ConeProblem& problem, const OneContact& contact, int i, Eigen::VectorXd& r) {
  const Vector3d r_i = r.segment<3>(3 * i);
  const Vector3d response = problem.W->response(i);
  Vector3d q = response + problem.q.segment<3>(3 * i);
  Vector3d next;
  if (problem.cones[static_cast<std::size_t>(i)].kind == ConeKind::Equality) {
    next = r_i + contact.solve(q);
  } else {
    q.noalias() -= problem.W->diagonal(i).lazyProduct(r_i);
    next = contact.solve(q);
  }
  const Vector3d dr = next - r_i;
  if (dr.isZero(0.0)) return;
  problem.W->add(i, dr);
  r.segment<3>(3 * i) = next;
}

}  // namespace

ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate) {
  const int n = problem.num_blocks();
  work.contacts.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    work.contacts[k] = OneContact(problem.W->diagonal(i), problem.cones[k]);
  }
  ConeResult result;
  problem.W->begin_sweep(iterate.r);
  while (result.iterations < settings.max_sweeps) {
    const bool forward = result.iterations % 2 == 0;
    for (int k = 0; k < n; ++k) {
      const int i = forward ? k : n - 1 - k;
      relax(problem, work.contacts[static_cast<std::size_t>(i)], i, iterate.r);
    }
    ++result.iterations;
    if (result.iterations % settings.check_every != 0 && result.iterations != settings.max_sweeps) {
      continue;
    }
    evaluate(problem, work, iterate);
    if (iterate.figure <= settings.tolerance) {
      result.status = SolveStatus::Converged;
      return result;
    }
  }
  result.status = SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
