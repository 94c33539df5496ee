#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

using namespace amontons;
namespace fs = std::filesystem;

// One robot of the examples, written in several formats, is one robot.

namespace {

const fs::path kExamples = fs::path(AMONTONS_SOURCE_DIR) / "examples";

struct Robot {
  const char* folder;
  const char* file;
  const char* base;
  const char* pose;  ///< pose, where the file itself has none
};

Scene load(const Robot& robot, const std::string& more = "") {
  const std::string text =
      std::string(
          "amontons: 1\nsimulation: {step: 0.002, duration: 1}\nmodels: [{name: r, file: ") +
      robot.file + robot.base + robot.pose + "}]\n" + more;
  return io::parse_scene(text, "scene.yaml", io::DiskFiles(kExamples / robot.folder));
}

/// Returns the index of a body or joint of the second system for each of the first.
template <typename Items>
std::vector<std::size_t> match(const Items& first, const Items& second) {
  std::vector<std::size_t> result;
  for (const auto& item : first) {
    const auto found = std::find_if(second.begin(), second.end(),
                                    [&](const auto& other) { return other.name == item.name; });
    INFO(item.name);
    REQUIRE(found != second.end());
    result.push_back(static_cast<std::size_t>(found - second.begin()));
  }
  return result;
}

void check_forces(const System& a, const System& b) {
  REQUIRE(a.num_velocities() == b.num_velocities());
  REQUIRE(a.articulations().size() == b.articulations().size());
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int k = 0; k < 5; ++k) {
    Eigen::VectorXd q = a.initial_state().q, v(a.num_velocities());
    for (const JointCoordinate& joint : a.joints()) {
      if (joint.num_q == 1) q[joint.q_offset] = number(engine);
    }
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = number(engine);
    SystemKinematics ka, kb;
    compute_kinematics(a, q, v, 0.0, ka);
    compute_kinematics(b, q, v, 0.0, kb);
    for (std::size_t t = 0; t < ka.trees.size(); ++t) {
      const Articulation &ta = a.articulations()[t], &tb = b.articulations()[t];
      const int i = a.v_offset(static_cast<int>(t)), n = ta.num_velocities();
      const Eigen::MatrixXd M = ta.mass_matrix(ka.trees[t]);
      CHECK((M - tb.mass_matrix(kb.trees[t])).norm() <= 1e-9 * M.norm());
      const Eigen::VectorXd bias =
          ta.inverse_dynamics(ka.trees[t], v.segment(i, n), Eigen::VectorXd::Zero(n), a.gravity());
      const Eigen::VectorXd other =
          tb.inverse_dynamics(kb.trees[t], v.segment(i, n), Eigen::VectorXd::Zero(n), b.gravity());
      CHECK((bias - other).norm() <= 1e-9 * bias.norm());
    }
  }
}

void check_motion(const Scene& first, const Scene& second) {
  Simulator a(first), b(second);
  const std::vector<std::size_t> body = match(a.system().bodies(), b.system().bodies());
  SystemKinematics ka, kb;
  double worst = 0.0;
  while (!a.finished()) {
    a.step();
    b.step();
    compute_kinematics(a.system(), a.state().q, a.state().v, a.time(), ka);
    compute_kinematics(b.system(), b.state().q, b.state().v, b.time(), kb);
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Pose &X = ka.X_WB[i], &Y = kb.X_WB[body[i]];
      worst = std::max(worst, (X.translation - Y.translation).norm());
      worst = std::max(worst, (X.rotation - Y.rotation).norm());
    }
  }
  CHECK(worst < 1e-9);
}

}  // namespace

TEST_CASE(
    "The quadruped of MJCF is that of URDF: mass matrix, bias, what may touch, a second of it") {
  const Robot urdf{"quadruped", "quadruped.urdf", ", base: free",
                   ", pose: {position: [0, 0, 0.26]}"};
  const Robot mjcf{"quadruped", "quadruped.xml", "", ""};
  const std::string ground =
      "bodies: [{name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}]\n";
  const System a(load(urdf)), b(load(mjcf));
  match(a.joints(), b.joints());
  check_forces(a, b);
  REQUIRE(a.shapes().size() == b.shapes().size());
  for (int i = 0; i < static_cast<int>(a.shapes().size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(a.shapes().size()); ++j) {
      CAPTURE(
          a.bodies()[static_cast<std::size_t>(a.shapes()[static_cast<std::size_t>(i)].body)].name,
          a.bodies()[static_cast<std::size_t>(a.shapes()[static_cast<std::size_t>(j)].body)].name);
      CHECK(a.may_collide(i, j) == b.may_collide(i, j));
    }
  }
  check_motion(load(urdf, ground), load(mjcf, ground));
}

TEST_CASE("The arm of MJCF is that of URDF: mass matrix, bias, a second of its fall") {
  if (!fs::exists(kExamples / "arm/arm.urdf")) {
    WARN("SKIPPED: there is no arm.urdf to compare with");
    return;
  }
  const Scene a = load({"arm", "arm.urdf", ", base: fixed", ""}),
              b = load({"arm", "arm.xml", "", ""});
  check_forces(System(a), System(b));
  check_motion(a, b);
}
