#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

TEST_CASE("Viscous friction of any size leaves a step an answer of its law, whatever the mass") {
  for (const std::string model : {"coulomb", "viscous", "maximum-dissipation", "stewart-trinkle"}) {
    for (const double viscous : {1e6, 1e10, 1e13, 1e20, 1e100}) {
      for (const double mass : {1e-3, 1.0, 1e4}) {
        Scene scene = empty_scene(0.01, 1.0, model);
        default_material(scene, 0.3);
        scene.materials.front().viscous_friction = viscous;
        add_body(scene, "box", Box{{0.2, 0.3, 0.2}}, mass, {0.0, 0.0, 0.1});
        add_body(scene, "ball", Sphere{0.1}, mass, {0.0, 1.0, 0.1});
        for (SceneBody& body : scene.bodies) body.linear_velocity = {1.0, 0.0, 0.0};
        add_ground(scene);
        Simulator simulator(scene);
        INFO(model << ", mu_v " << viscous << ", mass " << mass);
        for (int k = 0; k < 5; ++k) {
          const StepReport& report = simulator.step();
          CHECK(report.certificate.holds);
          CHECK(report.solution.status == SolveStatus::Converged);
        }
      }
    }
  }
}

}  // namespace amontons::test
