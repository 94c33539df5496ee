#include "amontons/models/contact_space_solver.h"

#include "amontons/contact/contact_space_islands.h"
#include "amontons/contact/islands.h"
#include "amontons/models/minimum_norm.h"
#include "amontons/models/step_answer.h"
#include "amontons/optimization/cone_ladder.h"
#include "amontons/optimization/contact_space_operator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// One island as a cone problem, scaled as in cone_assembly.h; memory is kept.
class ScaledIsland {
 public:
  void reset(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
             std::size_t island, ConeLaw law, double tolerance) {
    const std::span<const int> contacts = islands.contacts(island);
    const Index n = static_cast<Index>(contacts.size());
    set_roots(problem, islands, island);
    W_.reset(static_cast<int>(n));
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      for (const int b : islands.row(island, k)) {
        const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
        const int column = islands.place(block.column);
        W_.add_entry(static_cast<int>(k), column,
                     block.value / (root_(static_cast<Index>(k)) * root_(column)));
      }
    }
    W_.finish();
    cones_.W = &W_;
    cones_.law = law;
    cones_.q.resize(3 * n);
    cones_.cones.clear();
    cones_.residual_scale = root_;
    double speed = 0.0, work = 0.0;
    for (Index k = 0; k < n; ++k) {
      const int i = contacts[static_cast<std::size_t>(k)];
      const Eigen::Vector3d q = problem.q.segment<3>(3 * i);
      speed = std::max(speed, q.norm());
      cones_.q.segment<3>(3 * k) = q / root_(k);
      work = std::max(work, cones_.q.segment<3>(3 * k).squaredNorm());
      cones_.cones.push_back({ConeKind::Friction, problem.friction(i), 0.0});
    }
    if (speed > 0.0) cones_.residual_scale /= speed;
    cones_.work_scale = work > 0.0 ? tolerance / work : 0.0;
  }

  const ConeProblem& cones() const { return cones_; }

  Eigen::Vector3d impulse(const Eigen::VectorXd& reactions, Index k) const {
    return reactions.segment<3>(3 * k) / root_(k);
  }

 private:
  /// sqrt(w_i), w_i = trace(W_ii)/3.
  void set_roots(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                 std::size_t island) {
    const std::span<const int> contacts = islands.contacts(island);
    root_.setZero(static_cast<Index>(contacts.size()));
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      double& root = root_(static_cast<Index>(k));
      for (const int b : islands.row(island, k)) {
        const ContactSpaceProblem::Block& block = problem.blocks[static_cast<std::size_t>(b)];
        if (block.row == block.column) root += block.value.trace() / 3.0;
      }
      root = root > 0.0 ? std::sqrt(root) : 1.0;
    }
  }

  Eigen::VectorXd root_;
  ContactSpaceOperator W_;
  ConeProblem cones_;
};

/// What is told of one island, besides its impulses and attempts.
struct IslandAnswer {
  SolveStatus status = SolveStatus::NotRun;
  ContactLaw law;
  Certificate certificate;  ///< contact indices are those of the whole problem
};

/// Solves island after island into the answer of the whole problem.
class IslandSolver {
 public:
  IslandSolver(const ContactSpaceProblem& problem, std::string_view model,
               const ModelSettings& settings, ContactSpaceSolution& whole)
      : problem_(problem),
        islands_(problem),
        model_(make_model(model, settings)),
        settings_(settings),
        whole_(whole) {
    native_ = model == "coulomb" || (model == "convex-relaxation" && !settings.friction_directions);
    law_ = {model == "coulomb" ? LawKind::Coulomb : LawKind::ConvexCone, 4, settings.restitution};
  }

  std::size_t num_islands() const { return islands_.size(); }

  IslandAnswer solve(std::size_t island) {
    if (!native_) return solve_as_body(island);
    const IslandAnswer answer = solve_law(island, law_);
    if (answer.certificate.claimed || law_.kind != LawKind::Coulomb) return answer;
    IslandAnswer relaxed = solve_law(island, {LawKind::ConvexCone, 4, settings_.restitution});
    if (!relaxed.certificate.claimed) return solve_as_body(island);
    relaxed.status = SolveStatus::Convexified;
    return relaxed;
  }

 private:
  IslandAnswer solve_law(std::size_t island, const ContactLaw& law) {
    const double tolerance = kSolverMargin * settings_.tolerance;
    scaled_.reset(problem_, islands_, island,
                  law.kind == LawKind::Coulomb ? ConeLaw::Coulomb : ConeLaw::Associated, tolerance);
    rungs_.clear();
    solve_cone_problem(scaled_.cones(), {.tolerance = tolerance}, work_, iterate_, rungs_);
    const std::span<const int> contacts = islands_.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) =
          scaled_.impulse(iterate_.r, static_cast<Index>(k));
    }
    append_attempts(rungs_, whole_.attempts);
    IslandAnswer answer;
    answer.law = law;
    answer.certificate =
        certify(problem_, islands_, island, law, whole_.impulses, settings_.tolerance);
    const bool claimed = answer.certificate.claimed;
    answer.status = claimed ? SolveStatus::Converged : SolveStatus::Stalled;
    if (!claimed && !rungs_.empty()) {
      whole_.attempts.back().remark = why_missed(answer.certificate, settings_.tolerance);
    }
    return answer;
  }

  IslandAnswer solve_as_body(std::size_t island) {
    const ContactProblem body = with_unit_masses(extract(problem_, islands_, island));
    const ContactSolution part = model_->solve(body, Eigen::VectorXd());
    const std::span<const int> contacts = islands_.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) =
          part.impulses.segment<3>(ContactProblem::row(k));
    }
    whole_.attempts.insert(whole_.attempts.end(), part.attempts.begin(), part.attempts.end());
    IslandAnswer answer;
    answer.status = part.status;
    answer.law = part.law;
    if (part.law.kind != LawKind::MaximumDissipation) {
      answer.certificate =
          certify(problem_, islands_, island, part.law, whole_.impulses, settings_.tolerance);
      return answer;
    }
    // Maximum dissipation is no relation at one contact: it is judged with its witness.
    answer.certificate = certify(body, part, settings_.tolerance);
    for (Figure* figure :
         {&answer.certificate.normal, &answer.certificate.friction, &answer.certificate.coulomb}) {
      if (figure->where >= 0) figure->where = contacts[static_cast<std::size_t>(figure->where)];
    }
    return answer;
  }

  const ContactSpaceProblem& problem_;
  const ContactSpaceIslands islands_;
  std::unique_ptr<ContactModel> model_;
  const ModelSettings& settings_;
  ContactSpaceSolution& whole_;
  bool native_ = false;
  ContactLaw law_;
  ScaledIsland scaled_;
  ConeWorkspace work_;
  ConeIterate iterate_;
  std::vector<ConeAttempt> rungs_;
};

}  // namespace

ContactSpaceSolution solve_in_contact_space(const ContactSpaceProblem& problem,
                                            std::string_view model, const ModelSettings& settings) {
  ContactSpaceSolution whole;
  whole.impulses = Eigen::VectorXd::Zero(problem.q.size());
  whole.certificate.claimed = true;
  for (Figure* figure :
       {&whole.certificate.normal, &whole.certificate.friction, &whole.certificate.coulomb}) {
    figure->value = 0.0;
  }
  ModelSettings of_islands = settings;
  of_islands.minimum_norm = false;
  IslandSolver solver(problem, model, of_islands, whole);
  for (std::size_t island = 0; island < solver.num_islands(); ++island) {
    const IslandAnswer answer = solver.solve(island);
    whole.certificate.merge(answer.certificate);
    if (whole.status == SolveStatus::NotRun || worth_less(answer.status, whole.status)) {
      whole.status = answer.status;
      whole.law = answer.law;
    }
  }
  if (whole.status == SolveStatus::NotRun) whole.status = SolveStatus::Converged;
  whole.velocity = contact_velocities(problem, whole.impulses);
  if (settings.minimum_norm && whole.certificate.claimed) {
    take_minimum_norm(problem, settings.tolerance, whole);
  }
  return whole;
}

}  // namespace amontons
