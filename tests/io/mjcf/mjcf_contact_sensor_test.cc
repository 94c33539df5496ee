#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/model_sensors.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <string>

// <sensor><contact>: contacts that match, chosen and summed.

namespace amontons::test {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// Gravity along a slope of 10 degrees, and into it [m/s^2].
constexpr double kAlong = 1.703488685, kDown = 9.660964218;

/// A box of 2 kg with a ball of 1 kg that slides in it, and a ball of 0.5 kg, on a slope of 10
/// degrees that belongs to the world.
const std::string kBodies =
    "<worldbody><geom name='floor' type='plane' size='5 5 1'/>"
    "<body name='base' pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.2 .15 .1' "
    "mass='2'/>"
    "<body name='carried' pos='0 0 .15'><joint name='lift' type='slide' axis='0 0 1'/>"
    "<geom name='ball' size='.05' mass='1' contype='0' conaffinity='0'/></body></body>"
    "<body name='apart' pos='2 0 .1'><freejoint/><geom name='other' size='.1' mass='.5'/></body>"
    "<site name='zone' type='box' size='.3 .3 .3' pos='.3 0 0'/></worldbody>";

/// Returns the reading of a sensor of contacts after a step from rest.
VectorXd reading(const std::string& sensor, const std::string& bodies = kBodies) {
  Scene scene = scene_of_mjcf(bodies + "<sensor><contact name='c' " + sensor + "/></sensor>");
  scene.gravity = {0.0, kAlong, -kDown};
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  return sensor_reading(simulator.system(), report, "m/c");
}

}  // namespace

TEST_CASE("A sensor of contacts sums the forces of those that match") {
  const VectorXd net =
      reading("geom1='floor' body2='base' reduce='netforce' data='found force torque pos'");
  REQUIRE(net.size() == 10);
  CHECK(net[0] == 4.0);
  // The floor carries the box, and holds it and what slides on it against the slope.
  CHECK((net.segment<3>(1) - Vector3d(0.0, -3.0 * kAlong, 2.0 * kDown)).norm() < 1e-6);
  // Its center lies in the floor.
  CHECK(net[9] == Approx(0.0).margin(1e-12));
  // From the other side the force is that on the floor.
  const VectorXd turned = reading("body1='base' geom2='floor' reduce='netforce' data='force'");
  CHECK((turned + net.segment<3>(1)).norm() < 1e-9);
  // Alone, the first side is the one from which the normal points. The ball rolls down.
  const VectorXd all = reading("geom1='floor' reduce='netforce' data='force'");
  const double held = (3.0 + 0.5 * 2.0 / 7.0) * kAlong;
  CHECK((all - Vector3d(0.0, -held, 2.5 * kDown)).norm() < 1e-6);
}

TEST_CASE("A sensor of contacts reports single contacts in its own order") {
  // Places that no contact takes are zero; each names the number of contacts.
  const VectorXd all =
      reading("body1='base' body2='world' num='5' data='found force dist pos normal tangent'");
  REQUIRE(all.size() == 5 * 14);
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < 4; ++k) {
    const auto place = all.segment<14>(14 * k);
    CHECK(place[0] == 4.0);
    CHECK(std::abs(place[4]) < 1e-12);
    CHECK((place.segment<3>(8) - Vector3d(0.0, 0.0, -1.0)).norm() < 1e-12);  // out of the box
    CHECK(std::abs(std::abs(place[5]) - 0.2) + std::abs(std::abs(place[6]) - 0.15) < 1e-12);
    const Vector3d normal = place.segment<3>(8), tangent = place.segment<3>(11);
    CHECK(std::abs(normal.dot(tangent)) < 1e-12);
    sum += place[1] * normal + place[2] * tangent + place[3] * normal.cross(tangent);
  }
  CHECK(all.tail<14>().isZero(0.0));
  CHECK((sum - reading("body1='base' body2='world' reduce='netforce' data='force'")).norm() < 1e-9);
  // The strongest of them is at least as strong as any.
  const VectorXd strongest = reading("body1='base' reduce='maxforce' data='force'");
  for (int k = 0; k < 4; ++k) {
    CHECK(all.segment<3>(14 * k + 1).norm() <= strongest.norm() * (1.0 + 1e-12));
  }
}

TEST_CASE("A sensor of contacts counts by geoms, bodies, subtrees and volumes") {
  CHECK(reading("")[0] == 5.0);  // four of the box, one of the ball apart
  CHECK(reading("geom1='box'")[0] == 4.0);
  CHECK(reading("body1='apart'")[0] == 1.0);
  CHECK(reading("subtree1='base'")[0] == 4.0);
  CHECK(reading("subtree1='world'")[0] == 5.0);
  CHECK(reading("body1='carried'")[0] == 0.0);
  CHECK(reading("geom1='box' body2='apart'")[0] == 0.0);
  CHECK(reading("site='zone' num='9'")[0] == 2.0);  // the corners with x = 0.2
  CHECK(reading("site='zone' body2='apart'")[0] == 0.0);
  // What is near and does not touch does not count.
  std::string above = kBodies;
  above.replace(above.find("pos='2 0 .1'"), 12, "pos='2 0 .2'");
  CHECK(reading("body1='apart'", above)[0] == 0.0);
}

TEST_CASE("A sensor of contacts says what it does not understand") {
  CHECK_THROWS_WITH(reading("geom1='bx'"), Catch::Contains("names no geom: 'bx'"));
  CHECK_THROWS_WITH(reading("geom1='box' body1='base'"), Catch::Contains("give one of them"));
  CHECK_THROWS_WITH(reading("site='zone' subtree1='base'"), Catch::Contains("give one of them"));
  CHECK_THROWS_WITH(reading("data='force found'"), Catch::Contains("out of order"));
  CHECK_THROWS_WITH(reading("data='power'"), Catch::Contains("is no field"));
  CHECK_THROWS_WITH(reading("data=' '"), Catch::Contains("names no field"));
  CHECK_THROWS_WITH(reading("num='0'"), Catch::Contains("at least 1"));
  CHECK_THROWS_WITH(reading("reduce='all'"), Catch::Contains("must be one of"));
}

}  // namespace amontons::test
