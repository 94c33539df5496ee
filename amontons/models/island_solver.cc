#include "amontons/models/island_solver.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace amontons {
namespace {

// Contacts below which other threads would take longer to wake than to help.
constexpr std::size_t kWorthSharing = 32;

ContactSolution free_motion(const ContactProblem& problem) {
  ContactSolution solution;
  solution.status = SolveStatus::Converged;
  solution.velocity = problem.free_velocity;
  solution.impulses = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  solution.joint_impulses = Eigen::VectorXd::Zero(problem.joint_jacobian.rows());
  solution.modes.assign(problem.num_contacts(), ContactMode::Open);
  return solution;
}

Eigen::VectorXd part_of(const Eigen::VectorXd& impulses, const Island& island) {
  Eigen::VectorXd part;
  if (impulses.size() == 0) return part;
  part.resize(3 * static_cast<Eigen::Index>(island.contacts.size()));
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    part.segment<3>(ContactProblem::row(i)) =
        impulses.segment<3>(ContactProblem::row(static_cast<std::size_t>(island.contacts[i])));
  }
  return part;
}

/// @param part  memory for the island's own problem.
CertifiedSolution solve_island(const ContactProblem& problem, const Island& island,
                               const ContactModel& model, const Eigen::VectorXd& warm_start,
                               double tolerance, ContactProblem& part) {
  const bool whole = is_whole(problem, island);
  if (!whole) extract(problem, island, part);
  const ContactProblem& own = whole ? problem : part;
  const ProblemMetric metric(own);
  CertifiedSolution answer;
  answer.solution = model.solve(own, metric, warm_start);
  answer.certificate = certify(own, metric, answer.solution, tolerance);
  name_in_whole(problem, island, answer.certificate);
  return answer;
}

}  // namespace

Certificate vacuous_certificate() {
  Certificate certificate;
  for (Figure* figure : {&certificate.normal, &certificate.friction, &certificate.joint,
                         &certificate.dynamics, &certificate.dissipation, &certificate.coulomb}) {
    figure->value = 0.0;
  }
  certificate.energy_gained = 0.0;
  certificate.claimed = true;
  return certificate;
}

void name_in_whole(const ContactProblem& problem, const Island& island, Certificate& certificate) {
  for (Figure* figure : {&certificate.normal, &certificate.friction, &certificate.dissipation,
                         &certificate.coulomb}) {
    if (figure->where < 0) continue;
    figure->where = island.contacts[static_cast<std::size_t>(figure->where)];
  }
  if (certificate.joint.where >= 0) {
    certificate.joint.where = whole_joint_row(problem, island, certificate.joint.where);
  }
}

CertifiedSolution solve_islands(const ContactProblem& problem, const ContactModel& model,
                                const Eigen::VectorXd& warm_start, double tolerance,
                                ThreadPool* pool) {
  const std::vector<Island> islands = find_islands(problem);
  std::vector<CertifiedSolution> answers(islands.size());
  std::vector<std::size_t> order(islands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return islands[a].contacts.size() > islands[b].contacts.size();
  });
  const bool shared = pool != nullptr && problem.num_contacts() >= kWorthSharing;
  std::vector<ContactProblem> parts(shared ? static_cast<std::size_t>(pool->num_threads()) : 1);
  const auto solve_one = [&](int turn, int thread) {
    const std::size_t k = order[static_cast<std::size_t>(turn)];
    answers[k] = solve_island(problem, islands[k], model, part_of(warm_start, islands[k]),
                              tolerance, parts[static_cast<std::size_t>(thread)]);
  };
  const int count = static_cast<int>(islands.size());
  if (shared) {
    pool->run(count, solve_one);
  } else {
    for (int turn = 0; turn < count; ++turn) solve_one(turn, 0);
  }
  CertifiedSolution result{free_motion(problem), vacuous_certificate()};
  for (std::size_t k = 0; k < islands.size(); ++k) {
    if (k == 0) {
      result.certificate = answers[k].certificate;
    } else {
      result.certificate.merge(answers[k].certificate);
    }
    scatter(problem, islands[k], answers[k].solution, result.solution);
  }
  return result;
}

}  // namespace amontons
