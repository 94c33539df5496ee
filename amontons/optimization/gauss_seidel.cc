#include "amontons/optimization/gauss_seidel.h"

#include "amontons/optimization/anderson_mixing.h"
#include "amontons/optimization/one_polygon_contact.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

constexpr int kMemory = 5;          // of the acceleration
constexpr double kDiverging = 2.0;  // growth of the residual at which it starts over

void relax(const ConeProblem& problem, const OneContact& contact, int i, Eigen::VectorXd& r) {
  const Vector3d r_i = r.segment<3>(3 * i);
  const Vector3d response = problem.W->response(i);
  Vector3d q = response + problem.q.segment<3>(3 * i);
  Vector3d next;
  const Cone& cone = problem.cones[static_cast<std::size_t>(i)];
  if (cone.kind == ConeKind::Equality) {
    next = r_i + contact.solve(q);
  } else {
    q.noalias() -= problem.W->diagonal(i).lazyProduct(r_i);
    next = cone.polygon != nullptr ? solve_polygon_contact(problem.W->diagonal(i), cone, q)
                                   : contact.solve(q);
  }
  const Vector3d dr = next - r_i;
  if (dr.isZero(0.0)) return;
  problem.W->add(i, dr);
  r.segment<3>(3 * i) = next;
}

void prepare_contacts(const ConeProblem& problem, ConeWorkspace& work) {
  work.contacts.resize(problem.cones.size());
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    work.contacts[k] = OneContact(problem.W->diagonal(i), problem.cones[k]);
  }
}

void sweep(const ConeProblem& problem, const ConeWorkspace& work, bool forward,
           Eigen::VectorXd& r) {
  const int n = problem.num_blocks();
  for (int k = 0; k < n; ++k) {
    const int i = forward ? k : n - 1 - k;
    relax(problem, work.contacts[static_cast<std::size_t>(i)], i, r);
  }
}

}  // namespace

ConeResult solve_gauss_seidel(const ConeProblem& problem, const GaussSeidelSettings& settings,
                              ConeWorkspace& work, ConeIterate& iterate) {
  prepare_contacts(problem, work);
  ConeResult result;
  problem.W->begin_sweep(iterate.r);
  while (result.iterations < settings.max_sweeps) {
    sweep(problem, work, result.iterations % 2 == 0, iterate.r);
    ++result.iterations;
    if (result.iterations % settings.check_every != 0 && result.iterations != settings.max_sweeps) {
      continue;
    }
    evaluate(problem, iterate);
    if (iterate.figure <= settings.tolerance) {
      result.status = SolveStatus::Converged;
      return result;
    }
  }
  result.status = SolveStatus::IterationLimit;
  return result;
}

ConeResult solve_accelerated_gauss_seidel(const ConeProblem& problem, double tolerance,
                                          int max_pairs, ConeWorkspace& work,
                                          ConeIterate& iterate) {
  prepare_contacts(problem, work);
  AndersonMixing mixing(kMemory);
  ConeIterate mapped = iterate;
  Eigen::VectorXd point = iterate.r;
  double last_residual = std::numeric_limits<double>::infinity();
  ConeResult result;
  while (result.iterations < max_pairs && iterate.figure > tolerance) {
    ++result.iterations;
    mapped.r = point;
    problem.W->begin_sweep(mapped.r);
    sweep(problem, work, true, mapped.r);
    sweep(problem, work, false, mapped.r);
    evaluate(problem, mapped);
    keep_best(mapped, iterate);
    point = mixing.next(point, mapped.r);
    if (mixing.residual() > kDiverging * last_residual) {
      mixing.reset();
      point = iterate.r;
      last_residual = std::numeric_limits<double>::infinity();
      continue;
    }
    last_residual = mixing.residual();
    project_on_cones(problem, point);
  }
  result.status =
      iterate.figure <= tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

}  // namespace amontons
