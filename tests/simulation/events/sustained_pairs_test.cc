#include "amontons/simulation/events/sustained_pairs.h"

#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/stepping/time_stepping_settings.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

namespace amontons::test {

TEST_CASE("A motion sustains the pairs that its impulses close, in whole rows of balls") {
  // Ball 0 moves at a row of balls at rest with gaps of 1 mm; only the first gap closes by itself.
  const double h = 0.01, gap = 1e-3, radius = 0.05;
  Scene scene = empty_scene(h, 1.0);
  scene.gravity.setZero();
  default_material(scene, 0.0);
  for (int i = 0; i < 4; ++i) {
    add_body(scene, "ball" + std::to_string(i), Sphere{radius}, 1.0,
             {i * (2.0 * radius + gap), 0.0, 0.0});
  }
  scene.bodies.front().linear_velocity = {1.0, 0.0, 0.0};
  const System system(scene);
  const TimeSteppingSettings settings = TimeSteppingSettings::from(scene.simulation, {});
  const State start = system.initial_state();
  ContactDetector detector(system);
  StepEvaluation evaluation;
  evaluate_at_start(system, detector, {start.q, start.v, start.time, h}, {{}, 10.0}, {},
                    evaluation);
  ContactProblem near;
  assemble(system, evaluation, start.v, Eigen::VectorXd::Zero(start.v.size()), start.time,
           settings.parameters(h, system), near);
  REQUIRE(near.num_contacts() == 3);

  SustainedPairs pairs(system);
  pairs.select(start, ContactProblem(), near,
               {h, 1e-3, true, [](const PairOfShapes&, double) { return false; }});
  CHECK(pairs.pairs() == std::vector<PairOfShapes>{{0, 1}});
  // Velocities that close no further gap add nothing, and those that do add their pairs once.
  Eigen::VectorXd v = start.v;
  CHECK_FALSE(pairs.add_closing(v));
  v.setZero();
  v[6 + 3] = 0.5;  // ball 1
  CHECK(pairs.add_closing(v));
  CHECK(pairs.pairs() == std::vector<PairOfShapes>{{0, 1}, {1, 2}});
  CHECK_FALSE(pairs.add_closing(v));
  v[12 + 3] = 0.5;
  CHECK(pairs.add_closing(v));
  CHECK(pairs.pairs() == std::vector<PairOfShapes>{{0, 1}, {1, 2}, {2, 3}});
}

}  // namespace amontons::test
