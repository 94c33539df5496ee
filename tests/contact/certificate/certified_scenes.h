#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

namespace amontons::test {

/// Scenes that the tests of certificates share: a box on a plane, whose impulses are known, and
/// links against a wall.
inline constexpr double kStep = 1e-2, kG = 9.81, kMu = 0.5;
inline constexpr double kTolerance = 1e-8;
inline constexpr double kVelocityRounding = 1e-13;

/// Returns impulses of the box of box_on_plane(), without a moment about y: the front carries more.
/// Its contacts carry `normal` in sum, and `tangential` along x in sum, in proportion [N s].
inline Eigen::VectorXd box_impulses(double normal, double tangential) {
  const double tilt = -0.5 * tangential / normal;  // height of the center / half length
  Eigen::VectorXd p(12);
  for (int i = 0; i < 4; ++i) {
    const double share = 0.25 * (1.0 + (i < 2 ? -tilt : tilt));
    p.segment<3>(3 * i) << share * tangential, 0.0, share * normal;
  }
  return p;
}

inline void check_passes(const Certificate& certificate) {
  CHECK(certificate.holds);
  CHECK(certificate.normal.value < kVelocityRounding);
  CHECK(certificate.friction.value < kVelocityRounding);
  CHECK(certificate.joint.value < kVelocityRounding);
  CHECK(certificate.dynamics.value < kVelocityRounding);
  CHECK(certificate.energy_gained < kVelocityRounding);
}

/// Holds a box of 1 kg that slides at 1 m/s, and its right solution.
struct SlidingBlock {
  ContactProblem problem = box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  Eigen::VectorXd impulses = box_impulses(kG * kStep, -kMu* kG* kStep);
  ContactSolution solution(LawKind law = LawKind::Coulomb) const {
    return solution_of(problem, {.kind = law}, impulses);
  }
};

/// Makes two links that hang from the world, the lower one against a wall.
inline ContactProblem jointed_links() {
  SceneBuilder scene(kStep);
  const int upper = scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.2}, {0.2, 0.0, 0.0});
  const int lower = scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.6}, {0.5, 0.0, 0.0});
  scene.add_ball_joint(kWorld, upper, {0.0, 0.0, 0.0}, {1e-4, 0.0, -1e-4});
  scene.add_ball_joint(upper, lower, {0.0, 0.0, -0.4}, {0.0, 2e-4, 0.0});
  scene.add_contact(kWorld, lower, {0.05, 0.0, -0.8}, {-1.0, 0.0, 0.0}, 0.0, 0.0);
  return scene.build();
}

}  // namespace amontons::test
