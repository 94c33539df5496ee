#include "amontons/io/import/model_visuals.h"

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/visual_mesh.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/replay_visuals.h"
#include "amontons/io/replay/thin_mesh.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/run/recorded_run.h"
#include "tests/support/replay_page_reader.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

// What the files of models draw.

using namespace amontons;
using namespace amontons::test;

namespace {

using io::ModelVisual;
using io::ModelVisuals;

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

Scene load(const io::MemoryFiles& files, const std::string& model, ModelVisuals* visuals) {
  io::LoadOptions options;
  options.visuals = visuals;
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 0.1}\nmodels: [{name: m, "
      "file: " +
          model + "}]\n",
      "scene.yaml", files, options);
}

ModelVisuals visuals_of(const io::MemoryFiles& files, const std::string& model) {
  ModelVisuals visuals;
  load(files, model, &visuals);
  return visuals;
}

/// Returns the part of a link; the test fails unless there is exactly one.
const ModelVisual& part_of(const ModelVisuals& visuals, const std::string& link) {
  const auto is_it = [&](const ModelVisual& part) { return part.link == link; };
  REQUIRE(std::count_if(visuals.parts.begin(), visuals.parts.end(), is_it) == 1);
  return *std::find_if(visuals.parts.begin(), visuals.parts.end(), is_it);
}

void check_color(const std::optional<io::Rgba>& color, const io::Rgba& expected) {
  REQUIRE(color);
  for (std::size_t k = 0; k < 4; ++k) CHECK((*color)[k] == Approx(expected[k]).margin(1e-6));
}

constexpr const char* kInertial =
    "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
    "</inertial>";

std::string urdf() {
  return std::string("<robot name='r'><material name='red'><color rgba='1 0 0 0.5'/></material>") +
         "<link name='a'>" + kInertial +
         "<visual><origin xyz='1 2 3' rpy='0 0 1.5'/><geometry><mesh filename='tri.obj' "
         "scale='2 2 -2'/></geometry><material name='red'/></visual></link>"
         "<link name='b'>" +
         kInertial +
         "<visual><geometry><box size='1 2 3'/></geometry>"
         "<material name='own'><color rgba='0 1 0 1'/></material></visual></link>"
         "<link name='c'>" +
         kInertial +
         "<visual><geometry><mesh filename='missing.stl'/></geometry></visual></link>"
         "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
         "<joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint></robot>";
}

io::MemoryFiles urdf_files() {
  io::MemoryFiles files;
  files.add("r.urdf", urdf());
  files.add("tri.obj", kTriangle);
  return files;
}

}  // namespace

TEST_CASE("A URDF draws meshes and shapes in its colors, at their places") {
  const ModelVisuals visuals = visuals_of(urdf_files(), "r.urdf");
  const ModelVisual& a = part_of(visuals, "m/a");
  CHECK(a.mesh == "tri.obj");
  CHECK(a.scale == Eigen::Vector3d(2.0, 2.0, -2.0));
  CHECK(a.X_LV.translation == Eigen::Vector3d(1.0, 2.0, 3.0));
  CHECK(a.X_LV.rotation(1, 0) == Approx(std::sin(1.5)));
  check_color(a.color, {1.0F, 0.0F, 0.0F, 0.5F});
  const ModelVisual& b = part_of(visuals, "m/b");
  REQUIRE(b.shape);
  CHECK(std::get<Box>(*b.shape).size == Eigen::Vector3d(1.0, 2.0, 3.0));
  check_color(b.color, {0.0F, 1.0F, 0.0F, 1.0F});
  // A mesh that is not there stops nothing.
  CHECK(visuals.missing == std::vector<std::string>{"missing.stl"});
}

TEST_CASE("The ledger names a mesh that is drawn and not there, whether looks are read or not") {
  const auto reason_in = [](const Scene& scene) {
    std::string reasons;
    for (const LedgerEntry& entry : scene.ledger.entries) {
      if (entry.reason.starts_with("looks only: its mesh")) reasons += entry.reason + "\n";
    }
    return reasons;
  };
  io::MemoryFiles world;
  world.add("w.sdf",
            "<sdf version='1.9'><model name='m'><link name='a'><visual name='v'><geometry><mesh>"
            "<uri>lost.dae</uri></mesh></geometry></visual></link></model></sdf>");
  ModelVisuals visuals;
  CHECK(reason_in(load(urdf_files(), "r.urdf", nullptr)) ==
        "looks only: its mesh 'missing.stl' is missing, so that the replay does not draw it\n");
  CHECK(reason_in(load(world, "w.sdf", nullptr)) ==
        "looks only: its mesh 'lost.dae' is missing, so that the replay does not draw it\n");
  CHECK(reason_in(load(world, "w.sdf", &visuals)) == reason_in(load(world, "w.sdf", nullptr)));
}

TEST_CASE("Visuals change neither the scene nor its ledger but by the files that they need") {
  ModelVisuals visuals;
  const Scene with = load(urdf_files(), "r.urdf", &visuals);
  const Scene without = load(urdf_files(), "r.urdf", nullptr);
  CHECK(with.inputs.size() == without.inputs.size() + 1);
  CHECK(with.inputs.back().path == "tri.obj");
  REQUIRE(with.ledger.entries.size() == without.ledger.entries.size());
  for (std::size_t i = 0; i < with.ledger.entries.size(); ++i) {
    CHECK(with.ledger.entries[i].element == without.ledger.entries[i].element);
    CHECK(with.ledger.entries[i].fate == without.ledger.entries[i].fate);
    CHECK(with.ledger.entries[i].reason == without.ledger.entries[i].reason);
  }
}

TEST_CASE("An SDF file draws its visuals, also those of included and nested models") {
  io::MemoryFiles files;
  files.add("tri.obj", kTriangle);
  files.add("part/p.sdf", R"(<sdf version="1.9"><model name="p"><link name="l"><visual name="v">
<geometry><mesh><uri>look.obj</uri></mesh></geometry></visual></link></model></sdf>)");
  files.add("part/look.obj", kTriangle);
  files.add("w.sdf", R"(<sdf version="1.9"><world name="w">
<model name="a"><link name="l"><visual name="v"><pose>1 2 3 0 0 1.5</pose><geometry>
<cylinder><radius>0.1</radius><length>0.4</length></cylinder></geometry>
<material><ambient>1 1 1 1</ambient><diffuse>0 0 1 1</diffuse></material></visual></link></model>
<model name="n"><link name="l"/><model name="inner"><link name="x"><visual name="v"><geometry>
<sphere><radius>0.2</radius></sphere></geometry></visual></link></model></model>
<include><uri>part/p.sdf</uri><name>q</name></include></world></sdf>)");
  const ModelVisuals visuals = visuals_of(files, "w.sdf");
  const ModelVisual& a = part_of(visuals, "m/a/l");
  CHECK(std::get<Cylinder>(*a.shape).length == 0.4);
  CHECK(a.X_LV.translation == Eigen::Vector3d(1.0, 2.0, 3.0));
  check_color(a.color, {0.0F, 0.0F, 1.0F, 1.0F});
  CHECK(std::get<Sphere>(*part_of(visuals, "m/n/inner::x").shape).radius == 0.2);
  CHECK(part_of(visuals, "m/q/l").mesh == "part/look.obj");
}

TEST_CASE(
    "An MJCF file draws its geoms of groups 0 to 2 in the colors of geom, class or material") {
  io::MemoryFiles files;
  files.add("tri.obj", kTriangle);
  files.add("m.xml", R"(<mujoco><default><default class="green"><geom rgba="0 1 0 1"/></default>
</default><asset><material name="blue" rgba="0 0 1 1"/><mesh name="t" file="tri.obj" scale="2 2 2"/>
</asset><worldbody><geom type="plane" size="1 1 1"/>
<body name="a"><freejoint/><geom size="0.1" class="green"/></body>
<body name="b"><freejoint/><geom size="0.1" group="3"/>
<geom type="mesh" mesh="t" material="blue" contype="0" conaffinity="0" group="1" mass="0"
 pos="1 0 0"/></body>
<body name="c"><freejoint/><geom size="0.1"/><geom size="0.2" rgba="1 1 1 0"/></body>
</worldbody></mujoco>)");
  const ModelVisuals visuals = visuals_of(files, "m.xml");
  const ModelVisual& a = part_of(visuals, "m/a");
  CHECK(std::get<Sphere>(*a.shape).radius == 0.1);
  check_color(a.color, {0.0F, 1.0F, 0.0F, 1.0F});
  const ModelVisual& b = part_of(visuals, "m/b");
  CHECK(b.mesh == "tri.obj");
  CHECK(b.scale == Eigen::Vector3d(2.0, 2.0, 2.0));
  CHECK(b.X_LV.translation == Eigen::Vector3d(1.0, 0.0, 0.0));
  check_color(b.color, {0.0F, 0.0F, 1.0F, 1.0F});
  CHECK(!part_of(visuals, "m/c").color);
  // The ledger says the same whether they are asked for or not.
  ModelVisuals asked;
  const Scene with = load(files, "m.xml", &asked), without = load(files, "m.xml", nullptr);
  REQUIRE(with.ledger.entries.size() == without.ledger.entries.size());
  for (std::size_t i = 0; i < with.ledger.entries.size(); ++i) {
    CHECK(with.ledger.entries[i].fate == without.ledger.entries[i].fate);
    CHECK(with.ledger.entries[i].reason == without.ledger.entries[i].reason);
  }
}

TEST_CASE("A mesh that an MJCF file itself describes is drawn beside the other geoms of its body") {
  io::MemoryFiles files;
  files.add("m.xml",
            R"(<mujoco><asset><mesh name="t" scale="2 2 2" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
</asset><worldbody><body name="a"><freejoint/><geom size="0.1"/>
<geom type="mesh" mesh="t" pos="0 0 3" rgba="1 0 0 1"/></body></worldbody></mujoco>)");
  const ModelVisuals visuals = visuals_of(files, "m.xml");
  REQUIRE(visuals.parts.size() == 2);
  const ModelVisual& mesh = visuals.parts[1];
  CHECK(mesh.link == "m/a");
  REQUIRE(mesh.shape);
  CHECK(mesh.X_LV.translation == Eigen::Vector3d(0.0, 0.0, 3.0));
  CHECK(shape_properties(*mesh.shape).volume == Approx(8.0 / 6.0).epsilon(1e-6));
  check_color(mesh.color, {1.0F, 0.0F, 0.0F, 1.0F});
}

TEST_CASE("Meshes of OBJ and glTF keep the colors of their materials, each triangle once") {
  // Two colors in one OBJ file; its materials lie beside it.
  const std::map<std::string, std::string> obj{
      {"d/a.obj",
       "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nusemtl r\nf 1 2 3\nusemtl g\nf 3 2 4\n"},
      {"d/a.mtl", "newmtl r\nKd 1 0 0\nnewmtl g\nKd 0 1 0\n"}};
  CHECK(io::files_of_mesh("d/a.obj", obj.at("d/a.obj")) == std::vector<std::string>{"a.mtl"});
  const std::vector<io::VisualMesh> meshes = io::read_visual_meshes("d/a.obj", obj);
  REQUIRE(meshes.size() == 2);
  check_color(meshes[0].color, {0.0F, 1.0F, 0.0F, 1.0F});
  check_color(meshes[1].color, {1.0F, 0.0F, 0.0F, 1.0F});
  for (const io::VisualMesh& mesh : meshes) {
    CHECK(mesh.vertices.size() == 9);
    CHECK(mesh.triangles.size() == 3);
  }
  // A glTF file whose buffer is a file of its own: three floats for each of three vertices.
  std::string buffer(36, '\0');
  const auto put = [&](std::size_t at, float x) {
    std::memcpy(buffer.data() + 4 * at, &x, sizeof x);
  };
  put(3, 1.0F);  // x of the second vertex
  put(7, 1.0F);  // y of the third
  const std::map<std::string, std::string> gltf{
      {"t.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
"nodes": [{"mesh": 0, "translation": [5, 0, 0]}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
"materials": [{"name": "m", "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 1]}}],
"buffers": [{"uri": "t.bin", "byteLength": 36}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 36}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
"min": [0, 0, 0], "max": [1, 1, 0]}]})"},
      {"t.bin", buffer}};
  CHECK(io::files_of_mesh("t.gltf", gltf.at("t.gltf")) == std::vector<std::string>{"t.bin"});
  const std::vector<io::VisualMesh> drawn = io::read_visual_meshes("t.gltf", gltf);
  REQUIRE(drawn.size() == 1);
  check_color(drawn[0].color, {0.5F, 0.25F, 1.0F, 1.0F});
  REQUIRE(drawn[0].vertices.size() == 9);
  CHECK(*std::min_element(drawn[0].vertices.begin(), drawn[0].vertices.end()) == 0.0F);
  CHECK(*std::max_element(drawn[0].vertices.begin(), drawn[0].vertices.end()) == 6.0F);
  // What is no mesh is an error of its file, not an abort.
  CHECK_THROWS_AS(io::read_visual_meshes("x.gltf", {{"x.gltf", "{}"}}), io::ParseError);
  CHECK_THROWS_AS(io::read_visual_meshes("x.stl", {{"x.stl", "solid"}}), io::ParseError);
}

TEST_CASE("Bodies of a replay have their looks besides the shapes that collide") {
  ModelVisuals visuals;
  const Scene scene = load(urdf_files(), "r.urdf", &visuals);
  std::vector<io::ReplayBody> bodies = io::replay_bodies(System(scene));
  const std::vector<std::string> lines = io::add_visuals(visuals, bodies);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("missing.stl"));
  const auto body = std::find_if(bodies.begin(), bodies.end(),
                                 [](const io::ReplayBody& b) { return b.name == "m/a"; });
  REQUIRE(body != bodies.end());
  const io::ReplayShape& look = body->shapes.back();
  CHECK(look.is_visual);
  REQUIRE(look.color);
  CHECK((*look.color)[0] == 1.0F);
  // The scale mirrors, so that fronts stay fronts.
  CHECK(look.vertices[3] == 2.0F);
  CHECK(look.triangles == std::vector<int>{0, 2, 1});
}

TEST_CASE(
    "Lines of an MTL file before its first material are left out: assimp breaks down on them") {
  const std::string part = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
  const std::string red = "newmtl red\nKd 1 0 0\n";
  for (const std::string before : {"", "a2 0.1\n", "Kd 0 1 0\nmap_Kd x.png\n"}) {
    const auto drawn = io::read_visual_meshes("x.obj", {{"x.obj", part}, {"m.mtl", before + red}});
    REQUIRE(drawn.size() == 1);
    check_color(drawn[0].color, {1.0F, 0.0F, 0.0F, 1.0F});
    CHECK(io::read_visual_meshes("x.obj", {{"x.obj", part}, {"m.mtl", before}}).size() == 1);
  }
}

TEST_CASE("A run keeps the meshes that it draws, and its page shows them") {
  ModelVisuals visuals;
  const Scene scene = load(urdf_files(), "r.urdf", &visuals);
  const test::TemporaryFolder folder;
  record_run(scene, folder.file("a.h5"));
  io::RunReader reader(folder.file("a.h5"));
  const auto num_looks = [&](bool with_visuals) {
    const io::ReplayRun run = io::replay_from_run(reader, {.with_visuals = with_visuals});
    const nlohmann::json data = page_data(io::make_replay_html({run}))["runs"][0];
    int count = 0;
    for (const nlohmann::json& body : data["bodies"]) {
      for (const nlohmann::json& shape : body["shapes"]) count += shape.value("visual", false);
    }
    return count;
  };
  CHECK(num_looks(true) == 2);
  CHECK(num_looks(false) == 0);
}

TEST_CASE("A thinned mesh has at most so many triangles, and the size of the whole one") {
  // A sphere of 2 * 80 * 160 triangles.
  io::VisualMesh mesh;
  constexpr int kRings = 80, kSides = 160;
  for (int i = 0; i <= kRings; ++i) {
    for (int j = 0; j < kSides; ++j) {
      const double u = std::numbers::pi * i / kRings, v = 2.0 * std::numbers::pi * j / kSides;
      for (const double x : {std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u)}) {
        mesh.vertices.push_back(static_cast<float>(x));
      }
      if (i == kRings) continue;
      const int a = i * kSides + j, b = i * kSides + (j + 1) % kSides;
      mesh.triangles.insert(mesh.triangles.end(), {a, a + kSides, b, b, a + kSides, b + kSides});
    }
  }
  io::VisualMesh thinned = mesh;
  io::thin_mesh(thinned, 2000);
  CHECK(thinned.triangles.size() / 3 <= 2000);
  CHECK(thinned.triangles.size() / 3 >= 500);
  double farthest = 0.0, nearest = 1.0;
  for (std::size_t i = 0; i < thinned.vertices.size(); i += 3) {
    const double r =
        std::hypot(thinned.vertices[i], thinned.vertices[i + 1], thinned.vertices[i + 2]);
    farthest = std::max(farthest, r);
    nearest = std::min(nearest, r);
  }
  // The mean of points on a sphere lies inside of it, by the square of a cell's size.
  CHECK(farthest <= 1.0 + 1e-6);
  CHECK(nearest > 0.98);
  io::VisualMesh same = mesh;
  io::thin_mesh(same, mesh.triangles.size() / 3);
  CHECK(same.triangles == mesh.triangles);
}
