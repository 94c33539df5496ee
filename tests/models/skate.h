#pragma once

#include "tests/support/contact_scenes.h"

namespace amontons::test {

/// Makes a body of 1 kg that four contacts carry at the height of its center, so that braking does
/// not tip it. It moves along t1.
/// @param viscous  mu_v of each contact [N s/m].
inline ContactProblem skate(double step, double friction, double viscous, double speed,
                            double gap = 0.0) {
  SceneBuilder scene(step);
  const int body = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.0}, {speed, 0.0, 0.0});
  for (int corner = 0; corner < 4; ++corner) {
    scene.add_contact(kWorld, body, {0.2 * (corner % 2) - 0.1, 0.2 * (corner / 2) - 0.1, 0.0},
                      {0.0, 0.0, 1.0}, gap, friction);
  }
  ContactProblem problem = scene.build();
  for (Contact& contact : problem.contacts) contact.viscous_friction = viscous;
  return problem;
}

}  // namespace amontons::test
