#include "amontons/models/islands/left_corrections.h"
#include "amontons/optimization/lp/linear_program.h"
#include "amontons/simulation/stepping/correction_limits.h"
#include "amontons/simulation/stepping/point_speeds.h"
#include "amontons/simulation/system/articulation_groups.h"
#include "tests/geometry/shape_fixtures.h"
#include "tests/simulation/joint_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

// How fast overlaps open: no point of a body is faster than overlap_speed, and what nothing can
// open stays as it is and is said.

namespace amontons::test {
namespace {

/// Adds a fixed ball of 0.1 m.
void add_post(Scene& scene, const std::string& name, const Eigen::Vector3d& at) {
  add_body(scene, name, Sphere{0.1}, 1.0, at).base = BaseType::Fixed;
}

/// Returns the fastest point of any body at the present velocity [m/s].
double fastest_point(const Simulator& simulator) {
  const System& system = simulator.system();
  SystemKinematics at;
  compute_kinematics(system, simulator.state().q, simulator.state().v, simulator.time(), at);
  const PointSpeeds speeds(system, at);
  double fastest = 0.0;
  for (int a = 0; a < static_cast<int>(system.articulations().size()); ++a) {
    fastest = std::max(fastest, speeds.fastest_of(a, simulator.state().v));
  }
  return fastest;
}

/// Returns the seeds 0 to n - 1, and some in whose jams the reactions of a step, expected again in
/// the next one, would throw the mechanism.
std::vector<int> seeds(int n, std::initializer_list<int> jams) {
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  result.insert(result.end(), jams);
  return result;
}

bool says(const StepReport& report, const std::string& solver, const std::string& remark) {
  const auto& attempts = report.solution.attempts;
  return std::any_of(attempts.begin(), attempts.end(), [&](const SolveAttempt& attempt) {
    return attempt.solver == solver && attempt.remark.find(remark) != std::string::npos;
  });
}

/// Returns the fastest opening of a contact, by velocities of at most 1 m/s and rad/s that close no
/// other contact and pass no limit, from a linear program [m/s].
double fastest_opening(const ContactProblem& problem, std::size_t contact) {
  const Eigen::Index nv = problem.velocity.size();
  const auto nc = static_cast<Eigen::Index>(problem.num_contacts());
  const auto num_limits = static_cast<Eigen::Index>(problem.bounded_rows.size());
  const Eigen::MatrixXd J = problem.contact_jacobian.to_dense();
  Eigen::MatrixXd rows(nc + num_limits, nv);
  for (Eigen::Index i = 0; i < nc; ++i) rows.row(i) = J.row(3 * i + 2);
  if (num_limits > 0) rows.bottomRows(num_limits) = problem.bounded_jacobian.to_dense();
  // v = x - 1 with x in [0, 2]; the slack of each bound, and of each row, is a variable.
  const Eigen::Index nr = rows.rows();
  LinearProgram program{Eigen::VectorXd::Zero(2 * nv + nr),
                        Eigen::MatrixXd::Zero(nv + nr, 2 * nv + nr), Eigen::VectorXd(nv + nr)};
  program.c.head(nv) = -rows.row(static_cast<Eigen::Index>(contact)).transpose();
  program.A.block(0, 0, nv, nv).setIdentity();
  program.A.block(0, nv, nv, nv).setIdentity();
  program.A.block(nv, 0, nr, nv) = rows;
  program.A.block(nv, 2 * nv, nr, nr) = -Eigen::MatrixXd::Identity(nr, nr);
  program.b.head(nv).setConstant(2.0);
  program.b.tail(nr) = rows.rowwise().sum();
  const LinearProgramSolution found = solve_linear_program(program, LinearProgramSettings{});
  REQUIRE(found.status == SolveStatus::Converged);
  return rows.row(static_cast<Eigen::Index>(contact)).dot(found.y.head(nv)) -
         rows.row(static_cast<Eigen::Index>(contact)).sum();
}

}  // namespace

TEST_CASE("An overlap near an axle opens slowly enough for the end of a long arm") {
  const std::string model = GENERATE("coulomb", "anitescu-hart", "frictionless");
  const double lever = GENERATE(0.12, 0.3, 1.0);
  CAPTURE(model, lever);
  Scene scene = empty_scene(2e-3, 0.6, model);
  scene.gravity.setZero();
  default_material(scene, 0.4);
  add_body(scene, "arm", Box{{2.0, 0.1, 0.1}}, 3.0, {1.0, 0.0, 0.0});
  add_joint(scene, "hinge", JointType::Continuous, "world", "arm", Eigen::Vector3d::UnitY(),
            Eigen::Vector3d::Zero());
  add_post(scene, "post", {lever, 0.0, 0.10});  // 0.05 m deep
  Simulator simulator(scene);
  const double speed = default_overlap_speed(simulator.system());
  double fastest = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(report.solution.status == SolveStatus::Converged);
          fastest = std::max(fastest, fastest_point(simulator));
        }) == 0);
  CHECK(fastest <= 1.01 * speed);
  CHECK(fastest > 0.5 * speed);
  // It is out: the arm has turned by more than the overlap over the lever.
  CHECK(std::abs(joint_position(simulator, "hinge")) > 0.04 / std::hypot(lever, 0.1));
}

TEST_CASE("A free body in a slot that is too narrow stays, and the step names what cannot open") {
  const std::string model = GENERATE("coulomb", "anitescu-hart", "stewart-trinkle", "no-slip");
  const double step = GENERATE(5e-3, 5e-4);
  CAPTURE(model, step);
  Scene scene = empty_scene(step, 20.0 * step, model);
  default_material(scene, 0.5);
  add_body(scene, "peg", Box{{0.2, 0.2, 0.2}}, 2.0, {0.0, 0.0, 0.0});
  for (const double side : {-1.0, 1.0}) {
    SceneBody& wall = add_body(scene, side < 0.0 ? "left" : "right", Box{{0.2, 0.4, 0.4}}, 1.0,
                               {side * 0.16, 0.0, 0.0});
    wall.base = BaseType::Fixed;
  }
  Simulator simulator(scene);
  run(simulator, [&](const StepReport& report) {
    CHECK(report.solution.status == SolveStatus::Infeasible);
    CHECK_FALSE(report.certificate.holds);
    CHECK(says(report, "motion of overlaps", "no motion opens contact 0"));
    CHECK(std::abs(velocity(simulator).x()) <= 1e-6);
    CHECK(report.solution.impulses.lpNorm<Eigen::Infinity>() <= 2.0 * kGravity * step * 2.0);
  });
  CHECK(std::abs(position(simulator).x()) <= 1e-6);
}

TEST_CASE("Bodies with random deep overlaps are no faster than overlap_speed") {
  int infeasible = 0, steps = 0, blocked = 0;
  for (const int i : seeds(num_cases(20000), {241, 314, 386})) {
    Dice dice(static_cast<std::uint64_t>(7000 + i));
    const char* models[] = {"coulomb", "anitescu-hart", "convex-relaxation", "frictionless"};
    const std::string model = models[dice.index(4)];
    CAPTURE(i, model);
    const double step = dice.index(2) == 0 ? 1e-3 : 5e-3;
    Scene scene = empty_scene(step, 12.0 * step, model);
    scene.gravity.setZero();
    default_material(scene, dice.uniform(0.0, 1.0));
    // A chain of hinges with boxes, and posts that cut into them.
    const int links = 1 + dice.index(4);
    const auto point = [&dice](double size) {
      return Eigen::Vector3d(dice.uniform(-size, size), dice.uniform(-size, size),
                             dice.uniform(-size, size));
    };
    std::string parent = dice.index(3) == 0 ? "" : "world";
    Eigen::Vector3d at = Eigen::Vector3d::Zero();
    for (int k = 0; k < links; ++k) {
      const std::string name = "link" + std::to_string(k);
      const Eigen::Vector3d center = at + Eigen::Vector3d(0.25, 0.0, 0.0);
      add_body(scene, name, Box{{0.5, 0.1, dice.uniform(0.05, 0.2)}}, dice.uniform(0.1, 2.0),
               center);
      if (!parent.empty()) {
        add_joint(scene, "hinge" + std::to_string(k), JointType::Continuous, parent, name,
                  point(1.0).normalized(), at);
      }
      const int posts = dice.index(3);
      for (int p = 0; p < posts; ++p) {
        add_post(scene, "post" + std::to_string(k) + "-" + std::to_string(p),
                 center + Eigen::Vector3d(dice.uniform(-0.2, 0.2), 0.0, 0.0) + point(0.12));
      }
      parent = name;
      at += Eigen::Vector3d(0.5, 0.0, 0.0);
    }
    Simulator simulator(scene);
    const double speed = default_overlap_speed(simulator.system());
    double before = 0.0, energy = 0.0;
    run(simulator, [&](const StepReport& report) {
      const double now = fastest_point(simulator);
      // An opening adds its speed to what moves; the pose at the end changes levers a little.
      // Inertia alone may change the fastest point of a chain that turns, without energy.
      if (now > 1.3 * (before + speed)) CHECK(report.energy.kinetic <= 1.01 * energy);
      CHECK(std::isfinite(report.energy.kinetic));
      infeasible += report.solution.status == SolveStatus::Infeasible ? 1 : 0;
      ++steps;
      // What is said to be blocked, an independent program cannot open either.
      for (std::size_t c = 0; c < report.problem.num_contacts(); ++c) {
        if (!report.problem.is_blocked(report.problem.contacts[c])) continue;
        ++blocked;
        CAPTURE(c);
        CHECK(fastest_opening(report.problem, c) <= 0.1);
      }
      before = now;
      energy = report.energy.kinetic;
    });
  }
  // Most overlaps can open.
  CHECK(infeasible < steps / 2);
  CHECK(blocked > 0);
}

TEST_CASE("A mechanism deep in the ground is never blocked: all of it could rise") {
  const int cases = num_cases(2000);
  for (int i = 0; i < cases; ++i) {
    Dice dice(static_cast<std::uint64_t>(9000 + i));
    CAPTURE(i);
    Scene scene = empty_scene(1e-3, 60e-3, "coulomb");
    default_material(scene, dice.uniform(0.0, 1.0));
    add_ground(scene);
    // Heavy and light links, some with limits that are near.
    const int links = 2 + dice.index(4);
    const Eigen::Vector3d turn(dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), 0.0);
    const Eigen::Quaterniond pose(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
    const Eigen::Vector3d start(0.0, 0.0, dice.uniform(-0.3, 0.3));
    for (int k = 0; k < links; ++k) {
      const std::string name = "link" + std::to_string(k);
      SceneBody& link = add_body(scene, name, Box{{0.4, 0.1, dice.uniform(0.05, 0.2)}},
                                 std::pow(10.0, dice.uniform(-1.0, 1.5)),
                                 start + pose * Eigen::Vector3d(0.5 * k, 0.0, 0.0));
      link.pose.rotation = pose.toRotationMatrix();
      if (k == 0) continue;
      SceneJoint& hinge = add_joint(scene, "hinge" + std::to_string(k), JointType::Revolute,
                                    "link" + std::to_string(k - 1), name,
                                    pose * Eigen::Vector3d::Unit(dice.index(3)),
                                    start + pose * Eigen::Vector3d(0.5 * k - 0.25, 0.0, 0.0));
      hinge.dynamics.limits = {{-dice.uniform(0.0, 0.3), dice.uniform(0.0, 0.3)}};
    }
    Simulator simulator(scene);
    run(simulator, [&](const StepReport& report) {
      CHECK(report.solution.status != SolveStatus::Infeasible);
      CHECK_FALSE(report.problem.has_blocked_overlaps());
    });
  }
}

TEST_CASE("Shallow overlaps of a mechanism at its limits open within overlap_speed") {
  const int cases = num_cases(4000);
  int steps = 0, overlaps = 0, too_fast = 0;
  for (const int i : seeds(cases, {788})) {
    Dice dice(static_cast<std::uint64_t>(11000 + i));
    CAPTURE(i);
    const double step = dice.index(2) == 0 ? 1e-3 : 2e-3;
    Scene scene = empty_scene(step, 15.0 * step, "coulomb");
    default_material(scene, dice.uniform(0.0, 1.0));
    // A chain between posts that touch it or cut a little into it, with joints at a limit.
    const int links = 2 + dice.index(4);
    Eigen::Vector3d at(-0.2, 0.0, 0.0);
    for (int k = 0; k < links; ++k, at.x() += 0.4) {
      const std::string name = "link" + std::to_string(k);
      add_body(scene, name, Box{{0.3, 0.1, 0.1}}, std::pow(10.0, dice.uniform(-1.0, 1.0)),
               at + 0.2 * Eigen::Vector3d::UnitX());
      if (k > 0 || dice.index(2) == 0) {
        SceneJoint& hinge = add_joint(scene, "hinge" + std::to_string(k), JointType::Revolute,
                                      k > 0 ? "link" + std::to_string(k - 1) : "world", name,
                                      Eigen::Vector3d::Unit(dice.index(3)), at);
        const double upper = dice.index(2) == 0 ? 0.0 : 0.3;
        hinge.dynamics.limits = {{upper - 0.3, upper}};
        hinge.rate = dice.uniform(-3.0, 3.0);
      }
      const int posts = dice.index(3);
      for (int p = 0; p < posts; ++p) {
        const double side = dice.index(2) == 0 ? -1.0 : 1.0;
        add_post(scene, "post" + std::to_string(k) + "-" + std::to_string(p),
                 at + Eigen::Vector3d(dice.uniform(0.1, 0.3), 0.0,
                                      side * (0.15 - dice.uniform(-1e-3, 2e-3))));
      }
    }
    Simulator simulator(scene);
    run(simulator, [&](const StepReport& report) {
      ++steps;
      overlaps += report.problem.opens_overlaps();
      too_fast += says(report, kOpeningTooFast, "");
    });
  }
  CHECK(overlaps > cases);
  // A few are fast by the friction and the impacts of other contacts.
  CHECK(too_fast <= steps / 1000);
}

TEST_CASE("Point speeds are those of the fastest point, and groups are what rows connect") {
  Scene scene = empty_scene(1e-3, 1e-3, "coulomb");
  add_body(scene, "ball", Sphere{0.5}, 1.0, {0.0, 0.0, 0.0}).linear_velocity = {3.0, 0.0, 4.0};
  SceneBody& box = add_body(scene, "box", Box{{0.6, 0.8, 0.1}}, 1.0, {3.0, 0.0, 0.0});
  box.angular_velocity = {0.0, 0.0, 2.0};
  const Simulator simulator(scene);
  const System& system = simulator.system();
  SystemKinematics at;
  compute_kinematics(system, simulator.state().q, simulator.state().v, simulator.time(), at);
  const PointSpeeds speeds(system, at);
  CHECK(speeds.fastest_of(0, simulator.state().v) == Approx(5.0).epsilon(1e-12));
  // A corner is 0.5 m from the axis; the ball about the box is a little larger.
  const double of_box = speeds.fastest_of(1, simulator.state().v);
  CHECK(of_box >= 1.0);
  CHECK(of_box <= 2.0 * 0.51);

  ArticulationGroups groups(system);
  CHECK(groups.of(0) == 0);
  CHECK(groups.of(1) == 1);
  CHECK(speeds.fastest_of(groups, simulator.state().v)[1] == of_box);
  BlockSparseMatrix rows(system.num_velocities());
  rows.add_block_row(1);
  rows.block_at(0, 6).setOnes();
  rows.block_at(6, 6).setOnes();
  groups.join(rows, 0);
  CHECK(groups.of(1) == 0);
  CHECK(groups.of_row(rows, 0) == 0);
  CHECK(speeds.fastest_of(groups, simulator.state().v)[0] == Approx(5.0).epsilon(1e-12));
}

}  // namespace amontons::test
