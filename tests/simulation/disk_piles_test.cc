#include "amontons/contact/certificate/certificate.h"
#include "amontons/optimization/lp/linear_program.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

// R18: piles of disks with free ends. Static equilibrium at one friction coefficient is a linear
// program, independent of the contact models. At its limit they must begin to move.

namespace amontons::test {
namespace {

constexpr double kRadius = 0.1, kStep = 0.01;

// Makes disks in rows of `rows`, `rows - 1`, ..., 1 on a plank, in contact.
Scene disk_pile(int rows, double friction, const std::string& model) {
  Scene scene = empty_scene(kStep, kStep, model);
  scene.simulation.tolerance = 1e-10;  // so that the speed below the limit has digits enough
  default_material(scene, friction);
  for (int row = 0; row < rows; ++row) {
    const int count = rows - row;
    for (int i = 0; i < count; ++i) {
      SceneBody disk;
      disk.name = "disk-" + std::to_string(row) + "-" + std::to_string(i);
      disk.base = BaseType::Planar;
      disk.inertia = {1.0, Eigen::Vector3d::Zero(),
                      0.5 * kRadius * kRadius * Eigen::Matrix3d::Identity()};
      disk.shapes.push_back({Sphere{kRadius}, Pose{}, "default"});
      disk.pose.translation = {kRadius * (2 * i - count + 1), 0.0,
                               kRadius * (1.0 + row * std::sqrt(3.0))};
      scene.bodies.push_back(disk);
    }
  }
  add_ground(scene);
  return scene;
}

// Returns the least sum of forces from outside, over the weight of a disk, that keeps the pile at
// rest:
//   min 1'(a + b)   s.t.   J_N'n + J_T'(mu n - s) + a - b = W,   s <= 2 mu n,   all >= 0,
// with the friction mu n - s in [-mu n, mu n]. It is zero if and only if the pile can be at rest.
double missing_support(const ContactProblem& problem, double friction) {
  const Eigen::MatrixXd J = problem.contact_jacobian.to_dense();
  const Eigen::Index nv = J.cols();
  std::vector<Eigen::Index> touching;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.contacts[i].gap < 1e-9) touching.push_back(ContactProblem::row(i));
  }
  const auto nc = static_cast<Eigen::Index>(touching.size());
  // In the plane one tangent row is zero; the sum of both is the other one, up to its sign.
  LinearProgram program;
  program.A = Eigen::MatrixXd::Zero(nv + nc, 3 * nc + 2 * nv);
  program.b = Eigen::VectorXd::Zero(nv + nc);
  program.c = Eigen::VectorXd::Zero(3 * nc + 2 * nv);
  for (Eigen::Index i = 0; i < nc; ++i) {
    const Eigen::Index row = touching[static_cast<std::size_t>(i)];
    const Eigen::VectorXd tangent = J.row(row) + J.row(row + 1);
    program.A.col(i).head(nv) = J.row(row + 2).transpose() + friction * tangent;  // n
    program.A.col(nc + i).head(nv) = -tangent;                                    // s
    program.A(nv + i, i) = -2.0 * friction;
    program.A(nv + i, nc + i) = 1.0;
    program.A(nv + i, 2 * nc + i) = 1.0;
  }
  program.A.block(0, 3 * nc, nv, nv).setIdentity();
  program.A.block(0, 3 * nc + nv, nv, nv) = -Eigen::MatrixXd::Identity(nv, nv);
  program.c.tail(2 * nv).setOnes();
  const Eigen::VectorXd momentum = problem.mass_matrix * problem.free_velocity;
  program.b.head(nv) = -momentum / (kGravity * kStep);
  const LinearProgramSolution solution = solve_linear_program(program, {.tolerance = 1e-11});
  REQUIRE(solution.status == SolveStatus::Converged);
  return solution.value;
}

// Returns the friction coefficient above which the pile can be at rest.
double static_limit(int rows) {
  Simulator simulator(disk_pile(rows, 0.5, "frictionless"));
  const ContactProblem problem = simulator.step().problem;
  double moves = 0.1, stands = 1.0;
  while (stands - moves > 1e-11) {
    const double middle = 0.5 * (moves + stands);
    (missing_support(problem, middle) > 1e-11 ? moves : stands) = middle;
  }
  return 0.5 * (moves + stands);
}

// Returns the largest velocity after the first step [m/s or rad/s].
double collapse_speed(int rows, double friction, const std::string& model) {
  Simulator simulator(disk_pile(rows, friction, model));
  const StepReport& report = simulator.step();
  CHECK(report.certificate.holds);
  return report.solution.velocity.lpNorm<Eigen::Infinity>();
}

}  // namespace

TEST_CASE("R18: a pile of disks can stand from the friction on that statics asks for") {
  // tan 15 degrees for three; the larger ones to the five digits of the published table.
  const auto [rows, limit, accuracy] =
      GENERATE(table<int, double, double>({{2, std::tan(kPi / 12.0), 1e-9},
                                           {3, 0.43399, 6e-6},
                                           {4, 0.47296, 6e-6},
                                           {5, 0.49751, 6e-6},
                                           {6, 0.51271, 6e-6}}));
  CAPTURE(rows);
  CHECK(static_limit(rows) == Approx(limit).margin(accuracy));
}

TEST_CASE("R18: the relaxed pile stands above the static limit, to 1e-8 of friction") {
  // The relaxation takes the state of least kinetic energy, which is rest wherever rest is
  // possible.
  const int rows = GENERATE(2, 3, 4, 5, 6);
  CAPTURE(rows);
  const double limit = static_limit(rows);
  Simulator simulator(disk_pile(rows, limit + 1e-8, "convex-relaxation"));
  const StepReport& report = simulator.step();
  CHECK(report.solution.velocity.lpNorm<Eigen::Infinity>() < 1e-9);
  // At rest the relaxation and Coulomb's law agree.
  ContactSolution exact = report.solution;
  exact.law.kind = LawKind::Coulomb;
  CHECK(certify(report.problem, exact, 1e-9).holds);
  // Regula falsi from below, where the speed is a smooth function of friction. Each step goes half
  // way to the root, so as not to leave that side.
  double a = limit - 2e-3, b = limit - 1e-3;
  double speed_a = collapse_speed(rows, a, "convex-relaxation");
  double speed_b = collapse_speed(rows, b, "convex-relaxation");
  CHECK(speed_b > 1e-6);
  for (int i = 0; i < 4; ++i) {
    const double root = b - speed_b * (b - a) / (speed_b - speed_a);
    a = std::exchange(b, 0.5 * (b + root));
    speed_a = std::exchange(speed_b, collapse_speed(rows, b, "convex-relaxation"));
  }
  CHECK(b - speed_b * (b - a) / (speed_b - speed_a) == Approx(limit).margin(1e-8));
}

TEST_CASE("R18: below the static limit no certified answer is at rest") {
  const int rows = GENERATE(2, 4, 6);
  const std::string model =
      GENERATE("coulomb", "convex-relaxation", "anitescu-potra", "anitescu-hart");
  CAPTURE(rows, model);
  CHECK(collapse_speed(rows, static_limit(rows) - 1e-3, model) > 1e-6);
}

}  // namespace amontons::test
