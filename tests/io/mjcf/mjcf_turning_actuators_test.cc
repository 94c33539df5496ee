#include "amontons/io/common/temporary_folder.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_forces.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <random>
#include <string>

// Actuators on balls between moving bodies, and torques on a site against a reference, beside
// MuJoCo 2.2.

namespace amontons::test {
namespace {

/// A floating trunk with a neck on a hinge, a head on a ball, and a stone apart.
const std::string kCreature =
    "<worldbody><site name='mast' pos='.3 .2 .1' euler='-30 10 80'/><body name='trunk' pos='.1 .2 "
    "1'><freejoint name='float'/>"
    "<geom size='.1 .2 .15' type='box'/><site name='eye' pos='.1 0 .2' euler='20 40 -15'/>"
    "<body name='neck' pos='0 0 .3' euler='10 0 50'><joint name='nod' axis='0 1 .2'/>"
    "<geom size='.05' pos='0 0 .1'/><body name='head' pos='0 .1 .3' euler='70 20 5'>"
    "<joint name='ball' type='ball' pos='.02 0 -.05'/><geom size='.1 .08 .05' type='ellipsoid'/>"
    "<site name='nose' pos='.1 0 .02' euler='5 6 7'/></body></body></body>"
    "<body name='stone' pos='2 0 0'><freejoint name='loose'/><geom size='.1'/>"
    "<site name='mark' pos='0 .1 0' euler='33 2 1'/></body>"
    "<body name='post' pos='0 3 0'><joint name='pivot' type='ball'/><geom size='.1 .2 .3' "
    "type='box'/></body></worldbody>";

const std::string kActuators =
    "<actuator><motor name='a' joint='ball' gear='2 -3 .5'/>"
    "<motor name='b' jointinparent='ball' gear='-1 .7 4'/>"
    "<general name='c' joint='ball' gear='1 2 3' gainprm='1.5' biastype='affine' "
    "biasprm='.4 0 0' forcelimited='true' forcerange='-2 2'/>"
    "<motor name='d' site='nose' refsite='eye' gear='0 0 0 1 -2 3'/>"
    "<motor name='e' site='nose' refsite='mast' gear='3 1 -1 .5 .6 -2'/>"
    "<motor name='f' site='mark' refsite='eye' gear='0 0 0 2 1 .1'/>"
    "<motor name='g' joint='loose' gear='1 -2 3 4 5 -6'/>"
    "<motor name='h' jointinparent='loose' gear='3 2 1 -4 .5 6'/>"
    "<motor name='i' jointinparent='pivot' gear='3 2 1'/></actuator>"
    "<keyframe><key name='home' ctrl='1.3 -.7 2 .9 1.1 -.4 .8 1.7 -2.1'/></keyframe>";

}  // namespace

TEST_CASE("Actuators of MJCF turn balls and sites against moving bodies as in MuJoCo") {
  const io::TemporaryFolder folder;
  MujocoTwin twin(folder.write("m.xml", "<mujoco>" + kCreature + kActuators + "</mujoco>"));
  INFO(twin.error);
  REQUIRE(twin.model);
  for (const char name : std::string("abdefghi")) {
    const std::string motor = "motor '" + std::string(1, name) + "'";
    CHECK(entry_of(*twin.scene, motor).fate == ImportFate::Applied);
  }
  set_key(twin, "home");
  twin.update();
  check_actuators(twin, 47, 50, 1.0);
}

TEST_CASE("A step from rest, with rows or by forces, has the acceleration that MuJoCo gives") {
  const io::TemporaryFolder folder;
  MujocoTwin twin(folder.write(
      "m.xml", "<mujoco><option gravity='0 0 0'/>" + kCreature + kActuators + "</mujoco>"));
  REQUIRE(twin.model);
  set_key(twin, "home");
  twin.update();
  const double h = 1e-7;
  for (const std::string method : {"time-stepping", "event-driven"}) {
    CAPTURE(method);
    Scene scene = *twin.scene;
    scene.gravity.setZero();
    scene.simulation.method = method;
    scene.simulation.steps = {h};
    Simulator simulator(scene);
    simulator.step();
    const Eigen::VectorXd ours = twin.to_mujoco * simulator.state().v / h;
    const Eigen::Map<const Eigen::VectorXd> theirs(twin.data->qacc, twin.model->nv);
    CHECK((ours - theirs).norm() < 1e-6 * theirs.norm());
  }
}

TEST_CASE("What a ball or a reference site has no feedback for is a finding") {
  const Scene scene = scene_of_mjcf(
      kCreature +
      "<actuator><position name='servo' joint='ball' kp='3'/>"
      "<velocity name='brake' joint='ball' kv='2'/>"
      "<position name='aim' site='nose' refsite='eye' gear='0 0 0 1 0 0'/></actuator>");
  for (const char* name : {"position 'servo'", "velocity 'brake'", "position 'aim'"}) {
    CAPTURE(name);
    CHECK(entry_of(scene, name).fate == ImportFate::Refused);
  }
  CHECK(scene.models[0].wrenches.empty());
}

}  // namespace amontons::test
