#include "amontons/io/verify/verify_law.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/events/event_stepper.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace amontons::io {
namespace {

/// Returns the problem of a particle that meets a plane at rest, in a step of length `step` [s].
ContactProblem particle_on_plane(double step) {
  ContactProblem problem;
  problem.step = step;
  problem.mass_matrix.add_zero_block(3, std::array{-1, 0, 1}).setIdentity();
  problem.velocity = Eigen::Vector3d(0.0, 0.0, -0.1);
  problem.free_velocity = problem.velocity;
  problem.contacts.resize(1);
  problem.contacts[0].key = {0, 1, 0};
  problem.contacts[0].friction = 0.5;
  problem.contact_jacobian.reset(3);
  problem.contact_jacobian.add_block_row(3);
  problem.contact_jacobian.block_at(0, 3).setIdentity();
  problem.contact_bias.setZero(3);
  problem.joint_jacobian.reset(3);
  problem.bounded_jacobian.reset(3);
  return problem;
}

/// Returns the law that a model claims where nothing prevents it.
ContactLaw law_asked(const std::string& model, const ModelSettings& settings, double step) {
  const std::unique_ptr<ContactModel> own = make_model(model, settings);
  return own->solve(particle_on_plane(step), Eigen::VectorXd()).law;
}

/// Returns true if any of the laws has this value in a field.
template <typename T>
bool any_has(const std::vector<ContactLaw>& laws, T ContactLaw::*field, T value) {
  return std::any_of(laws.begin(), laws.end(),
                     [&](const ContactLaw& own) { return own.*field == value; });
}

}  // namespace

LawCheck::LawCheck(const Scene& scene) {
  const SimulationSettings& settings = scene.simulation;
  const ModelSettings own = model_settings(settings);
  const bool has_events = settings.method != "time-stepping";
  asked_.push_back(law_asked(settings.model, own, settings.steps.front()));
  if (!has_events) return;
  // Impacts have a model of their own. Contacts sustained by forces obey the forces' law.
  ModelSettings of_impacts = own;
  of_impacts.restitution = settings.restitution_law;
  asked_.push_back(law_asked(impact_model_name(settings), of_impacts, 0.0));
  if (settings.events.sustained == SustainedContact::Velocity) return;
  asked_.push_back({settings.events.sustained == SustainedContact::ViscousAcceleration
                        ? LawKind::Viscous
                        : LawKind::Coulomb});
}

bool LawCheck::is_asked(LawKind kind) const {
  return std::any_of(asked_.begin(), asked_.end(),
                     [kind](const ContactLaw& own) { return own.kind == kind; });
}

LawCheck::Standing LawCheck::standing_of(const RunRow& row, const ContactProblem& problem) const {
  const LawKind kind = row.law.kind;
  // A step without islands claims no law; one with islands a law that a model is asked for.
  const bool has_islands = !find_islands(problem).empty();
  Standing standing;
  standing.is_asked = has_islands ? is_asked(kind) : kind == ContactLaw().kind;
  // Of the two bounds of maximum dissipation the additive one relaxes the printed one.
  standing.is_relaxed =
      lifts(kind) || (kind == LawKind::MaximumDissipation && is_asked(LawKind::LiteralDissipation));
  standing.is_weaker = !standing.is_asked && has_islands && row.status != SolveStatus::Converged &&
                       (kind == LawKind::Frictionless || standing.is_relaxed);
  return standing;
}

void LawCheck::check_law(const RunRow& row, const ContactProblem& problem,
                         VerificationChecks& checks) const {
  const auto check = [&checks](bool fits, const std::string& message) {
    if (!fits) checks.record(Check::Law, 1.0, message);
  };
  const ContactLaw& law = row.law;
  const Standing standing = standing_of(row, problem);
  check(standing.is_asked || standing.is_weaker,
        std::string("/law/kind: no model of the scene is asked for ") + to_string(law.kind) +
            ", and the status names no weaker law");
  // The laws whose fields the row may have: those of its kind; any model's if it is weaker; the
  // default where no contact was solved.
  const std::vector<Island> islands = find_islands(problem);
  const bool has_contacts = std::any_of(islands.begin(), islands.end(),
                                        [](const Island& own) { return !own.contacts.empty(); });
  std::vector<ContactLaw> allowed;
  for (const ContactLaw& own : asked_) {
    if (own.kind == law.kind || standing.is_weaker) allowed.push_back(own);
  }
  if (standing.is_weaker || !has_contacts) allowed.push_back(ContactLaw());
  check(has_polygon(law.kind) ? any_has(allowed, &ContactLaw::directions, law.directions)
                              : law.directions == 0,
        "/law/directions: not those of the model");
  check(any_has(allowed, &ContactLaw::restitution, law.restitution),
        "/law/restitution: not that of the scene");
  check(any_has(allowed, &ContactLaw::activation_gap, law.activation_gap),
        "/law/activation_gap: not that of the model");
}

void LawCheck::check_status(const RunRow& row, const ContactProblem& problem, bool is_met,
                            VerificationChecks& checks) const {
  // Success means the law asked; the two weaker answers mean another; a failure misses the law. The
  // limit of collisions in sequence ends with an answer that holds, by a second attempt.
  const Standing standing = standing_of(row, problem);
  const bool holds_as_asked = standing.is_asked && is_met;
  bool fits = !holds_as_asked;
  if (row.status == SolveStatus::NotRun) fits = false;
  if (row.status == SolveStatus::Converged) fits = holds_as_asked;
  if (row.status == SolveStatus::Convexified) fits = fits && (standing.is_relaxed || !is_met);
  if (row.status == SolveStatus::Safe) {
    fits = fits && (row.law.kind == LawKind::Frictionless || !is_met);
  }
  // An island that was answered by a weaker law may obey the law of the others, which the row
  // states.
  const bool names_weaker =
      row.status == SolveStatus::Convexified || row.status == SolveStatus::Safe;
  if (names_weaker && find_islands(problem).size() > 1) fits = true;
  if (row.status == SolveStatus::IterationLimit) {
    fits = fits || (is_collision_law(row.law.kind) && row.attempts > 1);
  }
  if (fits) return;
  checks.record(Check::Status, 1.0,
                std::string("/solver/status: ") + to_string(row.status) +
                    ", but the law asked is " + (holds_as_asked ? "met" : "not met"));
}

}  // namespace amontons::io
