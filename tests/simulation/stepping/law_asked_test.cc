#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

TEST_CASE("No step claims the law asked by the answer of another, however fine the tolerance") {
  const std::string model =
      GENERATE("coulomb", "no-slip", "anitescu-hart", "stewart-trinkle", "maximum-dissipation");
  const double tolerance = GENERATE(1e-15, 1e-14, 1e-13, 1e-8);
  CAPTURE(model, tolerance);
  Scene scene = empty_scene(5e-3, 0.3, model);
  scene.simulation.tolerance = tolerance;
  scene.materials = {{"default", 0.6, 0.0, 0.0}};
  const Eigen::Vector3d up = Eigen::Vector3d(0.1, 0.0, 1.0).normalized();
  add_half_space(scene, "ground", up, 0.0);
  const Box box{Eigen::Vector3d::Constant(0.2)};
  add_body(scene, "low", box, 1.0, {0.0, 0.0, 0.105}).linear_velocity = {2.0, 0.0, 0.0};
  add_body(scene, "heavy", box, 100.0, {0.0, 0.02, 0.31});
  add_body(scene, "light", box, 0.01, {0.03, 0.0, 0.52}).angular_velocity = {0.0, 0.0, 20.0};
  Simulator simulator(scene);
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    if (!answers_law_asked(report.solution.status)) continue;
    // Without a contact there is no law to answer.
    CHECK((report.solution.law.kind == report.law_asked || report.problem.num_contacts() == 0));
  }
}

}  // namespace amontons::test
