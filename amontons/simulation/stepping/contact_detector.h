#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/pair_clearance.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace amontons {

/// Appends the contacts of shapes a < b at the poses X_WA, X_WB, sorted by key. They are those
/// within a horizon. Their gaps are their distance less the system's protective layer [m].
/// @param points  workspace.
void append_pair_contacts(const System& system, int a, const Pose& X_WA, int b, const Pose& X_WB,
                          const ContactHorizon& horizon, std::vector<ContactPoint>& points,
                          std::vector<Contact>& contacts);

/// Holds the speed at which two shapes may close a gap. It determines the horizon of their
/// contacts.
struct ClosingSpeed {
  std::optional<double> v_max;  ///< speed for every pair [m/s]; none: from the speeds of its shapes
  double least = 0.0;           ///< lower bound for every pair [m/s]
};

/// Holds the velocity of a shape, whose points are within `radius` [m] of its origin.
struct ShapeVelocity {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   ///< of the origin [m/s]
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< [rad/s]
  double radius = 0.0;

  /// Returns how fast points turn about the origin at most [m/s].
  double turning() const;
  /// Returns true if both have the same bits.
  bool operator==(const ShapeVelocity& other) const = default;
  /// Returns a bound for all points [m/s].
  double speed() const { return linear.norm() + turning(); }
  /// Returns the velocity of the point at `offset` [m] from the origin, moving with the shape.
  Eigen::Vector3d at(const Eigen::Vector3d& offset) const;
};

/// Returns the difference of the velocities of two shapes, and how fast each turns [m/s]: an upper
/// bound of the speed at which they close a gap, along its normal.
double difference_of_speeds(const ShapeVelocity& A, const ShapeVelocity& B);
/// Returns a bound that is at most as large, and zero for shapes that move as one body.
/// Points that touch have one place, so that only the relative motion counts.
/// @param offset  from the origin of A to that of B, in the world [m].
double relative_speed(const ShapeVelocity& A, const ShapeVelocity& B,
                      const Eigen::Vector3d& offset);

/// Returns the velocity of a shape, whose bounding radius is measured about its origin.
/// @param X_WG  pose of the shape.
ShapeVelocity shape_velocity(const System& system, const SystemKinematics& kinematics, int shape,
                             const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v);

/// Returns an upper bound of the speed of a shape's points: |v| + radius |omega| [m/s].
/// @param X_WG  pose of the shape.
double shape_speed(const System& system, const SystemKinematics& kinematics, int shape,
                   const Pose& X_WG, const Eigen::Ref<const Eigen::VectorXd>& v);

/// Finds the contacts of a configuration, up to a gap that could close within the step.
///
/// The horizon of a pair is v_max h where given. Otherwise it is 2 h (relative speed + a quarter of
/// (the sum of the speeds of its shapes + 2 h g)), and at most 2 h times that sum: shapes that move
/// together close no gap, nor do meshes and polyhedra that turn together. It is at least `least` h.
/// Of two meshes the speed at which a gap closes where it is takes the place of the relative speed.
/// Gaps are those of the shapes less the system's protective layer [Anitescu, Miller, Hart 2003,
/// sec. 4].
///
/// The contacts of a pair are reused as long as neither poses nor horizon change by a bit. Bodies
/// at rest then cost a comparison. Meshes and polyhedra that are apart are not searched again
/// before they have moved by their distance (PairClearance). No contact depends on those of an
/// earlier call.
class ContactDetector {
 public:
  explicit ContactDetector(const System& system) : system_(&system) {}

  /// Replaces `contacts` by those of the configuration.
  /// @param v_start, v_free  velocities at the start of the step and at its end without contact:
  /// the larger speed counts.
  /// @param contacts  sorted by key, friction and restitution filled in.
  /// @param kept  marks trees that are and move as in the last call [articulations]; empty: none.
  /// Their contacts with each other and with fixed bodies, which stay, are left out.
  void find_contacts(const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                     const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                     const ClosingSpeed& closing, std::vector<Contact>& contacts,
                     std::span<const char> kept = {});

 private:
  /// Names the range [first, last) of one pair of shapes in contacts_.
  struct PairContacts {
    std::pair<int, int> shapes;
    std::size_t first = 0, last = 0;
    double horizon = 0.0;    // largest gap of its contacts [m]
    int clearance = -1;      // index into clearances_, once it was without contacts in two calls
    int calls_to_wait = 0;   // before its clearance is measured again, where it was of little use
    int calls_left_out = 0;  // in which the clearance spared a search
  };

  /// Updates poses, margins and boxes of all shapes that are not kept, and marks those that did not
  /// change.
  void place_shapes(const SystemKinematics& kinematics,
                    const Eigen::Ref<const Eigen::VectorXd>& v_start,
                    const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                    const ClosingSpeed& closing, std::span<const char> kept);
  /// Sets a shape's velocities at the start and without contact, and returns how far it may travel
  /// within the step, with a factor of safety [m].
  double shape_margin(const SystemKinematics& kinematics, std::size_t shape,
                      const Eigen::Ref<const Eigen::VectorXd>& v_start,
                      const Eigen::Ref<const Eigen::VectorXd>& v_free, double h);
  /// Appends the contacts of a pair that is not kept, or nothing where its clearance shows that
  /// there are none. `last` is the pair of the last call, if it had contacts or boxes that met; or
  /// null.
  void search_pair(const PairContacts* last, const ContactHorizon& horizon, PairContacts& pair);
  /// Keeps the clearance of a pair of the last call.
  void keep_clearance(const PairContacts& last, PairContacts& pair);
  /// Returns how many calls a pair is searched before its clearance is measured again.
  static int calls_before_measurement(const PairContacts& last);
  /// Returns the horizon up to which two shapes may touch within the step.
  ContactHorizon pair_horizon(std::size_t a, std::size_t b, double h,
                              const ClosingSpeed& closing) const;

  const System* system_;
  BroadPhase broad_phase_;
  std::vector<Pose> X_WG_;
  std::vector<double> margins_;
  std::vector<std::array<ShapeVelocity, 2>> velocities_;  // [shapes]
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;  // [shapes] fixed, or on a tree that is kept
  std::vector<char> is_kept_;  // [shapes] pose, margin and velocities equal those of the last call
  std::vector<ContactPoint> points_;
  std::vector<Contact> contacts_, last_contacts_;
  std::vector<PairContacts> pairs_, last_pairs_;
  std::vector<PairClearance> clearances_, last_clearances_;
};

}  // namespace amontons
