#include "amontons/io/run/run_judged.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace amontons::io {
namespace {

/// Says how a value is judged. A check is named as in the report of `verify`.
struct Judgement {
  const char* dataset;
  const char* check;       ///< empty: no check finds a wrong value
  const char* words = "";  ///< printed in place of the name of a check
};

/// Every other value is computed from these.
constexpr const char* kGiven = "no: all else follows from it";
/// A wrong value is refused before the rows are read.
constexpr const char* kRefused = "refused";
/// Nothing else in the file says what the value must be.
constexpr const char* kRecorded = "no: as recorded";
/// The rebound of a contact or limit that bounces is part of its law.
constexpr const char* kShare =
    "`witnesses` where nothing bounces; else by the normal law, where the rebound decides";
/// A choice of the run; verification repeats the step with it.
constexpr const char* kChoice = "no: a choice of the run, which the step is repeated with";

constexpr Judgement kJudgements[] = {
    // The header.
    {"/.format", "", kRefused},
    {"/.version", "", kRefused},
    {"/.build", "", kRecorded},
    {"/.scene_file", "", kRecorded},
    {"/.scene", "", kGiven},
    {"/.commander", "", kRecorded},
    {"/.scene_sha256", "", kRefused},
    {"/.header_sha256", "", kRefused},
    {"/.seed", "header"},
    {"/overrides", "", kGiven},
    {"/inputs/*", "", kGiven},
    {"/bodies/name", "header"},
    {"/joints/name", "header"},
    {"/joints/q_offset", "header"},
    {"/joints/v_offset", "header"},
    {"/joints/first_row", "header"},
    {"/joints/num_rows", "header"},
    // State.
    {"/time", "times"},
    {"/time_start", "times"},
    {"/step_count", "chain"},
    {"/record", "chain"},
    {"/step", "times"},
    {"/start_was_set", "", "no: as recorded, and counted; 0 is judged by `chain`"},
    {"/q", "positions"},
    {"/v", "dynamics"},
    {"/v_free", "free velocity"},
    {"/q_start", "chain"},
    {"/v_start", "chain"},
    {"/v_coupled", "free velocity"},
    {"/coupled_damping", "free velocity"},
    {"/v_eval", "positions", "`positions`; of a step evaluated ahead no: a choice of the run"},
    {"/closing_speed", "", kChoice},
    {"/bodies/position", "body poses"},
    {"/bodies/quat_wxyz", "body poses"},
    {"/num_contacts", "contact set"},
    {"/joints/impulse", "dynamics"},
    // Contacts.
    {"/contacts/offset", "contact set"},
    {"/contacts/record", "contact set|contact velocity|dynamics"},
    {"/contacts/body_a", "contact set"},
    {"/contacts/body_b", "contact set"},
    {"/contacts/shape_a", "contact set"},
    {"/contacts/shape_b", "contact set"},
    {"/contacts/feature", "contact set"},
    {"/contacts/position", "contact point"},
    {"/contacts/normal", "contact point"},
    {"/contacts/gap", "gap"},
    {"/contacts/friction", "friction"},
    {"/contacts/viscous_friction", "friction"},
    {"/contacts/restitution", "restitution"},
    {"/contacts/law", "claim"},
    {"/contacts/impulse", "dynamics"},
    {"/contacts/compression", "modes|normal law|limit law"},
    {"/contacts/velocity", "contact velocity"},
    {"/contacts/velocity_free", "contact velocity"},
    {"/contacts/mode", "modes"},
    {"/contacts/witness", "witnesses|normal law|friction law|limit law"},
    {"/contacts/first_witness", "witnesses|normal law|friction law|limit law"},
    {"/contacts/restitution_share", "", kShare},
    // Bounded rows.
    {"/bounded/offset", "bounded rows"},
    {"/bounded/kind", "bounded rows"},
    {"/bounded/index", "bounded rows"},
    {"/bounded/is_upper", "bounded rows"},
    {"/bounded/lower", "bounded rows"},
    {"/bounded/upper", "bounded rows"},
    {"/bounded/gap", "bounded rows"},
    {"/bounded/offset_speed", "bounded rows"},
    {"/bounded/compliance", "bounded rows"},
    {"/bounded/restitution", "bounded rows"},
    {"/bounded/impulse", "dynamics"},
    {"/bounded/compression", "modes|normal law|limit law"},
    {"/bounded/velocity", "bounded rows"},
    {"/bounded/mode", "modes"},
    {"/bounded/restitution_share", "", kShare},
    {"/bounded/witness", "witnesses|normal law|friction law|limit law"},
    {"/bounded/first_witness", "witnesses|normal law|friction law|limit law"},
    // Commands act on v_free.
    {"/commands/offset", "free velocity|bounded rows"},
    {"/commands/kind", "free velocity|bounded rows"},
    {"/commands/index", "free velocity|bounded rows"},
    {"/commands/value", "free velocity|bounded rows"},
    {"/commands/rate", "free velocity|bounded rows"},
    {"/commands/force", "free velocity"},
    {"/commands/torque", "free velocity"},
    {"/commands/at", "free velocity"},
    // Certificate.
    {"/certificate/claimed", "claim"},
    {"/certificate/normal", "claim"},
    {"/certificate/friction", "claim"},
    {"/certificate/limit", "claim"},
    {"/certificate/joint_friction", "claim"},
    {"/certificate/joint", "claim"},
    {"/certificate/dynamics", "claim"},
    {"/certificate/coulomb", "claim"},
    {"/certificate/dissipation", "claim"},
    {"/certificate/infeasibility", "infeasibility"},
    {"/certificate/energy_gained", "claim"},
    {"/certificate/stabilization_work", "claim"},
    {"/certificate/missed_contacts", "claim"},
    {"/certificate/loop", "claim"},
    {"/certificate/overlap", "claim"},
    {"/certificate/energy_created", "claim"},
    {"/certificate/law_distance", "claim"},
    // Law.
    {"/law/asked", "claim"},
    {"/law/within", "claim"},
    {"/law/kind", "law"},
    {"/law/directions", "law"},
    {"/law/restitution", "law"},
    {"/law/activation_gap", "law"},
    // Energy.
    {"/energy/kinetic", "energy"},
    {"/energy/potential", "energy"},
    {"/energy/gravity", "energy"},
    {"/energy/actuators", "energy"},
    {"/energy/contact_normal", "energy"},
    {"/energy/contact_friction", "energy"},
    {"/energy/springs", "energy"},
    {"/energy/joint_friction", "energy"},
    {"/energy/impacts", "energy"},
    {"/energy/stabilization", "energy"},
    {"/energy/integration", "energy"},
    {"/energy/unexplained", "energy"},
    // Events.
    {"/events/impact", "events"},
    {"/events/arrival", "events"},
    {"/events/zeno", "", "no: `events` finds it only in time stepping and in impacts"},
    {"/events/sliding", "events"},
    {"/events/by_forces", "events"},
    {"/events/steady", "events|contact set"},
    {"/events/became_steady", "", "no: `events` finds it only where no pair can change"},
    {"/events/became_bouncing", "", "no: `events` finds it only where no pair can change"},
    // Solver.
    {"/solver/status", "status", "`status`: success and the weaker laws; not which failure it was"},
    {"/solver/iterations", "", kRecorded},
    {"/solver/attempts", "", kRecorded},
    {"/solver/step_time_s", "", kRecorded},
    {"/solver/solve_time_s", "", kRecorded},
};

const Judgement& row_of(std::string_view dataset) {
  const auto* found = std::find_if(std::begin(kJudgements), std::end(kJudgements),
                                   [&](const Judgement& own) { return dataset == own.dataset; });
  if (found != std::end(kJudgements)) return *found;
  throw std::logic_error("run_judged.cc says nothing of " + std::string(dataset));
}

}  // namespace

std::string judgement(std::string_view dataset) {
  const Judgement& own = row_of(dataset);
  if (*own.words != '\0') return own.words;
  std::string text;
  for (const std::string& check : judging_checks(dataset)) {
    text += (text.empty() ? "`" : ", `") + check + "`";
  }
  return text;
}

std::vector<std::string> judging_checks(std::string_view dataset) {
  std::vector<std::string> checks;
  std::string_view rest = row_of(dataset).check;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    checks.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return checks;
}

}  // namespace amontons::io
