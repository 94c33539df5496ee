#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <optional>
#include <utility>
#include <vector>

namespace amontons {

/// Appends the contacts of shapes a < b at the poses X_WA, X_WB, sorted by key: those whose
/// distance is at most `horizon` [m]. Their gaps are less than that by the system's protective
/// layer.
/// @param points  memory to work with.
void append_pair_contacts(const System& system, int a, const Pose& X_WA, int b, const Pose& X_WB,
                          double horizon, std::vector<ContactPoint>& points,
                          std::vector<Contact>& contacts);

/// The speed at which two shapes may close a gap, of which the horizon of their contacts is made.
struct ClosingSpeed {
  std::optional<double> v_max;  ///< of every pair [m/s]; none: by the speeds of its shapes
  double least = 0.0;           ///< of every pair, whatever the other says [m/s]
};

/// Of the fastest point of a shape at most: |v| + radius |omega| [m/s].
/// @param X_WG  of the shape.
double shape_speed(const System& system, const SystemKinematics& kinematics, int shape,
                   const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v);

/// Finds the contacts of a configuration, up to a gap that could close within the step.
///
/// The horizon of a pair is 2 h (sum of the speeds of its shapes + h g), or v_max h where given,
/// and at least `least` h. Gaps are those of the shapes less the system's protective layer
/// [Anitescu, Miller, Hart 2003, sec. 4].
///
/// What two shapes have in common is kept as long as neither pose nor margin has changed by a bit:
/// bodies at rest cost a comparison, and no contact depends on what was found before.
class ContactDetector {
 public:
  explicit ContactDetector(const System& system) : system_(&system) {}

  /// @param v_start, v_free  velocities before the step and at its end without contact: the larger
  /// speed counts.
  /// @param contacts  replaced; sorted by key, friction and restitution filled in.
  void find_contacts(const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                     const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                     const ClosingSpeed& closing, std::vector<Contact>& contacts);

 private:
  /// Contacts [first, last) of one pair of shapes, in contacts_.
  struct PairContacts {
    std::pair<int, int> shapes;
    std::size_t first = 0, last = 0;
  };

  void place_shapes(const SystemKinematics& kinematics,
                    const Eigen::Ref<const Eigen::VectorXd>& v_start,
                    const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                    const ClosingSpeed& closing);
  double shape_margin(const SystemKinematics& kinematics, std::size_t shape,
                      const Eigen::Ref<const Eigen::VectorXd>& v_start,
                      const Eigen::Ref<const Eigen::VectorXd>& v_free, double h) const;

  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Pose> X_WG_;
  std::vector<double> margins_;
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;
  std::vector<char> is_kept_;  // by shape: pose and margin are those of the last call
  std::vector<ContactPoint> points_;
  std::vector<Contact> contacts_, last_contacts_;
  std::vector<PairContacts> pairs_, last_pairs_;
};

}  // namespace amontons
