#include "amontons/contact/bounded_row.h"
#include "amontons/contact/contact_law.h"
#include "amontons/io/hdf5/hdf5_formats.h"
#include "amontons/math/solve_status.h"

namespace amontons::io {
namespace {

/// Returns the names of all enumerators up to the last one, by their codes.
template <typename Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    names.emplace_back(to_string(static_cast<Enum>(i)));
  }
  return names;
}

/// Names of ContactMode, by its codes.
const std::vector<std::string> kModes = {"Open", "Stick", "Slide", "Impact"};

/// Holds the indices where -1 stands for none.
constexpr NumberRange kIndexOrNone = {-1.0};
/// Holds the finite numbers and infinity.
constexpr NumberRange kUpToInfinity = {kFinite.lower};

/// Describes a dataset of numbers in double precision, which are finite unless `range` says else.
FormatKey number(const char* name, const char* shape, const char* unit, const char* meaning,
                 const NumberRange& range = kFinite) {
  return {name, std::string("float64 ") + shape, unit, "", meaning, {}, range};
}

/// Describes a dataset of integers, or of truth values (uint8).
FormatKey integer(const char* name, const char* type, const char* shape, const char* meaning,
                  NumberRange range = kNotNegative) {
  if (type == std::string_view("uint8")) range.upper = 1.0;
  return {name, std::string(type) + " " + shape, "", "", meaning, {}, range};
}

/// Describes a dataset of codes, whose names are also written into the file.
FormatKey code(const char* name, const char* shape, const char* meaning,
               std::vector<std::string> choices) {
  const NumberRange range = {0.0, static_cast<double>(choices.size()) - 1.0};
  return {name, std::string("uint8 ") + shape, "", "", meaning, std::move(choices), range};
}

/// Returns the table of attributes and datasets that are written before the first row.
FormatMap header() {
  return {
      "header",
      "The header",
      "The program writes it once, before the first row.",
      {{"/.format", "text", "", "", "`amontons-run`."},
       {"/.version", "int64", "", "",
        "Version of the format; a file of another version is refused."},
       {"/.build", "text", "", "", "Version, commit and compiler of the program."},
       {"/.scene_file", "text", "", "", "The path that the command line gave."},
       {"/.scene", "text", "", "", "Text of the scene."},
       {"/.scene_sha256", "text", "", "", "SHA-256 of that text."},
       {"/.header_sha256", "text", "", "",
        "SHA-256 over the rest of the header: build, names, overrides, digests of scene and "
        "inputs, places of the joints."},
       {"/.commander", "text", "", "",
        "Who commands the run besides its scene: `program`, or `page` for the pages of `replay "
        "--live` and `am.view`, without which `resume` continues."},
       {"/.seed", "int64", "", "", "Seed of the scene's simulation."},
       {"/overrides", "text [n]", "", "",
        "Changes of the scene by the command line (`--set` and its short forms), as they were "
        "given."},
       {"/inputs/*", "uint8 [bytes]", "", "",
        "Every file that the scene reads, byte for byte, with the attributes path and sha256; also "
        "the meshes that its models draw."},
       {"/bodies/name", "text [nB]", "", "",
        "Names in order of declaration, then links of models depth first."},
       {"/joints/name", "text [nJ]", "", "",
        "Joints of the scene, `model/joint`, couplings, `motion of JOINT`."},
       integer("/joints/q_offset", "int32", "[nJ]",
               "Index of the joint's first coordinate in q; -1 if it has none.", kIndexOrNone),
       integer("/joints/v_offset", "int32", "[nJ]", "Index of its first velocity in v.",
               kIndexOrNone),
       integer("/joints/first_row", "int32", "[nJ]", "Index of its first row in `/joints/impulse`.",
               kIndexOrNone),
       integer("/joints/num_rows", "int32", "[nJ]", "Number of its rows of J.")}};
}

/// Returns the table of times, state and poses. T is the number of rows, R that of their records.
FormatMap state() {
  return {
      "state",
      "State",
      "",
      {number("/time", "[T]", "s",
              "End of the row's step. It is written last: a row without it does not count."),
       number("/time_start", "[T]", "s", "Start of the row's step."),
       integer("/step_count", "int64", "[T]",
               "Number of steps since the start, with those that `output.every` leaves out."),
       integer("/start_was_set", "uint8", "[T]",
               "1 where a program set the state at the start of the step (`set_state`, `reset`)."),
       integer("/record", "int64", "[T]",
               "Index of the row's record in the tables with R entries. A new record has the next "
               "number; a row that repeats names one before it."),
       number("/step", "[R]", "s", "Length of the step; 0 for an impact."),
       // The state at the row's time.
       number("/q", "[R, nq]", "m, rad", "Positions at the row; quaternions w, x, y, z."),
       number("/v", "[R, nv]", "m/s, rad/s", "Velocities at the row."),
       number("/v_free", "[R, nv]", "m/s, rad/s",
              "Velocities at the end of the step without impulses of contacts and loop joints."),
       // The step that led to it: from here verification rebuilds the contact problem.
       number("/q_start", "[R, nq]", "m, rad", "Before the step."),
       number("/v_start", "[R, nv]", "m/s, rad/s", "Before the step."),
       number("/v_eval", "[R, nv]", "m/s, rad/s",
              "The step evaluates J at q_start (+) step v_eval."),
       number(
           "/v_coupled", "[R, nv]", "m/s, rad/s",
           "End velocities to which the inertial forces of trees belong: those that the step was "
           "repeated with, or that were expected of it; zero where there are none."),
       number(
           "/coupled_damping", "[R]", "",
           "Damping of the trees that the step was repeated with, as a share of their inertia; 0 "
           "where none is needed."),
       number("/closing_speed", "[R]", "m/s",
              "The detector searched contacts up to at least this speed times the step. It is "
              "positive where a solution met a shape beyond the contact horizon, so that the step "
              "was repeated with a wider one. Else 0."),
       number("/bodies/position", "[R, nB, 3]", "m", "Origins of the bodies, world axes."),
       number("/bodies/quat_wxyz", "[R, nB, 4]", "", "Orientations of the bodies."),
       number("/joints/impulse", "[R, nr]", "N s, N m s",
              "Impulses of the rows of J: joints, couplings and prescribed motions."),
       integer("/num_contacts", "int32", "[R]",
               "Number of contacts of the step, also where their tables leave them out.")}};
}

/// Returns the table of contacts. E is the number of contacts of all records of rows together, C
/// that of their own records.
FormatMap contacts() {
  return {
      "contacts",
      "Contacts",
      "A row with the record r has the contacts offset[r] to offset[r + 1]. Their entries in "
      "`/contacts/record` say where each stands in the other tables, since a contact that repeats "
      "one of the record before, bit for bit, is there once. So `impulse[place[offset[r]:offset[r "
      "+ 1]]]` are the impulses of the row, where `place` is `/contacts/record`. A row has no "
      "contacts where "
      "`output.contacts` leaves out those of the step; `/num_contacts` tells. Positions and gaps "
      "are those that the solver had, before the bodies moved; pictures show contacts on the "
      "bodies at the end of the step. Frame C has the axes t1, t2, n.",
      {integer("/contacts/offset", "int64", "[R + 1]", ""),
       integer("/contacts/record", "int64", "[E]", "Index into the tables of contacts."),
       // Bodies, key, geometry and coefficients.
       integer("/contacts/body_a", "int32", "[C]", "Index of body A in `/bodies/name`."),
       integer("/contacts/body_b", "int32", "[C]", "Index of body B; impulses act on it."),
       integer("/contacts/shape_a", "int32", "[C]",
               "Shape A. The key of a contact is shape_a, shape_b and feature."),
       integer("/contacts/shape_b", "int32", "[C]", ""),
       integer("/contacts/feature", "uint32", "[C]", "Feature of the two shapes."),
       number("/contacts/position", "[C, 3]", "m", "World axes."),
       number("/contacts/normal", "[C, 3]", "", "Unit normal from A into B, world axes."),
       number("/contacts/gap", "[C]", "m", "Signed distance; negative for an overlap."),
       number("/contacts/friction", "[C]", "", "Coefficient of friction mu."),
       number("/contacts/viscous_friction", "[C]", "N s/m",
              "Coefficient of viscous friction mu_v."),
       number("/contacts/restitution", "[C]", "", "Coefficient of restitution e."),
       // The solution at the contact.
       code("/contacts/law", "[C]",
            "The law that the solution claims at the contact; islands may claim different ones.",
            names_up_to(kLastLaw)),
       number("/contacts/impulse", "[C, 3]", "N s", "Impulse on body B, frame C."),
       number("/contacts/compression", "[C, 3]", "N s",
              "Part of the impulse before restitution, by Poisson's law."),
       number("/contacts/velocity", "[C, 3]", "m/s",
              "Velocity of B relative to A after the step, frame C."),
       number("/contacts/velocity_free", "[C, 3]", "m/s", "The same for v_free."),
       code("/contacts/mode", "[C]",
            "Under `no-slip` it tells which contacts the solution lists as sticking.", kModes),
       number("/contacts/witness", "[C, 3]", "N s, N s, m/s",
              "`maximum-dissipation`, else 0: normal impulse of phase I, multiplier of "
              "nonpenetration, multiplier of the bound on the sum of normal impulses."),
       number("/contacts/first_witness", "[C, 3]", "N s, N s, m/s",
              "The same for the compression, with Poisson restitution."),
       number("/contacts/restitution_share", "[C]", "", "Share of e that restitution returns.")}};
}

/// Returns the table of bounded rows. B is their number in all records of rows together.
FormatMap bounded() {
  return {
      "bounded",
      "Bounded rows of joints",
      "They are limits, dry friction and servos at their effort limit; along rows of J also "
      "springs and dampers. Rows offset[r] to offset[r + 1] of the tables belong to the rows of "
      "the "
      "run with the record r.",
      {integer("/bounded/offset", "int64", "[R + 1]", ""),
       // Three datasets name the row; the others are the numbers of contact/bounded_row.h.
       code("/bounded/kind", "[B]", "", names_up_to(kLastBoundedRowKind)),
       integer("/bounded/index", "int32", "[B]",
               "The joint coordinate in the order of v, then those along rows of J; for a servo "
               "its number."),
       integer("/bounded/is_upper", "uint8", "[B]", "1 for the upper limit, 0 for the lower one."),
       number("/bounded/lower", "[B]", "N s, N m s",
              "Bound of the impulse; minus infinity where it has none.",
              {NumberRange().lower, kFinite.upper}),
       number("/bounded/upper", "[B]", "N s, N m s",
              "Bound of the impulse; infinity where it has none.", kUpToInfinity),
       number("/bounded/gap", "[B]", "m, rad", "Distance to the limit."),
       number("/bounded/offset_speed", "[B]", "m/s, rad/s", "s of f = Proj(f - (u + s + R f))."),
       number("/bounded/compliance", "[B]", "1/kg, 1/(kg m^2)", "R of the same equation."),
       number("/bounded/restitution", "[B]", "", "Restitution of the limit."),
       number("/bounded/impulse", "[B]", "N s, N m s", "Impulse f."),
       number("/bounded/compression", "[B]", "N s, N m s", "As for contacts."),
       number("/bounded/velocity", "[B]", "m/s, rad/s", "Velocity u after the step."),
       code("/bounded/mode", "[B]", "", kModes),
       number("/bounded/witness", "[B, 3]", "N s, N s, m/s", "As for contacts."),
       number("/bounded/first_witness", "[B, 3]", "N s, N s, m/s", "As for contacts."),
       number("/bounded/restitution_share", "[B]", "", "As for contacts.")}};
}

/// Returns the table of commands. K is their number in all records of rows together.
FormatMap commands() {
  return {
      "commands",
      "Commands",
      "Commands that a program gave besides the scene. Their tables have rows as those of "
      "bounded rows.",
      {integer("/commands/offset", "int64", "[R + 1]", ""),
       code("/commands/kind", "[K]", "",
            {"effort", "target", "wrench", "loop effort", "gravity", "material", "material pair",
             "mass", "servo gains", "collision", "attachment", "parked", "muscle control"}),
       integer("/commands/index", "int32", "[K]",
               "By kind: the joint coordinate in the order of v, the servo, the body, the "
               "joint coordinate that is rows of J; of a change of properties the material, "
               "the body, the servo or the loop joint, -1 for gravity.",
               kIndexOrNone),
       number("/commands/value", "[K]", "N, N m, m, rad",
              "Effort, or target of a servo; the first value of a change."),
       number("/commands/rate", "[K]", "m/s, rad/s",
              "Target rate of a servo; the second material or body of a change, -1 without."),
       number("/commands/force", "[K, 3]", "N",
              "World axes; the second to fourth value of a change, infinity for servos without an "
              "effort limit.",
              kUpToInfinity),
       number("/commands/torque", "[K, 3]", "N m",
              "World axes; the fifth to seventh value of a change."),
       number("/commands/at", "[K, 3]", "m",
              "Point of the body where the force acts; x: the eighth value of a change. Values "
              "of changes: gravity x, y, z; friction, restitution, viscous friction; mass; kp, "
              "kd, effort limit; 1 collides; 1 holds, then the pose of frame M in body B as w, "
              "x, y, z and position; 1 is parked; "
              "control of a muscle, since when, activation then.")}};
}

/// Returns the table of the certificate (docs/theory/certificate.md).
FormatMap certificate() {
  FormatMap map = {
      "certificate",
      "Certificate",
      "Values are dimensionless unless a unit is given. All but `infeasibility`, `coulomb`, "
      "`dissipation`, `law_distance` and `stabilization_work` decide `claimed` ([read a "
      "certificate](how-to/read-a-certificate.md)). Where `claimed` is 0, one that cannot be "
      "computed is infinite or NaN; else the three for information may be infinite.",
      {integer(
           "/certificate/claimed", "uint8", "[R]",
           "1 where the claimed law holds: every residual that decides is within the tolerance."),
       // Residuals of the laws and of the equations of motion.
       number("/certificate/normal", "[R]", "", "Residual (natural map) of the normal law."),
       number("/certificate/friction", "[R]", "", "Residual (natural map) of the friction law."),
       number("/certificate/limit", "[R]", "", "Residual of joint limits."),
       number("/certificate/joint_friction", "[R]", "",
              "Residual of dry joint friction and of servos at their effort limit."),
       number("/certificate/joint", "[R]", "", "Residual of the rows of J."),
       number("/certificate/dynamics", "[R]", "", "Residual of the equations of motion."),
       number("/certificate/coulomb", "[R]", "",
              "Distance to Coulomb's exact law, for information.", NumberRange()),
       number("/certificate/dissipation", "[R]", "",
              "Distance of friction from its largest dissipation, for information.", NumberRange()),
       number("/certificate/law_distance", "[R]", "",
              "Distance from the law asked: its residual at the solution, for information.",
              NumberRange()),
       number("/certificate/infeasibility", "[R]", "m, rad",
              "Largest overlap or joint error after the step."),
       number("/certificate/energy_gained", "[R]", "J",
              "Kinetic energy above the sharp bound; negative if below."),
       number("/certificate/stabilization_work", "[R]", "J",
              "Work of stabilization, a part of that bound."),
       integer("/certificate/missed_contacts", "int32", "[R]",
               "Number of overlaps after the step that no contact of the step covers, and of "
               "pairs that pass through each other within it."),
       number("/certificate/loop", "[R]", "",
              "Largest error of a loop joint that the step has widened, relative to its lever; at "
              "most 0.1."),
       number("/certificate/overlap", "[R]", "",
              "Largest overlap that the step has deepened, relative to the smaller body; at most "
              "0.1."),
       number("/certificate/energy_created", "[R]", "J",
              "Energy without a cause beyond its allowance; 0 where the certificate holds.")}};
  for (FormatKey& key : map.keys) key.range.of_claims = key.value.starts_with("float64");
  return map;
}

/// Returns the table of the law that a row claims.
FormatMap law() {
  return {
      "law",
      "Law",
      "The law that the solution of the row claims; with several islands that of the island with "
      "the weakest status.",
      {code("/law/asked", "[R]", "The law that the contact model of the step was asked for.",
            names_up_to(kLastLaw)),
       code("/law/kind", "[R]", "", names_up_to(kLastLaw)),
       integer("/law/directions", "int32", "[R]",
               "Directions of the friction polygon of its contacts, 0 without one."),
       code("/law/restitution", "[R]", "", names_up_to(RestitutionLaw::Stronge)),
       number("/law/activation_gap", "[R]", "m",
              "Largest gap at which a contact may carry an impulse; infinity where any may.",
              kUpToInfinity),
       number("/law/within", "[R]", "",
              "Bound within which the law is claimed, where that is larger than the tolerance "
              "(`Acceptable`); else 0.")}};
}

/// Returns the table of energies and works.
FormatMap energy() {
  return {
      "energy",
      "Energy",
      "`kinetic` and `potential` are energies at the row's time, the others the work of the row's "
      "step by cause. All works sum to the change of `kinetic`. `gravity` and `springs` are the "
      "loss of `potential`, so that the other works sum to the change of both energies. The step "
      "begins after what a program changes there: from row to row, masses and gravity "
      "(`/commands/kind`) and a state that it sets (`/start_was_set`) change the energies besides, "
      "and no work has that.",
      {number("/energy/kinetic", "[R]", "J", ""),
       number("/energy/potential", "[R]", "J", "Energy of gravity and of the joints' springs."),
       // Works of the step by cause; together they are the change of the kinetic energy.
       number("/energy/gravity", "[R]", "J", ""),
       number("/energy/actuators", "[R]", "J",
              "With servos at their effort limit and prescribed motions."),
       number("/energy/contact_normal", "[R]", "J", "With limits."),
       number("/energy/contact_friction", "[R]", "J", ""),
       number("/energy/springs", "[R]", "J", ""),
       number("/energy/joint_friction", "[R]", "J", "Dry and viscous."),
       number("/energy/impacts", "[R]", "J", "Contacts that bounce."),
       number("/energy/stabilization", "[R]", "J",
              "Work of the stabilization that reduces overlaps and joint errors."),
       number("/energy/integration", "[R]", "J",
              "Work of the discretization: forces act at the mean velocity, bodies move with the "
              "last one, and M changes during the step. It is of first order in the step, and "
              "computed by itself."),
       number("/energy/unexplained", "[R]", "J",
              "The remainder: rounding, unless impulses and velocities do not match.")}};
}

/// Returns the table of events.
FormatMap events() {
  return {"events",
          "Events",
          "They are written by `event-driven` and `hybrid`.",
          {integer("/events/impact", "uint8", "[R]",
                   "1 where the step is an impact, which takes no time."),
           integer("/events/arrival", "uint8", "[R]",
                   "1 where the step ends early, because shapes meet or a contact begins to slide, "
                   "stops or opens."),
           integer("/events/zeno", "uint8", "[R]",
                   "1 where the step ended a sequence of ever smaller bounces."),
           // Several solutions, or none, are the paradoxes of Painleve.
           code("/events/sliding", "[R]",
                "Number of solutions of Coulomb's law between forces and accelerations for the "
                "sliding contacts (Painleve).",
                {"one", "several", "none"}),
           integer("/events/by_forces", "int32", "[R]",
                   "Number of contacts whose forces the integrator computes. Their impulse is the "
                   "step times the force at its end, their velocity that at the end."),
           integer("/events/steady", "uint8", "[R]",
                   "Hybrid: 1 where the impact is one of sustained contacts, without restitution."),
           integer("/events/became_steady", "int32", "[R]",
                   "Hybrid: number of pairs of shapes in sustained contact since this step."),
           integer("/events/became_bouncing", "int32", "[R]",
                   "Hybrid: number of pairs in sustained contact that bounced in this impact.")}};
}

/// Returns the table of the solver's records and of wall times.
FormatMap solver() {
  return {"solver",
          "Solver",
          "",
          {code("/solver/status", "[R]", "With several islands the worst of theirs.",
                names_up_to(kLastSolveStatus)),
           integer("/solver/iterations", "int32", "[R]", "Sum of all islands."),
           integer("/solver/attempts", "int32", "[R]", "Number of methods that were tried."),
           number("/solver/step_time_s", "[T]", "s", "Wall time of the step."),
           number("/solver/solve_time_s", "[T]", "s",
                  "Wall time of the contact model, a part of it.")}};
}

}  // namespace

const std::vector<FormatMap>& run_format() {
  static const std::vector<FormatMap> maps = {header(),   state(),       contacts(), bounded(),
                                              commands(), certificate(), law(),      energy(),
                                              events(),   solver()};
  return maps;
}

}  // namespace amontons::io
