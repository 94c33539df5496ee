#include "amontons/models/contact_space_solver.h"

#include "amontons/contact/islands.h"
#include "amontons/models/step_answer.h"
#include "amontons/optimization/cone_ladder.h"
#include "amontons/optimization/contact_space_operator.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace amontons {
namespace {

using Eigen::Index;

/// One island as a cone problem, scaled as in cone_assembly.h.
class ScaledIsland {
 public:
  ScaledIsland(const ContactSpaceProblem& island, ConeLaw law, double tolerance) {
    const int n = island.num_contacts();
    root_ = Eigen::VectorXd::Zero(n);
    double speed = 0.0, work = 0.0;
    for (const ContactSpaceProblem::Block& block : island.blocks) {
      if (block.row == block.column) root_(block.row) += block.value.trace() / 3.0;
    }
    for (int i = 0; i < n; ++i) {
      root_(i) = root_(i) > 0.0 ? std::sqrt(root_(i)) : 1.0;
      speed = std::max(speed, island.q.segment<3>(3 * i).norm());
      work = std::max(work, island.q.segment<3>(3 * i).squaredNorm() / (root_(i) * root_(i)));
    }
    std::vector<ContactSpaceOperator::Entry> entries;
    for (const ContactSpaceProblem::Block& block : island.blocks) {
      entries.push_back(
          {block.row, block.column, block.value / (root_(block.row) * root_(block.column))});
    }
    W_.reset(n, entries);
    cones_.W = &W_;
    cones_.law = law;
    cones_.q = island.q;
    cones_.residual_scale.resize(n);
    for (int i = 0; i < n; ++i) {
      cones_.q.segment<3>(3 * i) /= root_(i);
      cones_.cones.push_back({ConeKind::Friction, island.friction(i), 0.0});
      cones_.residual_scale(i) = root_(i) / (speed > 0.0 ? speed : 1.0);
    }
    cones_.work_scale = work > 0.0 ? tolerance / work : 0.0;
  }

  const ConeProblem& cones() const { return cones_; }

  Eigen::VectorXd impulses(const Eigen::VectorXd& reactions) const {
    Eigen::VectorXd p = reactions;
    for (Index i = 0; i < root_.size(); ++i) p.segment<3>(3 * i) /= root_(i);
    return p;
  }

 private:
  Eigen::VectorXd root_;
  ContactSpaceOperator W_;
  ConeProblem cones_;
};

class IslandSolver {
 public:
  IslandSolver(std::string_view model, const ModelSettings& settings)
      : model_(make_model(model, settings)), settings_(settings) {
    native_ = model == "coulomb" || (model == "convex-relaxation" && !settings.friction_directions);
    law_ = {model == "coulomb" ? LawKind::Coulomb : LawKind::ConvexCone, 4, settings.restitution};
  }

  ContactSpaceSolution solve(const ContactSpaceProblem& island) {
    return native_ ? solve_natively(island) : solve_as_body(island);
  }

 private:
  ContactSpaceSolution solve_natively(const ContactSpaceProblem& island) {
    ContactSpaceSolution result = solve_law(island, law_);
    if (result.certificate.claimed || law_.kind != LawKind::Coulomb) return result;
    ContactSpaceSolution relaxed =
        solve_law(island, {LawKind::ConvexCone, 4, settings_.restitution});
    relaxed.attempts.insert(relaxed.attempts.begin(), result.attempts.begin(),
                            result.attempts.end());
    if (!relaxed.certificate.claimed) return solve_as_body(island);
    relaxed.status = SolveStatus::Convexified;
    return relaxed;
  }

  ContactSpaceSolution solve_law(const ContactSpaceProblem& island, const ContactLaw& law) {
    const double tolerance = kSolverMargin * settings_.tolerance;
    const ScaledIsland scaled(
        island, law.kind == LawKind::Coulomb ? ConeLaw::Coulomb : ConeLaw::Associated, tolerance);
    ConeIterate iterate;
    std::vector<ConeAttempt> attempts;
    ContactSpaceSolution result;
    result.law = law;
    solve_cone_problem(scaled.cones(), {.tolerance = tolerance}, work_, iterate, attempts);
    result.impulses = scaled.impulses(iterate.r);
    append_attempts(attempts, result.attempts);
    result.certificate = certify(island, law, result.impulses, settings_.tolerance);
    result.status = result.certificate.claimed ? SolveStatus::Converged : SolveStatus::Stalled;
    if (!result.certificate.claimed && !result.attempts.empty()) {
      result.attempts.back().remark = why_missed(result.certificate, settings_.tolerance);
    }
    return result;
  }

  ContactSpaceSolution solve_as_body(const ContactSpaceProblem& island) {
    const ContactProblem body = with_unit_masses(island);
    const ContactSolution answer = model_->solve(body, Eigen::VectorXd());
    ContactSpaceSolution result;
    result.status = answer.status;
    result.law = answer.law;
    result.impulses = answer.impulses;
    result.attempts = answer.attempts;
    // Maximum dissipation is no relation at one contact: it is judged with its witness.
    result.certificate = answer.law.kind == LawKind::MaximumDissipation
                             ? certify(body, answer, settings_.tolerance)
                             : certify(island, answer.law, answer.impulses, settings_.tolerance);
    return result;
  }

  std::unique_ptr<ContactModel> model_;
  const ModelSettings& settings_;
  bool native_ = false;
  ContactLaw law_;
  ConeWorkspace work_;
};

}  // namespace

ContactSpaceSolution solve_in_contact_space(const ContactSpaceProblem& problem,
                                            std::string_view model, const ModelSettings& settings) {
  IslandSolver solver(model, settings);
  ContactSpaceSolution whole;
  whole.impulses = Eigen::VectorXd::Zero(problem.q.size());
  whole.certificate.claimed = true;
  for (Figure* figure :
       {&whole.certificate.normal, &whole.certificate.friction, &whole.certificate.coulomb}) {
    figure->value = 0.0;
  }
  for (const std::vector<int>& island : find_islands(problem)) {
    ContactSpaceSolution part = solver.solve(extract(problem, island));
    for (std::size_t k = 0; k < island.size(); ++k) {
      whole.impulses.segment<3>(3 * island[k]) =
          part.impulses.segment<3>(3 * static_cast<Index>(k));
    }
    for (Figure* figure :
         {&part.certificate.normal, &part.certificate.friction, &part.certificate.coulomb}) {
      if (figure->where >= 0) figure->where = island[static_cast<std::size_t>(figure->where)];
    }
    whole.certificate.merge(part.certificate);
    if (whole.status == SolveStatus::NotRun || worth_less(part.status, whole.status)) {
      whole.status = part.status;
      whole.law = part.law;
    }
    whole.attempts.insert(whole.attempts.end(), part.attempts.begin(), part.attempts.end());
  }
  if (whole.status == SolveStatus::NotRun) whole.status = SolveStatus::Converged;
  whole.velocity = contact_velocities(problem, whole.impulses);
  return whole;
}

}  // namespace amontons
