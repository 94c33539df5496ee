#include "amontons/io/parse_error.h"
#include "amontons/io/scene_file.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace amontons;

// Each text holds one fault. The sign @ marks the place where the error must be reported (a line,
// and for YAML a column); it is taken out before the text is read.

namespace {

struct Bad {
  const char* title;
  std::string text;
  const char* message;  // part of what the error must say
};

constexpr const char* kHead =
    "amontons: 1\n"
    "simulation: {step: 0.01, duration: 1}\n";

std::string in_scene(const std::string& rest) { return kHead + rest; }

std::string body(const std::string& keys) {
  return in_scene("bodies:\n  - {name: b, " + keys + "}\n");
}

std::string material(const std::string& keys) {
  return in_scene("materials:\n  - {name: m, " + keys + "}\n");
}

std::string joint(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: ground, fixed: true}\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - " +
      keys + "\n");
}

std::string actuator(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: ground, fixed: true}\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: b, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "  - {name: ball, type: spherical, parent: world, child: c, at: [0, 0, 0]}\n"
      "actuators:\n"
      "  - " +
      keys + "\n");
}

std::string coupled(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: b, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "  - {name: slide, type: prismatic, parent: world, child: c, axis: [0, 1, 0]}\n"
      "couplings:\n"
      "  - " +
      keys + "\n");
}

const std::vector<Bad>& document_faults() {
  static const std::vector<Bad> kFaults{
      {"empty file", "@", "empty"},
      {"not YAML", "amontons: 1\n@bodies: [1, 2", "not valid YAML"},
      {"a tab as indentation", "amontons: 1\nsimulation:\n\tstep@: 1\n", "not with tabs"},
      {"not a map", "@- 1\n- 2\n", "must be a map"},
      {"two documents", "amontons: 1\n---\n@amontons: 1\n", "second YAML document"},
      {"a tag", "amontons: @!!float 1\n", "tag"},
      {"no version", "@simulation: {step: 0.01, duration: 1}\n", "needs the key 'amontons'"},
      {"a version of the future", "amontons: @2\nsimulation: {step: 1, duration: 1}\n", "format 1"},
      {"no simulation", "@amontons: 1\n", "needs the key 'simulation'"},
      {"unknown key", in_scene("@bodeis: []\n"), "did you mean 'bodies'?"},
      {"key given twice", in_scene("gravity: [0, 0, 0]\n@gravity: [0, 0, 1]\n"), "given twice"},
      {"a list as key", in_scene("? @[a, b]\n: 1\n"), "key must be plain text"},
      {"wrong type", in_scene("bodies: @7\n"), "must be a list"},
      {"nothing where a list belongs", in_scene("@bodies:\n"), "must be a list, not nothing"},
      {"gravity of two numbers", in_scene("gravity: @[0, 0]\n"), "has 2 entries"},
      {"gravity not finite", in_scene("gravity: [0, 0, @.nan]\n"), "finite"},
      {"gravity 1e300", in_scene("gravity: [0, 0, @-1e300]\n"), "absurdly large"},
      {"an alias in its own anchor", in_scene("bodies: &a [@*a]\n"), "alias"},
      {"a file named that is not there", in_scene("models: [{name: r, file: @missing.urdf}]\n"),
       "missing.urdf"}};
  return kFaults;
}

const std::vector<Bad>& setting_faults() {
  const auto simulation = [](const std::string& keys) {
    return "amontons: 1\nsimulation: {step: 0.01, duration: 1, " + keys + "}\n";
  };
  static const std::vector<Bad> kFaults{
      {"no step", "amontons: 1\nsimulation: @{duration: 1}\n", "needs the key 'step'"},
      {"step zero", "amontons: 1\nsimulation: {step: @0, duration: 1}\n", "must be positive"},
      {"step in a list negative", "amontons: 1\nsimulation: {step: [1, @-1], duration: 1}\n",
       "must be positive"},
      {"steps none", "amontons: 1\nsimulation: {step: @[], duration: 1}\n", "empty list"},
      {"step as text", "amontons: 1\nsimulation: {step: @fast, duration: 1}\n", "must be a number"},
      {"step quoted", "amontons: 1\nsimulation: {step: @\"0.1\", duration: 1}\n", "quoted text"},
      {"step with a unit", "amontons: 1\nsimulation: {step: @1 ms, duration: 1}\n",
       "must be a number"},
      {"duration negative", "amontons: 1\nsimulation: {step: 1, duration: @-1}\n",
       "must be positive"},
      {"unknown method", simulation("method: @time-steping"), "did you mean 'time-stepping'?"},
      {"unknown list of what sticks", simulation("sticking: @all"), "loaded"},
      {"unknown model", simulation("model: @anitescu-pota"), "did you mean 'anitescu-potra'?"},
      {"gamma above one", simulation("gamma: @1.5"), "[0, 1]"},
      {"odd number of directions", simulation("friction_directions: @5"), "even"},
      {"seed negative", simulation("seed: @-1"), "integer"},
      {"yes for true", simulation("projection: @yes"), "true or false"},
      {"unknown joint_friction", simulation("joint_friction: @couple"), "did you mean 'coupled'?"},
      {"integrator without events", simulation("integrator: @rk4"), "method: event-driven"},
      {"contact by forces without events", simulation("sustained_contact: @coulomb-acceleration"),
       "method: event-driven"},
      {"contact by forces in the hybrid method",
       simulation("method: hybrid, sustained_contact: @coulomb-acceleration"),
       "belongs to method: event-driven"},
      {"contact by forces without an integrator",
       simulation("method: event-driven, integrator: symplectic-euler, sustained_contact: "
                  "@coulomb-acceleration"),
       "write integrator: rk4 or dormand-prince"},
      {"viscous forces beside another model",
       simulation("method: event-driven, sustained_contact: @viscous-acceleration"),
       "has model: viscous"},
      {"unknown law of sustained contact",
       simulation("method: event-driven, sustained_contact: @coulomb"), "coulomb-acceleration"},
      {"unknown integrator", simulation("method: event-driven, integrator: @rk45"),
       "did you mean 'rk4'?"},
      {"stop at zero", simulation("stop_at_infeasibility: @0"), "must be positive"},
      {"negative layer", simulation("protective_layer: @-0.001"), "must not be negative"},
      {"unknown restitution law", simulation("restitution_law: @newtons"),
       "did you mean 'newton'?"},
      {"restitution law of impacts", simulation("restitution_law: @stronge"),
       "time-stepping takes newton or poisson"},
      {"model of impacts", simulation("model: @mirtich"), "impact_model: mirtich"},
      {"stronge without impacts in sequence",
       simulation("method: event-driven, restitution_law: @stronge"), "impact_model: mirtich"},
      {"projection between events", simulation("method: event-driven, projection: @true"),
       "time-stepping"},
      {"tolerance zero", simulation("tolerance: @0"), "must be positive"},
      {"v_max zero", simulation("v_max: @0"), "must be positive"},
      {"iterations a fraction", simulation("position_iterations: @1.5"), "integer"},
      {"output every zero", in_scene("output: {every: @0}\n"), "must be positive"},
      {"unknown key of output", in_scene("output: {@evry: 1}\n"), "did you mean 'every'?"},
      {"friction negative", material("friction: @-0.1"), "must not be negative"},
      {"restitution above one", material("restitution: @1.1"), "[0, 1]"},
      {"viscous friction negative", material("viscous_friction: @-0.1"), "must not be negative"},
      {"material twice", in_scene("materials: [{name: m}, {name: @m}]\n"), "already a material"},
      {"material without a name", in_scene("materials: [@{friction: 1}]\n"), "'name'"},
      {"pair of an unknown material",
       in_scene("materials: [{pair: [@rubbr, default], friction: 1}, "
                "{name: rubber}]\n"),
       "did you mean 'rubber'?"},
      {"pair of three", in_scene("materials: [{pair: @[a, b, c], friction: 1}]\n"),
       "two materials"},
      {"pair twice",
       in_scene("materials: [{name: m}, {pair: [m, default], friction: 1},"
                " {pair: @[default, m], friction: 1}]\n"),
       "given twice"},
      {"pair that sets nothing", in_scene("materials: [@{pair: [default, default]}]\n"),
       "sets nothing"}};
  return kFaults;
}

const std::vector<Bad>& body_faults() {
  static const std::vector<Bad> kFaults{
      {"body without a name", in_scene("bodies: [@{mass: 1}]\n"), "'name'"},
      {"body twice", in_scene("bodies: [{name: a, fixed: true}, {name: @a, fixed: true}]\n"),
       "already a body 'a'"},
      {"body called world", in_scene("bodies: [{name: @world, fixed: true}]\n"), "world"},
      {"name with a slash", in_scene("bodies: [{name: @a/b, fixed: true}]\n"), "'/'"},
      {"misspelled key", body("@mas: 1"), "did you mean 'mass'?"},
      {"no mass", in_scene("bodies:\n  - @{name: b, shapes: [{sphere: 1}]}\n"), "needs a mass"},
      {"mass zero", body("mass: @0, shapes: [{sphere: 1}]"), "must be positive"},
      {"mass negative", body("mass: @-1, shapes: [{sphere: 1}]"), "must be positive"},
      {"mass infinite", body("mass: @.inf, shapes: [{sphere: 1}]"), "finite"},
      {"mass nan without the dot", body("mass: @nan, shapes: [{sphere: 1}]"), "finite"},
      {"mass hexadecimal", body("mass: @0x10, shapes: [{sphere: 1}]"), "must be a number"},
      {"mass 1e-300", body("mass: @1e-300, shapes: [{sphere: 1}]"), "absurdly small"},
      {"a shape too large to weigh",
       in_scene("bodies:\n  - @{name: b, density: 1, shapes: [{sphere: 1e99}]}\n"), "too large"},
      {"a needle without an inertia about its axis",
       in_scene("bodies:\n  - @{name: b, mass: 1, shapes: [{box: [1e-8, 1e-8, 1]}]}\n"),
       "not positive definite"},
      {"mass and density", body("mass: 1, density: @1, shapes: [{sphere: 1}]"), "one of them"},
      {"density without shapes", body("density: @1"), "no shapes"},
      {"mass without shapes or inertia", in_scene("bodies:\n  - @{name: b, mass: 1}\n"), "inertia"},
      {"inertia of four numbers", body("mass: 1, inertia: @[1, 1, 1, 1]"), "has 4 entries"},
      {"inertia negative", body("mass: 1, inertia: @[1, 1, -1]"), "not positive definite"},
      {"inertia of no body", body("mass: 1, inertia: @[1, 1, 3]"), "sum of the other two"},
      {"products of inertia too large", body("mass: 1, inertia: @[1, 1, 1, 2, 0, 0]"),
       "not positive definite"},
      {"position of two numbers", body("fixed: true, pose: {position: @[1, 2]}"), "2 entries"},
      {"quaternion zero", body("fixed: true, pose: {quat_wxyz: @[0, 0, 0, 0]}"), "normalized"},
      {"two orientations",
       body("fixed: true, pose: {rpy_deg: [0, 0, 0], quat_wxyz: @[1, 0, 0, 0]}"), "one of them"},
      {"unknown key of a pose", body("fixed: true, pose: {@rpy: [0, 0, 0]}"),
       "did you mean 'rpy_deg'?"},
      {"velocity of a fixed body", body("fixed: true, velocity: @{linear: [1, 0, 0]}"), "fixed"},
      {"base and fixed", body("fixed: true, base: @free"), "fixed"},
      {"unknown base", body("base: @plane, mass: 1, shapes: [{sphere: 1}]"),
       "did you mean 'planar'?"},
      {"planar body leaving its plane",
       body("base: planar, mass: 1, shapes: [{sphere: 1}], velocity: @{linear: [0, 1, 0]}"),
       "planar"},
      {"planar body turning out of its plane",
       body("base: planar, mass: 1, shapes: [{sphere: 1}], velocity: @{angular: [1, 0, 0]}"),
       "planar"},
      {"a shape without a kind", body("fixed: true, shapes: [@{material: default}]"),
       "says no shape"},
      {"a shape of two kinds", body("fixed: true, shapes: [@{box: [1, 1, 1], sphere: 1}]"), "both"},
      {"unknown shape", body("fixed: true, shapes: [{@bx: [1, 1, 1]}]"), "did you mean 'box'?"},
      {"box with a side of zero", body("fixed: true, shapes: [{box: [1, @0, 1]}]"), "positive"},
      {"radius negative", body("fixed: true, shapes: [{sphere: @-1}]"), "positive"},
      {"capsule of one number", body("fixed: true, shapes: [{capsule: @[1]}]"), "1 entries"},
      {"cylinder of length zero", body("fixed: true, shapes: [{cylinder: [1, @0]}]"), "positive"},
      {"ellipsoid with an axis of zero", body("fixed: true, shapes: [{ellipsoid: [1, 1, @0]}]"),
       "positive"},
      {"half-space without a normal", body("fixed: true, shapes: [{half_space: @{offset: 0}}]"),
       "'normal'"},
      {"normal zero", body("fixed: true, shapes: [{half_space: {normal: @[0, 0, 0]}}]"), "zero"},
      {"half-space on a moving body", body("mass: 1, shapes: [@{half_space: {normal: [0, 0, 1]}}]"),
       "fixed: true"},
      {"unknown material", body("fixed: true, shapes: [{sphere: 1, material: @defualt}]"),
       "did you mean 'default'?"},
      {"mesh that is not there", body("fixed: true, shapes: [{mesh: {file: @gone.stl}}]"),
       "gone.stl"},
      {"terrain that is not there",
       body("fixed: true, shapes: [{heightfield: {file: @gone.csv, size: [1, 1]}}]"), "gone.csv"},
      {"terrain of file and noise",
       body("fixed: true, shapes: [{heightfield: @{file: a, noise: {}, size: [1, 1]}}]"),
       "exactly one"},
      {"terrain of no cells",
       body("fixed: true, shapes: [{heightfield: {size: [1, 1], noise: {amplitude: 1, wavelength: "
            "1, cells: [@0, 1]}}}]"),
       "integer"},
      {"repeat of an unknown body",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: @bx, grid: [1, 1, 1], spacing: [1, 1, 1]}]\n"),
       "did you mean 'box'?"},
      {"repeat of zero copies",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, @0, 1], spacing: [1, 1, 1]}]\n"),
       "integer from 1"},
      {"too many copies",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: @[1000, 1000, 1000], spacing: [1, 1, 1]}]\n"),
       "100000 copies"},
      {"repeat twice",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, 1, 1], spacing: [1, 1, 1]},\n"
                "  {body: @box, grid: [1, 1, 1], spacing: [1, 1, 1]}]\n"),
       "twice"},
      {"jitter negative",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, 1, 1], spacing: [1, 1, 1], jitter: @-1}]\n"),
       "must not be negative"}};
  return kFaults;
}

const std::vector<Bad>& joint_faults() {
  static const std::vector<Bad> kFaults{
      {"unknown joint type", joint("{name: j, type: @revolut, parent: b, child: c}"),
       "did you mean 'revolute'?"},
      {"screw without pitch",
       joint("@{name: j, type: screw, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0]}"),
       "'pitch'"},
      {"pitch of a hinge",
       joint("{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "pitch: @1}"),
       "screw joints"},
      {"axes of a universal joint parallel",
       joint("{name: j, type: universal, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "axis2: @[0, 0, 2]}"),
       "parallel"},
      {"rest position without a spring",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], "
             "rest_position: @1}"),
       "stiffness"},
      {"spring in a ball joint",
       joint("{name: j, type: spherical, parent: b, child: c, at: [0, 0, 0], stiffness: @1}"),
       "stiffness"},
      {"stiffness negative",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], stiffness: @-1}"),
       "must not be negative"},
      {"coupling of an unknown joint", coupled("{name: g, joint: @hnge, reference: slide}"),
       "did you mean 'hinge'?"},
      {"coupling of a joint with itself", coupled("{name: g, joint: hinge, reference: @hinge}"),
       "itself"},
      {"multiplier of nothing", coupled("{name: g, joint: hinge, multiplier: @2}"), "reference"},
      {"couplings in a circle",
       coupled("@{name: g, joint: hinge, reference: slide}\n"
               "  - {name: k, joint: slide, reference: hinge}"),
       "circle"},
      {"free joint", joint("{name: j, type: @free, parent: b, child: c}"), "leave it out"},
      {"unknown body", joint("{name: j, type: fixed, parent: b, child: @d}"), "no 'd'"},
      {"joint to itself", joint("{name: j, type: fixed, parent: b, child: @b}"), "itself"},
      {"child fixed", joint("{name: j, type: fixed, parent: b, child: @ground}"), "the parent"},
      {"child world", joint("{name: j, type: fixed, parent: b, child: @world}"), "no 'world'"},
      {"no axis", joint("@{name: j, type: revolute, parent: b, child: c, at: [0, 0, 0]}"),
       "'axis'"},
      {"axis zero",
       joint("{name: j, type: revolute, parent: b, child: c, at: [0, 0, 0], axis: @[0, 0, 0]}"),
       "zero"},
      {"axis of a ball",
       joint("{name: j, type: spherical, parent: b, child: c, at: [0, 0, 0], axis: @[0, 0, 1]}"),
       "no axis"},
      {"no center", joint("@{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1]}"),
       "'at'"},
      {"limits of a continuous joint",
       joint("{name: j, type: continuous, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "limits: @[0, 1]}"),
       "limits"},
      {"limits reversed",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], limits: @[1, 0]}"),
       "[lower, upper]"},
      {"start outside the limits",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], limits: [0, 1], "
             "position: @2}"),
       "outside"},
      {"friction negative",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], "
             "coulomb_friction: @-1}"),
       "must not be negative"},
      {"length of a hinge",
       joint("{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "length: @1}"),
       "distance joints"},
      {"one point of a distance",
       joint("{name: j, type: distance, parent: b, child: c, at: @[0, 0, "
             "0]}"),
       "two points"},
      {"distance of zero",
       joint("{name: j, type: distance, parent: b, child: c, at: @[[0, 0, 0], [0, 0, 0]]}"),
       "coincide"},
      {"distance in reduced coordinates",
       joint("{name: j, type: distance, parent: b, child: c, at: [[0, 0, 0], [0, 0, 1]], "
             "coordinates: @reduced}"),
       "no reduced"},
      {"error in reduced coordinates",
       joint("{name: j, type: fixed, parent: b, child: c, error: @[1, 0, 0]}"),
       "coordinates: maximal"},
      {"joint twice",
       joint("{name: j, type: fixed, parent: b, child: c}\n"
             "  - {name: @j, type: fixed, parent: b, child: c}"),
       "already a joint"},
      {"actuator of nothing", actuator("@{effort: 1}"), "'joint' or the key 'body'"},
      {"actuator of an unknown joint", actuator("{joint: @hnge, effort: 1}"),
       "did you mean 'hinge'?"},
      {"actuator of a ball joint", actuator("{joint: @ball, effort: 1}"), "no single coordinate"},
      {"actuator of two kinds",
       actuator("@{joint: hinge, effort: 1, velocity: {target: 1, kd: 1}}"), "exactly one"},
      {"servo without gain", actuator("{joint: hinge, position: @{target: 1}}"), "'kp'"},
      {"gain negative", actuator("{joint: hinge, position: {target: 1, kp: 1, kd: @-1}}"),
       "must not be negative"},
      {"effort limit zero", actuator("{joint: hinge, velocity: {target: 1, kd: 1, effort: @0}}"),
       "must be positive"},
      {"motion of a moving body",
       actuator("{body: @b, motion: {sinusoid: {axis: [0, 0, 1], amplitude: 1, period: 1}}}"),
       "fixed: true"},
      {"unknown motion", actuator("{body: ground, motion: {@sinusiod: {}}}"),
       "did you mean 'sinusoid'?"},
      {"period zero",
       actuator("{body: ground, motion: {sinusoid: {axis: [0, 0, 1], amplitude: 1, period: @0}}}"),
       "must be positive"},
      {"force on a fixed body", actuator("{body: @ground, force: [1, 0, 0]}"), "fixed"},
      {"body actuator of nothing", actuator("@{body: b}"), "force or torque"},
      {"point without a force", actuator("{body: b, torque: [1, 0, 0], at: @[0, 0, 0]}"), "'at'"},
      {"table that is not there", actuator("{body: b, table: @f.csv}"), "cannot read 'f.csv'"},
      {"table and force", actuator("{body: b, table: f.csv, force: @[1, 0, 0]}"), "two actuators"},
      {"motion of a joint by force", actuator("{joint: hinge, motion: {@force: 1}}"), "force"}};
  return kFaults;
}

struct Place {
  int line = 1, column = 1;
};

/// Takes the sign @ out of the text and returns where it stood.
Place take_marker(std::string& text) {
  const std::size_t at = text.find('@');
  REQUIRE(at != std::string::npos);
  Place place;
  for (std::size_t i = 0; i < at; ++i) {
    ++place.column;
    if (text[i] == '\n') place = {place.line + 1, 1};
  }
  text.erase(at, 1);
  REQUIRE(text.find('@') == std::string::npos);
  return place;
}

void check_fault(const Bad& bad) {
  std::string text = bad.text;
  CAPTURE(bad.title, text);
  const Place place = take_marker(text);
  try {
    io::parse_scene(text, "scene.yaml", io::MemoryFiles());
    FAIL_CHECK("the fault was not found");
  } catch (const io::ParseError& error) {
    CAPTURE(error.what());
    CHECK(error.file() == "scene.yaml");
    CHECK(error.line() == place.line);
    CHECK(error.column() == place.column);
    CHECK_THAT(error.what(), Catch::Contains(bad.message));
    const std::string prefix =
        "scene.yaml:" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    CHECK_THAT(error.what(), Catch::StartsWith(prefix));
  }
}

}  // namespace

TEST_CASE("A scene that is not a document of the format is refused at its place") {
  for (const Bad& bad : document_faults()) check_fault(bad);
}

TEST_CASE("A fault in the settings or materials is refused at its place") {
  for (const Bad& bad : setting_faults()) check_fault(bad);
}

TEST_CASE("A fault in a body, shape or repeat is refused at its place") {
  for (const Bad& bad : body_faults()) check_fault(bad);
}

TEST_CASE("A fault in a joint or actuator is refused at its place") {
  for (const Bad& bad : joint_faults()) check_fault(bad);
}

TEST_CASE("A faulty override is refused under its own name") {
  const auto read_with = [](const std::string& path, const std::string& value) {
    io::LoadOptions options;
    options.overrides = {{path, value}};
    io::parse_scene(in_scene("bodies: [{name: box, fixed: true}]\n"), "scene.yaml",
                    io::MemoryFiles(), options);
  };
  CHECK_THROWS_WITH(read_with("simulation.stp", "1"),
                    Catch::StartsWith("override simulation.stp=1: unknown key 'stp'"));
  CHECK_THROWS_WITH(read_with("simulation.step", "-1"),
                    Catch::StartsWith("override simulation.step=-1: step of the simulation must"));
  CHECK_THROWS_WITH(read_with("bodies.bx.mass", "1"), Catch::Contains("did you mean 'box'?"));
  CHECK_THROWS_WITH(read_with("simulation.step.x", "1"), Catch::Contains("single value"));
  CHECK_THROWS_WITH(read_with("simulation..x", "1"), Catch::Contains("empty part"));
  CHECK_THROWS_WITH(read_with("simulation.step", "[1"), Catch::Contains("not valid YAML"));
}

TEST_CASE("Aliases that multiply and endless nesting end in an error, not in exhaustion") {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "" : ", ") + last;
    bomb += "]\n";
  }
  CHECK_THROWS_WITH(io::parse_scene(bomb, "s", io::MemoryFiles()), Catch::Contains("too many"));
  const std::string deep = "a: " + std::string(5000, '[');
  CHECK_THROWS_AS(io::parse_scene(deep, "s", io::MemoryFiles()), io::ParseError);
}
