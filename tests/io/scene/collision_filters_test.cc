#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/scene/bad_scene.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace amontons;
using namespace amontons::test;

namespace {

// A chain of three links, each a ball of its own name, and three bodies.
const char* kChain = R"(<robot name="r">
  <link name="a"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="c"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision name="ball"><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="ab" type="continuous"><origin xyz="1 0 0"/><parent link="a"/><child link="b"/></joint>
  <joint name="bc" type="continuous"><origin xyz="1 0 0"/><parent link="b"/><child link="c"/></joint>
</robot>)";

constexpr const char* kBodies = R"(amontons: 1
simulation: {step: 0.01, duration: 0.5}
bodies:
  - {name: floor, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: wall, fixed: true, shapes: [{half_space: {normal: [1, 0, 0], offset: -9}}]}
  - {name: box, mass: 1, shapes: [{box: [1, 1, 1], name: left}, {sphere: 0.1}], pose: {position: [0, 0, 3]}}
models: [{name: r, file: r.urdf, pose: {position: [0, 0, 6]}}]
)";

// Shapes in the order of the system.
enum Place { Floor, Wall, Left, Right, A, B, C, kNumPlaces };
const std::vector<std::string> kNames = {"floor", "wall", "box/left", "box/1", "a", "b", "c"};

Scene load(const std::string& filters) {
  io::MemoryFiles files;
  files.add("r.urdf", kChain);
  return io::parse_scene(kBodies + filters, "scene.yaml", files);
}

/// Returns the pairs that collide, as "floor-a ...".
std::string pairs(const std::string& filters) {
  const System system(load(filters.empty() ? "" : "collision_filters: " + filters + "\n"));
  REQUIRE(system.shapes().size() == kNumPlaces);
  std::string text;
  for (int i = 0; i < kNumPlaces; ++i) {
    for (int j = i + 1; j < kNumPlaces; ++j) {
      CHECK(system.may_collide(i, j) == system.may_collide(j, i));
      if (!system.may_collide(i, j)) continue;
      text += (text.empty() ? "" : " ") + kNames[static_cast<std::size_t>(i)] + "-" +
              kNames[static_cast<std::size_t>(j)];
    }
  }
  return text;
}

const std::string kFloor = "floor-box/left floor-box/1 floor-a floor-b floor-c";
const std::string kWall = "wall-box/left wall-box/1 wall-a wall-b wall-c";
const std::string kBox = "box/left-a box/left-b box/left-c box/1-a box/1-b box/1-c";

}  // namespace

TEST_CASE("Pairs of bodies, shapes, groups and patterns do not collide") {
  CHECK(pairs("") == kFloor + " " + kWall + " " + kBox + " a-c");
  CHECK(pairs("[{exclude: [box, r/*]}]") == kFloor + " " + kWall + " a-c");
  CHECK(pairs("[{exclude: [r/*, r/*]}]") == kFloor + " " + kWall + " " + kBox);
  CHECK(pairs("[{exclude: [box/left, r/*]}]") ==
        kFloor + " " + kWall + " box/1-a box/1-b box/1-c a-c");
  CHECK(pairs("[{exclude: [box/1, [r/a, r/b/ball]]}]") ==
        kFloor + " " + kWall + " box/left-a box/left-b box/left-c box/1-c a-c");
  CHECK(pairs("[{group: walls, members: [floor, wall]}, {exclude: [walls, [box, r/*]]}]") ==
        kBox + " a-c");
  CHECK(pairs("[{exclude: [\"*\", \"*\"]}]").empty());
}

TEST_CASE("The last filter that names a pair decides, also against joints and masks") {
  CHECK(pairs("[{exclude: [\"*\", \"*\"]}, {include: [floor, box]}]") ==
        "floor-box/left floor-box/1");
  CHECK(pairs("[{include: [floor, box]}, {exclude: [\"*\", \"*\"]}]").empty());
  CHECK(pairs("[{exclude: [\"*\", \"*\"]}, {include_joined: r/*}]") == "a-b b-c");
  CHECK(pairs("[{exclude: [\"*\", \"*\"]}, {include_joined: r/*}, {exclude_joined: [r/ab]}]") ==
        "b-c");
  CHECK(pairs("[{shapes: \"*\", mask: 0, category: 0x0}, {include: [r/a, floor]}]") == "floor-a");
  CHECK(pairs("[{shapes: \"*\", mask: 0, category: 0}, {shapes: [box, floor], mask: 1, category: "
              "1}]") == "floor-box/left floor-box/1");
  CHECK(pairs("[{shapes: \"*\", category: 2}, {shapes: box, mask: 0x2}]") ==
        "floor-box/left floor-box/1 wall-box/left wall-box/1 " + kBox);
}

TEST_CASE("Shapes that cannot move relative to each other never collide") {
  CHECK(pairs("[{include: [\"*\", \"*\"]}]") == kFloor + " " + kWall + " " + kBox + " a-b a-c b-c");
  // A fixed joint welds, whether it is part of the tree or rows of J.
  for (const char* coordinates : {"reduced", "maximal"}) {
    const std::string joint =
        std::string("joints: [{name: w, type: fixed, parent: box, child: r/a, coordinates: ") +
        coordinates + ", at: [0, 0, 6]}]\n";
    const System system(load(joint));
    CAPTURE(coordinates);
    CHECK_FALSE(system.may_collide(Left, A));
    CHECK(system.may_collide(Left, B));
    const PairFate fate = system.collision_filters().fate(Left, A);
    CHECK(fate == (std::string(coordinates) == "maximal" ? PairFate::Welded : PairFate::SameBody));
  }
  // A weld to the world fixes a body as well.
  const System fixed(
      load("joints: [{name: w, type: fixed, parent: world, child: box, coordinates: maximal}]\n"));
  CHECK(fixed.collision_filters().fate(Floor, Left) == PairFate::Welded);
}

TEST_CASE("Every pair that does not collide has a reason") {
  const System system(load("collision_filters: [{exclude: [box, r/c]}, {shapes: r/b, mask: 2}]\n"));
  const CollisionFilters& filters = system.collision_filters();
  CHECK(filters.fate(Floor, Wall) == PairFate::BothFixed);
  CHECK(filters.fate(Left, Right) == PairFate::SameBody);
  CHECK(filters.fate(A, B) == PairFate::Joined);
  CHECK(filters.fate(A, C) == PairFate::Collides);
  CHECK(filters.fate(C, Left) == PairFate::Filtered);
  CHECK(std::string(to_string(PairFate::SelfCollision)) == "self_collision");
  CHECK(std::string(to_string(PairFate::Filtered)) == "collision_filters");
}

TEST_CASE("A body falls through what it does not collide with, and lands on the rest") {
  for (const bool excluded : {true, false}) {
    CAPTURE(excluded);
    io::MemoryFiles files;
    Simulator simulator(io::parse_scene(
        in_scene(std::string(
                     "bodies:\n"
                     "  - {name: floor, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
                     "  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0, 0, "
                     "0.1]}}\n") +
                 (excluded ? "collision_filters: [{exclude: [floor, ball]}]\n" : "")),
        "scene.yaml", files));
    while (!simulator.finished()) simulator.step();
    const double height = simulator.state().q.tail<3>().minCoeff();
    if (excluded) {
      CHECK(height < -4.0);
    } else {
      CHECK(height > -1e-6);
    }
  }
}

TEST_CASE("Copies of a repeated body are filtered among themselves by one name") {
  io::MemoryFiles files;
  const System system(io::parse_scene(
      in_scene("bodies: [{name: p, mass: 1, shapes: [{sphere: 0.1}]}]\n"
               "repeat: [{body: p, grid: [5, 5, 4], spacing: [1, 1, 1]}]\n"
               "collision_filters: [{exclude: [p/*, p/*]}, {include: [p/3, p/7*]}]\n"),
      "scene.yaml", files));
  int num_colliding = 0;
  for (int i = 0; i < 100; ++i) {
    for (int j = i + 1; j < 100; ++j) num_colliding += system.may_collide(i, j) ? 1 : 0;
  }
  // p/7 and p/70 to p/79.
  CHECK(num_colliding == 11);
}

TEST_CASE("Wrong filters are refused at their line and column, with the remedy") {
  const std::string bodies =
      "bodies: [{name: a, mass: 1, shapes: [{sphere: 1}, {sphere: 2, name: big}]}, "
      "{name: b, mass: 1, shapes: [{sphere: 1}], pose: {position: [9, 0, 0]}}]\n"
      "joints: [{name: j, type: revolute, parent: a, child: b, axis: [1, 0, 0], at: [4, 0, 0]}]\n";
  const auto filter = [&](const std::string& text) {
    return in_scene(bodies + "collision_filters:\n  - " + text + "\n");
  };
  const std::vector<MarkedFault> faults{
      {"no list", in_scene(bodies + "collision_filters: @{exclude: [a, b]}\n"), "must be a list"},
      {"nothing", filter("@{}"), "says nothing"},
      {"two kinds", filter("{exclude: [a, b], include: @[a, b]}"), "one list entry for each"},
      {"unknown key", filter("{@exlude: [a, b]}"), "did you mean 'exclude'?"},
      {"one name", filter("{exclude: @[a]}"), "two entries [A, B]"},
      {"three names", filter("{exclude: @[a, b, a]}"), "two entries [A, B]"},
      {"a text", filter("{exclude: @a}"), "two entries [A, B]"},
      {"unknown body", filter("{exclude: [a, @body]}"), "is called 'body'"},
      {"unknown shape", filter("{exclude: [@a/bgi, b]}"), "did you mean 'a/big'?"},
      {"pattern of nothing", filter("{exclude: [a, @c*]}"), "is called 'c*'"},
      {"an empty list", filter("{exclude: [a, @[]]}"), "must name something"},
      {"a number", filter("{exclude: [a, [b, @[c]]]}"), "must be a text"},
      {"one body", filter("{exclude: @[a/0, a/big]}"), "shapes of one body never collide"},
      {"unknown joint", filter("{exclude_joined: [@k]}"), "no joint is called 'k'"},
      {"group without members", filter("@{group: g}"), "'members'"},
      {"group with the name of a body", filter("{group: @a, members: [b]}"), "already a body"},
      {"group with a star", filter("{group: @\"g*\", members: [b]}"), "'*'"},
      {"members without group", filter("{exclude: [a, b], members: @[a]}"), "belongs to group"},
      {"no bits", filter("@{shapes: a}"), "neither category nor mask"},
      {"bits too large", filter("{shapes: a, mask: @4294967296}"), "0xffffffff"},
      {"bits negative", filter("{shapes: a, mask: @-1}"), "0xffffffff"},
      {"bits that are no number", filter("{shapes: a, category: @0xg}"), "0xffffffff"},
      {"mask without shapes", filter("{exclude: [a, b], mask: @1}"), "belongs to shapes"},
      {"shape with a slash",
       in_scene("bodies: [{name: a, fixed: true, shapes: [{sphere: 1, name: "
                "@a/b}]}]\n"),
       "must not contain"},
  };
  for (const MarkedFault& fault : faults) check_fault(fault);
}
