#include "experiments/quadruped-viscous/lcp_methods.h"

#include "amontons/models/acceleration/acceleration_problem.h"
#include "amontons/models/decorators/viscous_damping.h"
#include "amontons/models/decorators/viscous_friction_model.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/lemke.h"
#include "experiments/processor_stopwatch.h"

#include <algorithm>

namespace amontons::experiments {
namespace {

constexpr int kRounds = 5, kCalls = 40;  // repetitions of each method, for its processor time

}  // namespace

void LcpMethods::compare(const ContactProblem& problem) {
  compare(has_viscous_friction(problem) ? with_viscous_damping(problem) : problem,
          std::vector<char>(problem.num_contacts(), 1));
}

void LcpMethods::compare_forces(const StepReport& report) {
  const ContactProblem& problem = report.problem;
  const Eigen::VectorXd forces =
      problem.mass_matrix * (problem.free_velocity - problem.velocity) / report.step;
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  const AccelerationProblem posed = acceleration_problem(problem, forces, still, Eigen::VectorXd(0),
                                                         Eigen::VectorXd::Ones(still.size() / 3));
  compare(posed.instant, posed.touching);
}

void LcpMethods::compare(const ContactProblem& problem, const std::vector<char>& touching) {
  const ProblemScaling scaling(problem);
  NormalImpulses normals(problem, scaling, touching, 1e-8);
  normals.solve(plain_phase(problem, scaling));
  const FactoredLcp& lcp = normals.problem();
  pivoting_s +=
      least_processor_time(kRounds, kCalls, [&] { method_.solve(lcp, {}, {}, solution_); });
  pivots += solution_.pivots;
  const Eigen::MatrixXd rows = lcp.rows.to_dense();
  LcpSolution lemke;
  Eigen::VectorXd a;
  lemke_s += least_processor_time(kRounds, kCalls, [&] {
    lemke = solve_lemke({rows * rows.transpose(), rows * lcp.start + lcp.offset});
    a = lcp.start;
    a.noalias() += rows.transpose() * lemke.z;
  });
  lemke_pivots += lemke.pivots;
  departure = std::max(departure, (a - solution_.a).lpNorm<Eigen::Infinity>());
  ++problems;
}

double departure_from_drag(const StepReport& report) {
  const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
  // The law holds within this share of the load that all contacts bear: less counts as none.
  constexpr double kTolerance = 1e-8;
  double load = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    load += report.solution.impulses(ContactProblem::row(i) + 2);
  }
  const double least_load = kTolerance * load;
  double worst = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const Eigen::Vector2d p_t = report.solution.impulses.segment<2>(row);
    const Eigen::Vector2d drag = -report.step * kViscousFriction * u.segment<2>(row);
    double share = 1.0;
    if (!(report.solution.impulses(row + 2) > least_load) && drag.squaredNorm() > 0.0) {
      share = std::clamp(p_t.dot(drag) / drag.squaredNorm(), 0.0, 1.0);
    }
    worst = std::max(worst, (p_t - share * drag).norm() / report.step);
  }
  return worst;
}

}  // namespace amontons::experiments
