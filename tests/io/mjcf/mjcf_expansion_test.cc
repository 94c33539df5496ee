#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mujoco_oracle.h"
#include "tests/io/xml/xml_account.h"

#include <algorithm>
#include <sstream>

// <replicate>, <attach> and <frame> against files with everything written out.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";

io::MemoryFiles files_of(const std::string& text) {
  io::MemoryFiles files;
  files.add("m.xml", text);
  return files;
}

Scene load(const io::MemoryFiles& files, const std::string& keys = "") {
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.002, duration: 0.2}\nmodels: [{name: m, "
      "file: m.xml" +
          keys + "}]\n",
      "scene.yaml", files);
}

Scene load(const std::string& text) { return load(files_of(text)); }

/// Returns the message of the error that a text gives.
std::string error_of(const io::MemoryFiles& files) {
  try {
    load(files);
  } catch (const io::ParseError& error) {
    return error.what();
  }
  return "";
}

double distance(const Pose& a, const Pose& b) {
  return (a.translation - b.translation).norm() + (a.rotation - b.rotation).norm();
}

/// Compares two models: links, masses, joints, shapes, frames, forces, pairs.
void check_equal(const Scene& a_scene, const Scene& b_scene) {
  const SceneModel &a = a_scene.models.at(0), &b = b_scene.models.at(0);
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    CAPTURE(b.links[i].name);
    CHECK(a.links[i].name == b.links[i].name);
    CHECK((a.links[i].inertia.matrix() - b.links[i].inertia.matrix()).norm() < 1e-12);
    REQUIRE(a.links[i].shapes.size() == b.links[i].shapes.size());
    for (std::size_t k = 0; k < a.links[i].shapes.size(); ++k) {
      const SceneShape &x = a.links[i].shapes[k], &y = b.links[i].shapes[k];
      CHECK(x.name == y.name);
      CHECK(distance(x.X_BG, y.X_BG) < 1e-12);
      CHECK(bounding_radius(x.shape) == bounding_radius(y.shape));
    }
  }
  REQUIRE(a.joints.size() == b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const ModelJoint &x = a.joints[i], &y = b.joints[i];
    CAPTURE(y.name);
    CHECK(x.name == y.name);
    CHECK(x.type == y.type);
    CHECK(x.parent == y.parent);
    CHECK((x.axis - y.axis).norm() < 1e-12);
    CHECK(distance(x.X_PJ, y.X_PJ) < 1e-12);
    CHECK(distance(x.X_JC, y.X_JC) < 1e-12);
    CHECK(distance(x.start_pose, y.start_pose) < 1e-12);
    CHECK(x.dynamics.viscous_friction == y.dynamics.viscous_friction);
    CHECK(x.dynamics.limits == y.dynamics.limits);
  }
  REQUIRE(a.frames.size() == b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    CHECK(a.frames[i].name == b.frames[i].name);
    CHECK(a.frames[i].link == b.frames[i].link);
    CHECK(distance(a.frames[i].X_LF, b.frames[i].X_LF) < 1e-12);
  }
  REQUIRE(a.efforts.size() == b.efforts.size());
  for (std::size_t i = 0; i < a.efforts.size(); ++i) {
    CHECK(a.efforts[i].joint == b.efforts[i].joint);
    CHECK(a.efforts[i].effort == b.efforts[i].effort);
  }
  REQUIRE(a.couplings.size() == b.couplings.size());
  for (std::size_t i = 0; i < a.couplings.size(); ++i) {
    CHECK(a.couplings[i].joint == b.couplings[i].joint);
    CHECK(a.couplings[i].reference == b.couplings[i].reference);
  }
  CHECK(a.tendons.size() == b.tendons.size());
  CHECK(a.loops.size() == b.loops.size());
  CHECK(a.excluded == b.excluded);
}

}  // namespace

TEST_CASE("Copies of <replicate> have numbers with as many digits as their count") {
  const Scene scene = load(R"(<mujoco><worldbody>
      <replicate count="10" offset="1 0 0"><body name="b"><joint name="j"/><geom size=".1"/></body>
      </replicate></worldbody><actuator><motor joint="j00"/></actuator></mujoco>)");
  CHECK(scene.models[0].joints[0].name == "j00");
  CHECK(scene.models[0].joints[9].name == "j09");
}

TEST_CASE("Copies of <replicate> lie where the documentation of MuJoCo puts them") {
  const Scene scene = load(R"(<mujoco><worldbody>
      <replicate count="2" offset="0 1 0" euler="90 0 0">
        <replicate count="2" sep="-" offset="1 0 0" euler="0 90 0">
          <geom name="Alice" size=".1"/>
        </replicate>
      </replicate></worldbody></mujoco>)");
  struct Expected {
    const char* name;
    Eigen::Vector3d position;
    Eigen::Vector4d wxyz;
  };
  const std::vector<Expected> expected{{"Alice-00", {0, 0, 0}, {1, 0, 0, 0}},
                                       {"Alice-10", {1, 0, 0}, {1, 0, 1, 0}},
                                       {"Alice-01", {0, 1, 0}, {1, 1, 0, 0}},
                                       {"Alice-11", {1, 1, 0}, {0.5, 0.5, 0.5, 0.5}}};
  const std::vector<SceneShape>& shapes = scene.models[0].links[0].shapes;
  REQUIRE(shapes.size() == expected.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CHECK(shapes[i].name == expected[i].name);
    const Eigen::Vector4d q = expected[i].wxyz.normalized();
    const Pose X{Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix(),
                 expected[i].position};
    CHECK(distance(shapes[i].X_BG, X) < 1e-12);
  }
}

TEST_CASE("What refers to copies of <replicate> is copied with them") {
  const std::string copied = R"(<mujoco><compiler angle="radian" eulerseq="XZY"/>
    <default><default class="c"><joint damping="0.3"/></default></default>
    <worldbody>
      <body name="hub"><joint name="hub" axis="0 0 1"/><geom size="0.2"/>
        <replicate count="3" offset="0.1 0.2 0" euler="0.3 0.2 0.1" sep="_" childclass="c">
          <body name="arm" pos="0.5 0 0"><joint name="j" axis="0 1 0"/><geom name="g" size="0.1"/>
            <site name="s" pos="0 0 0.1"/></body>
        </replicate></body>
    </worldbody>
    <contact><exclude body1="hub" body2="arm"/></contact>
    <tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="hub" coef="1"/></fixed></tendon>
    <equality><joint name="gear" joint1="j" joint2="hub"/></equality>
    <actuator><motor joint="j" ctrllimited="true" ctrlrange="1 2"/>
      <motor joint="hub" ctrllimited="true" ctrlrange="3 4"/>
      <motor tendon="t" ctrllimited="true" ctrlrange="5 6"/></actuator></mujoco>)";
  const auto arm = [](const std::string& i, const std::string& frame) {
    return "<frame " + frame + " childclass='c'><body name='arm_" + i +
           "' pos='0.5 0 0'><joint name='j_" + i + "' axis='0 1 0'/><geom name='g_" + i +
           "' size='0.1'/><site name='s_" + i + "' pos='0 0 0.1'/></body></frame>";
  };
  const auto each = [](const std::string& before, const std::string& after) {
    std::string result;
    for (const char* i : {"0", "1", "2"}) result += before + i + after;
    return result;
  };
  // The second offset is turned by the first rotation; nested frames do the same.
  const std::string step = "pos='0.1 0.2 0' euler='0.3 0.2 0.1'";
  Scene twice =
      load("<mujoco><compiler angle='radian' eulerseq='XZY'/><worldbody><geom size='1'/><frame " +
           step + "><geom size='0.1' pos='0.1 0.2 0'/></frame></worldbody></mujoco>");
  const Eigen::Vector3d second = twice.models[0].links[0].shapes[1].X_BG.translation;
  std::ostringstream place;
  place.precision(17);
  place << "pos='" << second.x() << " " << second.y() << " " << second.z()
        << "' euler='0.6 0.4 0.2'";
  std::string tendons, motors;
  for (const char* i : {"0", "1", "2"}) {
    tendons += std::string("<fixed name='t_") + i + "'><joint joint='j_" + i +
               "' coef='2'/><joint joint='hub' coef='1'/></fixed>";
    motors += std::string("<motor joint='j_") + i +
              "' ctrllimited='true' ctrlrange='1 2'/><motor tendon='t_" + i +
              "' ctrllimited='true' ctrlrange='5 6'/>";
  }
  const std::string written =
      R"(<mujoco><compiler angle="radian" eulerseq="XZY"/>
    <default><default class="c"><joint damping="0.3"/></default></default>
    <worldbody><body name="hub"><joint name="hub" axis="0 0 1"/><geom size="0.2"/>)" +
      arm("0", "") + arm("1", step) + arm("2", place.str()) + "</body></worldbody><contact>" +
      each("<exclude body1='hub' body2='arm_", "'/>") + "</contact><tendon>" + tendons +
      "</tendon><equality>" + each("<joint joint2='hub' joint1='j_", "'/>") +
      "</equality><actuator><motor joint='hub' ctrllimited='true' "
      "ctrlrange='3 4'/>" +
      motors + "</actuator></mujoco>";
  const Scene a = load(copied), b = load(written);
  check_equal(a, b);
  CHECK(test::unaccounted(copied, "m.xml", a.ledger) == "");
}

TEST_CASE("A model is attached with its own units, classes, assets and actuators") {
  io::MemoryFiles files = files_of(R"(<mujoco><compiler angle="radian"/>
    <default><geom density="100"/><default class="soft"><joint damping="9"/></default></default>
    <asset><model name="arm" file="parts/arm.xml"/></asset>
    <worldbody>
      <frame pos="0 0 1" euler="0 0 0.5"><attach model="arm" body="upper" prefix="l_"/></frame>
      <body name="post" pos="2 0 0"><geom size="0.1"/><attach model="arm" frame="tool" prefix="r_"/></body>
      <attach model="arm" prefix="all_"/>
    </worldbody></mujoco>)");
  const std::string arm = R"(<mujoco model="arm"><compiler angle="degree" meshdir="m"/>
    <default><geom density="3000"/><default class="soft"><joint damping="0.2"/>
      <geom density="500"/></default></default>
    <asset><mesh file="wedge.obj"/></asset>
    <worldbody><body name="upper" pos="0.1 0 0" euler="0 0 30" childclass="soft">
        <joint name="a" axis="0 1 0" range="-90 90" limited="true"/>
        <geom name="g" type="mesh" mesh="wedge"/>
        <body name="lower" pos="0.5 0 0"><joint name="b" axis="0 1 0"/><geom size="0.05"/></body>
      </body>
      <frame name="tool" pos="0 0 0.3" euler="90 0 0"><geom name="tip" size="0.02"/></frame>
    </worldbody>
    <equality><joint joint1="b" joint2="a"/></equality>
    <actuator><motor name="m" joint="a" ctrllimited="true" ctrlrange="1 2"/></actuator></mujoco>)";
  files.add("parts/arm.xml", arm);
  files.add("parts/m/wedge.obj", io::read_file(kOwn / "meshes/wedge.obj"));
  io::MemoryFiles plain = files_of(R"(<mujoco><compiler angle="degree" meshdir="parts/m"/>
    <default><geom density="3000"/><default class="soft"><joint damping="0.2"/>
      <geom density="500"/></default></default>
    <asset><mesh file="wedge.obj"/></asset>
    <worldbody>
      <frame pos="0 0 1" euler="0 0 28.64788975654116">
        <body name="l_upper" pos="0.1 0 0" euler="0 0 30" childclass="soft">
          <joint name="l_a" axis="0 1 0" range="-90 90" limited="true"/>
          <geom name="l_g" type="mesh" mesh="wedge"/>
          <body name="l_lower" pos="0.5 0 0"><joint name="l_b" axis="0 1 0"/><geom size="0.05"/></body>
        </body></frame>
      <body name="post" pos="2 0 0"><geom size="0.1" density="100"/>
        <frame pos="0 0 0.3" euler="90 0 0"><geom name="r_tip" size="0.02"/></frame></body>
      <body name="all_upper" pos="0.1 0 0" euler="0 0 30" childclass="soft">
        <joint name="all_a" axis="0 1 0" range="-90 90" limited="true"/>
        <geom name="all_g" type="mesh" mesh="wedge"/>
        <body name="all_lower" pos="0.5 0 0"><joint name="all_b" axis="0 1 0"/><geom size="0.05"/></body>
      </body>
      <frame name="tool" pos="0 0 0.3" euler="90 0 0"><geom name="all_tip" size="0.02"/></frame>
    </worldbody>
    <equality><joint joint1="l_b" joint2="l_a"/><joint joint1="all_b" joint2="all_a"/></equality>
    <actuator><motor joint="l_a" ctrllimited="true" ctrlrange="1 2"/>
      <motor joint="all_a" ctrllimited="true" ctrlrange="1 2"/></actuator></mujoco>)");
  plain.add("parts/m/wedge.obj", io::read_file(kOwn / "meshes/wedge.obj"));
  const Scene a = load(files), b = load(plain);
  check_equal(a, b);
  CHECK(test::unaccounted(arm, "parts/arm.xml", a.ledger) == "");
  // It is read again from the files that the run keeps.
  const Scene again = io::parse_scene(a.text, a.file, io::MemoryFiles(a.inputs));
  check_equal(again, a);
}

TEST_CASE("Copies of what is attached, and attached models that attach others, nest") {
  io::MemoryFiles files = files_of(R"(<mujoco>
    <asset><model name="pair" file="pair.xml"/></asset>
    <worldbody><replicate count="2" offset="0 2 0" sep="-">
        <frame pos="0 0 1"><attach model="pair" prefix="p_"/></frame></replicate>
      <body name="own"><geom name="own" size="0.3"/></body>
      <frame pos="0 0 9"><attach body="own" prefix="second_"/></frame></worldbody></mujoco>)");
  files.add("pair.xml", R"(<mujoco model="pair"><asset><model file="one.xml"/></asset>
    <worldbody><attach model="one" prefix="a_"/><frame pos="1 0 0"><attach model="one" prefix="b_"/>
    </frame></worldbody></mujoco>)");
  files.add("one.xml", R"(<mujoco model="one"><default><geom size="0.2" density="10"/></default>
    <worldbody><body name="o"><freejoint name="f"/><geom/></body></worldbody></mujoco>)");
  const Scene scene = load(files);
  const SceneModel& model = scene.models[0];
  std::vector<std::string> names;
  for (const ModelLink& link : model.links) names.push_back(link.name);
  CHECK(names == std::vector<std::string>{"world", "p_a_o-0", "p_b_o-0", "p_a_o-1", "p_b_o-1",
                                          "own", "second_own"});
  CHECK((model.joints[3].start_pose.translation - Eigen::Vector3d(1, 2, 1)).norm() < 1e-15);
  for (std::size_t i = 1; i <= 4; ++i) CHECK(model.links[i].inertia.mass > 0.3);
  CHECK(std::get<Sphere>(model.links[4].shapes[0].shape).radius == 0.2);
  CHECK(model.joints[5].X_PJ.translation.z() == 9.0);
}

TEST_CASE("Each copy of a body has its copy of what names the body, and no further one") {
  const Scene scene = load(
      "<mujoco><worldbody><replicate count='3000' offset='1 0 0'><body name='b'><joint name='j' "
      "type='slide'/><geom size='.1'/><site name='s'/></body></replicate></worldbody><equality>"
      "<joint joint1='j'/></equality><sensor><accelerometer site='s'/></sensor></mujoco>");
  const SceneModel& model = scene.models.at(0);
  CHECK(model.links.size() == 3001);
  CHECK(model.couplings.size() == 3000);
  CHECK(model.sensors.size() == 3000);
  CHECK(model.couplings.at(2999).joint == "j2999");
}

TEST_CASE("Geoms of too many kinds of friction are refused, since all pairs of them are listed") {
  const std::string error = error_of(files_of(
      "<mujoco><worldbody><geom name='f' type='plane' size='1 1 1'/>\n<replicate count='1001'>"
      "<body><freejoint/><geom name='g' size='1'/></body></replicate></worldbody>"
      "<contact><pair geom1='g' geom2='f'/></contact></mujoco>"));
  CHECK(error.find("m.xml:2") != std::string::npos);
  CHECK(error.find("more than 1000 kinds of friction") != std::string::npos);
}

TEST_CASE("A copy that cannot be made is an error with its line") {
  const auto in_world = [](const std::string& inside) {
    return files_of("<mujoco><asset><model name='a' file='a.xml'/></asset>\n<worldbody>\n" +
                    inside + "</worldbody></mujoco>");
  };
  const auto check = [](const io::MemoryFiles& files, const std::string& message) {
    const std::string error = error_of(files);
    CAPTURE(error, message);
    CHECK(error.find("m.xml:3") != std::string::npos);
    CHECK(error.find(message) != std::string::npos);
  };
  check(in_world("<replicate><geom size='1'/></replicate>"), "count");
  check(in_world("<replicate count='0'><geom size='1'/></replicate>"), "must be positive");
  check(in_world("<replicate count='9000000'><geom size='1'/></replicate>"), "more than 250000");
  check(in_world("<replicate count='50000'><body name='" + std::string(10000, 'n') +
                 "'><geom size='1'/></body></replicate>"),
        "128 MiB");
  const std::string geom = "<geom size='1'/></composite></body>";
  check(in_world("<body><composite type='grid' count='1000 1000 1' spacing='1'>" + geom),
        "more than 250000");
  check(in_world("<body name='B0'><composite type='rope' count='1501 1 1' spacing='1'>" + geom),
        "must be at most 1500 for a rope");
  check(in_world("<attach model='a'/>"), "prefix");
  check(in_world("<attach model='b' prefix='x'/>"), "names no model of <asset>: 'b'");
  check(in_world("<attach prefix='x'/>"), "'model'");
  check(in_world("<attach model='a' body='b' frame='c' prefix='x'/>"), "give one");
  check(in_world("<body name='b'><geom size='1'/><attach body='b' prefix='x'/></body>"),
        "holds the <attach> itself");
  check(in_world("<replicate count='2'><body name='b'><geom size='1'/></body></replicate><body "
                 "name='b0'><geom size='1'/></body>"),
        "already a body");
  io::MemoryFiles files = in_world("<attach model='a' body='q' prefix='x'/>");
  files.add("a.xml", "<mujoco model='a'><worldbody/></mujoco>");
  check(files, "names no body of the model: 'q'");
  io::MemoryFiles circle = in_world("<attach model='a' prefix='x'/>");
  circle.add("a.xml",
             "<mujoco><asset><model name='m' file='a.xml'/></asset><worldbody><attach "
             "model='m' prefix='y'/></worldbody></mujoco>");
  const std::string error = error_of(circle);
  CAPTURE(error);
  CHECK(error.find("attaches a model to itself") != std::string::npos);
}

TEST_CASE("A keyframe starts a model by its name, and an unknown one is an error") {
  const io::MemoryFiles files = files_of(R"(<mujoco><worldbody><body><joint name='j' axis='0 1 0'/>
      <geom size='0.1'/></body></worldbody><actuator><motor joint='j'/></actuator>
    <keyframe><key name='home' qpos='0.1'/><key name='stand' qpos='0.2' qvel='3' ctrl='5'/>
      <key qpos='0.4'/></keyframe></mujoco>)");
  const auto start = [&](const std::string& keys) {
    const Scene scene = load(files, keys);
    return std::pair(*scene.models[0].joints[0].start, scene.models[0].efforts.size());
  };
  CHECK(start("") == std::pair(0.1, std::size_t{0}));
  CHECK(start(", keyframe: stand") == std::pair(0.2, std::size_t{1}));
  CHECK(start(", keyframe: '2'") == std::pair(0.4, std::size_t{0}));
  const System system(load(files, ", keyframe: stand"));
  CHECK(system.initial_state().v[0] == 3.0);
  try {
    load(files, ", keyframe: stond");
    FAIL("an unknown keyframe is accepted");
  } catch (const io::ParseError& error) {
    CHECK(std::string(error.what()).find("did you mean 'stand'") != std::string::npos);
  }
}

}  // namespace amontons::test
