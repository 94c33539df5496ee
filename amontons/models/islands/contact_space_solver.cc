#include "amontons/models/islands/contact_space_solver.h"

#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/certificate/law_distance.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/number_limits.h"
#include "amontons/models/closed_form/planar_contacts.h"
#include "amontons/models/closed_form/single_contact_solver.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/decorators/minimum_norm.h"
#include "amontons/models/islands/scaled_island.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kTargetResidual =
    1e-11;  // no step follows a single problem, so that digits below this residual are useless [-]

constexpr double kSmallestSpeed = 1e-100;  // squares of smaller speeds may vanish [m/s]

/// Holds the result of one island, besides its impulses and attempts.
struct IslandOutcome {
  SolveStatus status = SolveStatus::NotRun;
  ContactLaw law;
  Certificate certificate;  ///< contact indices are those of the whole problem
};

/// Holds an acceptable answer of an island, with its impulses [3 n] [N s].
struct AcceptableOutcome {
  IslandOutcome outcome;
  Eigen::VectorXd impulses;
};

}  // namespace

/// Solves island after island into the solution of the whole problem.
class ContactSpaceSolver::Impl {
 public:
  Impl(std::string_view model, const ModelSettings& settings) : settings_(settings) {
    // Least norm is a choice among the whole problem's reactions.
    settings_.minimum_norm = false;
    model_ = make_model(model, settings_);
    minimum_norm_ = settings.minimum_norm;
    native_ = model == "coulomb" || (model == "convex-relaxation" && !settings.friction_directions);
    law_ = model_->traits().law;
  }

  /// Returns the solution of a problem.
  ContactSpaceSolution solve(const ContactSpaceProblem& problem) {
    problem_ = &problem;
    islands_.find(problem, couples_islands(law_.kind));
    whole_ = {};
    whole_.impulses = Eigen::VectorXd::Zero(problem.q.size());
    whole_.attempts.reserve(islands_.size());
    // The whole has the worst residuals and the weakest status of its islands.
    whole_.certificate = vacuous_contact_certificate();
    double within = 0.0;
    for (std::size_t island = 0; island < islands_.size(); ++island) {
      IslandOutcome outcome = solve_island(island);
      if (is_single_contact_law(outcome.law.kind)) {
        outcome.certificate.law_distance = distance(island);
      }
      // What approaches whatever the impulses has no solution.
      if (!outcome.certificate.holds && has_unmoved_approach(island)) {
        outcome.status = SolveStatus::Infeasible;
      }
      whole_.certificate.merge(outcome.certificate);
      if (whole_.status == SolveStatus::NotRun || is_weaker(outcome.status, whole_.status)) {
        whole_.status = outcome.status;
        whole_.law = outcome.law;
      }
      within = std::max(within, outcome.law.within);
    }
    whole_.law.within = within;
    if (whole_.status == SolveStatus::NotRun) whole_.status = SolveStatus::Converged;
    whole_.velocity = contact_velocities(problem, whole_.impulses);
    // Least norm is chosen at the end, from a certified solution of all islands.
    if (minimum_norm_ && whole_.certificate.holds) {
      write_minimum_norm(problem, settings_.tolerance, whole_);
    }
    return std::move(whole_);
  }

 private:
  /// Solves an island: in closed form, by the law on W, by its relaxation, or as a problem of
  /// bodies.
  IslandOutcome solve_island(std::size_t island) {
    if (!native_) return solve_as_body(island);
    if (std::optional<IslandOutcome> outcome = solve_directly(island)) return *outcome;
    const IslandOutcome outcome = solve_law(island, law_);
    if (outcome.certificate.holds) return outcome;
    // The law was not reached. Coulomb's has its relaxation; then comes the equivalent problem of
    // bodies, which knows other methods and recognizes contradictions. An acceptable iterate that
    // is nearer to the law comes before both.
    if (lifts(law_.kind)) return solve_as_body(island);
    const std::optional<AcceptableOutcome> acceptable = acceptable_outcome(island, outcome);
    IslandOutcome relaxed =
        solve_law(island, {LawKind::ConvexCone, 4, settings_.restitution_of_steps()});
    relaxed.status = SolveStatus::Convexified;
    const bool is_nearer =
        acceptable &&
        (!relaxed.certificate.holds ||
         !(distance(island).value <= acceptable->outcome.certificate.worst_of_laws()));
    if (is_nearer) {
      write_impulses(island, acceptable->impulses);
      whole_.attempts.push_back({"best iterate", SolveStatus::Acceptable, 0, 0.0, {}});
      return acceptable->outcome;
    }
    return relaxed.certificate.holds ? relaxed : solve_as_body(island);
  }

  /// Returns true if a contact of an island closes whose normal no impulse moves: its row of W is
  /// zero.
  bool has_unmoved_approach(std::size_t island) const {
    const std::span<const int> contacts = islands_.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const std::span<const int> row = islands_.row(island, k);
      const auto is_zero = [this](int b) {
        return problem_->blocks[static_cast<std::size_t>(b)].value.row(2).isZero(0.0);
      };
      if (problem_->q(3 * contacts[k] + 2) < 0.0 && std::all_of(row.begin(), row.end(), is_zero)) {
        return true;
      }
    }
    return false;
  }

  /// Returns the distance of an island's present impulses from the law asked [-].
  Residual distance(std::size_t island) const {
    return law_distance(*problem_, islands_, island, whole_.impulses, law_, settings_.tolerance);
  }

  /// Sets the impulses of an island [3 n].
  void write_impulses(std::size_t island, const Eigen::VectorXd& impulses) {
    const std::span<const int> contacts = islands_.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) = impulses.segment<3>(ContactProblem::row(k));
    }
  }

  /// Returns the present impulses as an acceptable answer (acceptable_answer.h), if they are one:
  /// reactions inside their cones that need at most normal impulses to keep the contacts apart.
  std::optional<AcceptableOutcome> acceptable_outcome(std::size_t island,
                                                      const IslandOutcome& outcome) {
    const double bound = settings_.acceptable_tolerance;
    if (!(bound > settings_.tolerance) || !(outcome.certificate.worst_of_laws() <= bound)) {
      return {};
    }
    ContactLaw law = law_;
    law.within = bound;
    IslandOutcome acceptable = certified(island, law);
    if (!acceptable.certificate.holds) {
      part_by_normals(island);
      acceptable = certified(island, law);
    }
    if (!acceptable.certificate.holds) return {};
    acceptable.status = SolveStatus::Acceptable;
    const std::span<const int> contacts = islands_.contacts(island);
    Eigen::VectorXd impulses(3 * static_cast<Index>(contacts.size()));
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      impulses.segment<3>(ContactProblem::row(k)) = whole_.impulses.segment<3>(3 * contacts[k]);
    }
    return AcceptableOutcome{acceptable, std::move(impulses)};
  }

  /// Adds the least normal impulses that keep the contacts of an island apart.
  void part_by_normals(std::size_t island) {
    // The problem without friction that starts at the present velocities.
    ContactSpaceProblem part = extract(*problem_, islands_, island);
    const Eigen::VectorXd velocity = contact_velocities(*problem_, whole_.impulses);
    const std::span<const int> contacts = islands_.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      part.q.segment<3>(ContactProblem::row(k)) = velocity.segment<3>(3 * contacts[k]);
    }
    part.friction.setZero();
    const ContactSpaceIslands whole(part);
    if (whole.size() != 1) return;
    const ConeSolverSettings cone_settings = cone_solver_settings(settings_, false);
    attempts_.clear();
    scaled_.reset(part, whole, 0, ConeLaw::Coulomb, cone_settings.tolerance);
    solve_cone_problem(scaled_.cones(), cone_settings, work_, iterate_, attempts_);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) +=
          scaled_.impulse(iterate_.r, static_cast<Index>(k));
    }
  }

  /// Solves Coulomb's law where nothing closes, one contact alone does, or all move in a plane. It
  /// returns nothing if the certificate does not hold.
  std::optional<IslandOutcome> solve_directly(std::size_t island) {
    if (!is_round_coulomb_law(law_.kind)) return {};
    const std::span<const int> contacts = islands_.contacts(island);
    const auto closes = [this](int i) { return problem_->q(3 * i + 2) < 0.0; };
    const auto first = std::find_if(contacts.begin(), contacts.end(), closes);
    if (first == contacts.end()) return solution_if_certified(island, "free motion", 0);
    // One closing contact may carry everything alone; the certificate decides whether the others
    // stay open.
    if (std::none_of(first + 1, contacts.end(), closes) &&
        set_single_impulse(island, static_cast<std::size_t>(first - contacts.begin()))) {
      std::optional<IslandOutcome> outcome = solution_if_certified(island, "closed form", 1);
      if (outcome) return outcome;
    }
    if (!set_planar_impulses(island)) return {};
    return solution_if_certified(island, "planar modes", 1);
  }

  /// Returns the outcome of the present impulses if their certificate holds; else sets them to zero
  /// and returns nothing.
  std::optional<IslandOutcome> solution_if_certified(std::size_t island, const char* name,
                                                     int iterations) {
    const IslandOutcome outcome = certified(island, law_);
    if (!outcome.certificate.holds) {
      for (const int i : islands_.contacts(island)) whole_.impulses.segment<3>(3 * i).setZero();
      return {};
    }
    whole_.attempts.push_back({name, SolveStatus::Converged, iterations, 0.0, {}});
    return outcome;
  }

  /// Sets the impulse that a contact has if it is alone.
  bool set_single_impulse(std::size_t island, std::size_t k) {
    const int i = islands_.contacts(island)[k];
    Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
    for (const int b : islands_.row(island, k)) {
      const ContactSpaceProblem::Block& block = problem_->blocks[static_cast<std::size_t>(b)];
      if (block.column == i) W += block.value;
    }
    if (!(W.trace() > 0.0)) return false;
    whole_.impulses.segment<3>(3 * i) =
        coulomb_impulse(W, problem_->q.segment<3>(3 * i), problem_->friction(i));
    return true;
  }

  /// Sets the impulses of an island in which t2 takes no part; returns false for others.
  bool set_planar_impulses(std::size_t island) {
    const std::span<const int> contacts = islands_.contacts(island);
    planar_.clear();
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Eigen::Vector3d q = problem_->q.segment<3>(3 * contacts[k]);
      // t2 takes no part if q and W are zero there.
      if (q.y() != 0.0) return false;
      planar_.q.insert(planar_.q.end(), {q.x(), q.z()});
      planar_.friction.push_back(problem_->friction(contacts[k]));
      for (const int b : islands_.row(island, k)) {
        const ContactSpaceProblem::Block& block = problem_->blocks[static_cast<std::size_t>(b)];
        const Eigen::Matrix3d& W = block.value;
        if (!W.row(1).isZero(0.0) || !W.col(1).isZero(0.0)) return false;
        planar_.blocks.push_back(
            {islands_.place(block.column), {{W(0, 0), W(0, 2)}, {W(2, 0), W(2, 2)}}});
      }
      planar_.end_row();
    }
    // The planar problem has the rows (t1, n).
    if (!planar_modes_.solve(planar_, planar_impulses_)) return false;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) =
          Eigen::Vector3d(planar_impulses_[2 * k], 0.0, planar_impulses_[2 * k + 1]);
    }
    return true;
  }

  /// Solves a law on W by the cone problem solver.
  IslandOutcome solve_law(std::size_t island, const ContactLaw& law) {
    const std::span<const int> contacts = islands_.contacts(island);
    attempts_.clear();
    ConeSolverSettings cone_settings = cone_solver_settings(settings_, false);
    cone_settings.target_residual =
        std::max(cone_settings.target_residual, std::min(kTargetResidual, cone_settings.tolerance));
    // Solve in reactions r = sqrt(w) p, and write the impulses.
    scaled_.reset(*problem_, islands_, island,
                  lifts(law.kind) ? ConeLaw::Associated : ConeLaw::Coulomb,
                  cone_settings.tolerance);
    solve_cone_problem(scaled_.cones(), cone_settings, work_, iterate_, attempts_);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      whole_.impulses.segment<3>(3 * contacts[k]) =
          scaled_.impulse(iterate_.r, static_cast<Index>(k));
    }
    append_attempts(attempts_, whole_.attempts);
    const IslandOutcome outcome = certified(island, law);
    if (!outcome.certificate.holds && !attempts_.empty()) {
      whole_.attempts.back().remark =
          missed_condition(outcome.certificate, settings_.tolerance).text;
    }
    return outcome;
  }

  /// Returns the outcome of the present impulses under a law.
  IslandOutcome certified(std::size_t island, const ContactLaw& law) const {
    IslandOutcome outcome;
    outcome.law = law;
    outcome.certificate =
        certify(*problem_, islands_, island, law, whole_.impulses, settings_.tolerance);
    outcome.status = outcome.certificate.holds ? SolveStatus::Converged : SolveStatus::Stalled;
    return outcome;
  }

  /// Solves the equivalent problem of unit masses by the model itself.
  IslandOutcome solve_as_body(std::size_t island) {
    const ContactProblem body = with_unit_masses(extract(*problem_, islands_, island));
    const ContactSolution part = model_->solve(body, Eigen::VectorXd());
    write_impulses(island, part.impulses);
    whole_.attempts.insert(whole_.attempts.end(), part.attempts.begin(), part.attempts.end());
    IslandOutcome outcome;
    outcome.status = part.status;
    outcome.law = part.law;
    if (is_single_contact_law(part.law.kind)) {
      outcome.certificate =
          certify(*problem_, islands_, island, part.law, whole_.impulses, settings_.tolerance);
      // The given W differs from that of the bodies by rounding, which may decide.
      if (!outcome.certificate.holds && claims_law(outcome.status)) {
        outcome.status = SolveStatus::Stalled;
      }
      return outcome;
    }
    // Laws of whole islands are certified with the witness or the list of the body problem.
    const ProblemScaling scaling(body);
    outcome.certificate = certify(body, scaling, part, settings_.tolerance);
    // They hold on the given W where its velocities are those of the bodies.
    outcome.certificate.rounding.merge_worst(velocity_difference(
        *problem_, islands_, island, whole_.impulses, body.contact_velocities(part.velocity)));
    const bool is_met = outcome.certificate.rounding.value <= settings_.tolerance;
    outcome.certificate.require(is_met);
    if (!is_met && claims_law(outcome.status)) outcome.status = SolveStatus::Stalled;
    outcome.certificate.law_distance =
        law_distance(body, scaling, part, outcome.certificate, law_, settings_.tolerance);
    for (Residual* residual :
         {&outcome.certificate.normal, &outcome.certificate.friction, &outcome.certificate.coulomb,
          &outcome.certificate.inequality, &outcome.certificate.law_distance,
          &outcome.certificate.held_overlap}) {
      if (residual->where < 0) continue;
      residual->where = islands_.contacts(island)[static_cast<std::size_t>(residual->where)];
    }
    return outcome;
  }

  const ContactSpaceProblem* problem_ = nullptr;
  ContactSpaceIslands islands_;
  std::unique_ptr<ContactModel> model_;
  ModelSettings settings_;
  ContactSpaceSolution whole_;
  bool native_ = false, minimum_norm_ = false;
  ContactLaw law_;
  PlanarContacts planar_;
  PlanarModes planar_modes_;
  std::vector<double> planar_impulses_;  // (t, n) of each planar contact
  ScaledIsland scaled_;
  ConeWorkspace work_;
  ConeIterate iterate_;
  std::vector<ConeAttempt> attempts_;
};

ContactSpaceSolver::ContactSpaceSolver(std::string_view model, const ModelSettings& settings)
    : impl_(std::make_unique<Impl>(model, settings)) {}
ContactSpaceSolver::~ContactSpaceSolver() = default;

ContactSpaceSolution ContactSpaceSolver::solve(const ContactSpaceProblem& problem) {
  // The laws without bodies have no unit of velocity: one near the largest |q| is taken where
  // squares of q overflow or vanish.
  const double largest = problem.q.size() > 0 ? problem.q.cwiseAbs().maxCoeff() : 0.0;
  const bool is_extreme = largest > kLargestNumber || (largest > 0.0 && largest < kSmallestSpeed);
  ContactSpaceSolution solution;
  if (is_extreme) {
    const double unit = unit_near(largest);
    ContactSpaceProblem scaled = problem;
    scaled.q /= unit;
    solution = impl_->solve(scaled);
    solution.impulses *= unit;
    solution.velocity *= unit;
  } else {
    solution = impl_->solve(problem);
  }
  // What no double holds is no solution.
  const bool is_finite = solution.impulses.allFinite() && solution.velocity.allFinite();
  if (!is_finite) solution.status = SolveStatus::NumericalFailure;
  solution.certificate.require(is_finite);
  return solution;
}

}  // namespace amontons
