#include "amontons/io/common/temporary_folder.h"
#include "tests/io/mjcf/mjcf_forces.h"

#include <random>
#include <string>

// Servos of MJCF whose forces leave zero out, and dampers of free bodies, against MuJoCo 2.2.

namespace amontons::test {
namespace {

/// Checks that all actuators of a file exert what they exert in MuJoCo, at its keyframe `home` and
/// in random states, and that none is a finding.
void check_forces(const std::string& content) {
  const io::TemporaryFolder folder;
  MujocoTwin twin(
      folder.write("m.xml", "<mujoco><compiler autolimits='true'/>" + content + "</mujoco>"));
  INFO(twin.error);
  REQUIRE(twin.model);
  CHECK(twin.scene->ledger.findings().empty());
  set_key(twin, "home");
  twin.update();
  check_actuators(twin, 29, 20);
}

}  // namespace

TEST_CASE("A servo of MJCF whose range of forces leaves 0 out exerts what it exerts in MuJoCo") {
  for (const char* actuator :
       {"<position joint='j' kp='30' gear='2' forcerange='1 9'/>",
        "<position joint='j' kp='30' gear='-2' forcerange='1 9'/>",
        "<velocity joint='j' kv='7' gear='1.5' forcerange='-6 -2'/>",
        "<general joint='j' gainprm='9' biastype='affine' biasprm='1 -9 -2' forcerange='.5 4'/>",
        "<position joint='j' kp='30' forcerange='0 9'/>"}) {
    CAPTURE(actuator);
    check_forces(
        "<worldbody><body pos='0 0 1'><joint name='j' axis='0 1 0'/><geom size='.1'/></body>"
        "</worldbody><actuator>" +
        std::string(actuator) + "</actuator><keyframe><key name='home' ctrl='.4'/></keyframe>");
  }
}

TEST_CASE("A velocity servo of MJCF on a free body damps it along its direction") {
  for (const char* actuator :
       {"<velocity joint='j' kv='3' gear='2 0 0 0 0 0'/>",
        "<velocity joint='j' kv='3' gear='1 -2 .5' forcerange='-1 2'/>",
        "<general joint='j' gainprm='4' biastype='affine' biasprm='.5 -3 -2' gear='0 0 1 0 0 0'/>"
        "<velocity joint='j' kv='1' gear='0 2 0'/>"}) {
    CAPTURE(actuator);
    const std::string controls =
        std::string(actuator).find("><") != std::string::npos ? ".4 1" : ".4";
    check_forces(
        "<worldbody><body pos='0 0 1'><freejoint name='j'/><geom size='.1' pos='.1 0 0'/>"
        "</body></worldbody><actuator>" +
        std::string(actuator) + "</actuator><keyframe><key name='home' ctrl='" + controls +
        "'/></keyframe>");
  }
}

}  // namespace amontons::test
