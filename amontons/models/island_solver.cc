#include "amontons/models/island_solver.h"

namespace amontons {
namespace {

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

void name_contacts_of_whole(const Island& island, Certificate& certificate) {
  for (Figure* figure : {&certificate.normal, &certificate.friction, &certificate.dissipation,
                         &certificate.coulomb}) {
    if (figure->where < 0) continue;
    figure->where = island.contacts[static_cast<std::size_t>(figure->where)];
  }
}

CertifiedSolution solve_islands(const ContactProblem& problem, const ContactModel& model,
                                const Eigen::VectorXd& warm_start, double tolerance) {
  CertifiedSolution result{free_motion(problem), vacuous_certificate()};
  bool first = true;
  ContactProblem extracted;
  for (const Island& island : find_islands(problem)) {
    const bool whole = is_whole(problem, island);
    if (!whole) extract(problem, island, extracted);
    const ContactProblem& part = whole ? problem : extracted;
    const ProblemMetric metric(part);
    const ContactSolution answer = model.solve(part, metric, part_of(warm_start, island));
    Certificate certificate = certify(part, metric, answer, tolerance);
    name_contacts_of_whole(island, certificate);
    if (first) {
      result.certificate = certificate;
      first = false;
    } else {
      result.certificate.merge(certificate);
    }
    scatter(problem, island, answer, result.solution);
  }
  return result;
}

}  // namespace amontons
