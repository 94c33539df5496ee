#include "amontons/io/scene/scene_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/math/rotation.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

using namespace amontons;

namespace {

constexpr const char* kHead =
    "amontons: 1\n"
    "simulation: {step: 0.01, duration: 1}\n";

Scene parse(const std::string& body, const io::LoadOptions& options = {}) {
  return io::parse_scene(kHead + body, "scene.yaml", io::MemoryFiles(), options);
}

Scene parse_one_body(const std::string& keys) {
  return parse("bodies:\n  - {name: b, " + keys + "}\n");
}

}  // namespace

TEST_CASE("The first example is a scene of two fixed and two moving bodies") {
  const Scene scene = io::load_scene(AMONTONS_SOURCE_DIR "/examples/first.yaml");
  REQUIRE(scene.bodies.size() == 4);
  CHECK(scene.bodies[0].base == BaseType::Fixed);
  CHECK(scene.bodies[2].inertia.mass == 2.0);
  const double ball_mass = 900.0 * 4.0 / 3.0 * std::numbers::pi * 1e-3;
  CHECK(scene.bodies[3].inertia.mass == Approx(ball_mass).epsilon(1e-14));
  CHECK(scene.bodies[3].angular_velocity == Eigen::Vector3d(0, 5, 0));
  CHECK(scene.simulation.steps == std::vector<double>{0.005});
  CHECK(scene.output.every == 0.01);
  CHECK(scene.inputs.empty());
}

TEST_CASE(
    "An override changes the material default, which every scene has, whether it is written") {
  const std::string start = "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n";
  for (const char* written : {"", "materials: []\n", "materials: [{name: ice, friction: 0.01}]\n",
                              "materials: [{name: default, friction: 0.9}]\n"}) {
    const Scene scene = io::parse_scene(start + written, "scene.yaml", io::MemoryFiles(),
                                        {.overrides = {{"materials.default.friction", "0.125"},
                                                       {"materials.default.restitution", "0.25"}}});
    const Material& last = scene.materials.back();
    CHECK(last.name == "default");
    CHECK(last.friction == 0.125);
    CHECK(last.restitution == 0.25);
    CHECK(scene.materials.size() == (std::string(written).find("ice") < 100 ? 2 : 1));
  }
}

TEST_CASE("What a scene does not say has the default of the format") {
  const Scene scene = parse("");
  CHECK(scene.gravity == Eigen::Vector3d(0, 0, -9.81));
  CHECK(scene.simulation.method == "time-stepping");
  CHECK(scene.simulation.tolerance == 1e-8);
  CHECK_FALSE(scene.simulation.gamma.has_value());
  CHECK(scene.output.every == 0.0);
  REQUIRE(scene.materials.size() == 1);
  CHECK(scene.materials[0].name == "default");
  CHECK(scene.materials[0].friction == 0.5);
}

TEST_CASE("Every key of the simulation reaches its setting") {
  const Scene scene = io::parse_scene(
      "amontons: 1\ngravity: [1, 2, 3]\n"
      "simulation: {step: [0.01, 0.02], duration: 3, method: time-stepping, model: "
      "anitescu-potra,\n"
      "  gamma: 0.5, tolerance: 1e-6, seed: 18446744073709551615, friction_directions: 8, "
      "max_iterations: 50,\n"
      "  literal_gamma: true, projection: true, position_iterations: 7, v_max: 2, rest_speed: 0, "
      "overlap_speed: 0.5,\n"
      "  restitution_law: poisson, minimum_norm: true, literal_viscous_bound: true, sticking: "
      "touching}\n"
      "output: {every: 0.1, contacts: none}\n",
      "scene.yaml", io::MemoryFiles());
  const SimulationSettings& s = scene.simulation;
  CHECK(scene.gravity == Eigen::Vector3d(1, 2, 3));
  CHECK(s.steps == std::vector<double>{0.01, 0.02});
  CHECK(s.duration == 3.0);
  CHECK(s.model == "anitescu-potra");
  CHECK(s.gamma == 0.5);
  CHECK(s.tolerance == 1e-6);
  CHECK(s.seed == 18446744073709551615u);
  CHECK(s.friction_directions == 8);
  CHECK(s.max_iterations == 50);
  CHECK(s.literal_gamma);
  CHECK(s.projection);
  CHECK(s.position_iterations == 7);
  CHECK(s.v_max == 2.0);
  CHECK(s.rest_speed == 0.0);
  CHECK(s.overlap_speed == 0.5);
  CHECK(s.restitution_law == RestitutionLaw::Poisson);
  CHECK(s.minimum_norm);
  CHECK(s.literal_viscous_bound);
  CHECK(s.sticking == StickingList::Touching);
  CHECK(scene.output.every == 0.1);
  CHECK(scene.output.contacts == RecordedContacts::None);
}

TEST_CASE("The contact horizon is read in the place of v_max") {
  const Scene scene =
      io::parse_scene("amontons: 1\nsimulation: {step: 0.01, duration: 1, contact_horizon: 0.03}\n",
                      "scene.yaml", io::MemoryFiles());
  CHECK(scene.simulation.contact_horizon == 0.03);
  CHECK_FALSE(scene.simulation.v_max);
}

TEST_CASE("One kappa for the system is a key, and refused beside the viscous bound as printed") {
  const auto parse = [](const std::string& keys) {
    return io::parse_scene("amontons: 1\nsimulation: {step: 0.01, duration: 1, " + keys + "}\n",
                           "scene.yaml", io::MemoryFiles());
  };
  CHECK(parse("seed: 1").simulation.impulse_cap == ImpulseCap::Island);
  CHECK(parse("impulse_cap: system").simulation.impulse_cap == ImpulseCap::System);
  CHECK(parse("impulse_cap: island, literal_viscous_bound: true").simulation.literal_viscous_bound);
  CHECK_THROWS_AS(parse("impulse_cap: global"), io::ParseError);
  CHECK_THROWS_AS(parse("impulse_cap: system, literal_viscous_bound: true"), io::ParseError);
}

TEST_CASE("Numbers are decimal: 010 is ten and not the octal eight") {
  CHECK(parse_one_body("mass: 010, shapes: [{sphere: 1}]").bodies[0].inertia.mass == 10.0);
  CHECK(parse_one_body("mass: +1.5e1, shapes: [{sphere: 1}]").bodies[0].inertia.mass == 15.0);
}

TEST_CASE("Materials and pairs are read in any order, and pairs keep what they leave open") {
  const Scene scene = parse(
      "materials:\n"
      "  - {pair: [ice, default], friction: 0.01}\n"
      "  - {name: ice, friction: 0.02, restitution: 0.3, viscous_friction: 0}\n");
  REQUIRE(scene.materials.size() == 2);
  CHECK(scene.materials[0].name == "ice");
  CHECK(scene.materials[0].restitution == 0.3);
  CHECK(scene.materials[1].name == "default");
  REQUIRE(scene.material_pairs.size() == 1);
  CHECK(scene.material_pairs[0].friction == 0.01);
  CHECK_FALSE(scene.material_pairs[0].restitution.has_value());
}

TEST_CASE("Every primitive shape has the sizes given and the pose and material of its entry") {
  const Scene scene = parse(
      "materials: [{name: ice}]\n"
      "bodies:\n"
      "  - name: b\n"
      "    fixed: true\n"
      "    shapes:\n"
      "      - {box: [1, 2, 3], material: ice, pose: {position: [4, 5, 6]}}\n"
      "      - {sphere: 0.5}\n"
      "      - {capsule: [0.1, 0.7]}\n"
      "      - {cylinder: [0.2, 0.8]}\n"
      "      - {ellipsoid: [1, 2, 4]}\n"
      "      - {half_space: {normal: [0, 0, 2], offset: 3}}\n");
  const std::vector<SceneShape>& shapes = scene.bodies[0].shapes;
  REQUIRE(shapes.size() == 6);
  CHECK(std::get<Box>(shapes[0].shape).size == Eigen::Vector3d(1, 2, 3));
  CHECK(shapes[0].material == "ice");
  CHECK(shapes[0].X_BG.translation == Eigen::Vector3d(4, 5, 6));
  CHECK(std::get<Sphere>(shapes[1].shape).radius == 0.5);
  CHECK(shapes[1].material == "default");
  CHECK(std::get<Capsule>(shapes[2].shape).radius == 0.1);
  CHECK(std::get<Capsule>(shapes[2].shape).length == 0.7);
  CHECK(std::get<Cylinder>(shapes[3].shape).length == 0.8);
  CHECK(std::get<Ellipsoid>(shapes[4].shape).semi_axes == Eigen::Vector3d(1, 2, 4));
  // 2 z <= 3 is the half-space z <= 1.5.
  CHECK(std::get<HalfSpace>(shapes[5].shape).normal == Eigen::Vector3d::UnitZ());
  CHECK(std::get<HalfSpace>(shapes[5].shape).offset == 1.5);
}

TEST_CASE("rpy_deg turns about the world x, then y, then z axis; quat_wxyz is the same rotation") {
  const Scene scene =
      parse_one_body("fixed: true, pose: {position: [1, 2, 3], rpy_deg: [90, 0, 90]}");
  // x to x to y; y to z to z; z to -y to x.
  const Eigen::Matrix3d R = scene.bodies[0].pose.rotation;
  CHECK((R.col(0) - Eigen::Vector3d::UnitY()).norm() < 1e-15);
  CHECK((R.col(1) - Eigen::Vector3d::UnitZ()).norm() < 1e-15);
  CHECK((R.col(2) - Eigen::Vector3d::UnitX()).norm() < 1e-15);
  const Scene same = parse_one_body("fixed: true, pose: {quat_wxyz: [2, 2, 2, 2]}");
  CHECK((same.bodies[0].pose.rotation - R).norm() < 1e-15);
}

TEST_CASE("Mass, density and shapes give the inertia of a uniform solid") {
  const SpatialInertia box =
      parse_one_body("mass: 6, shapes: [{box: [1, 2, 3]}]").bodies[0].inertia;
  CHECK(box.mass == 6.0);
  CHECK(box.center_of_mass.norm() == 0.0);
  const Eigen::Vector3d moments(0.5 * (4 + 9), 0.5 * (1 + 9), 0.5 * (1 + 4));
  CHECK((box.inertia - Eigen::Matrix3d(moments.asDiagonal())).norm() < 1e-14 * moments.norm());

  // Two unit cubes side by side are one box of 2 x 1 x 1.
  const SpatialInertia pair =
      parse_one_body(
          "density: 3, shapes: [{box: [1, 1, 1], pose: {position: [0.5, 0, 0]}}, "
          "{box: [1, 1, 1], pose: {position: [1.5, 0, 0]}}]")
          .bodies[0]
          .inertia;
  CHECK(pair.mass == Approx(6.0).epsilon(1e-15));
  CHECK((pair.center_of_mass - Eigen::Vector3d(1, 0, 0)).norm() < 1e-15);
  const Eigen::Vector3d joined(0.5 * 2, 0.5 * 5, 0.5 * 5);
  CHECK((pair.inertia - Eigen::Matrix3d(joined.asDiagonal())).norm() < 1e-14 * joined.norm());
}

TEST_CASE("Inertia and center of mass given take the place of those of the shapes") {
  const SpatialInertia given =
      parse_one_body(
          "mass: 2, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3], center_of_mass: [0, 0, 1], "
          "shapes: [{sphere: 1}]")
          .bodies[0]
          .inertia;
  Eigen::Matrix3d expected;
  expected << 1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5;
  CHECK(given.inertia == expected);
  CHECK(given.center_of_mass == Eigen::Vector3d(0, 0, 1));
  const SpatialInertia bare = parse_one_body("mass: 2, inertia: [1, 1, 1]").bodies[0].inertia;
  CHECK(bare.center_of_mass.norm() == 0.0);
}

TEST_CASE("A body starts with the velocity and on the base given") {
  const Scene scene = parse_one_body(
      "base: planar, mass: 1, shapes: [{sphere: 1}], pose: {position: [1, 0, 2], rpy_deg: [0, 40, "
      "0]}, "
      "velocity: {linear: [1, 0, 2], angular: [0, 3, 0]}");
  CHECK(scene.bodies[0].base == BaseType::Planar);
  CHECK(scene.bodies[0].linear_velocity == Eigen::Vector3d(1, 0, 2));
  CHECK(scene.bodies[0].angular_velocity == Eigen::Vector3d(0, 3, 0));
}

TEST_CASE("Copies fill the grid, x fastest, in place of the original") {
  const Scene scene = parse(
      "bodies:\n"
      "  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [1, 1, 1]}}\n"
      "  - {name: ground, fixed: true}\n"
      "repeat: [{body: ball, grid: [2, 3, 2], spacing: [0.5, 0.6, 0.7]}]\n");
  REQUIRE(scene.bodies.size() == 13);
  CHECK(scene.bodies[0].name == "ball/0");
  CHECK(scene.bodies[0].pose.translation == Eigen::Vector3d(1, 1, 1));
  CHECK(scene.bodies[1].pose.translation == Eigen::Vector3d(1.5, 1, 1));
  CHECK(scene.bodies[2].pose.translation == Eigen::Vector3d(1, 1.6, 1));
  CHECK(scene.bodies[6].pose.translation == Eigen::Vector3d(1, 1, 1.7));
  CHECK(scene.bodies[11].name == "ball/11");
  CHECK(scene.bodies[12].name == "ground");
}

TEST_CASE("Jitter is uniform within its bound and depends on the seed alone") {
  const std::string body =
      "bodies: [{name: ball, mass: 1, shapes: [{sphere: 0.1}]}]\n"
      "repeat: [{body: ball, grid: [20, 10, 10], spacing: [1, 1, 1], jitter: 0.02}]\n";
  const auto jitters = [&](const std::string& seed) {
    const Scene scene = parse(body, {.overrides = {{"simulation.seed", seed}}});
    Eigen::Matrix3Xd result(3, static_cast<Eigen::Index>(scene.bodies.size()));
    for (Eigen::Index i = 0; i < result.cols(); ++i) {
      const Eigen::Vector3d grid(static_cast<double>(i % 20), static_cast<double>(i / 20 % 10),
                                 static_cast<double>(i / 200));
      result.col(i) = scene.bodies[static_cast<std::size_t>(i)].pose.translation - grid;
    }
    return result;
  };
  const Eigen::Matrix3Xd first = jitters("1");
  CHECK(first == jitters("1"));
  CHECK((first - jitters("2")).norm() > 0.1);
  CHECK(first.cwiseAbs().maxCoeff() <= 0.02);
  // 6000 uniform numbers: mean 0 within 5 standard errors, second moment 0.02^2 / 3 within 5 %.
  CHECK(std::abs(first.mean()) < 5.0 * 0.02 / std::sqrt(3.0 * 6000.0));
  CHECK(first.squaredNorm() / 6000.0 == Approx(0.02 * 0.02 / 3.0).epsilon(0.05));
}

TEST_CASE("A name with dots stands in quotes in the path of an override") {
  const std::string bodies = "bodies: [{name: box.001, mass: 1, shapes: [{box: [1, 1, 1]}]}]\n";
  const Scene scene = parse(bodies, {.overrides = {{"bodies.\"box.001\".mass", "7"}}});
  CHECK(scene.bodies[0].inertia.mass == 7.0);
  CHECK_THROWS_WITH(parse(bodies, {.overrides = {{"bodies.\"box.001.mass", "7"}}}),
                    Catch::Contains("is not closed"));
}

TEST_CASE("An override sets one number of a list that the scene leaves at its default") {
  const std::string bodies =
      "bodies: [{name: box, mass: 6, shapes: [{box: [1, 1, 1]}]},\n"
      "  {name: rod, density: 1, shapes: [{box: [1, 2, 3], pose: {position: [1, 2, 3]}}]}]\n";
  const Scene scene = parse(bodies, {.overrides = {{"gravity.2", "-5"},
                                                   {"gravity.0", "0.5"},
                                                   {"bodies.box.pose.position.1", "3"},
                                                   {"bodies.box.pose.rpy_deg.2", "90"},
                                                   {"bodies.box.velocity.linear.0", "2"},
                                                   {"bodies.box.inertia.0", "1.5"},
                                                   {"bodies.rod.center_of_mass.2", "4"}}});
  CHECK(scene.gravity == Eigen::Vector3d(0.5, 0, -5));
  CHECK(scene.bodies[0].pose.translation == Eigen::Vector3d(0, 3, 0));
  CHECK(scene.bodies[0].pose.rotation.col(0).isApprox(Eigen::Vector3d::UnitY()));
  CHECK(scene.bodies[0].linear_velocity == Eigen::Vector3d(2, 0, 0));
  // A cube of 6 kg and 1 m has moments of 1 kg m^2.
  CHECK(scene.bodies[0].inertia.inertia.diagonal().isApprox(Eigen::Vector3d(1.5, 1, 1)));
  CHECK(scene.bodies[1].inertia.center_of_mass == Eigen::Vector3d(1, 2, 4));
  // Lists without a default, and items that they do not have, are errors; so is the form in a file.
  const auto with = [&](const std::string& path) {
    return [&bodies, path] { parse(bodies, {.overrides = {{path, "1"}}}); };
  };
  CHECK_THROWS_WITH(
      with("gravity.3")(),
      Catch::StartsWith("override gravity.3=1: gravity of the scene has no item '3'"));
  CHECK_THROWS_WITH(with("bodies.box.pose.quat_wxyz.0")(), Catch::Contains("give the whole list"));
  CHECK_THROWS_WITH(parse("gravity: {2: -5}\n"), Catch::Contains("list of 3 numbers, not a map"));
}

TEST_CASE("An override replaces one value and is recorded with the scene") {
  const io::LoadOptions options{.packages = {},
                                .overrides = {{"simulation.step", "0.5"},
                                              {"bodies.box.mass", "7"},
                                              {"bodies.0.shapes.0.box", "[2, 2, 2]"},
                                              {"output.every", "0.25"}},
                                .source = nullptr};
  const Scene scene =
      parse("bodies: [{name: box, mass: 1, shapes: [{box: [1, 1, 1]}]}]\n", options);
  CHECK(scene.simulation.steps == std::vector<double>{0.5});
  CHECK(scene.bodies[0].inertia.mass == 7.0);
  CHECK(std::get<Box>(scene.bodies[0].shapes[0].shape).size == Eigen::Vector3d(2, 2, 2));
  CHECK(scene.output.every == 0.25);
  CHECK(scene.overrides == options.overrides);
}
