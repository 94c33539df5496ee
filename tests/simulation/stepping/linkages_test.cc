#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons::test {
namespace {

constexpr double kCrank = 0.3, kCoupler = 0.8, kRocker = 0.6, kGround = 0.9;

SceneBody& add_rod(Scene& scene, const std::string& name, const Eigen::Vector3d& from,
                   const Eigen::Vector3d& to) {
  const double l = (to - from).norm();
  SceneBody& rod =
      add_mass(scene, name, l, {1e-3, l * l * l / 12.0, l * l * l / 12.0}, 0.5 * (from + to));
  const Eigen::Vector3d x = (to - from) / l;
  rod.pose.rotation.col(0) = x;
  rod.pose.rotation.col(1) = Eigen::Vector3d::UnitY();
  rod.pose.rotation.col(2) = x.cross(Eigen::Vector3d::UnitY());
  return rod;
}

// Returns the joint of coupler and rocker for a crank at an angle: the upper intersection of two
// circles in the x-z plane.
Eigen::Vector3d rocker_tip(const Eigen::Vector3d& crank_tip) {
  const Eigen::Vector3d pivot(kGround, 0.0, 0.0), d = pivot - crank_tip;
  const double along =
      (kCoupler * kCoupler - kRocker * kRocker + d.squaredNorm()) / (2.0 * d.norm());
  const double height = std::sqrt(kCoupler * kCoupler - along * along);
  const Eigen::Vector3d u = d.normalized();
  return crank_tip + along * u + height * Eigen::Vector3d(-u.z(), 0.0, u.x());
}

// Makes four 3-D hinges about y. The loop is closed by five rows, three of them redundant (all
// hinges are parallel), or by twenty in maximal coordinates.
Scene four_bar(Coordinates coordinates, double step) {
  Scene scene = empty_scene(step, 2.0, "coulomb");
  const Eigen::Vector3d a(0.0, 0.0, 0.0), b = kCrank * Eigen::Vector3d(0.6, 0.0, 0.8);
  const Eigen::Vector3d c = rocker_tip(b), d(kGround, 0.0, 0.0);
  add_rod(scene, "crank", a, b);
  add_rod(scene, "coupler", b, c);
  add_rod(scene, "rocker", c, d);
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  add_joint(scene, "A", JointType::Continuous, "world", "crank", y, a).rate = 0.0;
  add_joint(scene, "B", JointType::Continuous, "crank", "coupler", y, b);
  add_joint(scene, "C", JointType::Continuous, "coupler", "rocker", y, c);
  add_joint(scene, "D", JointType::Continuous, "world", "rocker", y, d);
  for (SceneJoint& joint : scene.joints) joint.coordinates = coordinates;
  return scene;
}

Eigen::Vector3d point_of(const Simulator& simulator, const std::string& body, double x) {
  const System& system = simulator.system();
  SystemKinematics kinematics;
  compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, kinematics);
  return kinematics.X_WB[static_cast<std::size_t>(system.find_body(body))] *
         Eigen::Vector3d(x, 0.0, 0.0);
}

}  // namespace

TEST_CASE("A planar four-bar of hinges in space has three redundant rows, found and solved") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    Scene scene = four_bar(coordinates, 0.01);
    scene.simulation.projection = true;
    Simulator simulator(scene);
    const JointRank rank = compute_joint_rank(simulator.system(), simulator.state());
    CHECK(rank.rows == (coordinates == Coordinates::Reduced ? 5 : 20));
    CHECK(rank.redundant() == 3);
    CHECK(rank.error <= 1e-14);
    CHECK_FALSE(rank.redundant_joints.empty());
    // Projection keeps the loop closed: the rocker ends where the circles meet.
    const int missed = run(simulator, [&](const StepReport& report) {
      CHECK(report.certificate.infeasibility <= 1e-12);
      CHECK(report.certificate.joint.value <= 1e-8);
      const Eigen::Vector3d tip = point_of(simulator, "crank", 0.5 * kCrank);
      const Eigen::Vector3d expected = rocker_tip(tip);
      CHECK((point_of(simulator, "coupler", 0.5 * kCoupler) - expected).norm() <= 1e-9);
      CHECK((point_of(simulator, "rocker", -0.5 * kRocker) - expected).norm() <= 1e-9);
    });
    CHECK(missed == 0);
  }
}

// Three of the five rows of the rail repeat what the hinges hold, up to the errors of a step: which
// of them count as independent changes from step to step.
TEST_CASE("A slider-crank on a rail holds its redundant rows in any plane") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 8; ++round) {
    const Eigen::Quaterniond turn(normal(random), normal(random), normal(random), normal(random));
    const Eigen::Matrix3d R = turn.normalized().toRotationMatrix();
    Scene scene = empty_scene(2.5e-4, 0.15, "coulomb");
    scene.gravity = 9.81 * R.col(1);
    const auto add = [&](const char* name, double mass, double moment, const Eigen::Vector3d& at) {
      add_mass(scene, name, mass, {moment, moment, moment}, R * at).pose.rotation = R;
    };
    add("crank", 1.0, 0.02, {0.06, -0.08, 0.0});
    add("rod", 0.5, 0.02, {0.32, -0.08, 0.0});
    add("slider", 2.0, 0.01, {0.52, 0.0, 0.0});
    const Eigen::Vector3d z = R.col(2);
    add_joint(scene, "c", JointType::Revolute, "world", "crank", z, Eigen::Vector3d::Zero());
    add_joint(scene, "s", JointType::Revolute, "rod", "slider", z, R * Eigen::Vector3d(0.52, 0, 0));
    add_joint(scene, "rail", JointType::Prismatic, "world", "slider", R.col(0),
              Eigen::Vector3d::Zero());
    add_joint(scene, "r", JointType::Revolute, "crank", "rod", z,
              R * Eigen::Vector3d(0.12, -0.16, 0));
    Simulator simulator(scene);
    CAPTURE(round);
    CHECK(run(simulator) == 0);
    CHECK(simulator.state().v.lpNorm<Eigen::Infinity>() > 0.5);  // it moves
  }
}

TEST_CASE("A stabilized four-bar leaves its circles by O(h^2) only, in either coordinates") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    double previous = 0.0;
    for (const double step : {0.01, 0.005, 0.0025}) {
      Scene scene = four_bar(coordinates, step);
      scene.simulation.gamma = 1.0;
      Simulator simulator(scene);
      double worst = 0.0;
      CHECK(run(simulator, [&](const StepReport& report) {
              worst = std::max(worst, report.certificate.infeasibility);
            }) == 0);
      CHECK(worst > 0.0);
      if (previous > 0.0) CHECK(std::log2(previous / worst) > 1.7);
      previous = worst;
    }
  }
}

TEST_CASE("A loop of a model, weld or connect, is rows between its links") {
  // A double pendulum whose tip is connected to the world cannot move in its plane; welded to its
  // second link, a third one moves with it.
  Scene scene = empty_scene(0.005, 1.0, "coulomb");
  SceneModel& model = scene.models.emplace_back();
  model.name = "m";
  model.base = BaseType::Fixed;
  model.links.resize(3);
  model.joints.resize(2);
  for (int i = 0; i < 3; ++i) {
    ModelLink& link = model.links[static_cast<std::size_t>(i)];
    link.name = "link" + std::to_string(i);
    link.inertia = {1.0, {0.5, 0.0, 0.0}, Eigen::Vector3d::Constant(0.1).asDiagonal()};
    if (i == 0) continue;
    ModelJoint& joint = model.joints[static_cast<std::size_t>(i) - 1];
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::Continuous;
    joint.parent = i - 1;
    joint.child = i;
    joint.axis = Eigen::Vector3d::UnitY();
    joint.X_PJ.translation.x() = i == 1 ? 0.0 : 1.0;
    joint.start = i == 1 ? 0.5 : -1.0;
  }
  Scene open = scene;
  ModelLoop& connect = model.loops.emplace_back();
  connect.name = "tip";
  connect.type = JointType::Spherical;
  connect.link_a = -1;
  connect.link_b = 2;
  connect.X_AF.translation = {2.0 * std::cos(0.5), 0.0, 0.0};
  connect.X_BM.translation = {1.0, 0.0, 0.0};
  Simulator closed(scene), free(open);
  CHECK(closed.system().num_joint_rows() == 3);
  CHECK(closed.system().find_joint("m/tip") >= 0);
  const Eigen::VectorXd start = closed.state().q;
  CHECK(run(closed) == 0);
  CHECK(run(free) == 0);
  CHECK((closed.state().q - start).norm() <= 1e-10);
  CHECK((free.state().q - start).norm() > 0.5);
}

TEST_CASE("Servos, efforts and gears of a model are those of its own joints") {
  Scene scene = empty_scene(0.01, 5.0, "coulomb");
  scene.gravity.setZero();
  SceneModel& model = scene.models.emplace_back();
  model.name = "gripper";
  model.base = BaseType::Fixed;
  model.links.resize(3);
  model.joints.resize(2);
  for (int i = 0; i < 3; ++i) {
    ModelLink& link = model.links[static_cast<std::size_t>(i)];
    link.name = "link" + std::to_string(i);
    link.inertia = {0.2, Eigen::Vector3d::Zero(), Eigen::Vector3d::Constant(0.1).asDiagonal()};
    link.shapes.push_back({Sphere{0.05}, Pose{}, "default"});
    if (i == 0) continue;
    ModelJoint& joint = model.joints[static_cast<std::size_t>(i) - 1];
    joint.name = i == 1 ? "left" : "right";
    joint.type = JointType::Prismatic;
    joint.parent = 0;
    joint.child = i;
    joint.axis = Eigen::Vector3d::UnitX();
    joint.X_PJ.translation.y() = i == 1 ? 0.5 : -0.5;
  }
  JointServo& servo = model.servos.emplace_back();
  servo.joint = "left";
  servo.target = 0.25;
  servo.kp = 40.0;
  servo.kd = 8.0;
  model.efforts.push_back({"right", 2.0, {}});
  model.couplings.push_back({"mirror", "right", "left", {-1.0, 0.0}, {}});
  model.excluded.emplace_back(2, 1);
  Simulator simulator(scene);
  CHECK_FALSE(simulator.system().may_collide(1, 2));
  CHECK(run(simulator) == 0);
  // kp (target - left) = effort: the effort on the right pulls the left one back by the mirror.
  CHECK(std::abs(joint_position(simulator, "gripper/left") - (0.25 - 2.0 / 40.0)) <= 1e-6);
  CHECK(std::abs(joint_position(simulator, "gripper/right") +
                 joint_position(simulator, "gripper/left")) <= 1e-12);
}

}  // namespace amontons::test
