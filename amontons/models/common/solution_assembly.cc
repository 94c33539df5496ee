#include "amontons/models/common/solution_assembly.h"

#include "amontons/contact/operators/impulse_response.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;

// Slip speed, relative to V, below which a loaded contact counts as sticking [-].
constexpr double kStickShare = 1e-6;

constexpr double kFineTolerance = 1e-8;  // largest tolerance with digits wanted below it [-]

}  // namespace

ConeSolverSettings cone_solver_settings(const ModelSettings& settings, bool warm) {
  ConeSolverSettings cone_settings{.tolerance = kSolverMargin * settings.tolerance,
                                   .acceptable_residual = kAcceptableShare * settings.tolerance,
                                   .warm = warm};
  if (settings.tolerance > kFineTolerance) cone_settings.target_residual = cone_settings.tolerance;
  if (settings.max_iterations) cone_settings.max_iterations = *settings.max_iterations;
  return cone_settings;
}

void zero_resting_velocities(const ContactProblem& problem, const ProblemScaling& scaling,
                             Eigen::VectorXd& velocity) {
  if (problem.joint_jacobian.rows() > 0) return;  // rows of J may ask for any velocity
  const auto length = [](const auto& v, const auto& Mv) { return std::sqrt(std::abs(v.dot(Mv))); };
  for (const BlockDiagonalMatrix::Block& block : problem.mass_matrix.blocks()) {
    // |v_free| of the articulation in the norm of M.
    const Index n = block.matrix.rows();
    const auto momentum = scaling.free_momentum.segment(block.offset, n);
    const double free_speed = length(problem.free_velocity.segment(block.offset, n), momentum);
    auto own = velocity.segment(block.offset, n);
    // |v| |v_free| >= |v'M v_free| in the norm of M: a moving body needs no product with M.
    if (std::abs(own.dot(momentum)) > kAtRest * free_speed * free_speed) continue;
    // M is symmetric: products with its columns run along memory.
    const double speed = length(own, block.matrix.transpose().lazyProduct(own));
    if (speed <= kAtRest * free_speed) own.setZero();
  }
}

ContactMode mode_of_loaded(const Eigen::Vector3d& contact_velocity, double speed) {
  const bool sticks = contact_velocity.head<2>().norm() <= kStickShare * speed;
  return sticks ? ContactMode::Stick : ContactMode::Slide;
}

void write_solution(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace* space, const RestitutionSolution& restitution,
                    ContactSolution& solution) {
  Eigen::VectorXd contact_velocity;
  write_solution(problem, scaling, space, restitution, solution, contact_velocity);
}

void write_solution(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSpace* space, const RestitutionSolution& restitution,
                    ContactSolution& solution, Eigen::VectorXd& contact_velocity) {
  // v+ and c that belong to the impulses; bodies at rest get velocity zero.
  solution.impulses = restitution.total.impulses;
  solution.compression_impulses = restitution.compression;
  solution.restitution_shares.resize(0);
  if (restitution.share < 1.0) {
    solution.restitution_shares.setConstant(static_cast<Index>(problem.num_contacts()),
                                            restitution.share);
  }
  ImpulseResponse(problem, scaling, space)
      .apply(solution.impulses, solution.velocity, solution.joint_impulses);
  zero_resting_velocities(problem, scaling, solution.velocity);
  // Modes of loaded contacts by their slip; contacts without an impulse are open.
  Eigen::VectorXd& u = contact_velocity;
  problem.contact_velocities(solution.velocity, u);
  solution.modes.assign(problem.num_contacts(), ContactMode::Open);
  for (std::size_t c = 0; c < restitution.bounces.size(); ++c) {
    const Index i = static_cast<Index>(c);
    const bool bounces = restitution.bounces[c] != 0;
    if (!bounces && solution.impulses.segment<3>(3 * i).isZero(0.0)) continue;
    solution.modes[c] = bounces ? ContactMode::Impact
                                : mode_of_loaded(u.segment<3>(3 * i), scaling.scales.speed(i));
  }
}

int append_attempts(const std::vector<ConeAttempt>& tried, std::vector<SolveAttempt>& attempts) {
  int iterations = 0;
  for (const ConeAttempt& method : tried) {
    iterations += method.result.iterations;
    // One entry for each method, with its own iterations and time.
    SolveAttempt& attempt = attempts.emplace_back();
    attempt.solver = method.solver;
    attempt.status = method.result.status;
    attempt.iterations = method.result.iterations;
    attempt.time_s = method.time_s;
  }
  return iterations;
}

bool claims_law(SolveStatus status) {
  return answers_law_asked(status) || status == SolveStatus::Convexified ||
         status == SolveStatus::Safe;
}

void check_settings(const ModelSettings& settings) {
  if (!(settings.tolerance > 0.0)) {
    throw std::invalid_argument("tolerance is " + std::to_string(settings.tolerance) +
                                ", must be positive");
  }
  if (settings.friction_directions) {
    const int directions = *settings.friction_directions;
    if (directions < 4 || directions > 64 || directions % 2 != 0) {
      throw std::invalid_argument("friction_directions is " + std::to_string(directions) +
                                  ", must be even and in [4, 64]");
    }
  }
  if (!(settings.acceptable_tolerance >= 0.0)) {
    throw std::invalid_argument("acceptable_tolerance is " +
                                std::to_string(settings.acceptable_tolerance) +
                                ", must not be negative");
  }
  if (settings.max_iterations.value_or(1) < 1) {
    throw std::invalid_argument("max_iterations is " + std::to_string(*settings.max_iterations) +
                                ", must be at least 1");
  }
  if (settings.restitution == RestitutionLaw::Stronge) {
    throw std::invalid_argument(
        "restitution law stronge is not defined for the models of time stepping: use newton or "
        "poisson");
  }
}

}  // namespace amontons
