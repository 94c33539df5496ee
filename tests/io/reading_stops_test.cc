#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/import/mesh_file.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/math/stop.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

using namespace amontons;

namespace {

/// Returns a text made of one piece for each number from 0.
std::string pieces(int count, const std::function<std::string(int)>& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece(i);
  return text;
}

/// Returns an OBJ file of a strip of triangles.
std::string strip_obj(int count) {
  return pieces(count, [](int i) { return "v " + std::to_string(i) + " 0 0\nv 0 1 0\n"; }) +
         pieces(count - 1, [](int i) {
           return "f " + std::to_string(2 * i + 1) + " " + std::to_string(2 * i + 2) + " " +
                  std::to_string(2 * i + 3) + "\n";
         });
}

/// Returns an STL file in text form.
std::string text_stl(int count) {
  return "solid strip\n" +
         pieces(count,
                [](int i) {
                  const std::string x = std::to_string(i);
                  return "facet normal 0 0 1\nouter loop\nvertex " + x + " 0 0\nvertex " + x +
                         " 1 0\nvertex " + x + ".5 0 1\nendloop\nendfacet\n";
                }) +
         "endsolid strip\n";
}

/// Returns a PLY file in text form.
std::string text_ply(int count) {
  return "ply\nformat ascii 1.0\nelement vertex " + std::to_string(3 * count) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
         std::to_string(count) + "\nproperty list uchar int vertex_indices\nend_header\n" +
         pieces(3 * count,
                [](int i) { return std::to_string(i) + " " + std::to_string(i % 3) + " 0\n"; }) +
         pieces(count, [](int i) {
           return "3 " + std::to_string(3 * i) + " " + std::to_string(3 * i + 1) + " " +
                  std::to_string(3 * i + 2) + "\n";
         });
}

}  // namespace

TEST_CASE("The reading of a large mesh hears a stop, in each format") {
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"a.obj", strip_obj(2000)},
                                    {"a.stl", text_stl(2000)},
                                    {"a.ply", text_ply(2000)}}) {
    CAPTURE(name);
    CHECK_NOTHROW(io::parse_mesh(bytes, name, {1.0, 1.0, 1.0}));
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    CHECK_THROWS_AS(io::parse_mesh(bytes, name, {1.0, 1.0, 1.0}), Stopped);
  }
}

TEST_CASE("The reading of scenes and robots hears a stop") {
  const std::string links = pieces(50, [](int i) {
    const std::string own = std::to_string(i);
    return "<link name='l" + own +
           "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
           "ixy='0' ixz='0' iyz='0'/></inertial></link>" +
           (i == 0 ? ""
                   : "<joint name='j" + own + "' type='continuous'><parent link='l" +
                         std::to_string(i - 1) + "'/><child link='l" + own + "'/></joint>");
  });
  const io::TemporaryFolder folder;
  for (const auto& [name, text] : {
           std::pair<std::string, std::string>{
               "a.yaml", "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nbodies:\n" +
                             pieces(50,
                                    [](int i) {
                                      return "- {name: b" + std::to_string(i) +
                                             ", mass: 1, shapes: [{sphere: 0.1}]}\n";
                                    })},
           {"a.urdf", "<robot name='r'>" + links + "</robot>"},
           {"a.sdf",
            "<sdf version='1.9'><model name='m'>" +
                pieces(50, [](int i) { return "<link name='l" + std::to_string(i) + "'/>"; }) +
                "</model></sdf>"},
           {"a.xml", "<mujoco><worldbody>" +
                         pieces(50,
                                [](int i) {
                                  return "<body name='b" + std::to_string(i) +
                                         "'><freejoint/><geom size='0.1' pos='" +
                                         std::to_string(i) + " 0 0'/></body>";
                                }) +
                         "</worldbody></mujoco>"},
       }) {
    CAPTURE(name);
    const std::filesystem::path file = folder.write(name, text);
    const auto load = [&file = file] {
      return file.extension() == ".yaml" ? io::load_scene(file) : io::load_model_scene(file);
    };
    CHECK_NOTHROW(load());
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    CHECK_THROWS_AS(load(), Stopped);
  }
}
