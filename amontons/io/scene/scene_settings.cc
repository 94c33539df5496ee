#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_reader.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/model_registration.h"
#include "amontons/simulation/events/impact_model.h"
#include "amontons/simulation/stepping_methods.h"

#include <algorithm>
#include <limits>

namespace amontons::io {
namespace {

/// Relative spacing of the times that a double distinguishes [-].
constexpr double kClockResolution = std::numeric_limits<double>::epsilon();

/// Reads the length of a step [s], or a list of lengths that is cycled.
std::vector<double> read_steps(const YamlValue& value) {
  if (value.kind != YamlValue::Kind::Sequence) {
    return {read_positive(value, "step of the simulation")};
  }
  if (value.items.empty()) fail_at(value.where, "step of the simulation must not be an empty list");
  std::vector<double> steps;
  for (const YamlValue& item : value.items) {
    steps.push_back(read_positive(item, "step of the simulation"));
  }
  return steps;
}

/// Reads the name of a contact model.
std::string read_model_name(const YamlValue& value) {
  const std::string name = read_text(value, "model of the simulation");
  if (has_model(name)) return name;
  fail_at(value.where, "there is no model '" + name + "'" + model_advice(name));
}

/// Reads the law of restitution. Stronge's law needs the course of one impact over time, which only
/// models of impacts in sequence have.
RestitutionLaw read_restitution_law(const MapReader& map, const SimulationSettings& settings) {
  const YamlValue& value = map.required("restitution_law");
  const auto law = map.choice("restitution_law", RestitutionLaw::Newton);
  if (law != RestitutionLaw::Stronge) return law;
  // A time step resolves all impacts together.
  if (settings.method == "time-stepping") {
    fail_at(value.where,
            "restitution_law 'stronge' is of impacts in sequence (mirtich); time-stepping takes "
            "newton or poisson");
  }
  // The model of impacts in use must be one of impacts in sequence.
  const std::string impacts = impact_model_name(settings);
  if (!make_model(impacts, {})->traits().resolves_impacts_only) {
    fail_at(value.where, "restitution_law 'stronge' is of impacts in sequence, and impacts are '" +
                             impacts + "' here; write impact_model: mirtich, or newton or poisson");
  }
  return law;
}

/// Reads the keys of event-driven and hybrid simulation. A key that the chosen method does not read
/// is refused, because it would change nothing.
void read_events(const MapReader& map, SimulationSettings& settings) {
  // These keys belong to time stepping alone.
  for (const char* key :
       {"projection", "post_stabilization", "position_iterations", "contact_horizon"}) {
    const YamlValue* value = map.find(key);
    if (value && settings.method != "time-stepping") {
      fail_at(value->where, std::string(key) + " belongs to method: time-stepping");
    }
  }
  // All others belong to event-driven and hybrid simulation.
  const auto find = [&](const char* key) {
    const YamlValue* value = map.find(key);
    if (value && settings.method == "time-stepping") {
      fail_at(value->where,
              std::string(key) + " belongs to method: event-driven, hybrid or impulse-based");
    }
    return value;
  };
  // Integration between contacts and resolution of events.
  EventSettings& events = settings.events;
  if (find("integrator")) events.integrator = map.choice("integrator", events.integrator);
  if (const YamlValue* v = find("integrator_tolerance")) {
    events.integrator_tolerance = read_positive(*v, "integrator_tolerance");
  }
  if (const YamlValue* v = find("impact_model")) {
    events.impact_model = read_model_name(*v);
    if (const auto fault = fault_of_model(settings)) fail_at(v->where, *fault);
  }
  if (const YamlValue* v = find("minimum_step")) {
    events.minimum_step = read_positive(*v, "minimum_step");
  }
  if (const YamlValue* v = find("contact_tolerance")) {
    events.contact_tolerance = read_positive(*v, "contact_tolerance");
  }
  if (const YamlValue* v = find("sustained_contact")) {
    // The way in which sustained contacts are integrated must fit model and integrator.
    events.sustained = map.choice("sustained_contact", events.sustained);
    if (const auto fault = fault_of_sustained(settings)) fail_at(v->where, *fault);
  }
}

/// Reads the number of directions of the friction polygon.
int read_friction_directions(const YamlValue& value) {
  const int directions = read_integer(value, "friction_directions", 4, 64);
  if (directions % 2 != 0) {
    fail_at(value.where, "friction_directions must be even, not " + value.text +
                             ": each direction needs its opposite");
  }
  return directions;
}

}  // namespace

void read_simulation(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "simulation", scene_map("simulation"));
  // Method and models come first, because they decide which other keys are allowed.
  SimulationSettings& settings = reader.scene.simulation;
  settings.steps = read_steps(map.required("step"));
  settings.duration = read_positive(map.required("duration"), map.name_of("duration"));
  if (map.has("method")) settings.method = map.choice("method");
  // Impulse-based simulation has one model.
  if (settings.method == "impulse-based") settings.model = "mirtich";
  if (const YamlValue* v = map.find("model")) {
    settings.model = read_model_name(*v);
    if (const auto fault = fault_of_model(settings)) fail_at(v->where, *fault);
  }
  read_events(map, settings);
  // Accuracy, and the seed of jitter and noise.
  if (const YamlValue* v = map.find("gamma")) settings.gamma = read_within(*v, "gamma", 0.0, 1.0);
  if (const YamlValue* v = map.find("tolerance"))
    settings.tolerance = read_positive(*v, "tolerance");
  settings.acceptable_tolerance = usual_acceptable_tolerance(settings.tolerance);
  if (const YamlValue* v = map.find("acceptable_tolerance")) {
    settings.acceptable_tolerance = read_non_negative(*v, "acceptable_tolerance");
  }
  settings.accept = map.choice("accept", settings.accept);
  if (const YamlValue* v = map.find("seed")) settings.seed = read_count(*v, "seed");
  // Variants of contact laws.
  if (const YamlValue* v = map.find("friction_directions")) {
    settings.friction_directions = read_friction_directions(*v);
  }
  if (const YamlValue* v = map.find("literal_gamma")) {
    settings.literal_gamma = read_bool(*v, "literal_gamma");
  }
  if (const YamlValue* v = map.find("literal_viscous_bound")) {
    settings.literal_viscous_bound = read_bool(*v, "literal_viscous_bound");
  }
  if (const YamlValue* v = map.find("impulse_cap")) {
    settings.impulse_cap = map.choice("impulse_cap", settings.impulse_cap);
    if (settings.impulse_cap == ImpulseCap::System && settings.literal_viscous_bound) {
      fail_at(v->where, "impulse_cap 'system' cannot be combined with literal_viscous_bound");
    }
  }
  // Corrections of position within a time step.
  if (const YamlValue* v = map.find("projection")) {
    settings.projection = read_bool(*v, "projection");
  }
  if (const YamlValue* v = map.find("post_stabilization")) {
    settings.post_stabilization = read_integer(*v, "post_stabilization", 0, 50);
  }
  if (const YamlValue* v = map.find("position_iterations")) {
    settings.position_iterations = read_integer(*v, "position_iterations", 0, 1000);
  }
  // Speeds [m/s]: horizon of contacts, smallest bounce, removal of overlaps.
  if (const YamlValue* v = map.find("v_max")) settings.v_max = read_positive(*v, "v_max");
  if (const YamlValue* v = map.find("rest_speed")) {
    settings.rest_speed = read_non_negative(*v, "rest_speed");
  }
  if (const YamlValue* v = map.find("overlap_speed")) {
    settings.overlap_speed = read_positive(*v, "overlap_speed");
  }
  // The law of restitution depends on method and models, which are known here.
  if (map.has("restitution_law")) settings.restitution_law = read_restitution_law(map, settings);
  settings.joint_friction = map.choice("joint_friction", settings.joint_friction);
  // Distances [m]: horizon of contacts, layer around shapes, infeasibility that ends the run.
  if (const YamlValue* v = map.find("contact_horizon")) {
    if (settings.v_max) {
      fail_at(v->where,
              "contact_horizon cannot be combined with v_max: both give the horizon of "
              "contacts; remove one");
    }
    settings.contact_horizon = read_positive(*v, "contact_horizon");
  }
  if (const YamlValue* v = map.find("protective_layer")) {
    settings.protective_layer = read_non_negative(*v, "protective_layer");
  }
  if (const YamlValue* v = map.find("stop_at_infeasibility")) {
    settings.stop_at_infeasibility = read_positive(*v, "stop_at_infeasibility");
  }
  // Effort of the solvers and choice among solutions of equal velocity.
  if (const YamlValue* v = map.find("max_iterations")) {
    settings.max_iterations = read_integer(*v, "max_iterations", 1, 1000000);
  }
  if (const YamlValue* v = map.find("max_effort")) {
    settings.max_effort = read_positive(*v, "max_effort");
  }
  if (const YamlValue* v = map.find("minimum_norm")) {
    settings.minimum_norm = read_bool(*v, "minimum_norm");
  }
  settings.sticking = map.choice("sticking", settings.sticking);
  reader.note(ImportFate::Applied, "simulation", "", value.where);
}

void read_output(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "output", scene_map("output"));
  OutputSettings& output = reader.scene.output;
  if (const YamlValue* v = map.find("every")) {
    output.every = read_positive(*v, "every of output");
    // A shorter interval is less than the last digit of the times that it would separate.
    const double least = reader.scene.simulation.duration * kClockResolution;
    if (output.every < least) {
      fail_at(v->where, "every of output must be at least " + shortest_text(least) +
                            " s, the resolution of the clock in this simulation; leave it out for "
                            "a row of every step");
    }
  }
  output.contacts = map.choice("contacts", output.contacts);
  reader.note(ImportFate::Applied, "output", "", value.where);
}

}  // namespace amontons::io
