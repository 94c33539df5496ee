#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

// What bears a load does not slip, also where normals differ; what bears none has no friction.

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kTolerance = 1e-8, kLargeFriction = 1e6;

ContactSolution solve(const ContactProblem& problem) {
  ContactSolution solution = make_model("no-slip", {})->solve(problem, VectorXd());
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certify(problem, solution, kTolerance).holds);
  return solution;
}

/// Returns the solution of Coulomb's law at a friction beyond measure.
ContactSolution solve_rough(ContactProblem problem) {
  for (Contact& contact : problem.contacts) contact.friction = kLargeFriction;
  return make_model("coulomb", {})->solve(problem, VectorXd());
}

/// Returns the distance of two velocities, relative to the free motion [-].
double difference(const ContactProblem& problem, const VectorXd& a, const VectorXd& b) {
  return (a - b).norm() / problem.free_velocity.norm();
}

/// Makes a box in a groove whose walls lean by `angle` from the horizontal, under any gravity.
ContactProblem box_in_groove(double angle, const Vector3d& gravity, double step) {
  SceneBuilder scene(step, gravity);
  const int box = scene.add_box(2.0, {0.6, 0.2, 0.1}, {0.0, 0.0, 0.0});
  for (const double x : {-0.3, 0.3}) {
    for (const double side : {-1.0, 1.0}) {
      scene.add_contact(kWorld, box, {x, 0.1 * side, -0.05},
                        {0.0, -side * std::sin(angle), std::cos(angle)}, 0.0, 0.7);
    }
  }
  return scene.build();
}

TEST_CASE("A box in a groove holds on any slope along it, and on none without friction") {
  for (const double angle : {0.2, 0.61, 1.0, 1.4}) {
    for (const double slope : {0.05, 0.3, 1.0}) {
      const Vector3d gravity(9.81 * std::sin(slope), 0.0, -9.81 * std::cos(slope));
      ContactProblem problem = box_in_groove(angle, gravity, 3e-3);
      CAPTURE(angle, slope);
      CHECK(difference(problem, solve(problem).velocity, 0.0 * problem.free_velocity) < 1e-12);
      for (Contact& contact : problem.contacts) contact.friction = 0.0;
      const VectorXd v = solve(problem).velocity;
      CHECK(v(3) == Approx(gravity.x() * 3e-3).epsilon(1e-9));
    }
  }
}

TEST_CASE("A box in a corner of three walls that it leans on does not slip on any") {
  SceneBuilder scene(4e-3, {2.0, 1.0, -9.0});
  const int box = scene.add_box(3.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.0});
  for (const double a : {-0.1, 0.1}) {
    for (const double b : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {a, b, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0.5);
      scene.add_contact(kWorld, box, {0.1, a, b}, {-1.0, 0.0, 0.0}, 0.0, 0.5);
      scene.add_contact(kWorld, box, {a, 0.1, b}, {0.0, -1.0, 0.0}, 0.0, 0.5);
    }
  }
  const ContactProblem problem = scene.build();
  CHECK(solve(problem).velocity.norm() < 1e-12);
}

// The jaw is heavy, so that it presses and hardly moves; its weight is carried.
TEST_CASE("V jaws hold a ball against its weight, and jaws that do not press let it fall") {
  for (const double press : {2e4, 0.0}) {
    SceneBuilder scene(2e-3);
    const int ball = scene.add_ball(0.5, 0.05, {0.0, 0.0, 0.0});
    const int jaw = scene.add_box(1e3, {0.1, 0.1, 0.1}, {0.15, 0.0, 0.0});
    scene.add_force(jaw, {-press, 0.0, 9.81e3});
    for (const double side : {-1.0, 1.0}) {
      const double lean = std::numbers::pi / 5.0;
      const Vector3d left(std::cos(lean), side * std::sin(lean), 0.0);
      const Vector3d right(-std::cos(lean), side * std::sin(lean), 0.0);
      scene.add_contact(kWorld, ball, -0.05 * left, left, 0.0, 0.4);
      scene.add_contact(jaw, ball, -0.05 * right, right, 0.0, 0.4);
    }
    const ContactProblem problem = scene.build();
    const ContactSolution solution = solve(problem);
    CHECK((std::abs(solution.velocity(5)) < 1e-2 * 9.81 * 2e-3) == (press > 0.0));
    if (press == 0.0) CHECK(solution.velocity == problem.free_velocity);
  }
}

// Equal impulses from both sides would hold it: nothing causes them.
TEST_CASE(
    "A box between two walls that do not press it falls; one that is pressed to a wall hangs") {
  for (const double push : {0.0, 5.0}) {
    SceneBuilder scene(5e-3);
    const int box = scene.add_box(1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.0});
    scene.add_force(box, {push, 0.0, 0.0});
    for (const double side : {-1.0, 1.0}) {
      for (const double y : {-0.1, 0.1}) {
        for (const double z : {-0.1, 0.1}) {
          scene.add_contact(kWorld, box, {0.1 * side, y, z}, {-side, 0.0, 0.0}, 0.0, 1.0);
        }
      }
    }
    const ContactProblem problem = scene.build();
    const VectorXd v = solve(problem).velocity;
    if (push == 0.0) CHECK(v == problem.free_velocity);
    if (push > 0.0) CHECK(v.norm() < 1e-12);
  }
}

TEST_CASE("A box that is lifted off the ground slides along the wall beside it") {
  SceneBuilder scene(5e-3);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.0});
  scene.add_force(box, {0.0, 0.0, 15.0});
  for (const double a : {-0.1, 0.1}) {
    for (const double b : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {a, b, -0.1}, {0.0, 0.0, 1.0}, 0.0, 1.0);
      scene.add_contact(kWorld, box, {0.1, a, b}, {-1.0, 0.0, 0.0}, 0.0, 1.0);
    }
  }
  const ContactProblem problem = scene.build();
  CHECK(solve(problem).velocity == problem.free_velocity);
}

// Held, the rod lifts its tip; free to slip, it loads it. Coulomb's law lets it slip.
TEST_CASE("The tip of a trailing rod does not slip, whatever the angle and the step") {
  for (const double angle : {0.5, 0.8, 1.2}) {
    for (const double step : {1e-3, 1e-2}) {
      const ContactProblem problem = test::dragged_rod(angle, 0.9, 1.5, step);
      const ContactSolution solution = solve(problem);
      CHECK(problem.contact_velocities(solution.velocity).head<2>().norm() < 1e-12);
    }
  }
}

// The near edge sticks, and the far one would land faster than any contact of the free motion.
TEST_CASE("A board that falls aslant keeps the law where its far edge lands at up to 1.5 times V") {
  const double step = 1e-2, speed = 1.0;
  for (const double share : {0.8, 1.2, 1.4, 1.6}) {
    const double gap = share * speed * step;
    SceneBuilder scene(step, Vector3d::Zero());
    const int board =
        scene.add_box(1.0, {1.0, 0.2, 0.02}, {0.0, 0.0, 0.01 + 0.5 * gap}, {0.0, 0.0, -speed});
    for (const double y : {-0.1, 0.1}) {
      scene.add_contact(kWorld, board, {-0.5, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, 1.0);
      scene.add_contact(kWorld, board, {0.5, y, gap}, {0.0, 0.0, 1.0}, gap, 1.0);
    }
    CAPTURE(share);
    solve(scene.build());
  }
}

/// Makes a body that four heavy fingers press, their normals random, under gravity.
ContactProblem grasp(std::mt19937_64& random) {
  std::uniform_real_distribution<double> in(0.5, 1.5);
  SceneBuilder scene(2e-3);
  const int body = scene.add_box(in(random), {0.1, 0.12, 0.08}, {0.0, 0.0, 0.0});
  for (int k = 0; k < 4; ++k) {
    const Vector3d normal = test::random_direction(random);
    const int finger = scene.add_ball(100.0, 0.05, -0.1 * normal);
    scene.add_force(finger, 4e3 * in(random)*normal + Vector3d(0.0, 0.0, 981.0));
    scene.add_contact(finger, body, -0.05 * normal, normal, 0.0, 1.0);
  }
  return scene.build();
}

/// Returns true if impulses with the velocity of a solution load all of its sticking contacts: it
/// is one of Coulomb's law, too (docs/theory/no-slip.md).
bool is_rough(const ContactProblem& problem, const ContactSolution& solution) {
  const ProblemScaling scaling(problem);
  const VectorXd u = problem.contact_velocities(solution.velocity);
  NormalFace face{solution.impulses, scaling.gap_speeds, {}};
  std::vector<char> candidates;
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const Index i = static_cast<Index>(c);
    face.slack(i) += u(3 * i + 2);
    face.held.push_back(solution.modes[c] == ContactMode::Stick);
    candidates.push_back(face.held[c] && !bears_load(scaling, i, solution.impulses, kTolerance));
  }
  return loaded_contacts(problem, scaling, face, candidates, SelfStress::IsLoad, kTolerance) ==
         candidates;
}

/// Counts how no-slip and Coulomb's law at large friction compare.
struct Comparison {
  int same = 0;     ///< one velocity
  int slips = 0;    ///< Coulomb's law slips under any friction: no list is consistent with it
  int several = 0;  ///< Coulomb's law has the velocity of no-slip as another solution
  int other = 0;    ///< neither: friction acts without a load

  void add(const ContactProblem& problem) {
    const ContactSolution own = solve(problem), rough = solve_rough(problem);
    if (difference(problem, own.velocity, rough.velocity) < 1e-6) {
      ++same;
      return;
    }
    const VectorXd u = problem.contact_velocities(rough.velocity);
    for (Index i = 0; i < u.size() / 3; ++i) {
      if (rough.impulses.segment<3>(3 * i).norm() > 1e-9 * rough.impulses.norm() &&
          u.segment<2>(3 * i).norm() > 1e-6 * problem.free_velocity.norm()) {
        ++slips;
        return;
      }
    }
    ++(is_rough(problem, own) ? several : other);
  }
};

TEST_CASE("Grasps by four fingers with random normals are those of friction beyond measure") {
  std::mt19937_64 random(512);
  Comparison found;
  for (int k = 0; k < test::num_cases(5000); ++k) found.add(grasp(random));
  CAPTURE(found.same, found.slips, found.several, found.other);
  CHECK(found.other == 0);
  CHECK(found.same > found.slips + found.several);
}

TEST_CASE("Random contacts obey Coulomb's law with friction beyond measure, or lift themselves") {
  std::mt19937_64 random(77);
  Comparison found;
  for (int k = 0; k < test::num_cases(5000); ++k) {
    ContactProblem problem = test::random_problem(random, 2 + k % 6, 10.0, 0.0);
    for (Contact& contact : problem.contacts) contact.friction = 1.0;
    found.add(problem);
  }
  CAPTURE(found.same, found.slips, found.several, found.other);
  // Contacts that friction lifts where they are held.
  CHECK(10 * found.other <= found.same);
  CHECK(found.same > found.slips);
}

}  // namespace
}  // namespace amontons
