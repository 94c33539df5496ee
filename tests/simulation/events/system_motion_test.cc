#include "amontons/simulation/events/system_motion.h"

#include "amontons/simulation/smooth/smooth_motion.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

namespace amontons::test {
namespace {

TEST_CASE(
    "The motion of a body that flies has its velocities at start and end, whatever its shape") {
  for (const Shape& shape : {Shape(Sphere{0.1}), Shape(Box{{0.2, 0.3, 0.1}})}) {
    CAPTURE(shape_type_name(shape));
    Scene scene = empty_scene(0.01, 1.0);
    add_body(scene, "body", shape, 1.0, {0.0, 0.0, 1.0});
    const System system(scene);
    const double h = 0.5;
    Eigen::VectorXd q(7), v(6);
    q << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
    v << 0.3, -0.2, 0.1, 1.0, 2.0, 3.0;
    SmoothMotion flight(system, 0, Integrator::RungeKutta4, 1e-9);
    REQUIRE(flight.start(q, v, 0.0, h, 100) == SolveStatus::Converged);
    Eigen::VectorXd q_end(7), v_end(6);
    flight.state_at(h, q_end, v_end);
    SystemMotion motion(system);
    motion.begin(q, v_end, 0.0, h);
    motion.follow(0, flight);
    const Eigen::Vector3d fall(0.0, 0.0, -kGravity * h);
    CHECK(motion.bound(0, 0.0, 0.0).velocity.isApprox(v.tail<3>(), 1e-12));
    CHECK(motion.bound(0, 0.0, 0.0).angular_velocity.isApprox(v.head<3>(), 1e-12));
    CHECK(motion.bound(0, h, h).velocity.isApprox(v.tail<3>() + fall, 1e-12));
    CHECK(motion.pose(0, h).translation.isApprox(q_end.tail<3>(), 1e-12));
    // The bound of the whole motion holds both.
    const MotionBound whole = motion.bound(0, 0.0, h);
    CHECK((whole.velocity - v.tail<3>()).norm() <= whole.deviation * (1.0 + 1e-9));
    CHECK((whole.velocity - v_end.tail<3>()).norm() <= whole.deviation * (1.0 + 1e-9));
  }
}

}  // namespace
}  // namespace amontons::test
