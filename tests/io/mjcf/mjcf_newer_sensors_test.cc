#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/temporary_folder.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"
#include "tests/io/mjcf/mujoco_sensors.h"

// Sensors of limits, and those newer than MuJoCo 2.2: energies, distances, cameras, volumes.

namespace amontons::test {
namespace {

/// Returns a reading at the state in which a scene starts.
Eigen::VectorXd reading_at_start(const Scene& scene, const std::string& sensor) {
  const System system(scene);
  const State state = system.initial_state();
  StepReport report;
  report.end = &state;
  return sensor_reading(system, report, "m/" + sensor);
}

/// Returns a vector of numbers.
Eigen::VectorXd numbers(std::initializer_list<double> values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

/// A tree with springs, rotors, a tendon and a body that is fixed to the world.
const std::string kEnergies =
    "<option><flag energy='enable'/></option><worldbody><body pos='0 0 4'><geom size='.2' "
    "mass='3'/></body>"
    "<body pos='1 0 2' euler='10 20 30'><freejoint/><geom type='box' size='.1 .2 .3'/>"
    "<body pos='.3 0 0'><joint name='a' axis='0 1 0' stiffness='7' springref='20' armature='.4'/>"
    "<geom type='capsule' fromto='0 0 0 .4 .1 0' size='.05'/>"
    "<body pos='.4 .1 0'><joint name='b' type='slide' axis='1 0 .2' stiffness='30' "
    "armature='.2'/><geom size='.08'/></body></body></body></worldbody>"
    "<tendon><fixed name='t' stiffness='9' springlength='.05'><joint joint='a' coef='.3'/>"
    "<joint joint='b' coef='-1'/></fixed></tendon>";

}  // namespace

TEST_CASE("A rangefinder of MJCF that is to measure more than a distance is a finding") {
  const auto scene = [](const std::string& data) {
    return scene_of_mjcf(
        "<worldbody><body><joint/><geom size='.1'/><site name='s' pos='0 0 1'/>"
        "</body></worldbody><sensor><rangefinder name='r' site='s' " +
        data + "/></sensor>");
  };
  CHECK(scene("").ledger.findings().empty());
  CHECK(scene("data='dist'").ledger.findings().empty());
  CHECK(scene("data='normal'").ledger.findings().size() == 1);
  CHECK(scene("data='dist normal'").models.at(0).sensors.empty());
  const Scene delayed = scene("delay='.01'");
  CHECK_THAT(entry_of(delayed, "rangefinder 'r': delay").reason, Catch::Contains("newer version"));
}

TEST_CASE("Sensors of energy read the energies of MuJoCo") {
  const io::TemporaryFolder folder;
  MujocoTwin twin(folder.write("m.xml", "<mujoco>" + kEnergies + "</mujoco>"));
  INFO(twin.error);
  REQUIRE(twin.model);
  // Bodies that the file does not hold have no part in its energies.
  io::MemoryFiles files;
  files.add("m.xml", "<mujoco>" + kEnergies +
                         "<sensor><e_potential name='V'/><e_kinetic name='T'/></sensor></mujoco>");
  const System system(io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nmodels: [{name: m, file: m.xml}]\n"
      "bodies: [{name: other, density: 1000, pose: {position: [0, 0, 90]}, shapes: [{sphere: "
      "1}]}]\n",
      "scene.yaml", files));
  std::mt19937 engine(53);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    State state = system.initial_state();
    state.v.setOnes();
    for (const JointCoordinate& own : system.joints()) {
      const int index = twin.system->find_joint(own.name);
      if (index < 0 || own.q_offset < 0) continue;
      const JointCoordinate& other = twin.system->joints()[static_cast<std::size_t>(index)];
      state.q.segment(own.q_offset, own.num_q) = twin.q.segment(other.q_offset, own.num_q);
      state.v.segment(own.v_offset, own.num_v) = twin.v.segment(other.v_offset, own.num_v);
    }
    StepReport report;
    report.end = &state;
    CHECK(sensor_reading(system, report, "m/V")[0] == Approx(twin.data->energy[0]).epsilon(1e-9));
    CHECK(sensor_reading(system, report, "m/T")[0] == Approx(twin.data->energy[1]).epsilon(1e-9));
  }
}

TEST_CASE("The force of a limit carries what hangs on it") {
  const auto force = [](const std::string& axis, const std::string& range) {
    Simulator simulator(scene_of_mjcf(
        "<worldbody><body><joint name='j' type='slide' axis='" + axis + "' limited='true' range='" +
        range +
        "'/><geom size='.1' mass='2'/></body></worldbody><tendon><fixed name='t' limited='true' "
        "range='-9 9'><joint joint='j' coef='1'/></fixed></tendon><sensor>"
        "<jointlimitfrc name='f' joint='j'/><jointlimitfrc name='weak' joint='j' cutoff='5'/>"
        "<tendonlimitfrc name='t' tendon='t'/></sensor>"));
    const StepReport& report = simulator.step();
    CHECK(sensor_reading(simulator.system(), report, "m/t")[0] == 0.0);
    CHECK(sensor_reading(simulator.system(), report, "m/weak")[0] <= 5.0);
    return sensor_reading(simulator.system(), report, "m/f")[0];
  };
  CHECK(force("0 0 1", "0 1") == Approx(2.0 * 9.81).epsilon(1e-9));
  CHECK(force("0 0 -1", "-1 0") == Approx(2.0 * 9.81).epsilon(1e-9));
  CHECK(force("0 0 1", "-1 1") == 0.0);
  // Along a tendon of twice the coordinate half the force carries the weight.
  const Scene scene = scene_of_mjcf(
      "<worldbody><body><joint name='j' type='slide' axis='0 0 1'/><geom size='.1' mass='2'/>"
      "</body></worldbody><tendon><fixed name='t' limited='true' range='0 9'><joint joint='j' "
      "coef='2'/></fixed></tendon><sensor><tendonlimitfrc name='f' tendon='t'/></sensor>");
  Simulator simulator(scene);
  CHECK(sensor_reading(simulator.system(), simulator.step(), "m/f")[0] ==
        Approx(9.81).epsilon(1e-9));
  CHECK_THROWS_AS(reading_at_start(scene, "f"), std::invalid_argument);
}

TEST_CASE("Distances between geoms and bodies are those of spheres, up to the cutoff") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<body name='a' pos='0 0 3'><freejoint/><geom name='head' size='.5' pos='0 0 1'/>"
      "<geom name='foot' size='1'/></body><body name='b' pos='0 4 3'><freejoint/>"
      "<geom name='ball' size='1'/><geom name='in' size='.25' pos='0 -.9 0'/></body></worldbody>"
      "<sensor><distance name='d' geom1='foot' geom2='ball' cutoff='10'/>"
      "<distance name='bodies' body1='a' body2='b' cutoff='10'/>"
      "<distance name='far' geom1='head' geom2='ball' cutoff='1'/>"
      "<distance name='none' geom1='head' geom2='ball'/>"
      "<distance name='inside' geom1='ball' geom2='in'/>"
      "<distance name='up' body1='world' geom2='foot' cutoff='10'/>"
      "<distance name='same' geom1='floor' geom2='floor' cutoff='2'/>"
      "<normal name='n' geom1='foot' geom2='ball' cutoff='10'/>"
      "<normal name='far n' geom1='foot' geom2='ball' cutoff='.5'/>"
      "<normal name='inner n' geom1='ball' geom2='in'/>"
      "<fromto name='s' geom1='foot' geom2='ball' cutoff='10'/>"
      "<fromto name='far s' geom1='foot' geom2='ball'/></sensor>");
  const auto check = [&](const char* sensor, const Eigen::VectorXd& expected) {
    CAPTURE(sensor);
    const Eigen::VectorXd reading = reading_at_start(scene, sensor);
    REQUIRE(reading.size() == expected.size());
    CHECK((reading - expected).norm() < 1e-12);
  };
  check("d", numbers({2.0}));
  check("bodies", numbers({1.85}));  // the small ball is nearer
  check("far", numbers({1.0}));
  check("none", numbers({0.0}));
  check("inside", numbers({-0.35}));
  check("up", numbers({2.0}));
  check("same", numbers({2.0}));
  check("n", numbers({0.0, 1.0, 0.0}));
  check("far n", numbers({0.0, 0.0, 0.0}));
  // From the deepest point of the first one to that of the second: back into the ball.
  check("inner n", numbers({0.0, 1.0, 0.0}));
  check("s", numbers({0.0, 1.0, 3.0, 0.0, 3.0, 3.0}));
  check("far s", numbers({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  CHECK(entry_of(scene, "distance 'd'").fate == ImportFate::Applied);
}

TEST_CASE("A camera sees a point where its rays meet the picture") {
  const auto pixel = [](const std::string& camera) {
    return reading_at_start(
        scene_of_mjcf("<worldbody><camera name='c' pos='0 0 5' " + camera +
                      "/><site name='s' pos='1 .5 3'/></worldbody>"
                      "<sensor><camprojection name='p' site='s' camera='c'/></sensor>"),
        "p");
  };
  // The point is 2 m ahead, 1 m to the right and 0.5 m up.
  CHECK((pixel("fovy='90' resolution='640 480'") - numbers({440.0, 180.0})).norm() < 1e-9);
  CHECK(
      (pixel("sensorsize='.04 .03' focal='.02 .03' resolution='400 300'") - numbers({300.0, 75.0}))
          .norm() < 1e-9);
  CHECK((pixel("sensorsize='.04 .03' focalpixel='100 200' resolution='400 300'") -
         numbers({250.0, 100.0}))
            .norm() < 1e-9);
  // Turned by half about x it is behind the camera; the picture is that of MuJoCo.
  CHECK((pixel("fovy='90' resolution='640 480' euler='180 0 0'") - numbers({200.0, 180.0})).norm() <
        1e-9);
}

TEST_CASE("A site knows what is in its volume") {
  const auto inside = [](const std::string& type, const std::string& position) {
    return reading_at_start(
        scene_of_mjcf("<worldbody><site name='s' type='box' size='1 2 3' pos='1 0 0'/>"
                      "<body name='b' pos='" +
                      position +
                      "'><freejoint/><geom name='g' pos='.5 0 0' size='.1'/><site name='t'/></body>"
                      "</worldbody><sensor><insidesite name='i' site='s' " +
                      type + "/></sensor>"),
        "i")[0];
  };
  CHECK(inside("objtype='site' objname='t'", "1.9 1.9 -2.9") == 1.0);
  CHECK(inside("objtype='site' objname='t'", "2.1 1.9 -2.9") == 0.0);
  CHECK(inside("objtype='xbody' objname='b'", "1.9 0 0") == 1.0);
  // The center of mass, which is that of the geom, is ahead of the frame.
  CHECK(inside("objtype='body' objname='b'", "1.9 0 0") == 0.0);
  CHECK(inside("objtype='geom' objname='g'", "1.9 0 0") == 0.0);
  CHECK(inside("objtype='geom' objname='g'", "-.4 0 0") == 1.0);
}

TEST_CASE("Names that sensors give must exist, and attached models bring their cameras") {
  const auto with_sensor = [](const std::string& sensor) {
    return scene_of_mjcf(
        "<worldbody><camera name='c'/><body><joint name='j'/><geom name='ball' size='.1'/>"
        "<site name='s'/></body></worldbody><sensor>" +
        sensor + "</sensor>");
  };
  CHECK_THROWS_WITH(with_sensor("<framepos objtype='geom' objname='bal'/>"),
                    Catch::Contains("objname names no geom: 'bal'") && Catch::Contains("ball"));
  CHECK_THROWS_WITH(with_sensor("<camprojection site='s' camera='d'/>"),
                    Catch::Contains("camera names no camera: 'd'"));
  CHECK_THROWS_WITH(with_sensor("<distance geom1='ball' body1='world' geom2='ball'/>"),
                    Catch::Contains("either 'geom1' or 'body1'"));
  CHECK_THROWS_WITH(with_sensor("<framepos objtype='bone' objname='ball'/>"),
                    Catch::Contains("objtype must be one of"));
  io::MemoryFiles files;
  files.add("part.xml",
            "<mujoco model='part'><worldbody><body name='b'><joint/><geom name='g' size='.1' "
            "pos='0 0 .5'/><camera name='c' pos='0 0 2'/><site name='s'/></body></worldbody>"
            "<sensor><framepos name='g' objtype='geom' objname='g'/>"
            "<camprojection name='p' site='s' camera='c'/></sensor></mujoco>");
  files.add("m.xml",
            "<mujoco><asset><model name='part' file='part.xml'/></asset><worldbody>"
            "<attach model='part' body='b' prefix='x_'/></worldbody></mujoco>");
  const Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
  CHECK((reading_at_start(scene, "x_g") - numbers({0.0, 0.0, 0.5})).norm() < 1e-12);
  CHECK((reading_at_start(scene, "x_p") - numbers({0.5, 0.5})).norm() < 1e-12);
}

}  // namespace amontons::test
