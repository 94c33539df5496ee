#include "amontons/simulation/system/parked_bodies.h"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace amontons {

void require_parked_still(const System& system, const Eigen::VectorXd& values, const char* what) {
  if (values.size() != system.num_velocities()) return;
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    const Body& body = system.bodies()[b];
    if (body.link != 0 || !system.is_parked(static_cast<int>(b))) continue;
    const Link& root =
        system.articulations()[static_cast<std::size_t>(body.articulation)].links()[0];
    if (values.segment(system.v_offset(body.articulation), num_velocities(root.joint)).isZero(0.0))
      continue;
    throw std::invalid_argument(std::string(what) + " '" + body.name +
                                "', which is parked; release it first");
  }
}

}  // namespace amontons
