#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>
#include <vector>

// No length, mass or time is built in: scaled scenes have scaled motions.

namespace amontons::test {
namespace {

/// Holds factors of units.
struct Scale {
  double length = 1.0, mass = 1.0, time = 1.0;
};

/// Makes boxes and a ball that fall on a slope and on each other, with gaps that close within
/// steps.
Scene tumbling(const std::string& model, const Scale& scale) {
  const double speed = scale.length / scale.time;
  Scene scene = empty_scene(4e-3 * scale.time, 0.1 * scale.time, model);
  scene.gravity = Eigen::Vector3d(1.2, 0.0, -9.4) * speed / scale.time;
  scene.simulation.overlap_speed = 3.0 * speed;
  scene.materials = {{"default", 0.45, 0.0, 0.8 * scale.mass / scale.time}};
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d place(0.23 * (k % 2), 0.02 * k, 0.07 + 0.13 * (k / 2));
    const Shape shape = k == 3 ? Shape(Sphere{0.05 * scale.length})
                               : Shape(Box{Eigen::Vector3d(0.2, 0.16, 0.1) * scale.length});
    SceneBody& body = add_body(scene, "body-" + std::to_string(k), shape, (1.0 + k) * scale.mass,
                               place * scale.length);
    body.linear_velocity = Eigen::Vector3d(0.4 - 0.2 * k, 0.1 * k, -0.3) * speed;
    body.angular_velocity = Eigen::Vector3d(0.3, -0.2 * k, 0.5) / scale.time;
  }
  add_ground(scene);
  return scene;
}

/// Returns the positions of all bodies at the end, in the units of the scale 1.
Eigen::VectorXd end_of(const std::string& model, const Scale& scale) {
  Simulator simulator(tumbling(model, scale));
  run(simulator);
  Eigen::VectorXd q = simulator.state().q;
  for (Eigen::Index b = 0; b + 7 <= q.size(); b += 7) q.segment<3>(b + 4) /= scale.length;
  return q;
}

TEST_CASE("Motions scale with the units of length, mass and time under every model") {
  // Powers of two change no digit, so that every difference is a quantity that does not scale.
  const double k = 1024.0;
  for (const char* model : {"coulomb", "no-slip", "viscous", "maximum-dissipation",
                            "anitescu-potra", "anitescu-hart", "convex-relaxation"}) {
    CAPTURE(model);
    const Eigen::VectorXd reference = end_of(model, {});
    for (const Scale& scale : {Scale{k, 1.0, 1.0}, Scale{1.0 / k, 1.0, 1.0}, Scale{1.0, k, 1.0},
                               Scale{1.0, 1.0 / k, 1.0}, Scale{1.0 / k, 1.0 / k, 1.0 / 32.0}}) {
      CAPTURE(scale.length, scale.mass, scale.time);
      CHECK((end_of(model, scale) - reference).lpNorm<Eigen::Infinity>() < 1e-9);
    }
  }
}

}  // namespace
}  // namespace amontons::test
