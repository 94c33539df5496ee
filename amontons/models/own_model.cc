#include "amontons/math/residual_trace.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/certifying_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/model_registration.h"

#include <stdexcept>
#include <utility>

namespace amontons {
namespace {

/// Implements a model whose impulses a function finds.
class OwnModel final : public CertifyingModel {
 public:
  OwnModel(std::string name, ImpulseSolver solver, const ModelSettings& settings, LawKind law)
      : CertifyingModel(settings), name_(std::move(name)), solver_(std::move(solver)) {
    check_settings(settings);
    law_.kind = law;
    law_.directions = settings.friction_directions.value_or(law_.directions);
  }

  ModelTraits traits() const override { return {.law = law_}; }

 protected:
  CertifiedSolution solve_and_certify(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const Eigen::Ref<const Eigen::VectorXd>&,
                                      ModelMemory&) const override {
    const Stopwatch watch;
    // Each call solves one law at the gap speeds of the contacts that bounce.
    const auto solve = [&](const ContactPhase& phase) {
      // A problem without contacts has nothing to find.
      if (phase.gap_speeds.size() == 0) return PhaseSolution{SolveStatus::Converged, {}, 0};
      return PhaseSolution{SolveStatus::Converged, impulses(problem, phase.gap_speeds), 1};
    };
    const RestitutionSolution restitution =
        solve_with_restitution(scaling, 1.0, plain_phase(problem, scaling), scaling.may_bounce,
                               RestitutionLaw::Newton, settings_.tolerance, solve);
    CertifiedSolution result;
    result.solution.law = law_;
    write_solution(problem, scaling, nullptr, restitution, result.solution);
    result.certificate = certify(problem, scaling, result.solution, settings_.tolerance);
    // Of the function's iterations only the last one is known.
    ResidualTrace::note(result.certificate.worst_of_laws());
    result.solution.status =
        result.certificate.holds ? SolveStatus::Converged : SolveStatus::IterationLimit;
    result.solution.iterations = restitution.total.iterations;
    result.solution.attempts.push_back(
        {name_, result.solution.status, result.solution.iterations, watch.seconds(), {}});
    return result;
  }

 private:
  Eigen::VectorXd impulses(const ContactProblem& problem, const Eigen::VectorXd& s) const {
    Eigen::VectorXd p = solver_(problem, s);
    if (p.size() != 3 * s.size()) {
      throw std::invalid_argument("solver '" + name_ + "' returned " + std::to_string(p.size()) +
                                  " impulses; " + std::to_string(3 * s.size()) +
                                  " are needed, (t1, t2, n) of each contact");
    }
    if (!p.allFinite()) {
      throw std::invalid_argument("solver '" + name_ + "' returned impulses that are not finite");
    }
    return p;
  }

  std::string name_;
  ImpulseSolver solver_;
  ContactLaw law_;
};

}  // namespace

std::unique_ptr<ContactModel> make_own_model(const std::string& name, ImpulseSolver solver,
                                             const ModelSettings& settings, LawKind law) {
  if (!solver) throw std::invalid_argument("a model needs a solver");
  if (law_traits(law).residual != LawResidualKind::NaturalMaps) {
    throw std::invalid_argument(std::string("the law '") + to_string(law) +
                                "' needs more than impulses; take coulomb, pyramid, "
                                "convex-cone, convex-pyramid, frictionless or viscous");
  }
  if (settings.restitution_of_steps() != RestitutionLaw::Newton) {
    throw std::invalid_argument("solver '" + name + "': restitution is Newton's");
  }
  return std::make_unique<OwnModel>(name, std::move(solver), settings, law);
}

}  // namespace amontons
