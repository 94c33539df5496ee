#include "amontons/math/effort.h"
#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/random_matrix.h"
#include "tests/support/step_effort.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

// Properties that every contact model must have, for any law; models join in conforming_models.h.
namespace amontons {
namespace {

using Eigen::VectorXd;
using test::Conforming;
using test::kModels;
using test::kWorld;
using test::SceneBuilder;
using test::solve;
using test::solve_certified;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;

TEST_CASE("Every model of the catalog is in this list") {
  std::vector<std::string> names;
  for (const Conforming& model : kModels) names.emplace_back(model.name);
  CHECK(names == model_names());
}

TEST_CASE("A block at rest stays at rest") {
  const ContactProblem problem = test::box_on_plane(0.5, {0.0, 0.0, 0.0}, kStep);
  for (const Conforming& model : kModels) {
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(solution.velocity.cwiseAbs().maxCoeff() < 1e-14);
  }
}

TEST_CASE("A block on a ramp sticks below the friction angle and slides above it") {
  for (const Conforming& model : kModels) {
    for (const double slope : {0.3, 0.7}) {
      const Eigen::Vector3d gravity(kG * std::sin(slope), 0.0, -kG * std::cos(slope));
      const double mu = 0.5;
      const ContactSolution solution =
          solve_certified(model, test::box_on_plane(mu, {0.0, 0.0, 0.0}, kStep, gravity));
      double expected = kG * std::sin(slope) * kStep;
      if (model.has_friction && !model.slides) expected = 0.0;
      if (model.has_friction && model.slides) {
        expected = std::max(0.0, (std::sin(slope) - mu * std::cos(slope)) * kG * kStep);
        // The relaxation lifts at slope mu: v_n = mu v_t, so p = g h cos + mu v_t.
        if (!model.coulomb_normals) expected /= 1.0 + mu * mu;
      }
      CAPTURE(model.name, slope);
      CHECK(std::abs(solution.velocity(3) - expected) < 1e-14);
      const bool sticks = model.has_friction && (slope == 0.3 || !model.slides);
      for (const ContactMode mode : solution.modes) {
        CHECK((mode == ContactMode::Open || (mode == ContactMode::Stick) == sticks));
      }
    }
  }
}

TEST_CASE("A block that is thrown up leaves without impulse") {
  for (const Conforming& model : kModels) {
    const ContactProblem problem = test::box_on_plane(0.5, {0.2, 0.1, 1.0}, kStep);
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(solution.impulses.isZero(0.0));
    CHECK(solution.velocity == problem.free_velocity);
    for (const ContactMode mode : solution.modes) CHECK(mode == ContactMode::Open);
  }
}

TEST_CASE("Without contacts or bodies there is nothing to do, and it is done") {
  for (const Conforming& model : kModels) {
    SceneBuilder scene(kStep);
    const ContactProblem empty = scene.build();
    CHECK(certify(empty, solve(model, empty), kTolerance).holds);
    scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
    const ContactProblem falling = scene.build();
    CHECK(solve(model, falling).velocity == falling.free_velocity);
  }
}

/// Makes a plate on a grid of n x n coplanar contacts.
ContactProblem plate(int n, const Eigen::Vector3d& velocity, double friction) {
  SceneBuilder scene(kStep);
  const int body = scene.add_box(1.0, {1.0, 1.0, 0.1}, {0.0, 0.0, 0.05}, velocity);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      scene.add_contact(kWorld, body, {-0.5 + 1.0 * i / (n - 1), -0.5 + 1.0 * j / (n - 1), 0.0},
                        {0.0, 0.0, 1.0}, 0.0, friction);
    }
  }
  return scene.build();
}

TEST_CASE("Redundant contacts, 4 to 1024, give one velocity") {
  for (const Conforming& model : kModels) {
    const VectorXd reference = solve_certified(model, plate(2, {0.5, 0.0, 0.0}, 0.3)).velocity;
    for (const int n : {3, 8, 32}) {
      const VectorXd velocity = solve_certified(model, plate(n, {0.5, 0.0, 0.0}, 0.3)).velocity;
      CAPTURE(model.name, n);
      CHECK((velocity - reference).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("Contacts without friction carry none beside others that do") {
  for (const Conforming& model : kModels) {
    SceneBuilder scene(kStep);
    const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05}, {1.0, 0.0, 0.0});
    for (const double x : {-0.1, 0.1}) {
      for (const double y : {-0.1, 0.1}) {
        scene.add_contact(kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, x > 0.0 ? 0.5 : 0.0);
      }
    }
    const ContactSolution solution = solve_certified(model, scene.build());
    CHECK(solution.impulses.segment<2>(0).isZero(0.0));
    CHECK(solution.impulses.segment<2>(3).isZero(0.0));
    CHECK((solution.impulses.segment<2>(6).norm() > 0.0) == model.has_friction);
  }
}

TEST_CASE("A stack of mass ratio 10^6 either way rests, and each contact carries what is above") {
  for (const Conforming& model : kModels) {
    for (const bool heavy_above : {false, true}) {
      SceneBuilder scene(kStep);
      const double masses[] = {heavy_above ? 1.0 : 1e6, 1e3, heavy_above ? 1e6 : 1.0};
      for (int b = 0; b < 3; ++b) {
        scene.add_box(masses[b], {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5 + b});
        for (const double x : {-0.5, 0.5}) {
          for (const double y : {-0.5, 0.5}) {
            scene.add_contact(b - 1, b, {x, y, 1.0 * b}, {0.0, 0.0, 1.0}, 0.0, 0.5);
          }
        }
      }
      const ContactSolution solution = solve_certified(model, scene.build());
      CHECK(solution.velocity.cwiseAbs().maxCoeff() < 1e-8 * kG * kStep);
      double above = 0.0;
      for (int b = 2; b >= 0; --b) {
        above += masses[b];
        double load = 0.0;
        for (int c = 4 * b; c < 4 * b + 4; ++c) load += solution.impulses(3 * c + 2);
        CHECK(load == Approx(above * kG * kStep).epsilon(1e-8));
      }
    }
  }
}

// The cone of impulses contains a line: nothing bounds the squeeze, and the solution must not
// depend on luck.
TEST_CASE("A body between two walls has a finite answer that adds no energy [K2]") {
  for (const Conforming& model : kModels) {
    SceneBuilder scene(kStep);
    const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0}, {0.3, 0.2, -0.1});
    scene.add_contact(kWorld, ball, {0.1, 0.0, 0.0}, {-1.0, 0.0, 0.0}, 0.0, 0.5);
    scene.add_contact(kWorld, ball, {-0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.5);
    const ContactProblem problem = scene.build();
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(solution.impulses.allFinite());
    const double before = problem.free_velocity.dot(problem.mass_matrix * problem.free_velocity);
    CHECK(solution.velocity.dot(problem.mass_matrix * solution.velocity) <= before + 1e-14);
    CHECK(std::abs(solution.velocity(3)) < 1e-14);
  }
}

TEST_CASE(
    "A squeezed body is reported infeasible by its contacts, and the least violation is taken") {
  for (const Conforming& model : kModels) {
    if (std::string(model.name) == "anitescu-potra") continue;  // gamma 0: overlaps are left
    SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
    scene.add_ball(1.0, 0.1, {5.0, 0.0, 0.0}, {0.0, 0.0, -1.0});
    const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
    scene.add_contact(kWorld, 0, {5.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0.5);
    scene.add_contact(kWorld, ball, {0.1, 0.0, 0.0}, {-1.0, 0.0, 0.0}, -1e-3, 0.5);
    scene.add_contact(kWorld, ball, {-0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}, -2e-3, 0.5);
    const ContactProblem problem = scene.build();
    const ContactSolution solution = solve(model, problem);
    CAPTURE(model.name);
    CHECK(solution.status == SolveStatus::Infeasible);
    CHECK_FALSE(certify(problem, solution, kTolerance).holds);
    std::string remarks;
    for (const SolveAttempt& attempt : solution.attempts) remarks += attempt.remark;
    CHECK_THAT(remarks,
               Catch::Matchers::Contains("contact 1 (bodies -1, 1), contact 2 (bodies -1, 1)"));
    CHECK_THAT(remarks, !Catch::Matchers::Contains("contact 0"));
    // s = -0.1 and -0.2 m/s want the ball to go both ways; halfway is least.
    CHECK(solution.velocity(9) == Approx(0.05).epsilon(1e-5));
    CHECK(std::abs(solution.velocity(5)) < 1e-12);  // the other ball has landed nevertheless
  }
}

TEST_CASE("A contact that opens has exactly zero impulse [E18]") {
  for (const Conforming& model : kModels) {
    SceneBuilder scene(kStep);
    for (int b = 0; b < 2; ++b) {
      scene.add_box(1.0, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5 + b});
      for (const double x : {-0.5, 0.5}) {
        for (const double y : {-0.5, 0.5}) {
          scene.add_contact(b - 1, b, {x, y, 1.0 * b}, {0.0, 0.0, 1.0}, 0.0, 0.5);
        }
      }
    }
    scene.add_force(1, {0.0, 0.0, 12.0});
    const ContactSolution solution = solve_certified(model, scene.build());
    for (int c = 4; c < 8; ++c)
      CHECK(solution.impulses.segment<3>(3 * c) == Eigen::Vector3d::Zero());
    CHECK(solution.velocity(11) == Approx((12.0 - kG) * kStep).epsilon(1e-14));
  }
}

TEST_CASE("A body held by a ball joint answers at its contact, and the joint holds") {
  for (const Conforming& model : kModels) {
    SceneBuilder scene(kStep);
    const int rod = scene.add_box(2.0, {1.0, 0.05, 0.05}, {0.5, 0.0, 0.0});
    scene.add_ball_joint(kWorld, rod, {0.0, 0.0, 0.0});
    scene.add_contact(kWorld, rod, {1.0, 0.0, -0.025}, {0.0, 0.0, 1.0}, 0.0, 0.4);
    const ContactProblem problem = scene.build();
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(solution.velocity.cwiseAbs().maxCoeff() < 1e-13);
    // The joint leaves a force along the line to the contact open; its moment is not.
    const double half = 0.5 * 2.0 * kG * kStep;
    CHECK(solution.impulses(2) + 0.025 * solution.impulses(0) == Approx(half).epsilon(1e-12));
    CHECK(solution.joint_impulses(2) + solution.impulses(2) == Approx(2.0 * half).epsilon(1e-12));
  }
}

// The acceleration problem has no solution here, or two; the velocity problem always has one.
TEST_CASE("Painleve's rod, dragged into its contact or trailing, gets a finite answer [R09, T01]") {
  for (const Conforming& model : kModels) {
    for (const double friction : {0.5, 2.0, 10.0, 1e6}) {
      for (const double speed : {-1.0, 0.0, 1.0}) {
        const ContactProblem problem = test::dragged_rod(0.8, friction, speed, kStep);
        const ContactSolution solution = solve_certified(model, problem);
        CAPTURE(model.name, friction, speed);
        const VectorXd& v = solution.velocity;
        CHECK(v.allFinite());
        const VectorXd momentum = problem.mass_matrix * v;
        CHECK(v.dot(momentum) <=
              problem.free_velocity.dot(problem.mass_matrix * problem.free_velocity) + 1e-12);
        // The impulses of friction pass through the tip: the momentum about it is that of free
        // motion.
        const Eigen::Vector3d tip(-0.5 * std::cos(0.8), 0.0, -0.5 * std::sin(0.8));
        const VectorXd change = momentum - problem.mass_matrix * problem.free_velocity;
        CHECK((change.head<3>() - tip.cross(change.tail<3>())).norm() <=
              1e-12 * (1.0 + change.norm()));
      }
    }
  }
}

TEST_CASE("A friction of 10^6 sticks on a steep ramp, and one of 10^-6 hardly slows") {
  for (const Conforming& model : kModels) {
    if (!model.has_friction) continue;
    CAPTURE(model.name);
    const Eigen::Vector3d steep(kG * std::sin(1.0), 0.0, -kG * std::cos(1.0));
    const ContactProblem held = test::box_on_plane(1e6, {0.0, 0.0, 0.0}, kStep, steep);
    CHECK(solve_certified(model, held).velocity.cwiseAbs().maxCoeff() < 1e-12);
    if (!model.slides) continue;
    const ContactProblem sliding = test::box_on_plane(1e-6, {0.3, 0.0, 0.0}, kStep);
    // The relaxation's lift, v_n = mu v_t, presses harder by as much.
    const double p = kG * kStep + (model.coulomb_normals ? 0.0 : 1e-6 * 0.3);
    CHECK(std::abs(solve_certified(model, sliding).velocity(3) - (0.3 - 1e-6 * p)) < 1e-12);
  }
}

TEST_CASE("A ball that rolls goes on rolling, and one that skids is slowed and spun up [R02]") {
  constexpr double kRadius = 0.1, kSpeed = 0.5, kFriction = 0.3;
  for (const Conforming& model : kModels) {
    for (const bool rolls : {true, false}) {
      SceneBuilder scene(kStep);
      const int ball = scene.add_ball(1.0, kRadius, {0.0, 0.0, kRadius}, {kSpeed, 0.0, 0.0},
                                      {0.0, rolls ? kSpeed / kRadius : 0.0, 0.0});
      scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, kFriction);
      const VectorXd v = solve_certified(model, scene.build()).velocity;
      // Angular momentum about the contact: v + 2/5 r w is kept, whatever friction does.
      const double spin = rolls ? kSpeed / kRadius : 0.0;
      CAPTURE(model.name, rolls);
      CHECK(std::abs(v(3) + 0.4 * kRadius * v(1) - kSpeed - 0.4 * kRadius * spin) < 1e-14);
      double slowed = rolls || !model.has_friction ? 0.0 : kFriction * kG * kStep;
      // The relaxation's normal impulse is larger, by what lifts at slope mu.
      if (!rolls && !model.coulomb_normals) {
        const double p = (kG * kStep + kFriction * kSpeed) / (1.0 + 3.5 * kFriction * kFriction);
        slowed = kFriction * p;
      }
      // Without slip it rolls at once: 5/7 of the speed.
      if (!rolls && !model.slides) slowed = 2.0 / 7.0 * kSpeed;
      CHECK(std::abs(v(3) - (kSpeed - slowed)) < 1e-12);
    }
  }
}

// Friction acts beside the center: the box turns as it slows, and friction a little with it.
TEST_CASE("A box that slides with friction on one side slows by half of it, and turns that way") {
  for (const Conforming& model : kModels) {
    if (!model.has_friction || !model.coulomb_normals || !model.slides) continue;
    SceneBuilder scene(kStep);
    const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05}, {1.0, 0.0, 0.0});
    for (const double y : {-0.1, 0.1}) {
      for (const double x : {-0.1, 0.1}) {
        scene.add_contact(kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, y > 0.0 ? 0.5 : 0.0);
      }
    }
    const ContactSolution solution = solve_certified(model, scene.build());
    CAPTURE(model.name);
    // Half of the weight is on the rough side: no moment about x tilts the box.
    const double slowing = 0.5 * 0.5 * kG * kStep;
    CHECK(std::abs(solution.velocity(3) - (1.0 - slowing)) < 1e-2 * slowing);
    CHECK(solution.velocity(2) > 0.0);
  }
}

// Overlaps ask a wedge with friction at both walls to slide out; within friction it cannot.
TEST_CASE("An overlapping wedge between two walls jams if its half-angle is within friction [K2]") {
  const double mu = 0.4, overlap = 1e-3;
  for (const Conforming& model : kModels) {
    if (std::string(model.name) == "anitescu-potra") continue;  // gamma 0: overlaps are left
    for (const double share : {0.9, 1.1, 2.0}) {
      const double alpha = share * std::atan(mu);
      SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
      const int wedge = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
      for (const double side : {-1.0, 1.0}) {
        scene.add_contact(kWorld, wedge, {0.0, 0.0, 0.0},
                          {side * std::cos(alpha), 0.0, std::sin(alpha)}, -overlap, mu);
      }
      const ContactProblem problem = scene.build();
      const ContactSolution solution = solve(model, problem);
      CAPTURE(model.name, share, to_string(solution.status));
      CHECK(certify(problem, solution, kTolerance).holds);
      const bool jams = model.has_friction && (share < 1.0 || !model.slides) &&
                        std::string(model.name) != "maximum-dissipation";
      CHECK((solution.law.kind == LawKind::Frictionless && model.has_friction) == jams);
      if (model.coulomb_normals) {
        CHECK(solution.velocity(5) == Approx(overlap / kStep / std::sin(alpha)).epsilon(1e-8));
      }
    }
  }
}

TEST_CASE("One iteration is too few for a hard problem, and the answer says so") {
  std::mt19937_64 random(15);
  const ContactProblem problem = test::random_problem(random, 20, 1e3, 0.0);
  for (const Conforming& model : kModels) {
    const ContactSolution solution =
        make_model(model.name, {.max_iterations = 1})->solve(problem, VectorXd());
    CAPTURE(model.name, to_string(solution.status));
    // Without friction pivoting has no limit: the frictionless model is the last resort and always
    // ends.
    if (model.has_friction) {
      CHECK(solution.status == SolveStatus::Safe);
      CHECK(solution.law.kind == LawKind::Frictionless);
      CHECK(std::any_of(
          solution.attempts.begin(), solution.attempts.end(),
          [](const SolveAttempt& attempt) { return attempt.status != SolveStatus::Converged; }));
    }
    CHECK(certify(problem, solution, kTolerance).holds);
    const ContactSolution enough =
        make_model(model.name, {.max_iterations = 10000})->solve(problem, VectorXd());
    CHECK(enough.velocity == solve_certified(model, problem).velocity);
  }
  CHECK_THROWS_WITH(make_model("coulomb", {.max_iterations = 0}),
                    Catch::Matchers::Contains("max_iterations is 0"));
}

TEST_CASE(
    "A warm start changes the effort alone, and garbage in it less than the tolerance allows") {
  std::mt19937_64 random(11);
  for (const Conforming& model : kModels) {
    const ContactProblem problem = test::box_on_plane(0.5, {0.3, 0.1, -0.2}, kStep);
    const ContactSolution cold = solve_certified(model, problem);
    const ContactSolution warm = solve_certified(model, problem, cold.impulses);
    CHECK((warm.velocity - cold.velocity).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(warm.iterations <= cold.iterations);
    // A path of its own leads from garbage to the answer: both are within the tolerance of the law.
    for (int k = 0; k < 20; ++k) {
      const VectorXd garbage = 1e3 * test::random_matrix(random, 12, 1);
      const ContactSolution other = solve_certified(model, problem, garbage);
      CHECK((other.velocity - cold.velocity).cwiseAbs().maxCoeff() < 10.0 * kTolerance);
    }
  }
}

TEST_CASE("The same problem gives the same bits") {
  std::mt19937_64 random(12);
  for (const Conforming& model : kModels) {
    const ContactProblem problem = test::random_problem(random, 12, 10.0, 0.0);
    const ContactSolution first = solve(model, problem);
    const ContactSolution second = solve(model, problem);
    CHECK(first.impulses == second.impulses);
    CHECK(first.velocity == second.velocity);
  }
}

// Feasible data: s >= 0, so that every model of the list has a solution.
TEST_CASE(
    "Random problems of 1 to 20 contacts are solved, certified, and add no energy [T01, T02]") {
  const int cases = test::num_cases(10000);
  for (const Conforming& model : kModels) {
    std::mt19937_64 random(13);
    int missed = 0;
    for (int n = 0; n < cases; ++n) {
      const double mass_ratio = n % 3 == 0 ? 1e3 : 1.0;
      const ContactProblem problem =
          test::random_problem(random, 1 + static_cast<int>(random() % 20), mass_ratio, 0.0);
      const EffortBudget budget(test::kStepEffort);
      const ContactSolution solution = solve(model, problem);
      const Certificate certificate = certify(problem, solution, kTolerance);
      CAPTURE(model.name, n, to_string(solution.status));
      // The claimed law holds, and the status says if it is the requested law. The cone's
      // relaxation may have no solution with finite impulses: then normals alone.
      const bool convexified = solution.status == SolveStatus::Convexified;
      const bool safe = solution.status == SolveStatus::Safe;
      const bool converged =
          solution.status == SolveStatus::Converged || solution.status == SolveStatus::Acceptable;
      REQUIRE((converged || convexified || safe) == certificate.holds);
      CHECK((solution.law.kind == LawKind::ConvexCone && model.coulomb_normals) == convexified);
      CHECK((solution.law.kind == LawKind::Frictionless && model.has_friction) == safe);
      if (solution.status != SolveStatus::Converged) ++missed;
      const double kinetic = 0.5 * solution.velocity.dot(problem.mass_matrix * solution.velocity);
      CHECK(kinetic <= certificate.kinetic_energy + 1e-9 * (1.0 + certificate.kinetic_energy));
    }
    CAPTURE(model.name, missed, cases);
    CHECK(missed * 1000 <= cases);
  }
}

// With overlaps a jam may have no solution; then the status must say so.
TEST_CASE("Random problems with overlaps are certified or say why not, and always answered") {
  const int cases = test::num_cases(10000);
  for (const Conforming& model : kModels) {
    std::mt19937_64 random(14);
    for (int n = 0; n < cases; ++n) {
      const ContactProblem problem =
          test::random_problem(random, 1 + static_cast<int>(random() % 20), 1.0, 1e-4);
      const EffortBudget budget(test::kStepEffort);
      const ContactSolution solution = solve(model, problem);
      REQUIRE(solution.velocity.allFinite());
      REQUIRE(solution.status != SolveStatus::NumericalFailure);
      const Certificate certificate = certify(problem, solution, kTolerance);
      const bool certifiable =
          solution.status == SolveStatus::Converged || solution.status == SolveStatus::Acceptable ||
          solution.status == SolveStatus::Convexified || solution.status == SolveStatus::Safe;
      CAPTURE(model.name, n, to_string(solution.status));
      REQUIRE(certifiable == certificate.holds);
      // Friction is left out only where friction has no solution, or nothing has.
      if (solution.law.kind == LawKind::Frictionless && model.has_friction) {
        CHECK((solution.status == SolveStatus::Safe || solution.status == SolveStatus::Infeasible));
      } else {
        CHECK(solution.status != SolveStatus::Safe);
      }
    }
  }
}

}  // namespace
}  // namespace amontons
