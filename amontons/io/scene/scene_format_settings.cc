#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_format.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/stepping_methods.h"

namespace amontons::io {
namespace {

// Words for an enum are in the order of the enum, because the reader takes their index.
const std::vector<std::string> kStickingLists = {"loaded", "touching"};
const std::vector<std::string> kRestitutionLaws = {"newton", "poisson", "stronge"};
const std::vector<std::string> kJointFrictions = {"coupled", "box-qp", "explicit"};
const std::vector<std::string> kIntegrators = {"symplectic-euler", "rk4", "dormand-prince"};
const std::vector<std::string> kSustainedContacts = {"velocity", "coulomb-acceleration",
                                                     "viscous-acceleration"};

/// Returns the word of an enumerator, for the column of defaults.
template <typename Enum>
std::string usual(const std::vector<std::string>& words, Enum value) {
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
       {"joints", "list of joints", "", "none", "Joints between bodies, and to links of models."},
       {"couplings", "list of couplings", "", "none", "Gears."},
       {"actuators", "list of actuators", "", "none",
        "Servos, efforts, wrenches, prescribed motions."},
       {"output", "map", "", "every step", "What the run file keeps."}}};
}

/// Returns the keys of `simulation` that concern the contact problem and its solution.
std::vector<FormatKey> keys_of_contact(const SimulationSettings& usually) {
  // The table has the order of docs/scene-format.md: law, accuracy, geometry of contacts, then keys
  // of single laws.
  return {
      {"model", "a contact model", "", usually.model,
       "The law of contacts ([models](models.md)). `mirtich` is an `impact_model` "
       "only.",
       model_names()},
      {"gamma", "number in [0, 1]", "", "the model's preset, else 1",
       "Share of an overlap that a step removes."},
      {"tolerance", "number > 0", "", shortest_text(usually.tolerance),
       "Of the certificate's figures. Above 1e-8 solvers stop as soon as they are there, and what "
       "rests may creep by as much."},
      {"friction_directions", "even integer, 4 to 64", "", "4, or the round cone",
       "Directions of the friction polygon. Without it the LCP family takes 4 and "
       "`convex-relaxation` the round cone."},
      {"restitution_law", "word", "", "`newton`; impacts of `mirtich`: `stronge`",
       "`stronge` is of impacts in sequence (`mirtich`) alone. `e` is the share of the speed at "
       "the moment of contact, not at the ends of the step in which it falls: a ball returns e^2 "
       "of its height to second order in the step.",
       kRestitutionLaws},
      {"rest_speed", "number >= 0", "m/s", "2 g h",
       "Below it nothing bounces. Event-driven: g `minimum_step`."},
      {"v_max", "number > 0", "m/s", "from the velocities",
       "Horizon v_max h of every pair of shapes: gaps up to it are contacts. A step that meets "
       "others is taken anew, with a larger one."},
      {"overlap_speed", "number > 0", "m/s", shortest_text(usually.overlap_speed),
       "At which bodies that are inside each other come apart at most; of joint limits in rad/s."},
      {"protective_layer", "number >= 0", "m", shortest_text(usually.protective_layer),
       "Every gap counts as smaller by it, so that bodies touch a layer apart."},
      {"stop_at_infeasibility", "number > 0", "m", "never",
       "The run ends with the step whose infeasibility, the largest overlap or joint error, "
       "reaches it. The summary says so; the exit code is that of a run that came to its end."},
      {"max_iterations", "integer, 1 to 1000000", "", "the model's own",
       "Of all methods that try one law on one island. When they are spent the ladder goes on to "
       "the next law, of which the last, normals alone, has no limit: a step always ends with an "
       "answer, and the report names the law."},
      {"minimum_norm", "true or false", "", "false",
       "Of the reactions that give the same velocity those of least norm, under every law of "
       "single contacts: as symmetric as the scene, whatever the order of contacts."},
      {"sticking", "word", "", usual(kStickingLists, usually.sticking),
       "Of `no-slip`. `loaded`: the contacts that bear a load do not slip. `touching`: all that "
       "touch, as published; a box beside a wall hangs.",
       kStickingLists},
      {"joint_friction", "word", "", usual(kJointFrictions, usually.joint_friction),
       "`coupled`: rows of the contact problem. `box-qp`: both frictions by gradient projection "
       "before contact, as published. `explicit`: the sgn() law.",
       kJointFrictions},
      {"literal_gamma", "true or false", "", "false",
       "gamma also on gaps outside, as printed in the LCP papers."},
      {"literal_viscous_bound", "true or false", "", "false",
       "Of `maximum-dissipation`: the viscous bound as printed, a product, in place of the sum. "
       "Steps whose answer passes it, possible only at contacts where both kinds of friction act "
       "and it is not convex, end as `Convexified`, on the sum."},
  };
}

/// Returns the keys of `simulation` that concern one method of simulation.
std::vector<FormatKey> keys_of_method(const SimulationSettings& usually) {
  // The first two keys belong to time stepping, the others to event-driven and hybrid simulation.
  const EventSettings& events = usually.events;
  return {
      {"projection", "true or false", "", "false",
       "Time stepping: after each step positions are projected onto the joints that are rows of J, "
       "instead of stabilizing them."},
      {"position_iterations", "integer, 0 to 1000", "", std::to_string(usually.position_iterations),
       "Time stepping: a step is repeated, at most so often, with M, J and gaps where it ended."},
      {"integrator", "word", "", usual(kIntegrators, events.integrator),
       "Event-driven and hybrid: between contacts. `dormand-prince` is adaptive.", kIntegrators},
      {"integrator_tolerance", "number > 0", "", shortest_text(events.integrator_tolerance),
       "Of a step of `dormand-prince`."},
      {"impact_model", "a contact model", "", "`coulomb`; hybrid: `mirtich`",
       "Any of the models, with h = 0, or `mirtich`: collisions in sequence."},
      {"minimum_step", "number > 0", "s", "a thousandth of the smallest step",
       "A bounce that would be shorter is none; in the hybrid method only where events crowd."},
      {"contact_tolerance", "number > 0", "m", shortest_text(events.contact_tolerance),
       "Shapes so near touch; none that is not in sustained contact comes nearer than half of it."},
      {"sustained_contact", "word", "", usual(kSustainedContacts, events.sustained),
       "Event-driven: how contacts go on that last. `velocity`: by `model`, between impulses. "
       "`coulomb-acceleration` (`model: coulomb`) and `viscous-acceleration` (`model: viscous`, or "
       "`lemke-plain` to compare methods), with `rk4` or `dormand-prince`: smooth trees, servos "
       "and "
       "their effort limits included, on still ground and on each other move by contact forces, to "
       "the order of the integrator, and `model` is what stops a slip for which "
       "there is no force (Painleve) and what moves the rest.",
       kSustainedContacts},
  };
}

/// Returns the keys of `simulation`.
FormatMap simulation() {
  // The defaults printed are those of the struct that the reader fills.
  const SimulationSettings usually;
  FormatMap map{
      "simulation",
      "`simulation`",
      "`time-stepping` takes the steps of `step`. With `event-driven` a run has a row per event "
      "besides those of `step`, and shapes that meet do so at the end of a "
      "row. `hybrid`: each contact bounces or is steady. What would leave faster than `rest_speed` "
      "is resolved at its time of impact by `impact_model`, what would not is held "
      "by `model` without restitution; a step that misses its certificate is halved. Keys of one "
      "method are refused under another. A key of one model (`sticking`, "
      "`literal_viscous_bound`) may stand in any scene and acts where that model is chosen, also "
      "by `run --model` or `contest`.",
      {{"step", "number > 0, or a list of them", "s", kRequired,
        "Length of a step; a list is cycled."},
       {"duration", "number > 0", "s", kRequired, "Time to simulate."},
       {"method", "word", "", usually.method, "How time goes on.", method_names()},
       {"seed", "integer >= 0", "", std::to_string(usually.seed), "Of `jitter` and of noise."}}};
  for (auto part : {keys_of_contact, keys_of_method}) {
    for (FormatKey& key : part(usually)) map.keys.push_back(std::move(key));
  }
  return map;
}

/// Returns the keys of `output`.
FormatMap output() {
  return {"output",
          "`output`",
          "",
          {{"every", "number > 0", "s", "every step", "Time between two rows."},
           {"contacts", "true or false", "", "true",
            "Whether contacts are recorded; `verify` needs them."}}};
}

}  // namespace

std::vector<FormatMap> format_of_settings() { return {document(), simulation(), output()}; }

}  // namespace amontons::io
