#include "amontons/io/import/mesh_shape.h"
#include "amontons/io/scene/scene_file.h"

#include <catch2/catch.hpp>

#include <string>
#include <thread>
#include <vector>

// Meshes that several readings of one scene share.

using namespace amontons;

namespace {

const char* kScene =
    "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
    "bodies: [{name: b, density: 1, shapes: [{mesh: {file: w.obj}}]}]\n";
const char* kWedge = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

Scene read(const std::string& mesh, const std::string& density, io::MeshShapes& meshes) {
  io::MemoryFiles files;
  files.add("w.obj", mesh);
  io::LoadOptions options;
  options.overrides = {{"bodies.b.density", density}};
  options.meshes = &meshes;
  return io::parse_scene(kScene, "scene.yaml", files, options);
}

}  // namespace

TEST_CASE("Readings that share their meshes read each file once, and differ in all else") {
  io::MeshShapes meshes;
  const double mass = read(kWedge, "1", meshes).bodies[0].inertia.mass;
  CHECK(mass == Approx(1.0 / 6.0).epsilon(1e-14));
  // The file is not read again: its content no longer matters.
  CHECK(read("nothing", "2", meshes).bodies[0].inertia.mass == 2.0 * mass);
  io::MeshShapes own;
  CHECK_THROWS(read("nothing", "2", own));
}

TEST_CASE("Threads that share their meshes read the same scenes") {
  io::MeshShapes meshes;
  std::vector<double> masses(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        masses[i] = read(kWedge, std::to_string(i + 1), meshes).bodies[0].inertia.mass;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    CHECK(masses[i] == Approx(static_cast<double>(i + 1) / 6.0).epsilon(1e-14));
  }
}
