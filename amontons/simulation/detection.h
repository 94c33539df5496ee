#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/broad_phase.h"
#include "amontons/geometry/contact_manifold.h"
#include "amontons/simulation/kinematics.h"
#include "amontons/simulation/system.h"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Finds the contacts of a configuration, up to a gap that could close within the step.
///
/// The horizon of a pair is 2 h (sum of the speeds of its shapes + h g), or v_max h where given.
class ContactDetector {
 public:
  explicit ContactDetector(const System& system) : system_(&system) {}

  /// @param v_start, v_free  velocities before the step and at its end without contact: the larger
  /// speed counts.
  /// @param contacts  replaced; sorted by key, friction and restitution filled in, gap as measured.
  void find_contacts(const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                     const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                     const std::optional<double>& v_max, std::vector<Contact>& contacts);

 private:
  double shape_margin(const SystemKinematics& kinematics, std::size_t shape,
                      const Eigen::Ref<const Eigen::VectorXd>& v_start,
                      const Eigen::Ref<const Eigen::VectorXd>& v_free, double h) const;

  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Pose> X_WG_;
  std::vector<double> margins_;
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;
  std::vector<ContactPoint> points_;
};

}  // namespace amontons
