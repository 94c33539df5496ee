#include "amontons/models/formulation/cone_phases.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/restitution_share.h"
#include "amontons/models/common/solution_assembly.h"

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kRest = 1e-9;  // share of the largest free velocity below which slip is rest

/// Returns true if no contact closes: only the relaxation then asks for an impulse.
bool closes_nowhere(const ConePhaseInput& input, const ContactPhase& phase) {
  const auto& [problem, scaling, law, settings, may_bounce, warm_start, neighbor, method] = input;
  if (lifts(law.kind) || problem.joint_jacobian.rows() > 0) return false;
  if (!phase.given_load.isZero(0.0) || !phase.given_impulses.isZero(0.0)) return false;
  if (!phase.friction_offset.isZero(0.0)) return false;
  for (Index i = 0; i < phase.gap_speeds.size(); ++i) {
    const bool closes = scaling.free_contact_velocity(3 * i + 2) + phase.gap_speeds(i) < 0.0;
    const bool active = is_active(law, problem.contacts[static_cast<std::size_t>(i)]);
    if (closes && active && scaling.scales.inverse_mass(i) > 0.0) return false;
  }
  return true;
}

/// Returns true if no contact slides when the step begins.
bool begins_at_rest(const ContactProblem& problem, const ProblemScaling& scaling) {
  const Eigen::VectorXd u = problem.contact_velocities(problem.velocity);
  const double rest = kRest * scaling.free_contact_velocity.lpNorm<Eigen::Infinity>();
  for (Index i = 0; i < u.size(); i += 3) {
    if (u.segment<2>(i).norm() > rest) return false;
  }
  return true;
}

/// Returns the energy [J] that the certificate may allow (energy_allowance()), before impulses are
/// known: they exchange about V^2 / (2 w) at each contact.
double work_allowance(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ModelSettings& settings) {
  double exchanged = 0.0;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Eigen::Index c = static_cast<Eigen::Index>(i);
    const double speed = scaling.scales.speed(c), w = scaling.scales.inverse_mass(c);
    if (w > 0.0) exchanged += 0.5 * speed * speed / w;
  }
  return kEnergyTolerance * 0.5 * problem.free_velocity.dot(scaling.free_momentum) +
         settings.tolerance * exchanged;
}

/// Solves one law on one problem, phase by phase; the first phase that needs it assembles the
/// cones.
class ConePhases {
 public:
  ConePhases(const ConePhaseInput& input, const ContactSpace* space, ConeMemory& memory,
             ContactSolution& solution)
      : input_(input), space_(space), memory_(memory), solution_(solution) {}

  /// Returns the solution of one phase.
  PhaseSolution solve(const ContactPhase& phase) {
    PhaseSolution phase_solution;
    // Nothing closes: zero impulses are the solution.
    if (closes_nowhere(input_, phase)) {
      phase_solution.status = SolveStatus::Converged;
      phase_solution.impulses.setZero(input_.problem.contact_jacobian.rows());
      solution_.attempts.push_back({"free motion", SolveStatus::Converged, 0, 0.0, {}});
      return phase_solution;
    }
    const auto& [problem, scaling, law, settings, may_bounce, warm_start, neighbor, method] =
        input_;
    // Only q and the offsets change between phases of a step.
    if (!assembled_) memory_.assembly.reset(problem, scaling, space_, law);
    assembled_ = true;
    const bool warm = phase.guess.size() > 0;
    ConeSolverSettings cone_settings = cone_solver_settings(settings, warm);
    cone_settings.from_rest =
        !warm && is_round_coulomb_law(law.kind) && begins_at_rest(problem, scaling);
    // The work [J] that the certificate's energy bound allows, with a margin.
    const double energy_tolerance = kSolverMargin * work_allowance(problem, scaling, settings);
    const ConeProblem& cones =
        memory_.assembly.phase(phase, cone_settings.tolerance, energy_tolerance);
    // Solve in reactions r = sqrt(w) p, from the guess where there is one.
    if (warm) memory_.assembly.to_reactions(phase.guess, memory_.iterate.r);
    memory_.attempts.clear();
    phase_solution.status = method != nullptr
                                ? solve_alone(*method, cones, warm)
                                : solve_cone_problem(cones, cone_settings, memory_.work,
                                                     memory_.iterate, memory_.attempts);
    phase_solution.impulses = memory_.assembly.to_impulses(memory_.iterate.r);
    phase_solution.iterations = append_attempts(memory_.attempts, solution_.attempts);
    solution_.iterations += phase_solution.iterations;
    return phase_solution;
  }

 private:
  /// Solves by one method, from the iterate's r if it is warm.
  SolveStatus solve_alone(const SingleConeMethod& method, const ConeProblem& cones, bool warm) {
    if (warm) {
      evaluate(cones, memory_.iterate);
    } else {
      start_from_zero(cones, memory_.iterate);
    }
    const ModelSettings& settings = input_.settings;
    const Stopwatch watch;
    const ConeResult result = method.solve(cones, kSolverMargin * settings.tolerance,
                                           settings.max_iterations.value_or(method.max_iterations),
                                           memory_.work, memory_.iterate);
    memory_.attempts.push_back({method.name, result, memory_.iterate.residual, watch.seconds()});
    return result.status;
  }

  const ConePhaseInput& input_;
  const ContactSpace* space_;
  ConeMemory& memory_;
  ContactSolution& solution_;
  bool assembled_ = false;
};

}  // namespace

RestitutionSolution solve_in_cones(const ConePhaseInput& input, const ContactSpace* space,
                                   ConeMemory& memory, ContactSolution& solution) {
  ConePhases phases(input, space, memory, solution);
  ContactPhase phase = plain_phase(input.problem, input.scaling);
  phase.guess = input.warm_start;
  return solve_without_energy_gain(
      input.problem, input.scaling, space, phase, input.may_bounce,
      input.settings.restitution_of_steps(), input.settings.tolerance,
      [&](const ContactPhase& one) { return phases.solve(one); }, input.neighbor);
}

PhaseSolution solve_normals(const ContactProblem& problem, const ProblemScaling& scaling,
                            const ModelSettings& settings, double activation_gap,
                            const ContactPhase& phase, const ContactSpace* space,
                            ConeMemory& memory) {
  ContactLaw law{LawKind::Frictionless, 4, settings.restitution_of_steps()};
  law.activation_gap = activation_gap;
  ContactPhase normals = phase;
  normals.friction_offset.setZero();
  for (Index i = 0; i < normals.guess.size(); i += 3) normals.guess.segment<2>(i).setZero();
  const Eigen::VectorXd no_guess;
  ContactSolution attempts;
  const ConePhaseInput input{problem, scaling, law, settings, scaling.may_bounce, no_guess};
  return ConePhases(input, space, memory, attempts).solve(normals);
}

Eigen::VectorXd solve_normals_after(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const ModelSettings& settings, double activation_gap,
                                    const Eigen::VectorXd& given, const Eigen::VectorXd& gap_speeds,
                                    const ContactSpace* space, ConeMemory& memory) {
  ContactPhase phase = plain_phase(problem, scaling);
  phase.gap_speeds = gap_speeds;
  phase.given_impulses = given;
  return solve_normals(problem, scaling, settings, activation_gap, phase, space, memory).impulses;
}

}  // namespace amontons
