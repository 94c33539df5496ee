#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

using namespace amontons;
namespace fs = std::filesystem;

namespace {

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";
const fs::path kShared = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data/robots/mujoco";
constexpr double kDegree = std::numbers::pi / 180.0;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string scene_of(const std::string& file, const std::string& keys = "") {
  return "amontons: 1\nsimulation: {step: 0.002, duration: 0.2}\nmodels: [{name: m, file: " + file +
         keys + "}]\n";
}

Scene load(const fs::path& file, const std::string& keys = "") {
  return io::parse_scene(scene_of(file.filename().string(), keys), "scene.yaml",
                         io::DiskFiles(file.parent_path()));
}

Scene load_text(const std::string& text, const std::string& keys = "") {
  io::MemoryFiles files;
  files.add("m.xml", text);
  return io::parse_scene(scene_of("m.xml", keys), "scene.yaml", files);
}

std::vector<fs::path> all_files() {
  std::vector<fs::path> files;
  for (const fs::path& folder : {kOwn, kShared}) {
    if (!fs::exists(folder)) {
      WARN("SKIPPED: there are no MJCF files at " << folder.string());
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

template <typename Items>
const auto& named(const Items& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  INFO(name);
  REQUIRE(found != items.end());
  return *found;
}

}  // namespace

TEST_CASE("Every element and attribute of an MJCF file has one record, at its line") {
  for (const fs::path& file : all_files()) {
    CAPTURE(file.filename());
    CHECK(test::unaccounted(read(file), file.filename().string(), load(file).ledger) == "");
  }
}

TEST_CASE("Elements of included files have their records at their own lines") {
  const Scene scene = load(kOwn / "parts.xml");
  for (const char* part : {"parts/settings.xml", "parts/defaults.xml", "parts/geoms.xml"}) {
    CAPTURE(part);
    CHECK(test::unaccounted(read(kOwn / part), part, scene.ledger) == "");
  }
  CHECK(scene.inputs.size() == 4);
}

TEST_CASE("Published MJCF files load, with as many coordinates as they describe") {
  if (!fs::exists(kShared)) return;
  const auto velocities = [](const char* name) {
    return System(load(kShared / name)).num_velocities();
  };
  CHECK(velocities("humanoid.xml") == 6 + 21);
  CHECK(velocities("car.xml") == 6 + 2);
  CHECK(velocities("cube_3x3x3.xml") == 6 + 3 * 20);
}

TEST_CASE("What is not applied says so, and what has no effect is not called applied") {
  const Scene scene = load_text(R"(<mujoco>
    <default>
      <geom density="700" friction="0.3" rgba="1 0 0 1"/>
      <default class="unused"><geom size="3"/></default>
    </default>
    <asset><mesh name="rock" file="rock.stl"/></asset>
    <worldbody>
      <light name="sun"/>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="a" gravcomp="1">
        <joint name="j" springdamper="1 1" margin="0.1" wobble="3"/>
        <geom name="g" size="0.1" mass="2" condim="6" solref="0.02 1"/>
        <site name="s"/>
      </body>
    </worldbody>
    <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
    <actuator><motor name="pull" tendon="t"/><muscle name="biceps" joint="j"/></actuator>
  </mujoco>)");
  struct Expected {
    const char* element;
    ImportFate fate;
    const char* reason;
  };
  const std::vector<Expected> expected{
      {"light 'sun'", ImportFate::Ignored, "looks only"},
      {"body 'a': gravcomp", ImportFate::Applied, ""},
      {"body 'a' joint 'j'", ImportFate::Applied, ""},
      {"body 'a' joint 'j': springdamper", ImportFate::Applied, ""},
      {"body 'a' joint 'j': margin", ImportFate::Ignored, "at the limit itself"},
      {"body 'a' joint 'j': wobble", ImportFate::Refused, "not part of the format"},
      {"body 'a' geom 'g': mass", ImportFate::Applied, ""},
      {"body 'a' geom 'g': condim", ImportFate::Refused, "spinning"},
      {"body 'a' geom 'g': solref", ImportFate::Ignored, "rigid"},
      {"body 'a' site 's'", ImportFate::Applied, ""},
      {"<default>: geom", ImportFate::Applied, ""},
      {"<default>: geom density", ImportFate::Ignored, "without effect"},
      {"<default>: geom friction", ImportFate::Applied, ""},
      {"<default>: default geom", ImportFate::Ignored, "nothing takes this default"},
      {"mesh 'rock'", ImportFate::Ignored, "no geom"},
      {"fixed 't'", ImportFate::Applied, ""},
      {"motor 'pull'", ImportFate::Applied, "at its control it exerts nothing"},
      {"muscle 'biceps'", ImportFate::Refused, "exerts nothing"}};
  for (const Expected& e : expected) {
    CAPTURE(e.element);
    const LedgerEntry entry = test::entry_of(scene, e.element);
    CHECK(to_string(entry.fate) == std::string(to_string(e.fate)));
    CHECK_THAT(entry.reason, Catch::Contains(e.reason));
  }
}

TEST_CASE("Angles of MJCF are degrees unless the file says otherwise; qpos is not") {
  const std::string joint = R"(<worldbody><body><joint name="j" range="-90 45" ref="30"/>
      <geom size="0.1"/></body></worldbody>)";
  const Scene degrees = load_text("<mujoco>" + joint + "</mujoco>");
  const Scene radians = load_text("<mujoco><compiler angle='radian'/>" + joint + "</mujoco>");
  const ModelJoint &a = degrees.models[0].joints[0], &b = radians.models[0].joints[0];
  CHECK((*a.dynamics.limits)[0] == Approx(-90.0 * kDegree));
  CHECK(*a.start == Approx(30.0 * kDegree));
  CHECK((*b.dynamics.limits)[1] == 45.0);
  CHECK(*b.start == 30.0);
  const Scene home = load(kOwn / "drives.xml");
  CHECK(*named(home.models[0].joints, "a").start == 0.3);
}

TEST_CASE("Free joints ignore the limits of their class, and a range out of order limits nothing") {
  io::MemoryFiles files;
  files.add("m.xml", R"(<mujoco><default><joint range="0 0" limited="true"/>
      <default class="c"><joint limited="auto"/></default></default>
    <worldbody><body><joint type="free"/><geom size="1"/></body>
      <body pos="5 0 0"><joint class="c" axis="0 1 0"/><geom size="1"/>
        <body><joint class="c" type="slide" range="2 1"/><geom size="1"/></body></body>
    </worldbody></mujoco>)");
  const Scene scene = io::parse_scene(scene_of("m.xml"), "scene.yaml", files);
  for (const ModelJoint& joint : scene.models.at(0).joints) CHECK(!joint.dynamics.limits);
  files.add("m.xml", R"(<mujoco><worldbody><body><joint range="1 0" limited="true"/>
    <geom size="1"/></body></worldbody></mujoco>)");
  CHECK_THROWS_AS(io::parse_scene(scene_of("m.xml"), "scene.yaml", files), io::ParseError);
}

TEST_CASE("A body on several joints hangs on links without mass and moves by all of them") {
  const Scene scene = load(kOwn / "joints.xml");
  const SceneModel& model = scene.models[0];
  CHECK(named(model.links, "arm@yaw").inertia.mass == 0.0);
  CHECK(named(model.links, "arm@pitch").inertia.mass == 0.0);
  CHECK(named(model.links, "arm").inertia.mass > 0.0);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    CHECK(model.joints[i].child == static_cast<int>(i) + 1);
    CHECK(model.joints[i].parent < model.joints[i].child);
  }
  CHECK(model.base == BaseType::Fixed);
  const System system(scene);
  // The arm, the stone with its wheel, and what hangs on a ball and a slide.
  CHECK(system.articulations().size() == 3);
}

TEST_CASE("A model of MJCF starts at its keyframe `home`, and elsewhere if the scene says so") {
  const Scene scene = load(kOwn / "drives.xml", ", joint_positions: {b: 0.7}");
  const System system(scene);
  SystemKinematics kinematics;
  const State state = system.initial_state();
  compute_kinematics(system, state.q, state.v, 0.0, kinematics);
  const auto position = [&](const std::string& joint) {
    const int index = system.find_joint("m/" + joint);
    REQUIRE(index >= 0);
    return state.q[system.joints()[static_cast<std::size_t>(index)].q_offset];
  };
  CHECK(position("a") == 0.3);
  CHECK(position("b") == 0.7);
  const Pose ball = kinematics.X_WB[static_cast<std::size_t>(system.find_body("m/ball"))];
  CHECK((ball.translation - Eigen::Vector3d(2.0, 0.1, 1.2)).norm() < 1e-15);
  CHECK((ball.rotation.col(0) - Eigen::Vector3d(1.0, 0.0, 0.0)).norm() < 1e-15);
  CHECK(ball.rotation(2, 1) == Approx(0.96));  // 2 * 0.8 * 0.6
}

TEST_CASE("A pose in the scene moves the whole world of an MJCF file") {
  const Scene there =
      load(kOwn / "joints.xml", ", pose: {position: [1, 2, 3], rpy_deg: [0, 0, 90]}");
  const Scene here = load(kOwn / "joints.xml");
  const System a(there), b(here);
  SystemKinematics ka, kb;
  compute_kinematics(a, a.initial_state().q, a.initial_state().v, 0.0, ka);
  compute_kinematics(b, b.initial_state().q, b.initial_state().v, 0.0, kb);
  const Pose X = there.models[0].pose;
  for (std::size_t i = 0; i < ka.X_WB.size(); ++i) {
    CHECK((ka.X_WB[i].translation - X * kb.X_WB[i].translation).norm() < 1e-14);
  }
}

TEST_CASE("A height field of MJCF is written with the largest y first, and stored with it last") {
  const auto field_of = [](const std::string& attributes) {
    const std::string text = "<mujoco><asset><hfield name='h' size='2 1 0.5 0.1' " + attributes +
                             "/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody>"
                             "</mujoco>";
    std::string bytes;
    const std::int32_t size[2] = {2, 3};
    const float heights[6] = {13.0F, 14.0F, 15.0F, 10.0F, 11.0F, 12.0F};
    bytes.append(reinterpret_cast<const char*>(size), sizeof size);
    bytes.append(reinterpret_cast<const char*>(heights), sizeof heights);
    io::MemoryFiles files;
    files.add("m.xml", text);
    files.add("field.bin", bytes);
    const Scene scene = io::parse_scene(scene_of("m.xml"), "scene.yaml", files);
    return std::get<std::shared_ptr<const HeightField>>(scene.models[0].links[0].shapes[0].shape);
  };
  for (const char* attributes :
       {"nrow='2' ncol='3' elevation='0 1 2  3 4 5'", "file='field.bin'"}) {
    CAPTURE(attributes);
    const std::shared_ptr<const HeightField> field = field_of(attributes);
    CHECK(field->size_x() == 4.0);
    CHECK(field->size_y() == 2.0);
    CHECK(field->height_at(-2.0, 1.0) == 0.0);
    CHECK(field->height_at(2.0, 1.0) == Approx(0.2));
    CHECK(field->height_at(-2.0, -1.0) == Approx(0.3));
    CHECK(field->height_at(2.0, -1.0) == Approx(0.5));
  }
}

TEST_CASE("An MJCF file can be read again from the inputs recorded with it") {
  const Scene scene = load(kOwn / "meshes.xml");
  CHECK(scene.inputs.size() == 2);
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(again.ledger.entries.size() == scene.ledger.entries.size());
}

TEST_CASE("Published MJCF models fall and come to their floors, each step certified") {
  if (!fs::exists(kShared)) return;
  for (const char* name : {"humanoid.xml", "car.xml"}) {
    CAPTURE(name);
    Simulator simulator(load(kShared / name));
    while (!simulator.finished()) {
      CHECK(simulator.step().certificate.holds);
    }
  }
}

TEST_CASE(
    "What MuJoCo does not know is a finding that names the nearest, and what it may is none") {
  const auto misread = [](const std::string& joint, const std::string& section = "") {
    return load_text("<mujoco><worldbody><body name='a'><joint name='j' " + joint +
                     "/><geom size='0.1'/></body></worldbody>" + section + "</mujoco>");
  };
  const Scene damped = misread("dampng='2'");
  const LedgerEntry attribute = test::entry_of(damped, "body 'a' joint 'j': dampng");
  CHECK(attribute.fate == ImportFate::Refused);
  CHECK_THAT(attribute.reason, Catch::Contains("did you mean 'damping'?"));
  const Scene section = misread("", "<tendn><fixed name='t'/></tendn>");
  const LedgerEntry element = test::entry_of(section, "<tendn>");
  CHECK(element.fate == ImportFate::Refused);
  CHECK_THAT(element.reason, Catch::Contains("did you mean 'tendon'?"));
  // What acts in newer versions of the format is a finding, what only organizes is none.
  const Scene newer = misread("group='1' user='1 2'",
                              "<actuator><motor name='m' joint='j' nsample='3' delay='0.1'/>"
                              "<plugin name='p' joint='j' plugin='x'><config key='a' value='b'/>"
                              "</plugin></actuator>");
  CHECK(test::entry_of(newer, "motor 'm': delay").fate == ImportFate::Refused);
  std::size_t count = 0;
  for (const LedgerEntry& finding : newer.ledger.findings()) {
    CAPTURE(finding.element, finding.reason);
    ++count;
    CHECK((finding.element == "motor 'm': delay" || finding.element == "plugin 'p'"));
  }
  CHECK(count == 2);
}

TEST_CASE("Names that the reader makes differ from those that the file gives") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <site/><site name="site_0"/>
      <body name="a"><joint/><joint axis="1 0 0" name="k"/><geom size="0.1"/>
        <body name="a@a_joint_2" pos="1 0 0"><joint name="a_joint"/><geom size="0.1"/></body>
        <body pos="0 1 0"><joint name="x"/><geom size="0.1"/>
          <body name="body_3" pos="1 0 0"><joint name="y"/><geom size="0.1"/></body></body></body>
    </worldbody>
    <tendon><fixed><joint joint="x" coef="1"/></fixed>
      <fixed name="tendon_0"><joint joint="y" coef="1"/></fixed></tendon>
    <sensor><jointpos joint="x"/><jointpos name="sensor_0" joint="y"/></sensor></mujoco>)");
  const System system(scene);
  for (const char* name : {"m/a_joint", "m/a_joint_2", "m/k", "m/tendon_0"}) {
    CAPTURE(name);
    CHECK(system.find_joint(name) >= 0);
  }
  for (const char* name : {"m/body_3", "m/body_3_", "m/a@a_joint_2", "m/a@a_joint_2_"}) {
    CAPTURE(name);
    CHECK(system.find_body(name) >= 0);
  }
  CHECK(scene.models[0].sensors[1].name == "sensor_0");
  CHECK(scene.models[0].frames[1].name == "site_0");
}

TEST_CASE("An outermost default class with an empty name is that without a name") {
  const Scene scene = load_text(
      "<mujoco><default class=''><joint damping='1'/></default><worldbody><body><joint name='j'/>"
      "<geom size='0.1'/></body></worldbody></mujoco>");
  CHECK(scene.models[0].joints[0].dynamics.viscous_friction == 1.0);
}

TEST_CASE("With inertiafromgeom a body without geoms that count keeps its <inertial>") {
  const Scene scene = load_text(R"(<mujoco><compiler inertiafromgeom="true"/><worldbody>
      <body name="a"><joint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
        <geom size="0.1" mass="2"/>
        <body name="b"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.25"/></body></body>
    </worldbody></mujoco>)");
  CHECK(scene.models[0].links[1].inertia.mass == 2.0);
  CHECK(scene.models[0].links[2].inertia.mass == 1.0);
}

TEST_CASE("A keyframe that moves a mocap body leaves lengths at qpos0 as they are") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body name="m" mocap="true" pos="1 0 0"><site name="p"/></body>
      <body name="b"><joint type="slide" axis="1 0 0"/><geom size="0.1"/><site name="q"/></body>
    </worldbody>
    <tendon><spatial stiffness="5"><site site="p"/><site site="q"/></spatial></tendon>
    <equality><tendon tendon1="tendon_0"/></equality>
    <keyframe><key name="home" mpos="3 0 0"/></keyframe></mujoco>)");
  CHECK(scene.models[0].tendons[0].dynamics.rest_position == Approx(1.0));
  CHECK(scene.models[0].couplings[0].curve.offset == Approx(1.0));
}

TEST_CASE("A pair of geoms counts for nothing where contacts are switched off") {
  const Scene scene = load_text(
      "<mujoco><option><flag contact='disable'/></option><worldbody><geom name='w' type='plane' "
      "size='1 1 1'/><body><freejoint/><geom name='g' size='0.1'/></body></worldbody><contact>"
      "<pair name='p' geom1='w' geom2='g'/></contact></mujoco>");
  CHECK(test::entry_of(scene, "pair 'p'").fate == ImportFate::Ignored);
}

TEST_CASE("Of a flag that is given several times the last one counts") {
  const auto has_limits = [](const std::string& first, const std::string& last) {
    const Scene scene =
        load_text("<mujoco><option><flag constraint='" + first +
                  "'/></option><option><flag constraint='" + last +
                  "'/></option><worldbody><body><joint limited='true' range='-1 1'/>"
                  "<geom size='0.1'/></body></worldbody></mujoco>");
    return scene.models[0].joints[0].dynamics.limits.has_value();
  };
  CHECK(has_limits("disable", "enable"));
  CHECK_FALSE(has_limits("enable", "disable"));
}

TEST_CASE("A range of two zeros limits nothing where `limited` is not given") {
  const Scene scene = load_text(
      "<mujoco><worldbody><body><joint name='j' actuatorfrcrange='0 0'/><geom size='0.1'/></body>"
      "</worldbody><tendon><fixed range='0 0'><joint joint='j' coef='1'/></fixed></tendon>"
      "<actuator><motor joint='j' ctrlrange='0 0'/></actuator>"
      "<keyframe><key name='home' ctrl='3'/></keyframe></mujoco>");
  REQUIRE(scene.models[0].efforts.size() == 1);
  CHECK(scene.models[0].efforts[0].effort == 3.0);
  CHECK_FALSE(scene.models[0].tendons[0].dynamics.limits);
}

TEST_CASE("Of springdamper a ball has the damper, and its spring is a finding") {
  const Scene scene = load(kOwn / "defaults.xml");
  CHECK(test::entry_of(scene, "body 'b' joint 'b': springdamper").fate == ImportFate::Refused);
  CHECK(scene.models[0].joints[1].dynamics.stiffness == 0.0);
}
