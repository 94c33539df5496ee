#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/common/temporary_folder.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mujoco_oracle.h"

#include <algorithm>
#include <cmath>
#include <numbers>

// Sites, height fields of images, and meshes of MJCF against MuJoCo 2.2.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";

}  // namespace

TEST_CASE("Sites are frames of their links, with the poses that MuJoCo gives them") {
  MujocoTwin twin(kOwn / "tendons.xml");
  REQUIRE(twin.model);
  std::mt19937 engine(23);
  twin.randomize(engine);
  REQUIRE(twin.ours().frames.size() == 1);
  const ModelFrame& frame = twin.ours().frames[0];
  CHECK(frame.name == "rotor");
  const int body =
      twin.system->find_body("m/" + twin.ours().links[static_cast<std::size_t>(frame.link)].name);
  const Pose X_WF = twin.kinematics.X_WB[static_cast<std::size_t>(body)] * frame.X_LF;
  CHECK((X_WF.translation - vector_at(twin.data->site_xpos, 0)).norm() < 1e-12);
  CHECK((X_WF.rotation - matrix_at(twin.data->site_xmat, 0)).norm() < 1e-12);
}

TEST_CASE("Height fields of PNG images have the heights that MuJoCo reads") {
  MujocoTwin twin(kOwn / "meshes/fitted.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  const auto& field =
      *std::get<std::shared_ptr<const HeightField>>(twin.ours().links[0].shapes[0].shape);
  const int rows = m.hfield_nrow[0], columns = m.hfield_ncol[0];
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const double x = -2.0 + 4.0 * c / (columns - 1), y = -1.5 + 3.0 * r / (rows - 1);
      const double theirs = 0.3 * static_cast<double>(m.hfield_data[r * columns + c]);
      CHECK(field.height_at(x, y) == Approx(theirs).margin(1e-7));
    }
  }
}

TEST_CASE("Shapes fitted to meshes have the sizes and places that MuJoCo fits") {
  MujocoTwin twin(kOwn / "meshes/fitted.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  for (int g = 1; g < m.ngeom; ++g) {
    const std::string name = mj_id2name(&m, mjOBJ_GEOM, g);
    CAPTURE(name);
    const auto& links = twin.ours().links;
    const auto link = std::find_if(links.begin(), links.end(),
                                   [&](const ModelLink& own) { return own.name == name; });
    REQUIRE(link != links.end());
    const SceneShape& shape = link->shapes.at(0);
    // MuJoCo keeps the corners of meshes in single precision.
    CHECK((shape.X_BG.translation - vector_at(m.geom_pos, g)).norm() < 1e-6);
    CHECK(bounding_radius(shape.shape) == Approx(m.geom_rbound[g]).epsilon(1e-6));
    CHECK(link->inertia.mass == Approx(m.body_mass[m.geom_bodyid[g]]).epsilon(1e-6));
  }
}

TEST_CASE("A shape fitted around a mesh is the least one whose box holds that of the mesh") {
  // A block of 0.2 x 0.4 x 0.6 about (1, 2, 3): its principal axes are x, y and z, the longest z.
  const std::string text =
      "<mujoco><compiler fitaabb='true'/><asset><mesh name='m' vertex='0.9 1.8 2.7 1.1 1.8 2.7 0.9 "
      "2.2 2.7 1.1 2.2 2.7 0.9 1.8 3.3 1.1 1.8 3.3 0.9 2.2 3.3 1.1 2.2 3.3'/></asset><worldbody>"
      "<geom type='sphere' mesh='m'/><geom type='capsule' mesh='m'/><geom type='cylinder' "
      "mesh='m'/>"
      "<geom type='ellipsoid' mesh='m'/><geom type='box' mesh='m' "
      "fitscale='2'/></worldbody></mujoco>";
  io::MemoryFiles files;
  files.add("m.xml", text);
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
  const std::vector<SceneShape>& shapes = scene.models[0].links[0].shapes;
  REQUIRE(shapes.size() == 5);
  for (const SceneShape& shape : shapes) {
    CHECK((shape.X_BG.translation - Eigen::Vector3d(1.0, 2.0, 3.0)).norm() < 1e-12);
  }
  CHECK(std::get<Sphere>(shapes[0].shape).radius == Approx(0.3));
  CHECK(std::get<Capsule>(shapes[1].shape).radius == Approx(0.2));
  CHECK(std::get<Capsule>(shapes[1].shape).length == Approx(0.2));
  CHECK(std::get<Cylinder>(shapes[2].shape).radius == Approx(0.2));
  CHECK(std::get<Cylinder>(shapes[2].shape).length == Approx(0.6));
  CHECK((std::get<Ellipsoid>(shapes[3].shape).semi_axes - Eigen::Vector3d(0.1, 0.2, 0.3)).norm() <
        1e-12);
  CHECK((std::get<Box>(shapes[4].shape).size - Eigen::Vector3d(0.4, 0.8, 1.2)).norm() < 1e-12);
  const auto& entries = scene.ledger.entries;
  const auto says = [](const LedgerEntry& entry) {
    return entry.reason.find("that of MuJoCo 2.2.2 lies elsewhere") != std::string::npos;
  };
  CHECK(std::count_if(entries.begin(), entries.end(), says) == 5);
}

TEST_CASE("A geom names the mass that MuJoCo gives a concave mesh by its legacy inertia") {
  // An L of unit depth, 5 m^3. Its surface has its middle at (25/22, 25/22, 1/2), which lies beyond
  // the planes of the inner faces: their pyramids of 2/11 m^3 in all count twice.
  const std::string mesh =
      "<mesh name='l' vertex='0 0 0 3 0 0 3 1 0 1 1 0 1 3 0 0 3 0  0 0 1 3 0 1 3 1 1 1 1 1 1 3 1 "
      "0 3 1' face='0 2 1 0 3 2 0 4 3 0 5 4  6 7 8 6 8 9 6 9 10 6 10 11  0 1 7 0 7 6 1 2 8 1 8 7 2 "
      "3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/>";
  const auto load = [&](const std::string& compiler) {
    io::MemoryFiles files;
    files.add("m.xml", "<mujoco><compiler " + compiler + "/><asset>" + mesh +
                           "</asset><worldbody><body name='b'><freejoint/>"
                           "<geom name='g' type='mesh' mesh='l'/></body></worldbody></mujoco>");
    return io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
        "scene.yaml", files);
  };
  const Scene scene = load("");
  CHECK(scene.models[0].links[1].inertia.mass == Approx(5000.0));
  const LedgerEntry entry = entry_of(scene, "body 'b' geom 'g'");
  CHECK(entry.fate == ImportFate::Approximated);
  CHECK(entry.reason.find("makes it 5364 kg,") != std::string::npos);  // 5 + 4/11
  CHECK(entry_of(load("exactmeshinertia='true'"), "body 'b' geom 'g'").fate == ImportFate::Applied);
}

TEST_CASE("Each mesh whose density gives mass names its mass in MuJoCo 2.2 where that differs") {
  // A convex tetrahedron, the concave L, and shapes fitted to it.
  const std::string text =
      "<mujoco><asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 "
      "3'/><mesh name='l' vertex='0 0 0 3 0 0 3 1 0 1 1 0 1 3 0 0 3 0  0 0 1 3 0 1 3 1 1 1 1 1 1 3 "
      "1 0 3 1' face='0 2 1 0 3 2 0 4 3 0 5 4  6 7 8 6 8 9 6 9 10 6 10 11  0 1 7 0 7 6 1 2 8 1 8 7 "
      "2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/></asset><worldbody>"
      "<body name='t'><freejoint/><geom name='t' type='mesh' mesh='t'/></body>"
      "<body name='l'><freejoint/><geom name='l' type='mesh' mesh='l'/></body>"
      "<body name='box'><freejoint/><geom name='box' type='box' mesh='l'/></body>"
      "<body name='egg'><freejoint/><geom name='egg' type='ellipsoid' mesh='l' fitscale='1.5'/>"
      "</body></worldbody></mujoco>";
  const io::TemporaryFolder folder;
  const MujocoTwin twin(folder.write("m.xml", text));
  INFO(twin.error);
  REQUIRE(twin.model);
  for (const std::string name : {"t", "l", "box", "egg"}) {
    CAPTURE(name);
    const LedgerEntry entry = entry_of(*twin.scene, "body '" + name + "' geom '" + name + "'");
    CHECK(entry.fate == ImportFate::Approximated);
    const double theirs =
        twin.model->body_mass[mj_name2id(twin.model.get(), mjOBJ_BODY, name.c_str())];
    const std::size_t at = entry.reason.rfind(' ', entry.reason.size() - 4);
    REQUIRE(at != std::string::npos);
    // The text has four digits.
    CHECK(std::stod(entry.reason.substr(at)) == Approx(theirs).epsilon(5e-4));
  }
}

TEST_CASE("Meshes by parameters have the volumes of their solids") {
  const auto volume_of = [](const std::string& mesh, const std::string& type = "mesh") {
    io::MemoryFiles files;
    files.add("m.xml", "<mujoco><asset><mesh name='a' " + mesh +
                           "/></asset><worldbody><body name='b'><freejoint/><geom type='" + type +
                           "' mesh='a' density='1'/></body></worldbody></mujoco>");
    const Scene scene = io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
        "scene.yaml", files);
    return scene.models[0].links[1].inertia.mass;
  };
  // An icosahedron of edge a has 5 (3 + sqrt 5) / 12 a^3; its corners lie at a sin(2 pi / 5).
  const double edge = 1.0 / std::sin(0.4 * std::numbers::pi);
  CHECK(volume_of("builtin='sphere' params='0' scale='2 -1 1'") ==
        Approx(2.0 * 5.0 * (3.0 + std::sqrt(5.0)) / 12.0 * std::pow(edge, 3)));
  CHECK(volume_of("builtin='sphere' params='4'") ==
        Approx(4.0 / 3.0 * std::numbers::pi).epsilon(3e-3));
  // A frustum of height 2 over a square of area 2, and a pyramid over it.
  CHECK(volume_of("builtin='cone' params='4 0.5'") == Approx(2.0 / 3.0 * 2.0 * 1.75));
  CHECK(volume_of("builtin='cone' params='4 0'") == Approx(2.0 / 3.0 * 2.0));
  // Exponents of 2 make an octahedron.
  CHECK(volume_of("builtin='supersphere' params='12 2 2'") == Approx(4.0 / 3.0));
  // A ring of n prisms with sections of n corners, around whose middle they turn.
  const double n = 24.0, sine = n * std::sin(2.0 * std::numbers::pi / n);
  CHECK(volume_of("builtin='supertorus' params='24 0.3 1 1'", "sdf") ==
        Approx(sine * 0.5 * sine * 0.09));
}

}  // namespace amontons::test
