#pragma once

#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"

#include <Eigen/Core>

#include <functional>
#include <string>

namespace amontons::experiments {

/// Poses by name at the state of a simulator.
class Poses {
 public:
  explicit Poses(const Simulator& simulator);

  const Pose& operator[](const std::string& body) const;
  /// A point on the x axis of a body, from its center [m].
  Eigen::Vector3d along(const std::string& body, double x) const;
  /// Returns the velocity of a body's origin at velocities v [m/s].
  Eigen::Vector3d velocity(const std::string& body, const Eigen::VectorXd& v) const;

 private:
  const System* system_;
  SystemKinematics kinematics_;
};

/// How far the joints of a linkage are from where its crank, or its platform, wants them [m]: the
/// scenes of this folder, by their closed forms.
double four_bar_error(const Poses& at);
double slider_crank_error(const Poses& at);
double parallel_cranks_error(const Poses& at);
/// By inverse kinematics. @param scene  where feet, heads and centers of the legs are at the start.
std::function<double(const Poses&)> stewart_error(const Scene& scene);

}  // namespace amontons::experiments
