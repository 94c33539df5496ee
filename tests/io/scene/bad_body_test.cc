#include "tests/io/scene/bad_scene.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace amontons::test {
namespace {

std::string body(const std::string& keys) {
  return in_scene("bodies:\n  - {name: b, " + keys + "}\n");
}

const std::vector<MarkedFault>& body_faults() {
  static const std::vector<MarkedFault> kFaults{
      {"body without a name", in_scene("bodies: [@{mass: 1}]\n"), "'name'"},
      {"body twice", in_scene("bodies: [{name: a, fixed: true}, {name: @a, fixed: true}]\n"),
       "already a body 'a'"},
      {"body called world", in_scene("bodies: [{name: @world, fixed: true}]\n"), "world"},
      {"name with a slash", in_scene("bodies: [{name: @a/b, fixed: true}]\n"), "'/'"},
      {"name with a star", in_scene("bodies: [{name: @a*, fixed: true}]\n"), "'*'"},
      {"shape twice", body("mass: 1, shapes: [{sphere: 1, name: a}, @{sphere: 1, name: a}]"),
       "already a shape 'a'"},
      {"shape called by a number", body("mass: 1, shapes: [{sphere: 1, name: @'1'}]"),
       "must not be a number"},
      {"misspelled key", body("@mas: 1"), "did you mean 'mass'?"},
      {"no mass", in_scene("bodies:\n  - @{name: b, shapes: [{sphere: 1}]}\n"), "needs a mass"},
      {"mass zero", body("mass: @0, shapes: [{sphere: 1}]"), "must be positive"},
      {"mass negative", body("mass: @-1, shapes: [{sphere: 1}]"), "must be positive"},
      {"mass infinite", body("mass: @.inf, shapes: [{sphere: 1}]"), "finite"},
      {"mass nan without the dot", body("mass: @nan, shapes: [{sphere: 1}]"), "finite"},
      {"mass hexadecimal", body("mass: @0x10, shapes: [{sphere: 1}]"), "must be a number"},
      {"mass 1e-300", body("mass: @1e-300, shapes: [{sphere: 1}]"), "absurdly small"},
      {"a shape too large to weigh",
       in_scene("bodies:\n  - @{name: b, density: 1, shapes: [{sphere: 1e99}]}\n"), "too large"},
      {"a needle without an inertia about its axis",
       in_scene("bodies:\n  - @{name: b, mass: 1, shapes: [{box: [1e-8, 1e-8, 1]}]}\n"),
       "not positive definite"},
      {"mass and density", body("mass: 1, density: @1, shapes: [{sphere: 1}]"), "one of them"},
      {"density without shapes", body("density: @1"), "no shapes"},
      {"mass without shapes or inertia", in_scene("bodies:\n  - @{name: b, mass: 1}\n"), "inertia"},
      {"inertia of four numbers", body("mass: 1, inertia: @[1, 1, 1, 1]"), "has 4 entries"},
      {"inertia negative", body("mass: 1, inertia: @[1, 1, -1]"), "not positive definite"},
      {"inertia of no body", body("mass: 1, inertia: @[1, 1, 3]"), "sum of the other two"},
      {"products of inertia too large", body("mass: 1, inertia: @[1, 1, 1, 2, 0, 0]"),
       "not positive definite"},
      {"position of two numbers", body("fixed: true, pose: {position: @[1, 2]}"), "2 entries"},
      {"quaternion zero", body("fixed: true, pose: {quat_wxyz: @[0, 0, 0, 0]}"), "normalized"},
      {"two orientations",
       body("fixed: true, pose: {rpy_deg: [0, 0, 0], quat_wxyz: @[1, 0, 0, 0]}"), "one of them"},
      {"unknown key of a pose", body("fixed: true, pose: {@rpy: [0, 0, 0]}"),
       "did you mean 'rpy_deg'?"},
      {"velocity of a fixed body", body("fixed: true, velocity: @{linear: [1, 0, 0]}"), "fixed"},
      {"base and fixed", body("fixed: true, base: @free"), "fixed"},
      {"unknown base", body("base: @plane, mass: 1, shapes: [{sphere: 1}]"),
       "did you mean 'planar'?"},
      {"planar body leaving its plane",
       body("base: planar, mass: 1, shapes: [{sphere: 1}], velocity: @{linear: [0, 1, 0]}"),
       "planar"},
      {"planar body turning out of its plane",
       body("base: planar, mass: 1, shapes: [{sphere: 1}], velocity: @{angular: [1, 0, 0]}"),
       "planar"},
      {"a shape without a kind", body("fixed: true, shapes: [@{material: default}]"),
       "says no shape"},
      {"a shape of two kinds", body("fixed: true, shapes: [@{box: [1, 1, 1], sphere: 1}]"), "both"},
      {"unknown shape", body("fixed: true, shapes: [{@bx: [1, 1, 1]}]"), "did you mean 'box'?"},
      {"box with a side of zero", body("fixed: true, shapes: [{box: [1, @0, 1]}]"), "positive"},
      {"radius negative", body("fixed: true, shapes: [{sphere: @-1}]"), "positive"},
      {"capsule of one number", body("fixed: true, shapes: [{capsule: @[1]}]"), "1 entries"},
      {"cylinder of length zero", body("fixed: true, shapes: [{cylinder: [1, @0]}]"), "positive"},
      {"ellipsoid with an axis of zero", body("fixed: true, shapes: [{ellipsoid: [1, 1, @0]}]"),
       "positive"},
      {"half-space without a normal", body("fixed: true, shapes: [{half_space: @{offset: 0}}]"),
       "'normal'"},
      {"normal zero", body("fixed: true, shapes: [{half_space: {normal: @[0, 0, 0]}}]"), "zero"},
      {"half-space on a moving body", body("mass: 1, shapes: [@{half_space: {normal: [0, 0, 1]}}]"),
       "fixed: true"},
      {"unknown material", body("fixed: true, shapes: [{sphere: 1, material: @defualt}]"),
       "did you mean 'default'?"},
      {"mesh that is not there", body("fixed: true, shapes: [{mesh: {file: @gone.stl}}]"),
       "gone.stl"},
      {"terrain that is not there",
       body("fixed: true, shapes: [{heightfield: {file: @gone.csv, size: [1, 1]}}]"), "gone.csv"},
      {"terrain of file and noise",
       body("fixed: true, shapes: [{heightfield: @{file: a, noise: {}, size: [1, 1]}}]"),
       "exactly one"},
      {"terrain of no cells",
       body("fixed: true, shapes: [{heightfield: {size: [1, 1], noise: {amplitude: 1, wavelength: "
            "1, cells: [@0, 1]}}}]"),
       "integer"},
      {"repeat of an unknown body",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: @bx, grid: [1, 1, 1], spacing: [1, 1, 1]}]\n"),
       "did you mean 'box'?"},
      {"repeat of zero copies",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, @0, 1], spacing: [1, 1, 1]}]\n"),
       "integer from 1"},
      {"too many copies",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: @[1000, 1000, 1000], spacing: [1, 1, 1]}]\n"),
       "100000 copies"},
      {"repeat twice",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, 1, 1], spacing: [1, 1, 1]},\n"
                "  {body: @box, grid: [1, 1, 1], spacing: [1, 1, 1]}]\n"),
       "twice"},
      {"jitter negative",
       in_scene("bodies: [{name: box, fixed: true}]\n"
                "repeat: [{body: box, grid: [1, 1, 1], spacing: [1, 1, 1], jitter: @-1}]\n"),
       "must not be negative"}};
  return kFaults;
}

TEST_CASE("A fault in a body, shape or repeat is refused at its place") {
  for (const MarkedFault& bad : body_faults()) check_fault(bad);
}

}  // namespace
}  // namespace amontons::test
