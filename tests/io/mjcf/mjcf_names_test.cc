#include "amontons/simulation/model_sensors.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>

// Names of MJCF, which each kind of element has for itself.

namespace amontons::test {

TEST_CASE("A joint, a tendon and a constraint of MJCF may have one name, and all three act") {
  const Scene scene = scene_of_mjcf(R"(<worldbody>
      <body><joint name='t'/><geom size='.1' pos='.5 0 0'/></body>
      <body name='held' pos='0 3 0'><freejoint/><geom size='.1'/></body></worldbody>
    <tendon><fixed name='t'><joint joint='t' coef='1'/></fixed></tendon>
    <equality><weld name='t' body1='held'/></equality>
    <actuator><motor tendon='t'/></actuator><keyframe><key name='home' ctrl='1'/></keyframe>)");
  const SceneModel& model = scene.models.at(0);
  CHECK(model.joints[0].name == "t");
  CHECK(model.tendons.at(0).name == "t_tendon");
  CHECK(model.loops.at(0).name == "t_constraint");
  CHECK(model.efforts.at(0).joint == "t_tendon");
  for (const char* element : {"fixed 't': name", "weld 't': name"}) {
    const LedgerEntry entry = entry_of(scene, element);
    CHECK(entry.fate == ImportFate::Applied);
    CHECK_THAT(entry.reason, Catch::Contains("is called 't_"));
  }
  // MuJoCo: 0.939891 rad/s^2 = 1 N m / (4.18879 kg (0.25 + 0.4 0.01) m^2).
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  CHECK(report.certificate.holds);
  CHECK(simulator.state().v[0] / report.step == Approx(0.939891).epsilon(1e-6));
  CHECK(std::abs(simulator.state().v[6]) < 1e-12);
}

TEST_CASE("No two elements of MJCF of one kind have one name, and the fault says both places") {
  const std::string world =
      "<worldbody>\n<body name='b'><joint name='j' axis='0 1 0'/><joint name='k' type='slide'/>"
      "<geom name='g' size='.1'/></body>\n<body name='c' pos='1 0 0'><freejoint/>"
      "<geom name='h' size='.1'/></body>\n</worldbody>\n";
  struct Case {
    std::string section, first, second, fault;
  };
  const Case cases[] = {
      {"actuator", "<motor name='m' joint='j'/>", "<position name='m' joint='k'/>",
       "position 'm': there is already an actuator"},
      {"sensor", "<jointpos name='m' joint='j'/>", "<magnetometer name='m' site='s'/>",
       "magnetometer 'm': there is already a sensor"},
      {"equality", "<weld name='m' body1='b' body2='c'/>",
       "<connect name='m' body1='b' body2='c' anchor='0 0 0'/>",
       "connect 'm': there is already an equality"},
      {"tendon", "<fixed name='m'><joint joint='j' coef='1'/></fixed>",
       "<fixed name='m'><joint joint='k' coef='1'/></fixed>",
       "fixed 'm': there is already a tendon"},
      {"keyframe", "<key name='m'/>", "<key name='m'/>", "key 'm': there is already a key"},
      {"contact", "<exclude name='m' body1='b' body2='c'/>",
       "<exclude name='m' body1='c' body2='b'/>", "exclude 'm': there is already an exclude"},
      {"contact", "<pair name='m' geom1='g' geom2='h'/>", "<pair name='m' geom1='h' geom2='g'/>",
       "pair 'm': there is already a pair"},
      {"asset", "<material name='m'/>", "<material name='m'/>",
       "material 'm': there is already a material"},
      {"asset", "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>",
       "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>", "mesh 'm': there is already a mesh"},
      {"custom", "<numeric name='m' data='1'/>", "<numeric name='m' data='2'/>",
       "numeric 'm': there is already a numeric"},
      {"worldbody", "<geom name='g' size='1'/>", "<camera name='g'/>", "geom 'g'"},
      {"worldbody", "<site name='m'/>", "<site name='m'/>", "site 'm': there is already a site"},
  };
  for (const Case& own : cases) {
    CAPTURE(own.fault);
    const std::string text = world + "<" + own.section + ">\n" + own.first + "\n" + own.second +
                             "\n</" + own.section + ">";
    CHECK_THROWS_WITH(scene_of_mjcf(text),
                      Catch::Contains(own.fault) && Catch::Contains(" of that name, in line "));
  }
  // Kinds share no names.
  CHECK_NOTHROW(scene_of_mjcf(world +
                              "<actuator><motor name='j' joint='j'/></actuator>"
                              "<sensor><jointpos name='j' joint='j'/></sensor>"
                              "<contact><exclude name='j' body1='b' body2='c'/></contact>"));
}

TEST_CASE("Constraints of MJCF without a name on the same bodies are apart") {
  const Scene scene = scene_of_mjcf(R"(<worldbody>
      <body name='b'><freejoint/><geom size='.1'/></body></worldbody>
    <equality><connect body1='b' anchor='0 0 0'/><connect body1='b' anchor='0 0 1'/></equality>)");
  CHECK(scene.models.at(0).loops.at(0).name != scene.models.at(0).loops.at(1).name);
}

TEST_CASE("A site of MJCF may have the name that the reader gives to the center of a body") {
  const Scene scene = scene_of_mjcf(R"(<worldbody>
      <body name='b' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.5 0 0'/>
        <site name='b@center' pos='0 0 .3'/><site name='b@body' pos='0 0 .4'/></body></worldbody>
    <sensor><framepos name='center' objtype='body' objname='b'/>
      <framepos name='origin' objtype='xbody' objname='b'/>
      <framepos name='site' objtype='site' objname='b@center'/></sensor>)");
  const System system(scene);
  const State start = system.initial_state();
  StepReport report;
  report.end = &start;
  const auto height_and_x = [&](const char* name) {
    const Eigen::VectorXd p = sensor_reading(system, report, std::string("m/") + name);
    return Eigen::Vector2d(p[2], p[0]);
  };
  // MuJoCo reads (0.5, 0, 1), (0, 0, 1) and (0, 0, 1.3).
  CHECK((height_and_x("center") - Eigen::Vector2d(1.0, 0.5)).norm() < 1e-15);
  CHECK((height_and_x("origin") - Eigen::Vector2d(1.0, 0.0)).norm() < 1e-15);
  CHECK((height_and_x("site") - Eigen::Vector2d(1.3, 0.0)).norm() < 1e-15);
}

TEST_CASE("Names of muscles and fixed joints that the reader makes differ from those of MJCF") {
  const Scene scene = scene_of_mjcf(R"(<worldbody><body name='a'><geom size='.1'/></body>
      <body pos='0 1 0'><joint name='a_fixed' range='-20 20'/><geom size='.1' pos='.1 0 0'/></body>
    </worldbody><actuator><muscle joint='a_fixed'/><muscle name='muscle_0' joint='a_fixed'/>
      <muscle name='muscle_1' joint='a_fixed'/></actuator>)");
  std::set<std::string> muscles, joints;
  for (const JointMuscle& muscle : scene.models.at(0).muscles) muscles.insert(muscle.name);
  for (const ModelJoint& joint : scene.models.at(0).joints) joints.insert(joint.name);
  CHECK(muscles.size() == 3);
  CHECK(joints.size() == 2);
}

}  // namespace amontons::test
