#include "amontons/io/common/printable.h"
#include "amontons/io/yaml/yaml_overrides.h"
#include "tests/io/scene/bad_scene.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace amontons::test {
namespace {

std::string material(const std::string& keys) {
  return in_scene("materials:\n  - {name: m, " + keys + "}\n");
}

const std::vector<MarkedFault>& document_faults() {
  static const std::vector<MarkedFault> kFaults{
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

const std::vector<MarkedFault>& setting_faults() {
  const auto simulation = [](const std::string& keys) {
    return "amontons: 1\nsimulation: {step: 0.01, duration: 1, " + keys + "}\n";
  };
  static const std::vector<MarkedFault> kFaults{
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
      {"step longer than the duration",
       "amontons: 1\nsimulation: {step: @[0.1, 0.01], duration: 0.05}\n",
       "longer than its duration"},
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
      {"contact horizon zero", simulation("contact_horizon: @0"), "must be positive"},
      {"contact horizon beside v_max", simulation("v_max: 1, contact_horizon: @0.1"), "remove one"},
      {"contact horizon between events", simulation("method: event-driven, contact_horizon: @0.1"),
       "time-stepping"},
      {"iterations a fraction", simulation("position_iterations: @1.5"), "integer"},
      {"output every zero", in_scene("output: {every: @0}\n"), "must be positive"},
      {"output every below the clock's resolution", in_scene("output: {every: @1e-17}\n"),
       "resolution of the clock"},
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

TEST_CASE("A scene that is not a document of the format is refused at its place") {
  for (const MarkedFault& bad : document_faults()) check_fault(bad);
}

TEST_CASE("A fault in the settings or materials is refused at its place") {
  for (const MarkedFault& bad : setting_faults()) check_fault(bad);
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
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep += ".a";
  CHECK_THROWS_WITH(read_with(deep, "1"), Catch::Contains("more than 100 parts"));
  CHECK_THROWS_WITH(read_with(deep.substr(2), "1"), Catch::Contains("unknown key 'a'"));
  CHECK_THROWS_WITH(read_with(std::string(4097, 'a'), "1"), Catch::Contains("than 4096 bytes"));
}

TEST_CASE("Values of an override share a short name, whatever its length is") {
  // The text of the override in each of its values would take 20 GB.
  std::string list = "[1";
  for (int i = 0; i < 100'000; ++i) list += ",1";
  io::YamlValue document = io::parse_yaml("a: 1", "scene.yaml");
  io::apply_override(document, "a", list + "]");
  REQUIRE(document.items.at(0).items.size() == 100'001);
  CHECK(document.items.at(0).items.back().where.file.size() < 300);
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

TEST_CASE("A text that is not UTF-8, or holds bytes of zero, is refused at its line") {
  const auto check = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(io::parse_scene(text, "s.yaml", io::MemoryFiles()),
                      Catch::StartsWith(message));
  };
  check(in_scene("bodies:\n  - {name: \"b\xff\xfe\"}\n"), "s.yaml:4: not a text file in UTF-8");
  check(in_scene(std::string("# \0", 3)), "s.yaml:3: not a text file: it has bytes of zero");
  check(
      "\xff\xfe"
      "a",
      "s.yaml:1: not a text file in UTF-8");
}

TEST_CASE("An error is one line of bounded length, whatever it quotes") {
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "1 ";
  const io::ParseError error("a\nb.yaml", 3, 1, "is '" + words + "\n\t\x1b'");
  CHECK_THAT(error.what(), Catch::StartsWith("a\\nb.yaml:3:1: is '1 1 ") &&
                               Catch::EndsWith("1 \\n\\t\\x1b'") && Catch::Contains(" bytes)..."));
  CHECK(std::string(error.what()).size() < 5000);
  CHECK(std::string(error.what()).find('\n') == std::string::npos);
  // What is short stays as it is, and no character is cut.
  CHECK(io::message_line("a few words") == "a few words");
  std::string letters;
  for (int i = 0; i < 3000; ++i) letters += "\u00e4 ";
  CHECK(io::is_utf8(io::message_line(letters)));
}

}  // namespace
}  // namespace amontons::test
