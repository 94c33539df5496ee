#include "tests/io/scene/bad_scene.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace amontons::test {
namespace {

std::string joint(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: ground, fixed: true}\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - " +
      keys + "\n");
}

std::string actuator(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: ground, fixed: true}\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: b, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "  - {name: ball, type: spherical, parent: world, child: c, at: [0, 0, 0]}\n"
      "actuators:\n"
      "  - " +
      keys + "\n");
}

std::string coupled(const std::string& keys) {
  return in_scene(
      "bodies:\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}]}\n"
      "  - {name: c, mass: 1, shapes: [{sphere: 1}]}\n"
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: b, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "  - {name: slide, type: prismatic, parent: world, child: c, axis: [0, 1, 0]}\n"
      "couplings:\n"
      "  - " +
      keys + "\n");
}

const std::vector<MarkedFault>& joint_faults() {
  static const std::vector<MarkedFault> kFaults{
      {"unknown joint type", joint("{name: j, type: @revolut, parent: b, child: c}"),
       "did you mean 'revolute'?"},
      {"rate of a joint that begins detached",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], attached: false, "
             "rate: @1}"),
       "begins detached"},
      {"joint of a tree that begins detached",
       joint("{name: j, type: fixed, parent: b, child: c, attached: false, coordinates: @reduced}"),
       "cannot be detached"},
      {"screw without pitch",
       joint("@{name: j, type: screw, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0]}"),
       "'pitch'"},
      {"pitch of a hinge",
       joint("{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "pitch: @1}"),
       "screw joints"},
      {"axes of a universal joint parallel",
       joint("{name: j, type: universal, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "axis2: @[0, 0, 2]}"),
       "parallel"},
      {"rest position without a spring",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], "
             "rest_position: @1}"),
       "stiffness"},
      {"spring in a ball joint",
       joint("{name: j, type: spherical, parent: b, child: c, at: [0, 0, 0], stiffness: @1}"),
       "stiffness"},
      {"stiffness negative",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], stiffness: @-1}"),
       "must not be negative"},
      {"coupling of an unknown joint", coupled("{name: g, joint: @hnge, reference: slide}"),
       "did you mean 'hinge'?"},
      {"coupling of a joint with itself", coupled("{name: g, joint: hinge, reference: @hinge}"),
       "itself"},
      {"multiplier of nothing", coupled("{name: g, joint: hinge, multiplier: @2}"), "reference"},
      {"couplings in a circle that does not close",
       coupled("{name: g, joint: hinge, reference: slide}\n"
               "  - @{name: k, joint: slide, reference: hinge, offset: 0.1}"),
       "circle"},
      {"free joint", joint("{name: j, type: @free, parent: b, child: c}"), "leave it out"},
      {"unknown body", joint("{name: j, type: fixed, parent: b, child: @d}"), "no 'd'"},
      {"joint to itself", joint("{name: j, type: fixed, parent: b, child: @b}"), "itself"},
      {"child fixed", joint("{name: j, type: fixed, parent: b, child: @ground}"), "the parent"},
      {"child world", joint("{name: j, type: fixed, parent: b, child: @world}"), "no 'world'"},
      {"no axis", joint("@{name: j, type: revolute, parent: b, child: c, at: [0, 0, 0]}"),
       "'axis'"},
      {"axis zero",
       joint("{name: j, type: revolute, parent: b, child: c, at: [0, 0, 0], axis: @[0, 0, 0]}"),
       "zero"},
      {"axis of a ball",
       joint("{name: j, type: spherical, parent: b, child: c, at: [0, 0, 0], axis: @[0, 0, 1]}"),
       "no axis"},
      {"no center", joint("@{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1]}"),
       "'at'"},
      {"limits of a continuous joint",
       joint("{name: j, type: continuous, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "limits: @[0, 1]}"),
       "limits"},
      {"limits reversed",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], limits: @[1, 0]}"),
       "[lower, upper]"},
      {"start outside the limits",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], limits: [0, 1], "
             "position: @2}"),
       "outside"},
      {"friction negative",
       joint("{name: j, type: prismatic, parent: b, child: c, axis: [0, 0, 1], "
             "coulomb_friction: @-1}"),
       "must not be negative"},
      {"length of a hinge",
       joint("{name: j, type: revolute, parent: b, child: c, axis: [0, 0, 1], at: [0, 0, 0], "
             "length: @1}"),
       "distance joints"},
      {"one point of a distance",
       joint("{name: j, type: distance, parent: b, child: c, at: @[0, 0, "
             "0]}"),
       "two points"},
      {"points of a distance coincide though it has a length",
       joint("{name: j, type: distance, parent: b, child: c, at: @[0.1, 0, 1], to: [0.1, 0, 1], "
             "length: 2}"),
       "has no direction"},
      {"distance of zero",
       joint("{name: j, type: distance, parent: b, child: c, at: @[[0, 0, 0], [0, 0, 0]]}"),
       "coincide"},
      {"distance in reduced coordinates",
       joint("{name: j, type: distance, parent: b, child: c, at: [[0, 0, 0], [0, 0, 1]], "
             "coordinates: @reduced}"),
       "no reduced"},
      {"error in reduced coordinates",
       joint("{name: j, type: fixed, parent: b, child: c, error: @[1, 0, 0]}"),
       "coordinates: maximal"},
      {"joint twice",
       joint("{name: j, type: fixed, parent: b, child: c}\n"
             "  - {name: @j, type: fixed, parent: b, child: c}"),
       "already a joint"},
      {"actuator of nothing", actuator("@{effort: 1}"),
       "one of the keys 'joint', 'body' and 'muscle'"},
      {"actuator of an unknown joint", actuator("{joint: @hnge, effort: 1}"),
       "did you mean 'hinge'?"},
      {"actuator of a ball joint", actuator("{joint: @ball, effort: 1}"), "no single coordinate"},
      {"actuator of two kinds",
       actuator("@{joint: hinge, effort: 1, velocity: {target: 1, kd: 1}}"), "exactly one"},
      {"servo without gain", actuator("{joint: hinge, position: @{target: 1}}"), "'kp'"},
      {"gain negative", actuator("{joint: hinge, position: {target: 1, kp: 1, kd: @-1}}"),
       "must not be negative"},
      {"effort limit zero", actuator("{joint: hinge, velocity: {target: 1, kd: 1, effort: @0}}"),
       "must be positive"},
      {"motion of a moving body",
       actuator("{body: @b, motion: {sinusoid: {axis: [0, 0, 1], amplitude: 1, period: 1}}}"),
       "fixed: true"},
      {"unknown motion", actuator("{body: ground, motion: {@sinusiod: {}}}"),
       "did you mean 'sinusoid'?"},
      {"period zero",
       actuator("{body: ground, motion: {sinusoid: {axis: [0, 0, 1], amplitude: 1, period: @0}}}"),
       "must be positive"},
      {"force on a fixed body", actuator("{body: @ground, force: [1, 0, 0]}"), "fixed"},
      {"body actuator of nothing", actuator("@{body: b}"), "force or torque"},
      {"point without a force", actuator("{body: b, torque: [1, 0, 0], at: @[0, 0, 0]}"), "'at'"},
      {"table that is not there", actuator("{body: b, table: @f.csv}"), "cannot read 'f.csv'"},
      {"table and force", actuator("{body: b, table: f.csv, force: @[1, 0, 0]}"), "two actuators"},
      {"motion of a joint by force", actuator("{joint: hinge, motion: {@force: 1}}"), "force"}};
  return kFaults;
}

TEST_CASE("A fault in a joint or actuator is refused at its place") {
  for (const MarkedFault& bad : joint_faults()) check_fault(bad);
}

}  // namespace
}  // namespace amontons::test
