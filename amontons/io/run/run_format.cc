#include "amontons/contact/bounded_row.h"
#include "amontons/contact/contact_law.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/math/solve_status.h"

namespace amontons::io {
namespace {

template <typename Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    names.emplace_back(to_string(static_cast<Enum>(i)));
  }
  return names;
}

const std::vector<std::string> kModes = {"Open", "Stick", "Slide", "Impact"};

FormatKey number(const char* name, const char* shape, const char* unit, const char* meaning) {
  return {name, std::string("float64 ") + shape, unit, "", meaning};
}

FormatKey integer(const char* name, const char* type, const char* shape, const char* meaning) {
  return {name, std::string(type) + " " + shape, "", "", meaning};
}

FormatKey code(const char* name, const char* shape, const char* meaning,
               std::vector<std::string> choices) {
  return {name, std::string("uint8 ") + shape, "", "", meaning, std::move(choices)};
}

FormatMap header() {
  return {
      "header",
      "The header",
      "Written once, before the first row.",
      {{"/.format", "text", "", "", "`amontons-run`."},
       {"/.version", "int64", "", "", "Of the format; others are refused."},
       {"/.build", "text", "", "", "Version, commit and compiler of the program."},
       {"/.scene_file", "text", "", "", "As it was named."},
       {"/.scene", "text", "", "", "The scene as it was read."},
       {"/.scene_sha256", "text", "", "", "Of the scene's text."},
       {"/.seed", "int64", "", "", "Of the scene's simulation."},
       {"/overrides", "text [n]", "", "",
        "What the command line changed in the scene (`--set` and its short forms), as it was "
        "given."},
       {"/inputs/*", "uint8 [bytes]", "", "",
        "Every file the scene read, byte for byte, with the attributes path and sha256."},
       {"/bodies/name", "text [nB]", "", "",
        "In order of declaration, then models' links depth first."},
       {"/joints/name", "text [nJ]", "", "",
        "Joints of the scene, `model/joint`, couplings, `motion of JOINT`."},
       integer("/joints/q_offset", "int32", "[nJ]",
               "Where the joint's coordinates begin in q; -1: it has none."),
       integer("/joints/v_offset", "int32", "[nJ]", "Where they begin in v."),
       integer("/joints/first_row", "int32", "[nJ]", "Where its rows begin in `/joints/impulse`."),
       integer("/joints/num_rows", "int32", "[nJ]", "How many rows of J it is.")}};
}

FormatMap state() {
  return {"state",
          "State",
          "",
          {number("/time", "[T]", "s",
                  "End of the row's step. Written last: a row counts once it is there."),
           number("/time_start", "[T]", "s", "When the step began."),
           number("/step", "[T]", "s", "Its length; 0 for an impact."),
           integer("/step_count", "int64", "[T]",
                   "Steps since the start, also those that `output.every` left out."),
           integer("/start_was_set", "uint8", "[T]",
                   "1 where a program put the state where the step began (`set_state`, `reset`)."),
           number("/q", "[T, nq]", "m, rad", "Positions at the row; quaternions w, x, y, z."),
           number("/v", "[T, nv]", "m/s, rad/s", "Velocities at the row."),
           number("/v_free", "[T, nv]", "m/s, rad/s", "Velocity without contact and loop joints."),
           number("/q_start", "[T, nq]", "m, rad", "Before the step."),
           number("/v_start", "[T, nv]", "m/s, rad/s", "Before the step."),
           number("/v_eval", "[T, nv]", "m/s, rad/s",
                  "M and J were evaluated at q_start (+) step v_eval."),
           number("/closing_speed", "[T]", "m/s",
                  "Contacts were sought up to this times the step at least: an answer of the step "
                  "had met what was out of sight, and the step was taken anew. Else 0."),
           number("/bodies/position", "[T, nB, 3]", "m", "Of the bodies' origins, world axes."),
           number("/bodies/quat_wxyz", "[T, nB, 4]", "", "Orientations."),
           number("/joints/impulse", "[T, nr]", "N s, N m s",
                  "Of the joints' rows of J, also of couplings and prescribed motions.")}};
}

FormatMap contacts() {
  return {
      "contacts",
      "Contacts",
      "Rows offset[l] to offset[l + 1] of the tables belong to row l, with gaps as they were "
      "before the move. Frame C: t1, t2, n.",
      {integer("/contacts/offset", "int64", "[T + 1]", ""),
       integer("/contacts/body_a", "int32", "[C]", "Index into `/bodies/name`."),
       integer("/contacts/body_b", "int32", "[C]", "The same; impulses act on it."),
       integer("/contacts/shape_a", "int32", "[C]", "The contact's key, with shape_b and feature."),
       integer("/contacts/shape_b", "int32", "[C]", ""),
       integer("/contacts/feature", "uint32", "[C]", "Of the two shapes."),
       number("/contacts/position", "[C, 3]", "m", "World axes."),
       number("/contacts/normal", "[C, 3]", "", "Unit, from A into B."),
       number("/contacts/gap", "[C]", "m", "Signed; negative is an overlap."),
       number("/contacts/friction", "[C]", "", "mu."),
       number("/contacts/viscous_friction", "[C]", "N s/m", "mu_v."),
       number("/contacts/restitution", "[C]", "", "e."),
       code("/contacts/law", "[C]", "The law that the answer of its island claims.",
            names_up_to(kLastLaw)),
       number("/contacts/impulse", "[C, 3]", "N s", "On body B, frame C."),
       number("/contacts/compression", "[C, 3]", "N s",
              "Its part before restitution, by Poisson's law."),
       number("/contacts/velocity", "[C, 3]", "m/s", "Of B against A after the step, frame C."),
       number("/contacts/velocity_free", "[C, 3]", "m/s", "The same of v_free."),
       code("/contacts/mode", "[C]",
            "Under `no-slip`: which contacts the answer lists as sticking.", kModes),
       number("/contacts/witness", "[C, 3]", "N s, N s, m/s",
              "Of `maximum-dissipation`, else 0: phase I's normal impulse, multiplier of "
              "nonpenetration, price of the cap."),
       number("/contacts/first_witness", "[C, 3]", "N s, N s, m/s",
              "The same of compression, with Poisson restitution."),
       number("/contacts/restitution_share", "[C]", "", "Share of e given back.")}};
}

FormatMap bounded() {
  return {
      "bounded",
      "Bounded rows of joints",
      "Limits, dry friction, servos at their effort limit; along rows of J also springs and "
      "dampers. In rows as contacts are.",
      {integer("/bounded/offset", "int64", "[T + 1]", ""),
       code("/bounded/kind", "[B]", "", names_up_to(kLastBoundedRowKind)),
       integer("/bounded/index", "int32", "[B]",
               "The joint coordinate in the order of v, then those along rows of J; or the servo."),
       integer("/bounded/is_upper", "uint8", "[B]", "Which limit."),
       number("/bounded/lower", "[B]", "N s, N m s", "Bound of the impulse."),
       number("/bounded/upper", "[B]", "N s, N m s", "Bound of the impulse."),
       number("/bounded/gap", "[B]", "m, rad", "Way to the limit."),
       number("/bounded/offset_speed", "[B]", "m/s, rad/s", "s of f = Proj(f - (u + s + R f))."),
       number("/bounded/compliance", "[B]", "1/kg, 1/(kg m^2)", "R of the same."),
       number("/bounded/restitution", "[B]", "", "Of the limit."),
       number("/bounded/impulse", "[B]", "N s, N m s", "f."),
       number("/bounded/compression", "[B]", "N s, N m s", "As of contacts."),
       number("/bounded/velocity", "[B]", "m/s, rad/s", "u after the step."),
       code("/bounded/mode", "[B]", "", kModes),
       number("/bounded/witness", "[B, 3]", "N s, N s, m/s", "As of contacts."),
       number("/bounded/first_witness", "[B, 3]", "N s, N s, m/s", "As of contacts.")}};
}

FormatMap commands() {
  return {"commands",
          "Commands",
          "What a program commanded besides the scene, in rows as contacts are.",
          {integer("/commands/offset", "int64", "[T + 1]", ""),
           code("/commands/kind", "[K]", "", {"effort", "target", "wrench", "loop effort"}),
           integer("/commands/index", "int32", "[K]",
                   "The joint coordinate in the order of v, the servo, the body, the joint "
                   "coordinate that is rows of J."),
           number("/commands/value", "[K]", "N, N m, m, rad", "Effort, or target of a servo."),
           number("/commands/rate", "[K]", "m/s, rad/s", "Target rate of a servo."),
           number("/commands/force", "[K, 3]", "N", "World axes."),
           number("/commands/torque", "[K, 3]", "N m", "World axes."),
           number("/commands/at", "[K, 3]", "m", "Point in the body where the force acts.")}};
}

FormatMap certificate() {
  return {
      "certificate",
      "Certificate",
      "Dimensionless unless a unit is given; all but `infeasibility`, `coulomb`, `dissipation` and "
      "`stabilization_work` decide `claimed` ([read a certificate](how-to/read-a-certificate.md)).",
      {integer("/certificate/claimed", "uint8", "[T]",
               "1 where every judged figure is within the tolerance."),
       number("/certificate/normal", "[T]", "", "Natural map of the normal law."),
       number("/certificate/friction", "[T]", "", "Natural map of the friction law."),
       number("/certificate/limit", "[T]", "", "Of joint limits."),
       number("/certificate/joint_friction", "[T]", "",
              "Of dry joint friction and of servos at their effort limit."),
       number("/certificate/joint", "[T]", "", "Of rows of J."),
       number("/certificate/dynamics", "[T]", "", "Of the equations of motion."),
       number("/certificate/coulomb", "[T]", "", "Distance to Coulomb's exact law; information."),
       number("/certificate/dissipation", "[T]", "",
              "How far friction is from taking all it could; information."),
       number("/certificate/infeasibility", "[T]", "m, rad",
              "Largest overlap or joint error after the step."),
       number("/certificate/energy_gained", "[T]", "J",
              "Kinetic energy above the sharp bound; negative if below."),
       number("/certificate/stabilization_work", "[T]", "J", "Part of that bound."),
       integer("/certificate/missed_contacts", "int32", "[T]",
               "Overlaps that no contact of the step foresaw.")}};
}

FormatMap law() {
  return {"law",
          "Law",
          "What the row's answer claims; of several islands the weakest.",
          {code("/law/kind", "[T]", "", names_up_to(kLastLaw)),
           integer("/law/directions", "int32", "[T]", "Of its polygon, 0 without one."),
           code("/law/restitution", "[T]", "", names_up_to(RestitutionLaw::Stronge)),
           number("/law/activation_gap", "[T]", "m",
                  "Largest gap at which a contact may carry an impulse.")}};
}

FormatMap energy() {
  return {
      "energy",
      "Energy",
      "`kinetic` and `potential` at the row's time, and the work of the row's step by cause. The "
      "works sum to the change of `kinetic`; `gravity` and "
      "`springs` are what `potential` lost, so that the others sum to the change of both.",
      {number("/energy/kinetic", "[T]", "J", ""),
       number("/energy/potential", "[T]", "J", "Of gravity and of the joints' springs."),
       number("/energy/gravity", "[T]", "J", ""),
       number("/energy/actuators", "[T]", "J",
              "Also of servos at their effort limit and of prescribed motions."),
       number("/energy/contact_normal", "[T]", "J", "Also of limits."),
       number("/energy/contact_friction", "[T]", "J", ""),
       number("/energy/springs", "[T]", "J", ""),
       number("/energy/joint_friction", "[T]", "J", "Dry and viscous."),
       number("/energy/impacts", "[T]", "J", "Of contacts that bounce."),
       number("/energy/stabilization", "[T]", "J", "What pushes overlaps and joint errors back."),
       number("/energy/integration", "[T]", "J",
              "What a step of finite length does by itself (forces act at the mean velocity, "
              "bodies move with the last one, and M changes on the way): of first order in the "
              "step, computed and never what is left."),
       number("/energy/unexplained", "[T]", "J",
              "What is left: rounding, unless impulses and velocities do not belong together.")}};
}

FormatMap events() {
  return {
      "events",
      "Events",
      "Of `event-driven` and `hybrid`.",
      {integer("/events/impact", "uint8", "[T]", "The step takes no time."),
       integer("/events/arrival", "uint8", "[T]",
               "It ends early, where shapes meet or a contact begins to slide, stops or opens."),
       integer("/events/zeno", "uint8", "[T]", "Bounces without end were ended in it."),
       code("/events/sliding", "[T]",
            "Answers that Coulomb's law between forces and accelerations had for what slides "
            "(Painleve).",
            {"one", "several", "none"}),
       integer("/events/by_forces", "int32", "[T]",
               "Contacts whose forces the integrator has found: their impulse is the step times "
               "the force at its end, their velocity that of the end."),
       integer("/events/steady", "uint8", "[T]",
               "Hybrid: the impact is one of steady contacts, without restitution."),
       integer("/events/became_steady", "int32", "[T]",
               "Hybrid: pairs of shapes held since this step."),
       integer("/events/became_bouncing", "int32", "[T]",
               "Hybrid: pairs that were held and have bounced in this impact.")}};
}

FormatMap solver() {
  return {"solver",
          "Solver",
          "",
          {code("/solver/status", "[T]", "Of several islands the worst.",
                names_up_to(SolveStatus::NumericalFailure)),
           integer("/solver/iterations", "int32", "[T]", "Of all islands."),
           integer("/solver/attempts", "int32", "[T]", "Methods tried."),
           number("/solver/step_time_s", "[T]", "s", "Wall time of the step."),
           number("/solver/solve_time_s", "[T]", "s", "Its part in the contact model.")}};
}

}  // namespace

const std::vector<FormatMap>& run_format() {
  static const std::vector<FormatMap> maps = {header(),   state(),       contacts(), bounded(),
                                              commands(), certificate(), law(),      energy(),
                                              events(),   solver()};
  return maps;
}

}  // namespace amontons::io
