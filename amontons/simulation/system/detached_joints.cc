#include "amontons/simulation/system/detached_joints.h"

#include <algorithm>
#include <stdexcept>

namespace amontons {

bool is_along_detached(const System& system, int loop) {
  if (loop < 0) return false;
  const int joint = system.loop_coordinates()[static_cast<std::size_t>(loop)].loop_joint;
  return joint >= 0 && !system.loop_joints()[static_cast<std::size_t>(joint)].is_attached;
}

void end_detached_forces(const System& system, const JointForces& forces) {
  const auto is_detached = [&](const auto& drive) { return is_along_detached(system, drive.loop); };
  for (CoordinateDynamics& own : forces.coordinates) {
    if (is_detached(own)) own.dynamics = JointDynamics{};
  }
  forces.end_drives(is_detached);
}

void require_detachable(const System& system, int loop_joint) {
  const auto is_own = [&](const CoordinatePlace& place) {
    return place.loop >= 0 &&
           system.loop_coordinates()[static_cast<std::size_t>(place.loop)].loop_joint == loop_joint;
  };
  const auto is_coupled = [&](const CoordinateCoupling& coupling) {
    return is_own(coupling.a) || (coupling.b && is_own(*coupling.b));
  };
  const auto is_prescribed = [&](const PrescribedCoordinate& own) { return is_own(own.place); };
  const auto is_pulled = [&](const LoopCoordinateSite& site) {
    return std::any_of(site.terms.begin(), site.terms.end(),
                       [&](const WeighedCoordinate& term) { return is_own(term.place); });
  };
  const auto refuse_any = [](const auto& list, const auto& fits, const char* reason) {
    if (std::any_of(list.begin(), list.end(), fits)) throw std::invalid_argument(reason);
  };
  refuse_any(system.couplings(), is_coupled, "a joint with a coupling cannot be detached");
  refuse_any(system.prescribed(), is_prescribed,
             "a joint with a prescribed motion cannot be detached");
  refuse_any(system.loop_coordinates(), is_pulled, "a joint of a tendon cannot be detached");
}

}  // namespace amontons
