#include "amontons/models/lcp_models.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace amontons {
namespace {

using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;

ContactSolution solve(const char* name, const ContactProblem& problem,
                      const ModelSettings& settings = {.friction_directions = 4}) {
  return make_model(name, settings)->solve(problem, Eigen::VectorXd());
}

TEST_CASE("An unknown model is answered by the nearest name") {
  CHECK_THROWS_WITH(make_model("anitescu-heart", {}),
                    Catch::Matchers::Contains("did you mean 'anitescu-hart'"));
}

TEST_CASE("Settings out of range are refused with their value") {
  CHECK_THROWS_WITH(make_model("anitescu-hart", {.friction_directions = 5}),
                    Catch::Matchers::Contains("friction_directions is 5"));
  CHECK_THROWS_WITH(make_model("anitescu-hart", {.friction_directions = 66}),
                    Catch::Matchers::Contains("66"));
  CHECK_THROWS_WITH(make_model("anitescu-hart", {.tolerance = 0.0}),
                    Catch::Matchers::Contains("tolerance"));
  CHECK_THROWS_WITH(make_model("anitescu-hart", {.restitution = RestitutionLaw::Stronge}),
                    Catch::Matchers::Contains("stronge"));
}

TEST_CASE(
    "Presets: gamma 0 and touching contacts, gamma 1 and predicted position, or the scene's") {
  CHECK(make_model("anitescu-potra", {})->traits().gamma == 0.0);
  CHECK(make_model("stewart-trinkle", {})->traits().gamma == 1.0);
  CHECK(make_model("stewart-trinkle", {})->traits().predicted_position);
  CHECK_FALSE(make_model("anitescu-hart", {})->traits().gamma.has_value());

  // A fast ball, 1 mm above the floor: anticipated by Anitescu-Hart, left alone by Anitescu-Potra.
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.101}, {0.0, 0.0, -1.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1e-3, 0.5);
  const ContactProblem problem = scene.build();
  CHECK(solve("anitescu-hart", problem).velocity(5) == Approx(-1e-3 / kStep).epsilon(1e-13));
  const ContactSolution potra = solve("anitescu-potra", problem);
  CHECK(potra.velocity == problem.free_velocity);
  CHECK(potra.law.activation_gap == Approx(1e-3 * 2.0 * kG * kStep * kStep).epsilon(1e-12));
  CHECK(certify(problem, potra, kTolerance).holds);
}

TEST_CASE("Four directions lose 0.707 of friction on the diagonal; more directions lose less") {
  // A particle: its contact is at its center, so nothing turns.
  const double mu = 0.5;
  for (const int directions : {4, 6, 8, 16, 64}) {
    for (const double heading : {0.0, std::numbers::pi / directions}) {
      SceneBuilder scene(kStep);
      const Eigen::Vector3d velocity(std::cos(heading), std::sin(heading), 0.0);
      const int particle = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0}, velocity);
      scene.add_contact(kWorld, particle, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, mu);
      const ContactSolution solution =
          solve("anitescu-hart", scene.build(), {.friction_directions = directions});
      const double expected =
          mu * kG * kStep * (heading == 0.0 ? 1.0 : std::cos(std::numbers::pi / directions));
      // Between two directions both brake, or one alone: the speed along the heading falls the
      // same.
      const double lost = 1.0 - velocity.dot(solution.velocity.tail<3>());
      CAPTURE(directions, heading);
      CHECK(lost == Approx(expected).epsilon(1e-10));
    }
  }
}

/// Makes a particle-like wedge of half-angle alpha between two walls that it overlaps, closing
/// downwards.
ContactProblem wedge(double alpha, double friction, double overlap, double speed) {
  SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
  const int body = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0}, {0.0, 0.0, speed});
  for (const double side : {-1.0, 1.0}) {
    scene.add_contact(kWorld, body, {0.0, 0.0, 0.0}, {side * std::cos(alpha), 0.0, std::sin(alpha)},
                      -overlap, friction);
  }
  return scene.build();
}

// To open the overlap d/h at both walls the wedge must slide out at v = d / (h sin alpha). Normal
// and friction impulse of each wall then have the resultant p_n (sin alpha - mu cos alpha)
// outwards. It drives the wedge out if alpha > atan mu, and there is no solution if alpha < atan
// mu.
TEST_CASE("An overlapping wedge jams if and only if its half-angle is within friction [R15, K2]") {
  const double mu = 0.4, overlap = 1e-3;
  for (const double share : {0.3, 0.9, 0.99, 1.01, 1.1, 2.0}) {
    const double alpha = share * std::atan(mu);
    const ContactProblem problem = wedge(alpha, mu, overlap, 0.0);
    const ContactSolution solution = solve("anitescu-hart", problem);
    CAPTURE(share, to_string(solution.status));
    CHECK(certify(problem, solution, kTolerance).holds);
    CHECK(solution.velocity(5) == Approx(overlap / kStep / std::sin(alpha)).epsilon(1e-9));
    // In a jam friction is given up for the step, and the solution says so.
    CHECK((solution.status == SolveStatus::Safe) == (share < 1.0));
    CHECK((solution.law.kind == LawKind::Frictionless) == (share < 1.0));
  }
}

TEST_CASE("A wedge that only touches is stopped at any angle, with finite impulses and no energy") {
  const double mu = 0.4;
  for (const double share : {0.1, 0.9, 1.0, 1.1, 3.0}) {
    const ContactProblem problem = wedge(share * std::atan(mu), mu, 0.0, -1.0);
    const ContactSolution solution = solve("anitescu-hart", problem);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(solution.impulses.allFinite());
    CHECK(solution.velocity.cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("A jam whose overlap is rounding keeps its friction") {
  const ContactProblem problem = wedge(0.5 * std::atan(0.4), 0.4, 1e-16, -1.0);
  const ContactSolution solution = solve("anitescu-hart", problem);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(solution.law.kind == LawKind::Pyramid);
  CHECK(solution.velocity.cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("Joints that contradict each other are reported, and the contacts are solved") {
  SceneBuilder scene(kStep);
  const int rod = scene.add_box(2.0, {1.0, 0.05, 0.05}, {0.5, 0.0, 0.0});
  scene.add_ball_joint(kWorld, rod, {0.0, 0.0, 0.0});
  scene.add_contact(kWorld, rod, {1.0, 0.0, -0.025}, {0.0, 0.0, 1.0}, 0.0, 0.4);
  CHECK(solve("anitescu-hart", scene.build()).status == SolveStatus::Converged);
  scene.add_ball_joint(kWorld, rod, {0.0, 0.0, 0.0}, {1e-3, 0.0, 0.0});
  const ContactProblem problem = scene.build();
  const ContactSolution solution = solve("anitescu-hart", problem);
  CHECK(solution.status == SolveStatus::Infeasible);
  CHECK_THAT(solution.attempts.back().remark, Catch::Matchers::Contains("joint row"));
  const Certificate certificate = certify(problem, solution, kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.normal.value < kTolerance);
}

// The optimality conditions of  min |v - v_free|_M^2 / 2  s.t.  n.v + mu d_k.v + s - Gamma >= 0,
// J v = target, for every contact and direction [Anitescu, Hart 2004, fixed-point iteration], with
// multipliers recovered from the impulses: p_n = sum_k c_k, p_t = sum_k c_k mu d_k, c_k >= 0. Gamma
// = mu lambda for the LCP, 0 for the relaxation.
TEST_CASE("The LCP's answer solves the quadratic program with Gamma = mu lambda, or 0 [T10]") {
  const Eigen::Matrix2Xd d = polygon_directions(4);
  for (const char* name : {"anitescu-hart", "convex-relaxation"}) {
    std::mt19937_64 random(21);
    for (int n = 0; n < test::num_cases(10000); ++n) {
      const ContactProblem problem =
          test::random_problem(random, 1 + static_cast<int>(random() % 12), 10.0, 0.0);
      const ContactSolution solution = solve(name, problem);
      REQUIRE(solution.status == SolveStatus::Converged);
      const ContactScales scales = ProblemScaling(problem).scales;
      const Eigen::VectorXd u = problem.contact_jacobian * solution.velocity;
      for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
        const Eigen::Index i = static_cast<Eigen::Index>(c);
        const double mu = problem.contacts[c].friction, V = scales.speed(i);
        const Eigen::Vector3d p = solution.impulses.segment<3>(3 * i);
        const Eigen::Vector4d along = d.transpose() * u.segment<2>(3 * i);
        const bool relaxed = std::string(name) == "convex-relaxation";
        const double gamma = relaxed ? 0.0 : mu * along.maxCoeff();
        const double opening = u(3 * i + 2) + problem.stabilized_gap(c) + gamma;
        // Primal feasibility in every direction, dual feasibility, complementarity: to a tenth of
        // the certificate's tolerance.
        CHECK((mu * along.array() + opening).minCoeff() > -1e-9 * V);
        CHECK(p.head<2>().lpNorm<1>() <= mu * p.z() + 1e-9 * V / scales.inverse_mass(i));
        const double duality_gap = p.z() * opening + p.head<2>().dot(u.segment<2>(3 * i));
        CHECK(std::abs(duality_gap) < 1e-9 * V * (V / scales.inverse_mass(i) + p.norm()));
      }
    }
  }
}

TEST_CASE("Kinetic energy obeys the sharp bound at every overlap and gap [T02]") {
  for (const char* name : {"anitescu-hart", "convex-relaxation"}) {
    std::mt19937_64 random(22);
    for (int n = 0; n < test::num_cases(10000); ++n) {
      const ContactProblem problem =
          test::random_problem(random, 1 + static_cast<int>(random() % 8), 100.0, 1e-4);
      const ContactSolution solution = solve(name, problem);
      if (solution.status != SolveStatus::Converged) continue;
      const auto energy = [&](const Eigen::VectorXd& v) {
        return 0.5 * v.dot(problem.mass_matrix * v);
      };
      double injected = 0.0;
      for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
        injected += solution.impulses(3 * static_cast<Eigen::Index>(c) + 2) *
                    std::max(0.0, -problem.stabilized_gap(c));
      }
      const double free = energy(problem.free_velocity);
      CHECK(energy(solution.velocity) <= free - energy(solution.velocity - problem.free_velocity) +
                                             injected + 1e-9 * (1.0 + 2.0 * free));
    }
  }
}

TEST_CASE("Coefficients of friction beyond all digits are those of the law that is answered") {
  // Two cubes fall between two grippers that close, each corner listed three times, as in the
  // published grasp.
  const char* model = GENERATE("stewart-trinkle", "anitescu-hart");
  const double friction = GENERATE(1e6, 1e12, 1e20);
  CAPTURE(model, friction);
  std::mt19937_64 random(26);
  std::normal_distribution<double> push(0.0, 1e-4);
  int answered = 0, with_less = 0;
  constexpr int kProblems = 50;
  for (int k = 0; k < kProblems; ++k) {
    SceneBuilder scene(kStep, Eigen::Vector3d::Zero());
    int left = kWorld;
    for (int body = 0; body < 4; ++body) {
      const bool is_cube = body == 1 || body == 2;
      const Eigen::Vector3d noise(push(random), push(random), push(random));
      const int box =
          scene.add_box(is_cube ? 1.0 : 1e6, Eigen::Vector3d::Constant(0.1), {0.1 * body, 0.0, 0.0},
                        is_cube ? Eigen::Vector3d(noise - Eigen::Vector3d(0.0, 0.0, kG * kStep))
                                : Eigen::Vector3d(body == 0 ? 2e-6 : -2e-6, 0.0, 0.0));
      for (int corner = 0; corner < 12 && left != kWorld; ++corner) {
        scene.add_contact(
            left, box,
            {0.1 * body - 0.05, corner % 2 == 0 ? 0.05 : -0.05, corner % 4 < 2 ? 0.05 : -0.05},
            {1.0, 0.0, 0.0}, 0.0, friction);
      }
      left = box;
    }
    const ContactSolution found = solve(model, scene.build());
    answered += found.status == SolveStatus::Converged;
    with_less += found.attempts.back().solver == "Lemke, less friction";
  }
  CHECK(answered >= 0.98 * kProblems);
  // Where Lemke's method loses its digits, most are solved with smaller coefficients.
  if (friction > 1e6) CHECK(with_less > 0.5 * kProblems);
}

}  // namespace
}  // namespace amontons
