#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/stepping_methods.h"

namespace amontons::io {
namespace {

// Words for an enum are in the order of the enum, because the reader takes their index.
const std::vector<std::string> kStickingLists = {"loaded", "touching"};
const std::vector<std::string> kImpulseCaps = {"island", "system"};
const std::vector<std::string> kRecordedContacts = {"auto", "all", "none"};
const std::vector<std::string> kAcceptedAnswers = {"exact", "convexified", "safe"};
const std::vector<std::string> kRestitutionLaws = {"newton", "poisson", "stronge"};
const std::vector<std::string> kJointFrictions = {"coupled", "box-qp", "explicit"};
const std::vector<std::string> kIntegrators = {"symplectic-euler", "rk4", "dormand-prince"};
const std::vector<std::string> kSustainedContacts = {"velocity", "coulomb-acceleration",
                                                     "viscous-acceleration"};

/// Returns the word of an enumerator, for the column of defaults.
template <typename Enum>
std::string default_word(const std::vector<std::string>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

/// Returns the keys of the scene itself.
FormatMap document() {
  return {
      "scene",
      "the scene itself",
      "",
      {{"amontons", "1", "", kRequired, "Version of the format."},
       {"gravity", "[x, y, z]", "m/s^2", "[0, 0, -9.81]", "Acceleration, world axes."},
       {"simulation", "map", "", kRequired, "Steps, method, contact model."},
       {"materials", "list of materials and pairs", "", "one, `default`", "Friction, restitution."},
       {"bodies", "list of bodies", "", "none", "Rigid bodies, fixed ones included."},
       {"repeat", "list of repeats", "", "none", "Copies of bodies on a grid."},
       {"models", "list of models", "", "none", "Robots and worlds from URDF, SDF or MJCF files."},
       {"frames", "list of frames", "", "none", "Named frames of bodies, for programs."},
       {"joints", "list of joints", "", "none", "Joints between bodies, and to links of models."},
       {"couplings", "list of couplings", "", "none", "Gears."},
       {"actuators", "list of actuators", "", "none",
        "Servos, efforts, wrenches, prescribed motions."},
       {"collide", "word, or map from name to word", "", "as the format",
        "How meshes of bodies and links collide where these do not say it themselves: as the key "
        "of "
        "a model, with full names; a repeated body has the name of the original."},
       {"max_hull_vertices", "integer >= 4, or -1, or map from name to these", "", "as the format",
        "Largest number of vertices of a convex polyhedron as which a mesh collides: as the key of "
        "a model, with full names."},
       {"collision_filters", "list of filters", "", "none",
        "Pairs of bodies and shapes that do not collide, or that do."},
       {"output", "map", "", "every step", "Contents of the run file."}}};
}

/// Returns the keys of `simulation` that concern the contact problem and its solution.
std::vector<FormatKey> keys_of_contact(const SimulationSettings& defaults) {
  // The table has the order of docs/scene-format.md: law, accuracy, geometry of contacts, then keys
  // of single laws.
  return {
      {"model", "a contact model", "", defaults.model,
       "The law of contacts ([models](models.md)). `mirtich` serves as `impact_model`, and with "
       "`method: impulse-based`.",
       model_names()},
      {"gamma", "number in [0, 1]", "", "the model's preset, else 1",
       "Share of an overlap that a step removes."},
      {"tolerance", "number > 0", "", shortest_text(defaults.tolerance),
       "Largest residual with which the certificate holds. Above 1e-8 solvers stop as soon as they "
       "reach it, and resting bodies may creep by as much."},
      {"acceptable_tolerance", "number >= 0", "", "10 tolerance, at least 1e-4",
       "Where the law is not reached to `tolerance`, the nearest of the best iterate and the "
       "answers of weaker laws is taken up to this residual, if it keeps every inequality: the "
       "step is `Acceptable`. 0: never."},
      {"accept", "word", "", default_word(kAcceptedAnswers, defaults.accept),
       "Answers that count as success, for the exit code and the summary. `exact`: the law asked "
       "in "
       "every step. `convexified`: also its convex relaxation. `safe`: also every other answer "
       "whose certificate is met, such as one without friction.",
       kAcceptedAnswers},
      {"friction_directions", "even integer, 4 to 64", "", "4, or the round cone",
       "Directions of the friction polygon. Without it the LCP family takes 4 and "
       "`convex-relaxation` the round cone."},
      {"restitution_law", "word", "", "`newton`; impacts of `mirtich`: `stronge`",
       "`stronge` applies to impacts in sequence (`mirtich`) only. `e` is the share of the speed "
       "at the moment of contact, not at the ends of its step: a ball returns e^2 of its height to "
       "second order in the step.",
       kRestitutionLaws},
      {"rest_speed", "number >= 0", "m/s", "2 g h",
       "Closing speed below which nothing bounces. Event-driven: g `minimum_step`."},
      {"v_max", "number > 0", "m/s", "from the velocities",
       "Contact horizon v_max h of every pair of shapes: gaps up to it are contacts. A step that "
       "meets another shape is repeated with a wider horizon."},
      {"contact_horizon", "number > 0", "m", "from the velocities",
       "Time stepping: contact horizon of every pair of shapes, whatever the step: the eps^ of "
       "Anitescu, Miller and Hart. Else as `v_max`, with which it cannot be combined."},
      {"overlap_speed", "number > 0", "m/s", "10 R/s, at most 3",
       "Largest speed that overlaps and open loops give to any point of a body while they close. R "
       "is the radius of the largest moving shape."},
      {"protective_layer", "number >= 0", "m", shortest_text(defaults.protective_layer),
       "Width of a layer by which every gap is reduced, so that bodies touch at this distance."},
      {"stop_at_infeasibility", "number > 0", "m", "never",
       "The run ends with the step whose infeasibility, the largest overlap or joint error, "
       "reaches it. The summary reports it; the exit code is that of a complete run."},
      {"max_iterations", "integer, 1 to 1000000", "", "the model's own",
       "Limit for all methods together that try one law on one island. After it the solver tries "
       "the next weaker law. The last law, without friction, has no limit: every step has a "
       "solution, and the report names its law."},
      {"max_effort", "number > 0", "", shortest_text(defaults.max_effort),
       "Limit of the effort of all solves of one step, on each island, in equivalent "
       "factorizations: a sweep or a pivot counts a sixteenth. After it the step ends with the "
       "best iterate of the law asked, its distance from the law, and the status "
       "`IterationLimit`."},
      {"minimum_norm", "true or false", "", "false",
       "The step returns, of all reactions with the same velocity, those of least norm, under "
       "every law of single contacts. They are as symmetric as the scene, for any order of "
       "contacts."},
      {"sticking", "word", "", default_word(kStickingLists, defaults.sticking),
       "For `no-slip`. `loaded`: the contacts that carry a load do not slip. `touching`: no "
       "touching contact slips, as published; a box beside a wall hangs.",
       kStickingLists},
      {"joint_friction", "word", "", default_word(kJointFrictions, defaults.joint_friction),
       "`coupled`: rows of the contact problem. `box-qp`: both frictions by gradient projection "
       "before contact, as published. `explicit`: the sgn() law.",
       kJointFrictions},
      {"literal_gamma", "true or false", "", "false",
       "gamma scales positive gaps, too, as printed in the LCP papers."},
      {"literal_viscous_bound", "true or false", "", "false",
       "For `maximum-dissipation`: the viscous bound as printed, a product, in place of the sum. "
       "Where both kinds of friction act it is not convex; a step whose solution exceeds it ends "
       "as `Convexified`, with the sum."},
      {"impulse_cap", "word", "", default_word(kImpulseCaps, defaults.impulse_cap),
       "For `maximum-dissipation`: the contacts whose normal impulses one kappa bounds, their sum "
       "without friction. `island`: those of each island. `system`: all, as published; what "
       "friction saves at one body may then raise the load of another that it does not touch. Not "
       "with `literal_viscous_bound`.",
       kImpulseCaps},
  };
}

/// Returns the keys of `simulation` that concern one method of simulation.
std::vector<FormatKey> keys_of_method(const SimulationSettings& defaults) {
  // The first three keys belong to time stepping, the others to event-driven and hybrid simulation.
  const EventSettings& events = defaults.events;
  return {
      {"projection", "true or false", "", "false",
       "Time stepping: each step projects the positions onto the joints that are rows of J, "
       "instead of stabilizing them."},
      {"post_stabilization", "integer, 0 to 50", "", std::to_string(defaults.post_stabilization),
       "Time stepping: largest number of passes that move the positions out of overlaps, and onto "
       "the joints that are rows of J, after each step. 1 is the method as published."},
      {"position_iterations", "integer, 0 to 1000", "",
       std::to_string(defaults.position_iterations),
       "Time stepping: largest number of repetitions of a step, with J and gaps at its end."},
      {"integrator", "word", "", default_word(kIntegrators, events.integrator),
       "All but time stepping: the integrator between contacts. `dormand-prince` is adaptive.",
       kIntegrators},
      {"integrator_tolerance", "number > 0", "", shortest_text(events.integrator_tolerance),
       "Error tolerance of a step of `dormand-prince`."},
      {"impact_model", "a contact model", "", "`coulomb`; hybrid and impulse-based: `mirtich`",
       "Law of impacts: any of the models, with h = 0, or `mirtich`, collisions in sequence."},
      {"minimum_step", "number > 0", "s", "a thousandth of the smallest step",
       "A shorter bounce does not occur: the contact stays closed. The hybrid and the "
       "impulse-based "
       "method apply it only where events crowd."},
      {"contact_tolerance", "number > 0", "m", shortest_text(events.contact_tolerance),
       "Distance at which shapes touch. Shapes without sustained contact come no nearer than half "
       "of it."},
      {"sustained_contact", "word", "", default_word(kSustainedContacts, events.sustained),
       "Event-driven: the law of sustained contacts. `velocity`: `model`, between impulses and "
       "velocities. `coulomb-acceleration` (`model: coulomb`) and `viscous-acceleration` (`model: "
       "viscous`, or `lemke-plain` to compare methods) need `rk4` or `dormand-prince`. With them "
       "smooth trees move by contact forces, to the order of the integrator, on still ground and "
       "on each other, with servos and their effort limits. `model` moves all others, and stops a "
       "slip that has no force (Painleve).",
       kSustainedContacts},
  };
}

/// Returns the keys of `simulation`.
FormatMap simulation() {
  // The defaults printed are those of the struct that the reader fills.
  const SimulationSettings defaults;
  FormatMap map{
      "simulation",
      "`simulation`",
      "`time-stepping` takes the steps of `step`. With `event-driven` a run has a row per event "
      "besides those of `step`, and shapes meet at the end of a row only. With `hybrid` each "
      "contact bounces or is sustained. `impact_model` resolves a contact that would leave faster "
      "than `rest_speed`, at its time of impact. `model` solves all other contacts without "
      "restitution; a step that misses its certificate is halved. With `impulse-based` all contact "
      "is collisions in sequence (`model: mirtich`), also where bodies rest and roll. Keys of one "
      "method are refused "
      "under another. A key of one model (`sticking`, `literal_viscous_bound`) may be part of any "
      "scene; it acts where that model is chosen, also by `run --model` or `contest`.",
      {{"step", "number > 0, or a list of them", "s", kRequired,
        "Length of a step; a list is cycled."},
       {"duration", "number > 0", "s", kRequired,
        "Time to simulate, at least one step. The run ends with the first step that ends at this "
        "time or later: no step is shortened."},
       {"method", "word", "", defaults.method, "The stepping method.", method_names()},
       {"seed", "integer >= 0", "", std::to_string(defaults.seed),
        "Seed of `jitter` and of noise."}}};
  for (auto part : {keys_of_contact, keys_of_method}) {
    for (FormatKey& key : part(defaults)) map.keys.push_back(std::move(key));
  }
  return map;
}

/// Returns the keys of `output`.
FormatMap output() {
  return {"output",
          "`output`",
          "",
          {{"every", "number > 0", "s", "every step",
            "Time between two rows. Impacts, and steps that miss their certificate or the law "
            "asked, have rows besides."},
           {"contacts", "word", "", default_word(kRecordedContacts, OutputSettings().contacts),
            "Steps whose contacts the run records; `verify` judges their laws. `auto`: every "
            "step. But where the step is fixed and has more than 100 contacts: one step in a "
            "sixtieth of a second, and every step that misses its certificate or its law; with "
            "`every`, all its rows. `all`: every step. `none`: no step, and `verify` refuses the "
            "run.",
            kRecordedContacts}}};
}

}  // namespace

std::vector<FormatMap> format_of_settings() { return {document(), simulation(), output()}; }

}  // namespace amontons::io
