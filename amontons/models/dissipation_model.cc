#include "amontons/models/dissipation_model.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/marks.h"
#include "amontons/math/effort.h"
#include "amontons/models/common/frictionless_fallback.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/dissipation_phases.h"
#include "amontons/models/formulation/acceptable_answer.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

// Halvings of the interval that contains the largest share of e without added energy: 2^-10 of e.
constexpr int kShareHalvings = 10;

/// Returns the law that the phases solve: with the additive viscous bound.
ContactLaw law_solved(const ModelSettings& settings) {
  const LawKind kind = settings.impulse_cap == ImpulseCap::System ? LawKind::SystemDissipation
                                                                  : LawKind::MaximumDissipation;
  return {kind, 4, settings.restitution_of_steps()};
}

/// Runs one call of solve(): the law, a smaller share of e, or the fallback.
class DissipationStep {
 public:
  /// @param warm_start  impulses of the last step [3 nc], or empty.
  DissipationStep(const ContactProblem& problem, const ProblemScaling& scaling,
                  const ModelSettings& settings,
                  const Eigen::Ref<const Eigen::VectorXd>& warm_start)
      : problem_(problem),
        scaling_(scaling),
        settings_(settings),
        whole_(plain_phase(problem, scaling)),
        space_(problem, scaling),
        phases_(problem, scaling, space_, settings),
        acceptable_(problem, scaling, law_solved(settings), settings) {
    solution_.law = law_solved(settings);
    // A warm start of zeros is none.
    if (warm_start.size() == problem.contact_jacobian.rows() && !warm_start.isZero(0.0)) {
      whole_.guess = warm_start;
    }
  }

  /// Returns the solution.
  ContactSolution solve() {
    Certificate certificate = attempt(1.0);
    if (certificate.holds || (adds_energy_alone(certificate) && give_back_less())) {
      if (settings_.literal_viscous_bound) claim_literal_bound();
      return solution_;
    }
    if (acceptable_.found()) {
      acceptable_.replace(solution_, certificate);
      return solution_;
    }
    return fallback_after(solution_, frictionless_fallback(problem_, scaling_, settings_));
  }

 private:
  /// Solves with a share of each contact's e; solution_ is the result, whether certified or not.
  Certificate attempt(double share) {
    std::vector<std::vector<DissipationWitness>> witnesses;
    // The first phase has no impulses given before it: viscous friction acts there alone.
    const auto solve_phase = [&](const ContactPhase& phase) {
      DissipationSolution found = phases_.solve(phase, phase.given_impulses.isZero(0.0));
      Eigen::VectorXd loads(static_cast<Eigen::Index>(found.witness.size()));
      for (Eigen::Index i = 0; i < loads.size(); ++i) {
        loads(i) = bouncing_load(found.witness[static_cast<std::size_t>(i)]);
      }
      witnesses.push_back(std::move(found.witness));
      solution_.attempts.insert(solution_.attempts.end(), found.attempts.begin(),
                                found.attempts.end());
      solution_.iterations += found.iterations;
      return PhaseSolution{found.status, std::move(found.impulses), found.iterations,
                           std::move(loads)};
    };
    const RestitutionSolution restitution =
        solve_with_restitution(scaling_, share, whole_, scaling_.may_bounce,
                               settings_.restitution_of_steps(), settings_.tolerance, solve_phase);
    // Rounds of restitution leave many witnesses: the last one or two are those of the solution.
    const std::ptrdiff_t phases_certified = restitution.compression.size() > 0 ? 2 : 1;
    solution_.witnesses.assign(witnesses.end() - phases_certified, witnesses.end());
    for (std::vector<DissipationWitness>& witness : solution_.witnesses) {
      for (DissipationWitness& own : witness) own.restitution_share = share;
    }
    // The certificate decides, not the status of the solver.
    solution_.status = restitution.total.status;
    write_solution(problem_, scaling_, &space_, restitution, solution_);
    const Certificate certificate = certify(problem_, scaling_, solution_, settings_.tolerance);
    if (certificate.holds) {
      // The solver stopped before its own, stricter target.
      solution_.status = SolveStatus::Converged;
    } else {
      solution_.attempts.back().remark = missed_condition(certificate, settings_.tolerance).text;
      if (share == 1.0 && !settings_.literal_viscous_bound) {
        acceptable_.set_witness(solution_.witnesses.back());
        acceptable_.consider(restitution, certificate, &space_);
      }
    }
    return certificate;
  }

  /// Returns true if a certificate misses the energy bound alone, and something bounced.
  bool adds_energy_alone(const Certificate& certificate) const {
    const double tolerance = settings_.tolerance;
    return certificate.normal.value <= tolerance && certificate.friction.value <= tolerance &&
           certificate.limit.value <= tolerance && certificate.joint_friction.value <= tolerance &&
           certificate.joint.value <= tolerance && certificate.dynamics.value <= tolerance &&
           any_marked(scaling_.may_bounce);
  }

  /// Finds the largest share of e that adds no energy, by bisection; returns false if none does.
  bool give_back_less() {
    double low = 0.0, high = 1.0;
    if (!attempt(low).holds) return false;
    for (int k = 0; k < kShareHalvings && has_effort(); ++k) {
      const double share = 0.5 * (low + high);
      (attempt(share).holds ? low : high) = share;
    }
    if (!attempt(low).holds) return false;
    solution_.attempts.back().remark =
        "restitution scaled by " + std::to_string(low) + ", all of it would add energy";
    return true;
  }

  /// Claims the printed viscous bound where the solution keeps it. The additive bound is its convex
  /// hull, so that a minimum within the hull that keeps the printed bound is a minimum of that too.
  void claim_literal_bound() {
    solution_.law.kind = LawKind::LiteralDissipation;
    const Certificate literal = certify(problem_, scaling_, solution_, settings_.tolerance);
    if (literal.holds) return;
    solution_.law.kind = LawKind::MaximumDissipation;
    solution_.status = SolveStatus::Convexified;
    solution_.attempts.back().remark = "the literal viscous bound is not convex at contact " +
                                       std::to_string(literal.friction.where) + " of the island (" +
                                       missed_condition(literal, settings_.tolerance).text +
                                       "): the additive bound";
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ModelSettings& settings_;
  ContactPhase whole_;  // the step without restitution
  const ContactSpace space_;
  const DissipationPhases phases_;
  AcceptableAnswer acceptable_;
  ContactSolution solution_;
};

}  // namespace

DissipationModel::DissipationModel(const ModelSettings& settings) : settings_(settings) {
  check_settings(settings);
  if (settings.literal_viscous_bound && settings.impulse_cap == ImpulseCap::System) {
    throw std::invalid_argument(
        "maximum-dissipation: literal_viscous_bound needs the impulse cap of each island");
  }
}

ModelTraits DissipationModel::traits() const {
  ModelTraits traits;
  traits.law = law_solved(settings_);
  if (settings_.literal_viscous_bound) traits.law.kind = LawKind::LiteralDissipation;
  // Phase I, which bounds phase II, may reach limits and efforts that the solution does not.
  traits.needs_all_rows = true;
  return traits;
}

ContactSolution DissipationModel::solve(const ContactProblem& problem,
                                        const ProblemScaling& scaling,
                                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return DissipationStep(problem, scaling, settings_, warm_start).solve();
}

}  // namespace amontons
