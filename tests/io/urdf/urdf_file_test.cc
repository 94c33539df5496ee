#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/system.h"
#include "tests/io/urdf/urdf_sample.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace amontons;
using test::load_robot;
using test::sample_urdf;

namespace {

std::vector<LedgerEntry> entries_of(const Scene& scene, ImportFate fate) {
  std::vector<LedgerEntry> result;
  for (const LedgerEntry& entry : scene.ledger.entries) {
    if (entry.fate == fate) result.push_back(entry);
  }
  return result;
}

/// Returns the sample with an independent joint 'slide'.
std::string without_mimic(std::string text) {
  const std::size_t begin = text.find("    <mimic");
  return text.erase(begin, text.find('\n', begin) - begin);
}

/// Returns a chain of two links with the given inertials, on a hinge about z at the root's origin.
std::string two_links(const std::string& root, const std::string& child) {
  return "<robot name='two'>\n<link name='root'>" + root + "</link>\n<link name='child'>" + child +
         "</link>\n<joint name='hinge' type='continuous'><parent link='root'/><child link='child'/>"
         "<axis xyz='0 0 1'/></joint>\n</robot>\n";
}

std::string inertial(const std::string& mass, const std::string& ixx, const std::string& iyy,
                     const std::string& izz) {
  return "<inertial><mass value='" + mass + "'/><inertia ixx='" + ixx + "' ixy='0' ixz='0' iyy='" +
         iyy + "' iyz='0' izz='" + izz + "'/></inertial>";
}

}  // namespace

TEST_CASE("Links of a robot come depth first, each on the joint that carries it") {
  const Scene scene = load_robot(sample_urdf());
  const SceneModel& model = scene.models.at(0);
  std::vector<std::string> names;
  for (const ModelLink& link : model.links) names.push_back(link.name);
  CHECK(names == std::vector<std::string>{"world", "base", "upper", "finger", "tool"});
  REQUIRE(model.joints.size() == 4);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    CHECK(model.joints[i].child == static_cast<int>(i) + 1);
    CHECK(model.joints[i].parent < model.joints[i].child);
  }
  CHECK(model.joints[1].name == "elbow");
  CHECK(model.links[2].where.file == "scenes/robots/sample.urdf");
  const std::string text = sample_urdf();
  const auto upper = text.begin() + static_cast<std::ptrdiff_t>(text.find("<link name=\"upper\">"));
  CHECK(model.links[2].where.line == 1 + std::count(text.begin(), upper, '\n'));
}

TEST_CASE("Joints have the type, frame, axis and limits of the file") {
  const Scene scene = load_robot(sample_urdf());
  const ModelJoint& elbow = scene.models.at(0).joints.at(1);
  CHECK(elbow.type == JointType::Revolute);
  CHECK(elbow.axis == Eigen::Vector3d::UnitY());
  CHECK(elbow.X_PJ.translation == Eigen::Vector3d(0, 0, 0.3));
  CHECK((elbow.X_PJ.rotation - rotation_from_rpy(0.1, 0.2, 0.3)).norm() < 1e-15);
  CHECK(elbow.dynamics.limits == std::array{-1.0, 2.0});
  CHECK(elbow.dynamics.effort_limit == 50.0);
  CHECK(elbow.dynamics.velocity_limit == 3.0);
  CHECK(elbow.dynamics.viscous_friction == 0.7);
  CHECK(elbow.dynamics.coulomb_friction == 0.3);
  const ModelJoint& slide = scene.models.at(0).joints.at(2);
  CHECK(slide.type == JointType::Prismatic);
  CHECK(slide.axis == Eigen::Vector3d::UnitZ());
}

TEST_CASE("A mimic is a coupling, and the joint starts where it wants it") {
  const Scene scene = load_robot(sample_urdf(), ", joint_positions: {elbow: 0.01}");
  const SceneModel& model = scene.models.at(0);
  REQUIRE(model.couplings.size() == 1);
  CHECK(model.couplings[0].joint == "slide");
  CHECK(model.couplings[0].reference == "elbow");
  CHECK(model.couplings[0].curve.multiplier == 2.0);
  CHECK(model.couplings[0].curve.offset == 0.02);
  CHECK(model.joints.at(2).start == 0.04);
  const System system(scene);
  REQUIRE(system.couplings().size() == 1);
  CHECK(system.num_joint_rows() == 1);
  CHECK(system.initial_state().q[system.couplings()[0].a.q_index] == 0.04);
  CHECK(system.find_joint("r/slide mimics elbow") >= 0);
  // In maximal coordinates the row lies between what is measured along the two joints.
  const System maximal(load_robot(sample_urdf(), ", base: fixed, coordinates: maximal"));
  REQUIRE(maximal.couplings().size() == 1);
  CHECK(maximal.couplings()[0].a.loop >= 0);
  CHECK(compute_joint_rank(maximal, maximal.initial_state()).error <= 1e-14);
}

TEST_CASE("Inertia of a link is turned from the axes of its origin into the link's") {
  const Scene scene = load_robot(sample_urdf());
  const SpatialInertia& base = scene.models.at(0).links.at(1).inertia;
  CHECK(base.mass == 2.0);
  CHECK(base.center_of_mass == Eigen::Vector3d(0.1, 0, 0));
  // A quarter turn about z exchanges the moments about x and y.
  const Eigen::Matrix3d expected = Eigen::Vector3d(0.2, 0.1, 0.25).asDiagonal();
  CHECK((base.inertia - expected).norm() < 1e-15);
  const SpatialInertia& upper = scene.models.at(0).links.at(2).inertia;
  CHECK(upper.inertia(0, 1) == 0.01);
  CHECK(upper.inertia(0, 2) == 0.02);
  CHECK(upper.inertia(1, 2) == 0.03);
  CHECK(scene.models.at(0).links.at(4).inertia.mass == 0.0);
}

TEST_CASE("Every collision of a link becomes a shape in its pose") {
  const Scene scene = load_robot(sample_urdf());
  const std::vector<ModelLink>& links = scene.models.at(0).links;
  REQUIRE(links.at(1).shapes.size() == 2);
  CHECK(std::get<Box>(links[1].shapes[0].shape).size == Eigen::Vector3d(0.4, 0.5, 0.6));
  CHECK(links[1].shapes[0].X_BG.translation == Eigen::Vector3d(0, 0.1, 0));
  CHECK(std::get<Sphere>(links[1].shapes[1].shape).radius == 0.3);
  CHECK(std::get<Cylinder>(links[2].shapes.at(0).shape).radius == 0.35);
  CHECK(std::get<Cylinder>(links[2].shapes.at(0).shape).length == 0.4);
  const auto& hull =
      *std::get<std::shared_ptr<const ConvexPolyhedron>>(links[3].shapes.at(0).shape);
  CHECK(hull.vertices().size() == 4);
  CHECK(hull.bounding_radius() == Approx(0.1).epsilon(1e-7));
}

TEST_CASE("The keys of a model reach it") {
  const Scene scene = load_robot(
      without_mimic(sample_urdf()),
      ", base: fixed, coordinates: maximal, self_collide: all, pose: {position: [1, 2, 3]}, "
      "joint_positions: {elbow: 0.5, slide: 0.02}",
      "actuators: []\n");
  const SceneModel& model = scene.models.at(0);
  CHECK(model.name == "r");
  CHECK(model.base == BaseType::Fixed);
  CHECK(model.coordinates == Coordinates::Maximal);
  CHECK(model.self_collide == ModelCollisions::All);
  CHECK(model.pose.translation == Eigen::Vector3d(1, 2, 3));
  CHECK(model.joint_positions.at("elbow") == 0.5);
  CHECK(model.joint_positions.at("slide") == 0.02);
}

TEST_CASE("Joints and links of a model can be driven and joined by name") {
  const Scene scene = load_robot(
      sample_urdf(), "",
      "joints: [{name: rod, type: distance, parent: world, child: r/finger, at: [[0, 0, 0], "
      "[0, 0, 1]]}]\n"
      "actuators:\n"
      "  - {joint: r/elbow, effort: 1}\n"
      "  - {body: r/upper, force: [1, 0, 0]}\n");
  CHECK(scene.efforts.at(0).joint == "r/elbow");
  CHECK(scene.wrenches.at(0).body == "r/upper");
  CHECK(scene.joints.at(0).child == "r/finger");
}

TEST_CASE("A joint that cannot start at 0 starts at its nearest limit, and the ledger says so") {
  const Scene scene = load_robot(without_mimic(sample_urdf()));
  const std::vector<LedgerEntry> entries = entries_of(scene, ImportFate::Approximated);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].element == "joint 'slide': start position");
  CHECK_THAT(entries[0].reason, Catch::EndsWith("it starts at 0.01"));
  const Scene outside = load_robot(without_mimic(sample_urdf()), ", joint_positions: {elbow: 3}");
  REQUIRE(outside.ledger.findings().size() == 1);
  CHECK_THAT(outside.ledger.findings()[0].reason, Catch::Contains("3 lies outside"));
}

TEST_CASE("A root without mass is fixed to the world unless the scene says otherwise") {
  CHECK(load_robot(sample_urdf()).models.at(0).base == BaseType::Fixed);  // its root is the world
  const std::string body = inertial("1", "1", "1", "1");
  CHECK(load_robot(two_links(body, body)).models.at(0).base == BaseType::Free);
  const Scene bare = load_robot(two_links("", body));
  CHECK(bare.models.at(0).base == BaseType::Fixed);
  const std::vector<LedgerEntry>& entries = bare.ledger.entries;
  CHECK(std::any_of(entries.begin(), entries.end(), [](const LedgerEntry& entry) {
    return entry.reason.find("'root' has no mass") != std::string::npos;
  }));
  CHECK_THROWS_WITH(load_robot(two_links("", body), ", base: free"),
                    Catch::StartsWith("scenes/robots/sample.urdf:2: link 'root' moves but has no "
                                      "mass"));
}

TEST_CASE("A moving link without mass is held, and a mass matrix must be positive definite") {
  const std::string body = inertial("1", "1", "1", "1");
  for (const std::string& child : {std::string(), inertial("0", "1", "1", "1")}) {
    const Scene scene = load_robot(two_links(body, child));
    CHECK(scene.models.at(0).joints.at(0).type == JointType::Fixed);
    const std::vector<LedgerEntry> findings = scene.ledger.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].element == "joint 'hinge'");
    CHECK_THAT(findings[0].reason,
               Catch::StartsWith("held, because link 'child' moves without mass"));
  }
  // A point mass on the axis of its hinge turns for free.
  CHECK_THROWS_WITH(load_robot(two_links(body, inertial("1", "0", "0", "0"))),
                    Catch::Contains("not positive definite"));
  // On a fixed base only the moment about the hinge counts.
  CHECK_NOTHROW(load_robot(two_links("", inertial("1", "0", "0", "1")), ", base: fixed"));
  CHECK_THROWS_WITH(load_robot(two_links("", inertial("1", "0", "0", "1")),
                               ", base: fixed, coordinates: maximal"),
                    Catch::Contains("coordinates: maximal"));
}

TEST_CASE("Inertia that no body has is a finding, not an error") {
  const std::string body = inertial("1", "1", "1", "1");
  const auto findings = [&](const std::string& child) {
    return load_robot(two_links(body, child)).ledger.findings();
  };
  CHECK(findings(body).empty());
  const std::vector<LedgerEntry> triangle = findings(inertial("1", "1", "1", "3"));
  REQUIRE(triangle.size() == 1);
  CHECK(triangle[0].fate == ImportFate::Warning);
  CHECK(triangle[0].where.line == 3);
  CHECK_THAT(triangle[0].reason, Catch::Contains("sum of the other two"));

  const std::string ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
  // 0.1 kg m^2 with 1 kg needs mass 0.3 m away; 1000 kg in 4.2 liters are no material.
  const std::vector<LedgerEntry> far = findings(inertial("1", "0.1", "0.1", "0.1") + ball);
  REQUIRE(far.size() == 1);
  CHECK_THAT(far[0].reason, Catch::Contains("radius of gyration of 0.3162 m"));
  const std::vector<LedgerEntry> dense = findings(inertial("1000", "1", "1", "1") + ball);
  REQUIRE(dense.size() == 1);
  CHECK_THAT(dense[0].reason, Catch::Contains("density"));
  CHECK(findings(inertial("4", "0.016", "0.016", "0.016") + ball).empty());
}

TEST_CASE("The recorded inputs of a robot suffice to read it again") {
  const Scene scene = load_robot(sample_urdf());
  std::vector<std::string> names;
  for (const InputFile& input : scene.inputs) names.push_back(input.path);
  CHECK(names ==
        std::vector<std::string>{"robots/sample.urdf", "package://sample_description/tip.obj"});
  const Scene again = io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs));
  CHECK(again.models.at(0).links.size() == 5);
  CHECK(again.ledger.entries.size() == scene.ledger.entries.size());
}
