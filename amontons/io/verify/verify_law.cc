#include "amontons/io/verify/verify_law.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/events/impact_model.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"

#include <algorithm>
#include <string>

namespace amontons::io {
namespace {

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
  const ModelTraits of_steps = make_model(settings.model, own)->traits();
  asked_.push_back(of_steps.law);
  touching_only_ = of_steps.touching_only;
  holds_by_loads_ = settings.sticking == StickingList::Loaded;
  if (!has_events) return;
  // Impacts have a model of their own. Contacts sustained by forces obey the forces' law.
  ModelSettings of_impacts = own;
  of_impacts.restitution = settings.restitution_law;
  asked_.push_back(make_model(impact_model_name(settings), of_impacts)->traits().law);
  if (settings.events.sustained == SustainedContact::Velocity) return;
  asked_.push_back({settings.events.sustained == SustainedContact::ViscousAcceleration
                        ? LawKind::Viscous
                        : LawKind::Coulomb});
}

const ContactLaw* LawCheck::law_asked(LawKind kind) const {
  const auto own = std::find_if(asked_.begin(), asked_.end(),
                                [kind](const ContactLaw& law) { return law.kind == kind; });
  return own == asked_.end() ? nullptr : &*own;
}

LawCheck::Standing LawCheck::standing_of(const RunRow& row, const ContactProblem& problem) const {
  const LawKind kind = row.law.kind;
  // A step without islands claims no law; one with islands a law that a model is asked for.
  const bool has_islands = !find_islands(problem).empty();
  Standing standing;
  standing.is_asked = has_islands ? law_asked(kind) != nullptr : kind == ContactLaw().kind;
  // Of the two bounds of maximum dissipation the additive one relaxes the printed one.
  standing.is_relaxed = lifts(kind) || (kind == LawKind::MaximumDissipation &&
                                        law_asked(LawKind::LiteralDissipation) != nullptr);
  standing.is_weaker = !standing.is_asked && has_islands && !answers_law_asked(row.status) &&
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
  // Contacts of some islands may have a polygon where the weakest law has none.
  const bool has_polygons =
      has_polygon(law.kind) || std::any_of(row.contacts.begin(), row.contacts.end(),
                                           [](const RunContact& c) { return has_polygon(c.law); });
  check(has_polygons ? any_has(allowed, &ContactLaw::directions, law.directions)
                     : law.directions == 0,
        "/law/directions: not those of the model");
  check(any_has(allowed, &ContactLaw::restitution, law.restitution),
        "/law/restitution: not that of the scene");
  const bool is_touching = touching_only_ && law.activation_gap == touching_gap(problem);
  const bool may_reach = !touching_only_ || standing.is_weaker || !has_contacts;
  check(is_touching || (may_reach && law.activation_gap == ContactLaw().activation_gap),
        "/law/activation_gap: not that of the model");
}

void LawCheck::check_status(const RunRow& row, const ContactProblem& problem, bool is_met,
                            VerificationChecks& checks) const {
  // Success means the law asked; the two weaker answers mean another; a failure misses the law. The
  // limit of collisions in sequence ends with an answer that holds, by a second attempt.
  const Standing standing = standing_of(row, problem);
  // A weaker law may be that of the scene's other steps: an impact asks for one of its own.
  const bool answers_asked = row.law.kind == row.law_asked || answers_law_asked(row.status);
  const bool holds_as_asked = standing.is_asked && answers_asked && is_met;
  bool fits = !holds_as_asked;
  if (row.status == SolveStatus::NotRun) fits = false;
  if (answers_law_asked(row.status)) fits = holds_as_asked;
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
