#include "amontons/io/common/temporary_folder.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_forces.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <cmath>

// Actuators on slider-cranks and along an axis of a reference, against MuJoCo 2.2 and the geometry.

namespace amontons::test {
namespace {

const std::filesystem::path kSliders =
    std::filesystem::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/sliders.xml";

/// Returns a crank of radius 0.3 m that turns about y, its slider along z, and a rod of 0.8 m.
Scene engine_scene(const std::string& actuator) {
  return scene_of_mjcf(
      "<option gravity='0 0 0'/><worldbody><site name='bore'/>"
      "<body name='crank'><joint name='turn' axis='0 1 0'/>"
      "<inertial pos='0 0 0' mass='1' diaginertia='0.02 0.05 0.02'/>"
      "<site name='pin' pos='0 0 0.3'/></body></worldbody><actuator>" +
      actuator + "</actuator><keyframe><key name='home' qpos='0.7' ctrl='4'/></keyframe>");
}

}  // namespace

TEST_CASE("Sliders have MuJoCo's lengths, rates and moment arms in any pose, short rods included") {
  MujocoTwin twin(kSliders);
  INFO(twin.error);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  std::mt19937 engine(41);
  for (int k = 0; k < 100; ++k) {
    twin.randomize(engine);
    for (int a = 0; a < m.nu; ++a) {
      const std::string name = mj_id2name(&m, mjOBJ_ACTUATOR, a);
      CAPTURE(name, k);
      const Along at = along(twin, name);
      // Of a site with a reference the gear is the vector that the axis is along.
      const double gear = Eigen::Map<const Eigen::VectorXd>(m.actuator_gear + 6 * a, 6).norm() *
                          (name == "short" ? -1.0 : 1.0);
      const Eigen::VectorXd row =
          twin.to_mujoco.transpose() *
          Eigen::Map<const Eigen::VectorXd>(twin.data->actuator_moment + a * m.nv, m.nv);
      CHECK(std::abs(gear * at.position - twin.data->actuator_length[a]) < 1e-9);
      CHECK((gear * at.row - row).norm() < 1e-9);
    }
  }
}

TEST_CASE("Actuators on sliders exert what they exert in MuJoCo") {
  MujocoTwin twin(kSliders);
  REQUIRE(twin.model);
  set_key(twin, "home");
  twin.update();
  check_actuators(twin, 43, 50, 0.1);
}

TEST_CASE("A site that is pushed as seen from a body that carries it leaves that body alone") {
  const io::TemporaryFolder folder;
  MujocoTwin twin(folder.write(
      "m.xml",
      "<mujoco><worldbody><body name='base'><freejoint name='float'/><geom size='.1'/>"
      "<site name='eye' pos='.1 0 .2' euler='20 40 0'/><body pos='0 0 .3'>"
      "<joint name='shoulder' axis='0 1 .2'/><geom size='.05'/><body pos='.4 0 0'>"
      "<joint name='elbow' axis='0 1 0'/><geom size='.05'/><site name='tip' pos='.3 .1 .02'/>"
      "</body></body></body></worldbody><actuator>"
      "<position name='hold' site='tip' refsite='eye' gear='0 0 2 0 0 0' kp='7'/></actuator>"
      "</mujoco>"));
  INFO(twin.error);
  REQUIRE(twin.model);
  std::mt19937 engine(47);
  for (int k = 0; k < 20; ++k) {
    twin.randomize(engine);
    const Along at = along(twin, "hold");
    CHECK(std::abs(2.0 * at.position - twin.data->actuator_length[0]) < 1e-9);
    // MuJoCo 2.2 pushes the base, too, though no motion of it changes the length.
    CHECK(at.row.head<6>().norm() < 1e-12);
    for (int j = 6; j < 8; ++j) {
      CHECK(std::abs(2.0 * at.row[j] - twin.data->actuator_moment[j]) < 1e-9);
    }
  }
}

TEST_CASE("The force on a slider turns the crank by the law of the slider-crank") {
  const Scene scene = engine_scene(
      "<motor name='gas' cranksite='pin' slidersite='bore' cranklength='0.8' gear='2'/>");
  CHECK(entry_of(scene, "motor 'gas'").fate == ImportFate::Applied);
  Simulator simulator(scene);
  constexpr double kRadius = 0.3, kRod = 0.8, kInertia = 0.05, kStep = 0.001, kForce = 8.0;
  for (int k = 0; k < 200; ++k) {
    const double angle = simulator.state().q[0], rate = simulator.state().v[0];
    CHECK(simulator.step().certificate.holds);
    // The slider is at s = r cos(t) - sqrt(l^2 - r^2 sin(t)^2).
    const double side = kRadius * std::sin(angle), along = kRadius * std::cos(angle);
    const double arm = -side + side * along / std::sqrt(kRod * kRod - side * side);
    CHECK(simulator.state().v[0] - rate == Approx(kStep * kForce * arm / kInertia).margin(1e-10));
  }
  CHECK(std::abs(simulator.state().v[0]) > 1.0);
}

TEST_CASE("Sliders that cannot act are findings or errors") {
  const auto fails = [](const std::string& actuator) {
    try {
      engine_scene(actuator);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(fails("<motor cranksite='pin' cranklength='1'/>"), Catch::Contains("slidersite"));
  CHECK_THAT(fails("<motor cranksite='pin' slidersite='bore'/>"), Catch::Contains("cranklength"));
  CHECK_THAT(fails("<motor refsite='bore'/>"), Catch::Contains("site"));
  const Scene turned =
      engine_scene("<position name='twist' site='pin' refsite='bore' gear='0 0 0 0 1 0'/>");
  CHECK(entry_of(turned, "position 'twist'").fate == ImportFate::Refused);
  const Scene still =
      engine_scene("<motor name='still' cranksite='pin' slidersite='pin' cranklength='1'/>");
  CHECK_THAT(entry_of(still, "motor 'still'").reason, Catch::Contains("moves nothing"));
  const Scene beside = scene_of_mjcf(
      "<worldbody><body><joint/><geom size='.1'/><site name='a'/></body>"
      "<body><joint/><geom size='.1'/><site name='b' pos='.1 0 0'/></body></worldbody>"
      "<actuator><motor name='pull' site='b' refsite='a'/></actuator>");
  CHECK(entry_of(beside, "motor 'pull'").fate == ImportFate::Refused);
}

}  // namespace amontons::test
