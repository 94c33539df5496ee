#include "amontons/io/common/parse_error.h"
#include "amontons/io/import/model_visuals.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/urdf/urdf_origin.h"
#include "tests/io/ledger_entry.h"
#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <variant>

// Versions 1.1 and 1.2 of URDF: rotations as quaternions, capsules, and limits of planners.

namespace amontons::test {
namespace {

constexpr const char* kUnitInertia =
    "<mass value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='2' iyz='0' izz='2.5'/>";

/// Returns a robot of two links with an <origin> at the joint, in line 3.
std::string urdf_with_origin(const std::string& origin, const std::string& version = "1.1") {
  return "<robot name='r' version='" + version + "'><link name='a'/>\n<link name='b'><inertial>" +
         kUnitInertia +
         "</inertial></link>\n<joint name='j' type='continuous'><parent link='a'/>"
         "<child link='b'/><origin " +
         origin + "/></joint></robot>\n";
}

Scene scene_of_urdf(const std::string& text) {
  io::MemoryFiles files;
  files.add("r.urdf", text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files);
}

Eigen::Matrix3d rotation_of_joint(const std::string& origin) {
  return scene_of_urdf(urdf_with_origin(origin)).models.at(0).joints.at(0).X_PJ.rotation;
}

std::string quaternion_text(const Eigen::Quaterniond& q) {
  char text[200];
  std::snprintf(text, sizeof text, "quat_xyzw='%.17g %.17g %.17g %.17g'", q.x(), q.y(), q.z(),
                q.w());
  return text;
}

void check_fault_in_line(int line, const std::string& text, const std::string& message) {
  CAPTURE(text);
  try {
    scene_of_urdf(text);
    FAIL_CHECK("the fault was not found");
  } catch (const io::ParseError& error) {
    CHECK(error.line() == line);
    CHECK_THAT(error.what(), Catch::Contains(message));
  }
}

}  // namespace

TEST_CASE("Roll, pitch and yaw of a rotation give it again, at a pitch of 90 degrees as well") {
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(-3.14, 3.14);
  const auto rotation = [](double roll, double pitch, double yaw) {
    return Eigen::Matrix3d(Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) *
                           Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
                           Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()));
  };
  double largest = 0.0;
  for (int k = 0; k < num_cases(30000); ++k) {
    Eigen::Quaterniond q(normal(engine), normal(engine), normal(engine), normal(engine));
    Eigen::Matrix3d R = q.normalized().toRotationMatrix();
    // Every other rotation is within 1e-20 to 1 rad of the pitch at which roll and yaw coincide.
    if (k % 2 == 1) {
      const double near = std::pow(10.0, -(k / 2) % 21);
      R = rotation(angle(engine), (k % 4 == 1 ? 1.0 : -1.0) * (1.5707963267948966 - near),
                   angle(engine));
    }
    const Eigen::Vector3d rpy = io::rpy_from_rotation(R);
    largest = std::max(largest, (rotation(rpy.x(), rpy.y(), rpy.z()) - R).norm());
  }
  CHECK(largest <= 4e-15);  // entries of two products, each of some roundings
}

TEST_CASE("The quaternion of an origin in URDF 1.1 turns joints, shapes and inertia") {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 20; ++k) {
    const Eigen::Quaterniond q(normal(engine), normal(engine), normal(engine), normal(engine));
    const Eigen::Matrix3d R = q.normalized().toRotationMatrix();
    // The length does not matter.
    CHECK((rotation_of_joint(quaternion_text(q)) - R).norm() <= 1e-14);
  }
  // A quarter turn about y, at which roll and yaw turn about one axis.
  const std::string quarter = "quat_xyzw='0 0.7071067811865476 0 0.7071067811865476'";
  Eigen::Matrix3d about_y;
  about_y << 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0;
  CHECK((rotation_of_joint(quarter) - about_y).norm() <= 1e-15);
  CHECK((rotation_of_joint("quat_xyzw='0 1e99 0 1e99'") - about_y).norm() <= 1e-15);
  CHECK((rotation_of_joint("quat_xyzw='0 -1e-90 0 -1e-90'") - about_y).norm() <= 1e-15);
  const Scene scene = scene_of_urdf(
      "<robot name='r' version='1.1'><link name='a'><inertial><origin xyz='1 0 0' " + quarter +
      "/>" + kUnitInertia + "</inertial><collision><origin " + quarter +
      "/><geometry><capsule radius='0.1' length='0.6'/></geometry></collision></link></robot>");
  const ModelLink& link = scene.models.at(0).links.at(0);
  CHECK((link.shapes.at(0).X_BG.rotation - about_y).norm() <= 1e-15);
  CHECK(std::get<Capsule>(link.shapes[0].shape).length == 0.6);
  CHECK(link.inertia.center_of_mass == Eigen::Vector3d::UnitX());
  // x and z change places.
  const Eigen::Vector3d moments = link.inertia.inertia.diagonal();
  CHECK((moments - Eigen::Vector3d(2.5, 2.0, 1.0)).norm() <= 1e-14);
}

TEST_CASE("The quaternion of an origin in URDF turns what is drawn") {
  io::MemoryFiles files;
  files.add("r.urdf", "<robot name='r' version='1.1'><link name='a'><inertial>" +
                          std::string(kUnitInertia) +
                          "</inertial><visual><origin xyz='1 0 0' quat_xyzw='2 0 0 0'/><geometry>"
                          "<box size='1 2 3'/></geometry></visual></link></robot>");
  io::ModelVisuals visuals;
  io::LoadOptions options;
  options.visuals = &visuals;
  io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: r, file: r.urdf}]\n",
      "scene.yaml", files, options);
  REQUIRE(visuals.parts.size() == 1);
  const Eigen::Vector3d half_turn(1.0, -1.0, -1.0);  // about x
  CHECK(visuals.parts[0].X_LV.rotation == Eigen::Matrix3d(half_turn.asDiagonal()));
  CHECK(visuals.parts[0].X_LV.translation == Eigen::Vector3d::UnitX());
}

TEST_CASE("The ledger says that the quaternion of an origin is applied, in URDF 1.0 as well") {
  const std::string quaternion = "quat_xyzw='1 0 0 0'", element = "joint 'j': origin quat_xyzw";
  const Scene newer = scene_of_urdf(urdf_with_origin(quaternion));
  CHECK(entry_of(newer, element).fate == ImportFate::Applied);
  CHECK(entry_of(newer, element).reason.empty());
  CHECK(newer.ledger.findings().empty());
  const Scene older = scene_of_urdf(urdf_with_origin(quaternion, "1.0"));
  CHECK(entry_of(older, element).fate == ImportFate::Applied);
  CHECK_THAT(entry_of(older, element).reason, Catch::Contains("version 1.1"));
  CHECK(older.models[0].joints[0].X_PJ.rotation == newer.models[0].joints[0].X_PJ.rotation);
}

TEST_CASE("A quaternion of URDF that is no rotation, or one beside rpy, is refused at its line") {
  const auto check = [](const std::string& origin, const std::string& message) {
    check_fault_in_line(3, urdf_with_origin(origin), message);
  };
  check("rpy='0 0 0' quat_xyzw='0 0 0 1'", "joint 'j': an <origin> has rpy or quat_xyzw, not both");
  check("quat_xyzw='0 0 0 0'", "not all of them zero, but is '0 0 0 0'");
  check("quat_xyzw='0 0 1'", "4 numbers (x y z w)");
  check("quat_xyzw='0 0 0 1 0'", "4 numbers (x y z w)");
  check("quat_xyzw=''", "4 numbers (x y z w)");
  check("quat_xyzw='0 0 x 1'", "must be a number, not 'x': it is '0 0 x 1'");
  check("quat_xyzw='0 0 nan 1'", "finite");
}

TEST_CASE("Versions 1.0 to 1.2 of URDF are read, and no others") {
  for (const char* version : {"1", "1.0", "1.1", " 1.2 "}) {
    CAPTURE(version);
    const Scene scene = scene_of_urdf(urdf_with_origin("xyz='0 0 1'", version));
    CHECK(scene.models.at(0).joints.at(0).X_PJ.translation.z() == 1.0);
    CHECK(entry_of(scene, "robot 'r': version").fate == ImportFate::Applied);
  }
  for (const std::string version : {"1.3", "2.0", "0.9", "one"}) {
    check_fault_in_line(1, urdf_with_origin("xyz='0 0 1'", version),
                        "version '" + version + "' of URDF is not known; versions 1.0 to 1.2 are");
  }
}

TEST_CASE("Limits of URDF 1.2 on acceleration and jerk are for planners") {
  const Scene scene = scene_of_urdf(
      "<robot name='r' version='1.2'><link name='a'/><link name='b'><inertial>" +
      std::string(kUnitInertia) +
      "</inertial></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='1' acceleration='2' deceleration='3' "
      "jerk='4'/></joint></robot>");
  for (const char* rate : {"acceleration", "deceleration", "jerk"}) {
    const LedgerEntry entry = entry_of(scene, std::string("joint 'j': limit ") + rate);
    CHECK(entry.fate == ImportFate::Ignored);
    CHECK_THAT(entry.reason, Catch::Contains("planners"));
  }
  CHECK(scene.ledger.findings().empty());
}

}  // namespace amontons::test
