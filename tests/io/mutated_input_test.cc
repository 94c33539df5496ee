#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "tests/io/urdf/urdf_sample.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <random>
#include <string>
#include <vector>

using namespace amontons;

namespace {

constexpr const char* kScene =
    "amontons: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "simulation: {step: [0.01, 0.02], duration: 2.0, gamma: 1.0, seed: 7}\n"
    "materials:\n"
    "  - {name: rubber, friction: 0.9, restitution: 0.1}\n"
    "  - {pair: [rubber, default], friction: 0.8}\n"
    "bodies:\n"
    "  - name: box\n"
    "    shapes: [{box: [0.2, 0.2, 0.1], material: rubber}, {capsule: [1, 2]}]\n"
    "    mass: 1.0\n"
    "    inertia: [1, 1, 1, 0.1, 0.1, 0.1]\n"
    "    pose: {position: [0, 0, 0.05], rpy_deg: [0, 30, 0]}\n"
    "    velocity: {linear: [0, 0, 0], angular: [0, 0, 0]}\n"
    "  - {name: part, density: 100, shapes: [{mesh: {file: part.obj, scale: 2}}]}\n"
    "  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
    "models: [{name: arm, file: arm.urdf, base: fixed, joint_positions: {elbow: 0.5}}]\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, parent: ground, child: box, axis: [0, 1, 0], at: [0, 0, "
    "1]}\n"
    "actuators:\n"
    "  - {joint: arm/elbow, position: {target: 0.5, kp: 100, kd: 10, effort: 50}}\n"
    "  - {body: ground, motion: {sinusoid: {axis: [0, 0, 1], amplitude: 0.01, period: 1.25}}}\n"
    "repeat:\n"
    "  - {body: part, grid: [2, 2, 2], spacing: [1, 1, 1], jitter: 0.002}\n"
    "output: {every: 0.01, contacts: all}\n";

constexpr const char* kPieces[] = {"",   "nan", "1e300", "-1", "0",  "[",   "]",  "{",
                                   "}",  ":",   "\n",    "\t", "\"", "'",   "<",  ">",
                                   "/>", "&",   "*a",    "#",  "- ", "1e-", "\0", "\xff"};

/// Makes one slip: a piece of text removed, repeated elsewhere, or replaced by something hostile.
std::string mutate(std::string text, std::mt19937_64& random) {
  const auto draw = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::size_t at = draw(text.size());
  const std::size_t length = std::min(text.size() - at, draw(12));
  switch (draw(4)) {
    case 0:
      return text.erase(at, length);
    case 1:
      return text.insert(draw(text.size()), text.substr(at, length));
    case 2:
      return text.replace(at, length, kPieces[draw(std::size(kPieces))]);
    default:
      return text.substr(0, at);
  }
}

bool loads(const std::string& scene, const std::string& urdf, const std::string& mesh) {
  io::MemoryFiles files;
  files.add("arm.urdf", urdf);
  files.add("part.obj", mesh);
  files.add("package://sample_description/tip.obj", test::tetrahedron_mesh());
  try {
    io::parse_scene(scene, "scene.yaml", files);
    return true;
  } catch (const io::ParseError& error) {
    CHECK(std::string(error.what()).size() > error.file().size());
    return false;
  }
}

}  // namespace

TEST_CASE("A slip in a scene, robot or mesh either loads or is one error of the reader") {
  const std::string urdf = test::sample_urdf(), mesh = test::tetrahedron_mesh();
  REQUIRE(loads(kScene, urdf, mesh));
  std::mt19937_64 random(20);
  int num_loaded = 0;
  const int count = test::num_cases(20000);
  for (int i = 0; i < count; ++i) {
    const bool fine = i % 3 == 0   ? loads(mutate(kScene, random), urdf, mesh)
                      : i % 3 == 1 ? loads(kScene, mutate(urdf, random), mesh)
                                   : loads(kScene, urdf, mutate(mesh, random));
    num_loaded += fine ? 1 : 0;
  }
  // Both outcomes must occur, or the slips are too mild or too rough to test anything.
  CHECK(num_loaded > count / 20);
  CHECK(num_loaded < count - count / 20);
}

TEST_CASE("A slip in an MJCF file either loads or is one error of the reader") {
  std::vector<std::string> models;
  for (const char* name : {"joints.xml", "masses.xml", "contacts.xml", "drives.xml"}) {
    models.push_back(io::read_file(std::string(AMONTONS_SOURCE_DIR "/tests/io/mjcf/") + name));
  }
  std::mt19937_64 random(21);
  int num_loaded = 0;
  const int count = test::num_cases(4000);
  for (int i = 0; i < count; ++i) {
    io::MemoryFiles files;
    files.add("m.xml", mutate(models[static_cast<std::size_t>(i) % models.size()], random));
    try {
      io::parse_scene(
          "amontons: 1\nsimulation: {step: 1, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
          "scene.yaml", files);
      ++num_loaded;
    } catch (const io::ParseError& error) {
      CHECK(error.line() > 0);
    }
  }
  CHECK(num_loaded > count / 20);
  CHECK(num_loaded < count - count / 20);
}
