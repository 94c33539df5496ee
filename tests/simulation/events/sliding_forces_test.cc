#include "amontons/optimization/lcp/complementary_solutions.h"
#include "tests/simulation/smooth/sliding_rod.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <stdexcept>

// Coulomb's law between forces and accelerations [A7, R09].

namespace amontons::test {
namespace {

/// Makes a thin rod of 1 kg on the ground, its lower end at the origin, that slides along x.
Scene rod_scene(double angle, double mu, double slip, double turn) {
  Scene scene = empty_scene(1e-3, 0.01, "coulomb");
  scene.simulation.method = "event-driven";
  default_material(scene, mu);
  add_sliding_rod(scene, angle, slip, turn);
  return scene;
}

/// Returns mu above which the normal force of a tip that slides toward its rod draws it into the
/// ground.
double critical_friction(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return (1.0 + 3.0 * c * c) / (3.0 * s * c);
}

TEST_CASE("R09: a sliding rod has no consistent force exactly above the critical friction") {
  const double angle = GENERATE(0.6, std::atan(2.0), 1.3);
  // Friction on a tip that moves to the left points to the right and turns the rod into the ground.
  for (const double slip : {1.0, -1.0}) {
    for (const double factor : {0.5, 0.999, 1.001, 2.0}) {
      CAPTURE(angle, slip, factor);
      Simulator simulator(rod_scene(angle, factor * critical_friction(angle), slip, 0.0));
      const StepReport& report = simulator.step();
      const bool is_drawn_in = slip < 0.0 && factor > 1.0;
      CHECK(report.events.sliding ==
            (is_drawn_in ? SlidingLaw::Impossible : SlidingLaw::Determined));
      // At the velocity level there is a solution: an impulse that stops the slip.
      CHECK(report.certificate.holds);
      CHECK(report.certificate.coulomb.value <= 1e-8);
      const Eigen::VectorXd u = report.problem.contact_velocities(simulator.state().v);
      if (is_drawn_in) CHECK(u.head<2>().norm() < 1e-8);
      CHECK(simulator.state().v.norm() < 10.0);
    }
  }
}

TEST_CASE("R09: a sliding rod that turns fast may leave the ground or be drawn into it") {
  const double angle = std::atan(2.0), critical = critical_friction(angle);
  // Its end would rise: w^2 l/2 sin(angle) > g.
  const double fast = 6.0, slow = 2.0;
  const auto sliding = [&](double factor, double turn) {
    Simulator simulator(rod_scene(angle, factor * critical, -1.0, turn));
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    return report.events.sliding;
  };
  CHECK(sliding(1.5, fast) == SlidingLaw::Ambiguous);
  CHECK(sliding(1.5, slow) == SlidingLaw::Impossible);
  CHECK(sliding(0.9, fast) == SlidingLaw::Determined);
}

TEST_CASE("All solutions of a complementarity problem are found") {
  const Eigen::Matrix2d identity = Eigen::Matrix2d::Identity();
  CHECK(complementary_solutions(identity, Eigen::Vector2d(-1.0, 2.0), 1e-12, 4).size() == 1);
  // z = 0 and z = 1 where K < 0 and b > 0; none where b < 0.
  const Eigen::MatrixXd negative = Eigen::MatrixXd::Constant(1, 1, -1.0);
  CHECK(complementary_solutions(negative, Eigen::VectorXd::Constant(1, 1.0), 1e-12, 4).size() == 2);
  CHECK(complementary_solutions(negative, Eigen::VectorXd::Constant(1, -1.0), 1e-12, 4).empty());
  // Each of two such contacts, independent of the other.
  CHECK(complementary_solutions(-identity, Eigen::Vector2d(1.0, 1.0), 1e-12, 9).size() == 4);
  CHECK_THROWS_AS(complementary_solutions(identity, Eigen::VectorXd::Ones(3), 1e-12, 4),
                  std::invalid_argument);
}

}  // namespace
}  // namespace amontons::test
