#include "amontons/geometry/shapes/shape.h"
#include "amontons/io/common/parse_error.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/sdf/world_reading.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// SDF 1.0, where attributes hold what later versions have in elements, and 1.1.

namespace amontons::test {
namespace {

WorldReading read(const std::string& text) {
  io::MemoryFiles files;
  files.add("w.sdf", text);
  files.add("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
  return read_world(files);
}

/// A world of SDF 1.0: a free arm of two links, a box that does not collide with it, and a floor.
const std::string kOld = R"(<gazebo version="1.0">
<world name="old">
<physics type="ode" update_rate="100"><gravity xyz="0 0 -3.71"/>
<ode><solver type="quick" dt="0.004" iters="20" sor="1.3"/><constraints cfm="0" erp="0.2"/></ode>
</physics>
<model name="arm"><origin pose="1 2 3 0.1 0.2 0.3"/>
<link name="base" gravity="false" self_collide="true"><origin pose="0 0 0.5 0 0 0.4"/>
<inertial mass="2.5" density="900"><origin pose="0.1 0.2 0.3 0 0.5 0"/>
<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="-0.03" izz="0.5"/></inertial>
<collision name="body" laser_retro="1"><mass>7</mass><origin pose="0 0.1 0 0 0 0"/>
<geometry><cylinder radius="0.3" length="1.2"/></geometry>
<surface><bounce restitution_coefficient="0.25" threshold="1"/><friction><ode mu="0.7" mu2="0.7"
 slip1="0"/></friction><contact><ode kp="1e6" kd="1"/></contact></surface></collision>
<visual name="look" cast_shadows="false"><origin pose="1 0 0 0 0 0"/>
<geometry><mesh filename="tri.obj" scale="2 3 4"/></geometry>
<material script="Gazebo/Red"><ambient rgba="1 0 0 1"/><diffuse rgba="0 0.5 1 1"/></material>
</visual></link>
<link name="tip"><damping><linear>0</linear><angular>0</angular></damping>
<inertial mass="1.5"><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>
<collision name="ball"><geometry><sphere radius="0.2"/></geometry></collision>
<collision name="solid"><geometry><mesh filename="tri.obj" scale="0.5 0.5 0.5"/></geometry>
</collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/>
<origin pose="0.1 0 0 0 0 0"/>
<axis xyz="0 1 0"><dynamics damping="0.6" friction="0.05"/>
<limit lower="-0.5" upper="1.5" effort="20" velocity="3"/></axis>
<physics><ode><limit cfm="0" erp="0.2"/></ode></physics></joint>
</model>
<model name="floor" static="true"><link name="ground"><collision name="c"><geometry>
<plane normal="0 0 1"/></geometry></collision>
<collision name="block"><geometry><box size="1 2 3"/></geometry></collision></link></model>
</world></gazebo>)";

/// The same world as SDF 1.4.
const std::string kNew = R"(<sdf version="1.4">
<world name="old">
<physics type="ode"><gravity>0 0 -3.71</gravity><max_step_size>0.004</max_step_size></physics>
<model name="arm"><pose>1 2 3 0.1 0.2 0.3</pose>
<link name="base"><gravity>false</gravity><self_collide>true</self_collide>
<pose>0 0 0.5 0 0 0.4</pose>
<inertial><mass>2.5</mass><pose>0.1 0.2 0.3 0 0.5 0</pose>
<inertia><ixx>0.3</ixx><ixy>0.01</ixy><ixz>0.02</ixz><iyy>0.4</iyy><iyz>-0.03</iyz><izz>0.5</izz>
</inertia></inertial>
<collision name="body"><pose>0 0.1 0 0 0 0</pose>
<geometry><cylinder><radius>0.3</radius><length>1.2</length></cylinder></geometry>
<surface><bounce><restitution_coefficient>0.25</restitution_coefficient></bounce>
<friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode></friction></surface></collision>
<visual name="look"><pose>1 0 0 0 0 0</pose>
<geometry><mesh><uri>tri.obj</uri><scale>2 3 4</scale></mesh></geometry>
<material><ambient>1 0 0 1</ambient><diffuse>0 0.5 1 1</diffuse></material></visual></link>
<link name="tip">
<inertial><mass>1.5</mass><inertia><ixx>0.1</ixx><ixy>0</ixy><ixz>0</ixz><iyy>0.2</iyy><iyz>0</iyz>
<izz>0.2</izz></inertia></inertial>
<collision name="ball"><geometry><sphere><radius>0.2</radius></sphere></geometry></collision>
<collision name="solid"><geometry><mesh><uri>tri.obj</uri><scale>0.5 0.5 0.5</scale></mesh>
</geometry></collision></link>
<joint name="hinge" type="revolute"><parent>base</parent><child>tip</child>
<pose>0.1 0 0 0 0 0</pose>
<axis><xyz>0 1 0</xyz><dynamics><damping>0.6</damping><friction>0.05</friction></dynamics>
<limit><lower>-0.5</lower><upper>1.5</upper><effort>20</effort><velocity>3</velocity></limit></axis>
</joint></model>
<model name="floor"><static>true</static><link name="ground"><collision name="c"><geometry>
<plane><normal>0 0 1</normal></plane></geometry></collision>
<collision name="block"><geometry><box><size>1 2 3</size></box></geometry></collision></link></model>
</world></sdf>)";

/// Checks that two poses are the same numbers.
void check_same(const Pose& a, const Pose& b) {
  CHECK(a.rotation == b.rotation);
  CHECK(a.translation == b.translation);
}

void check_same(const ModelLink& a, const ModelLink& b) {
  CAPTURE(a.name);
  CHECK(a.name == b.name);
  CHECK(a.inertia.mass == b.inertia.mass);
  CHECK(a.inertia.center_of_mass == b.inertia.center_of_mass);
  CHECK(a.inertia.inertia == b.inertia.inertia);
  CHECK(a.weight_support == b.weight_support);
  CHECK(a.gravity == b.gravity);
  REQUIRE(a.shapes.size() == b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    CHECK(shape_type_name(a.shapes[i].shape) == shape_type_name(b.shapes[i].shape));
    CHECK(bounding_radius(a.shapes[i].shape) == bounding_radius(b.shapes[i].shape));
    check_same(a.shapes[i].X_BG, b.shapes[i].X_BG);
    CHECK(a.shapes[i].material == b.shapes[i].material);
    CHECK(a.shapes[i].name == b.shapes[i].name);
  }
}

void check_same(const ModelJoint& a, const ModelJoint& b) {
  CAPTURE(a.name);
  CHECK(a.name == b.name);
  CHECK(a.type == b.type);
  CHECK(a.parent == b.parent);
  CHECK(a.child == b.child);
  check_same(a.X_PJ, b.X_PJ);
  check_same(a.X_JC, b.X_JC);
  CHECK(a.axis == b.axis);
  CHECK(a.dynamics.limits == b.dynamics.limits);
  CHECK(a.dynamics.viscous_friction == b.dynamics.viscous_friction);
  CHECK(a.dynamics.coulomb_friction == b.dynamics.coulomb_friction);
  CHECK(a.dynamics.effort_limit == b.dynamics.effort_limit);
  CHECK(a.dynamics.velocity_limit == b.dynamics.velocity_limit);
}

void check_same(const WorldReading& a, const WorldReading& b) {
  CHECK(a.settings.gravity == b.settings.gravity);
  CHECK(a.settings.step == b.settings.step);
  REQUIRE(a.scene.models.size() == b.scene.models.size());
  for (std::size_t m = 0; m < a.scene.models.size(); ++m) {
    const SceneModel &own = a.scene.models[m], &other = b.scene.models[m];
    CHECK(own.name == other.name);
    CHECK(own.base == other.base);
    check_same(own.pose, other.pose);
    REQUIRE(own.links.size() == other.links.size());
    for (std::size_t i = 0; i < own.links.size(); ++i) check_same(own.links[i], other.links[i]);
    REQUIRE(own.joints.size() == other.joints.size());
    for (std::size_t i = 0; i < own.joints.size(); ++i) check_same(own.joints[i], other.joints[i]);
  }
  REQUIRE(a.scene.materials.size() == b.scene.materials.size());
  for (std::size_t i = 0; i < a.scene.materials.size(); ++i) {
    CHECK(a.scene.materials[i].name == b.scene.materials[i].name);
    CHECK(a.scene.materials[i].friction == b.scene.materials[i].friction);
    CHECK(a.scene.materials[i].restitution == b.scene.materials[i].restitution);
  }
  REQUIRE(a.visuals.parts.size() == b.visuals.parts.size());
  for (std::size_t i = 0; i < a.visuals.parts.size(); ++i) {
    const io::ModelVisual &own = a.visuals.parts[i], &other = b.visuals.parts[i];
    CHECK(own.link == other.link);
    CHECK(own.mesh == other.mesh);
    CHECK(own.scale == other.scale);
    CHECK(own.color == other.color);
    check_same(own.X_LV, other.X_LV);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

}  // namespace

TEST_CASE("A world of SDF 1.0 is the same as the one of SDF 1.4") {
  const WorldReading expected = read(kNew);
  CHECK(expected.settings.step == 0.004);
  REQUIRE(expected.visuals.parts.size() == 1);
  CHECK(expected.scene.models.at(0).joints.size() >= 1);
  check_same(read(kOld), expected);
  // 1.1 and the newer name of the root make no difference.
  check_same(read(replaced(kOld, "1.0", "1.1")), expected);
  check_same(read(replaced(replaced(kOld, "<gazebo", "<sdf"), "</gazebo", "</sdf")), expected);
  const LedgerEntry version = entry_of(read(kOld).scene, "<sdf>: version");
  CHECK(version.fate == ImportFate::Approximated);
}

TEST_CASE("A file that calls itself SDF 1.0 may have the elements of later versions") {
  const WorldReading expected = read(kNew);
  for (const char* version : {"1.0", "1.1"}) {
    CAPTURE(version);
    check_same(read(replaced(kNew, "1.4", version)), expected);
    const std::string mixed = replaced(kNew, "<link name=\"base\"><gravity>false</gravity>",
                                       "<link name=\"base\" gravity=\"false\">");
    check_same(read(replaced(mixed, "1.4", version)), expected);
  }
  // Other versions have no such attributes.
  CHECK_THROWS_AS(read(replaced(kOld, "1.0", "1.2")), io::ParseError);
}

TEST_CASE("Faults and records of SDF 1.0 have the line of the attribute") {
  const std::string wrong = replaced(kOld, "mass=\"1.5\"", "\n mass=\"-1.5\"");
  const std::string line = std::to_string(line_of(wrong, "mass=\"-1.5\""));
  CHECK_THROWS_WITH(read(wrong), Catch::StartsWith("w.sdf:" + line + ":") &&
                                     Catch::Contains("link 'tip'") && Catch::Contains("mass"));
  // An element that follows attributes of several lines keeps its own.
  const std::string later = replaced(kOld, "<sphere radius=\"0.2\"/>", "<sphere radius=\"x\"/>");
  CHECK_THROWS_WITH(
      read(later),
      Catch::StartsWith("w.sdf:" + std::to_string(line_of(later, "<sphere radius=\"x\"/>")) + ":"));
  const WorldReading world = read(kOld);
  CHECK(entry_of(world.scene, "world 'old' model 'arm' link 'base': gravity").where.line ==
        line_of(kOld, "<link name=\"base\""));
  CHECK(entry_of(world.scene, "world 'old' model 'arm' joint 'hinge': axis limit effort")
            .where.line == line_of(kOld, "effort=\"20\""));
  CHECK(entry_of(world.scene, "world 'old' model 'arm' link 'base' collision 'body': mass").fate ==
        ImportFate::Ignored);
  CHECK(world.scene.models.at(0).links.at(0).where.line == line_of(kOld, "<link name=\"base\""));
}

TEST_CASE("Includes of SDF 1.0 name files, of which Gazebo's own are known") {
  io::MemoryFiles files;
  files.add("w.sdf",
            "<gazebo version='1.0'><world name='w'><include filename='ground_plane.model'/>"
            "<include filename='sun.light'/><include filename='box.model'/></world></gazebo>");
  files.add("box.model",
            "<gazebo version='1.0'><model name='box'><link name='l'><inertial mass='3'/>"
            "<collision name='c'><geometry><box size='1 1 1'/></geometry></collision></link>"
            "</model></gazebo>");
  const WorldReading world = read_world(files);
  REQUIRE(world.scene.models.size() == 2);
  const SceneModel &ground = world.scene.models[0], &box = world.scene.models[1];
  CHECK(ground.name == "w/ground_plane");
  CHECK(ground.base == BaseType::Fixed);
  CHECK(box.name == "w/box");
  CHECK(box.links.back().inertia.mass == 3.0);
}

}  // namespace amontons::test
