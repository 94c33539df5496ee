#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <catch2/catch.hpp>

#include <string>

// Sites and tendons of a model's file as names of the scene.

using namespace amontons;

namespace {

constexpr const char* kArm = R"(<mujoco><compiler angle='degree'/><worldbody>
    <body name='arm' pos='0 0 1'><joint name='x' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 .4 0 0' size='.03'/>
      <site name='tip' pos='.4 0 0' euler='0 0 90'/>
      <body name='hand' pos='.4 0 0'><joint name='y' axis='0 1 0'/>
        <geom type='box' size='.1 .05 .02' pos='.1 0 0'/></body></body></worldbody>
  <tendon><fixed name='t'><joint joint='x' coef='1'/><joint joint='y' coef='-2'/></fixed></tendon>)";

/// Returns a scene of the arm, with more in its file and in the scene.
Scene load(const std::string& scene, const std::string& more = "") {
  io::MemoryFiles files;
  files.add("m.xml", kArm + more + "</mujoco>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nmodels: "
      "[{name: m, file: m.xml}]\n" +
          scene + "\n",
      "scene.yaml", files);
}

/// Returns the velocities after some steps.
Eigen::VectorXd velocities(const Scene& scene, int steps) {
  Simulator simulator(scene);
  for (int k = 0; k < steps; ++k) simulator.step();
  return simulator.state().v;
}

}  // namespace

TEST_CASE("A site of a model is a place for frames and forces of the scene") {
  const Scene site = load(
      "frames: [{name: f, body: m/tip, pose: {position: [0.1, 0, 0]}}]\n"
      "actuators: [{body: m/tip, force: [0, 0, 5], at: [0.1, 0, 0]}]");
  REQUIRE(site.frames.size() == 1);
  CHECK(site.frames[0].body == "m/arm");
  // The site has its x axis along y of the arm.
  CHECK((site.frames[0].X_BF.translation - Eigen::Vector3d(0.4, 0.1, 0.0)).norm() < 1e-15);
  CHECK((site.frames[0].X_BF.rotation.col(0) - Eigen::Vector3d::UnitY()).norm() < 1e-15);
  const Scene link = load("actuators: [{body: m/arm, force: [0, 0, 5], at: [0.4, 0.1, 0]}]");
  CHECK((site.wrenches.at(0).at_B - link.wrenches.at(0).at_B).norm() < 1e-15);
  CHECK((velocities(site, 20) - velocities(link, 20)).norm() < 1e-12);
  CHECK_THROWS_WITH(load("frames: [{name: f, body: m/tp}]"),
                    Catch::Contains("did you mean 'm/tip'?"));
}

TEST_CASE("A joint of the scene takes a site for its link") {
  const std::string joint = "joints: [{name: pin, type: spherical, parent: world, child: ";
  const Scene site = load(joint + "m/tip, at: [0.4, 0, 1]}]");
  CHECK(site.joints.at(0).child == "m/arm");
  CHECK(velocities(site, 20) == velocities(load(joint + "m/arm, at: [0.4, 0, 1]}]"), 20));
}

TEST_CASE("Actuators and couplings of the scene act along a tendon as those of the model do") {
  const Scene effort = load("actuators: [{joint: m/t, effort: 3}]");
  const Scene motor = load("",
                           "<actuator><general name='a' tendon='t' gear='3' biastype='affine' "
                           "gainprm='0' biasprm='1 0 0'/></actuator>");
  CHECK((velocities(effort, 20) - velocities(motor, 20)).norm() < 1e-12);
  const Scene servo = load("actuators: [{joint: m/t, position: {target: 0.1, kp: 20, kd: 1}}]");
  const Scene general = load("",
                             "<actuator><general name='a' tendon='t' biastype='affine' "
                             "gainprm='0' biasprm='2 -20 -1'/></actuator>");
  CHECK((velocities(servo, 20) - velocities(general, 20)).norm() < 1e-12);
  const Scene held = load("couplings: [{name: c, joint: m/t}]");
  const Scene equal = load("", "<equality><tendon tendon1='t'/></equality>");
  const Eigen::VectorXd v = velocities(held, 20);
  CHECK((v - velocities(equal, 20)).norm() < 1e-12);
  CHECK(v.norm() > 0.01);
  CHECK(std::abs(v[0] - 2.0 * v[1]) < 1e-10);
}
