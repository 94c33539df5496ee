#include "amontons/models/decorators/minimum_norm.h"

#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/reactions/island_reactions.h"
#include "amontons/models/reactions/reaction_face.h"
#include "amontons/optimization/cone_sets/least_norm.h"

#include <algorithm>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Returns why the reactions of a law cannot be chosen contact by contact, or nothing.
std::string objection(LawKind law, bool has_two_phases) {
  if (!is_single_contact_law(law)) return "not of a law of whole islands";
  if (!law_traits(law).has_reaction_cone) return "not of a law without a cone of reactions";
  return has_two_phases ? "not of restitution in two phases" : "";
}

/// Replaces the dry impulses of each island by those of least norm.
/// @returns why that failed, or nothing.
std::string least_norm_impulses(const std::vector<IslandReactions>& islands, const ContactLaw& law,
                                double tolerance, VectorXd& impulses, int& iterations) {
  for (const IslandReactions& island : islands) {
    // min |r|^2 over r in K with X r = X r_0, r = sqrt(w) p.
    const ReactionFace face = compute_reaction_face(island, law, tolerance);
    if (!face.holds(tolerance)) return "an island has another law";
    const LeastNormSolution found = solve_least_norm(island.X, face.cones, face.r_0);
    iterations += found.iterations;
    if (found.status != SolveStatus::Converged) return "residual " + scientific(found.residual);
    for (std::size_t k = 0; k < island.contacts.size(); ++k) {
      const Index own = static_cast<Index>(k);
      // Only the dry part changes: drag belongs to the velocity, which stays.
      impulses.segment<3>(3 * island.contacts[k]) +=
          found.r.segment<3>(3 * own) / island.roots(own) - island.points[k].impulse;
    }
  }
  return "";
}

/// Measures the time of an attempt and records it.
class Attempt {
 public:
  /// Appends the attempt to a list.
  /// @param remark  why it failed, or empty.
  void finish(const std::string& remark, int iterations,
              std::vector<SolveAttempt>& attempts) const {
    attempts.push_back({"minimum norm",
                        remark.empty() ? SolveStatus::Converged : SolveStatus::Stalled, iterations,
                        watch_.seconds(), remark});
  }

 private:
  Stopwatch watch_;
};

}  // namespace

bool write_minimum_norm(const ContactProblem& problem, const ProblemScaling& scaling,
                        double tolerance, ContactSolution& solution) {
  // A law of whole islands, or of two phases, leaves no choice of reactions.
  const Attempt attempt;
  int iterations = 0;
  std::string remark = objection(solution.law.kind, solution.has_two_phases());
  RestitutionSolution restitution;
  restitution.total.impulses = solution.impulses;
  if (remark.empty()) {
    remark = least_norm_impulses(island_reactions(problem, scaling, solution), solution.law,
                                 tolerance, restitution.total.impulses, iterations);
  }
  if (remark.empty()) {
    // A contact bounces if it may and its new impulse counts as a load.
    restitution.bounces.resize(problem.num_contacts());
    if (solution.restitution_shares.size() > 0) {
      restitution.share = solution.restitution_shares(0);
    }
    for (std::size_t c = 0; c < restitution.bounces.size(); ++c) {
      const Index i = static_cast<Index>(c);
      restitution.bounces[c] =
          scaling.may_bounce[c] &&
          scaling.scales.inverse_mass(i) * restitution.total.impulses(3 * i + 2) >
              tolerance * scaling.scales.speed(i);
    }
    // Velocity and modes of the new impulses; bounded rows keep theirs as part of the free motion.
    ContactSolution least = solution;
    if (problem.bounded_rows.empty()) {
      write_solution(problem, scaling, nullptr, restitution, least);
    } else {
      const ContactProblem given = with_prescribed_rows(problem, solution.bounded_impulses);
      write_solution(given, scaling, nullptr, restitution, least);
      if (restitution.share < 1.0) {
        const std::size_t rows = problem.num_contacts() + problem.bounded_rows.size();
        least.restitution_shares.setConstant(static_cast<Index>(rows), restitution.share);
      }
    }
    const Certificate certificate = certify(problem, scaling, least, tolerance);
    // The new reactions replace the old ones only if they are certified.
    if (certificate.holds) {
      solution = std::move(least);
    } else {
      remark = missed_condition(certificate, tolerance).text;
    }
  }
  solution.iterations += iterations;
  attempt.finish(remark, iterations, solution.attempts);
  return remark.empty();
}

bool write_minimum_norm(const ContactSpaceProblem& problem, double tolerance,
                        ContactSpaceSolution& solution) {
  // The same choice on W, where the velocity is u = W p + q.
  const Attempt attempt;
  int iterations = 0;
  std::string remark = objection(solution.law.kind, false);
  VectorXd impulses = solution.impulses;
  if (remark.empty()) {
    remark = least_norm_impulses(island_reactions(problem, impulses), solution.law, tolerance,
                                 impulses, iterations);
  }
  if (remark.empty()) {
    const Certificate certificate = certify(problem, solution.law, impulses, tolerance);
    if (certificate.holds) {
      solution.impulses = impulses;
      solution.velocity = contact_velocities(problem, impulses);
      solution.certificate = certificate;
    } else {
      remark = missed_condition(certificate, tolerance).text;
    }
  }
  attempt.finish(remark, iterations, solution.attempts);
  return remark.empty();
}

ContactSolution MinimumNormModel::solve(const ContactProblem& problem,
                                        const ProblemScaling& scaling,
                                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  ContactSolution solution = model_->solve(problem, scaling, warm_start);
  if (claims_law(solution.status)) write_minimum_norm(problem, scaling, tolerance_, solution);
  return solution;
}

}  // namespace amontons
