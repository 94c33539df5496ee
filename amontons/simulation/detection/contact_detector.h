#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/pair_clearance.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/math/disjoint_sets.h"
#include "amontons/simulation/detection/flush_shapes.h"
#include "amontons/simulation/detection/inner_pairs.h"
#include "amontons/simulation/detection/link_velocities.h"
#include "amontons/simulation/detection/passing_shapes.h"
#include "amontons/simulation/detection/shape_velocity.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
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
  /// Pairs that pass each other within the step have no contacts (passing_shapes.h), nor have edges
  /// that shapes of the same body cover (flush_shapes.h).
  bool leaves_out_passing = false;
};

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
  explicit ContactDetector(const System& system)
      : system_(&system), inner_pairs_(system), flush_shapes_(system) {}

  /// Contacts at once, of which a step keeps 4 kB each: kMostContacts and kMostContactsEach for
  /// each articulation at most. Copies of a body in one place have half of the square of their
  /// number.
  static constexpr std::size_t kMostContacts = 100'000, kMostContactsEach = 30;

  /// Replaces `contacts` by those of the configuration.
  /// @param v_start, v_free  velocities at the start of the step and at its end without contact:
  /// the larger speed counts.
  /// @param contacts  sorted by key, friction and restitution filled in.
  /// @param kept  marks trees that are and move as in the last call [articulations]; empty: none.
  /// Their contacts with each other and with fixed bodies, which stay, are left out.
  /// @throws std::domain_error where there are too many contacts, or PairBuffer::kMostPairs.
  void find_contacts(const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                     const Eigen::Ref<const Eigen::VectorXd>& v_free, double h,
                     const ClosingSpeed& closing, std::vector<Contact>& contacts,
                     std::span<const char> kept = {});

  /// Returns the pairs whose contacts the last call left out, since they pass each other; sorted.
  const std::vector<PairOfShapes>& passing() const { return passing_; }

 private:
  /// Names the range [first, last) of one pair of shapes in contacts_.
  struct PairContacts {
    std::pair<int, int> shapes;
    std::size_t first = 0, last = 0;
    double horizon = 0.0;    // largest gap of its contacts [m]
    int clearance = -1;      // index into clearances_, once it was without contacts in two calls
    int calls_to_wait = 0;   // before its clearance is measured again, where it was of little use
    int calls_left_out = 0;  // in which the clearance spared a search
    bool passes = false;     // at the velocities that its shapes have
    bool is_whole = true;    // no contact is left out
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
  /// Throws unless the contacts are at most as many as allowed; `last` are the shapes of the last.
  void check_number(std::pair<int, int> last) const;
  /// Returns how many calls a pair is searched before its clearance is measured again.
  static int calls_before_measurement(const PairContacts& last);
  ShapeInStep shape_in_step(int shape) const;
  std::span<const Contact> contacts_of(const PairContacts& pair) const;
  /// Returns true if the shapes of a pair pass each other.
  bool passes(const PairContacts& pair, double h) const;
  /// Leaves out the contacts for which is_kept(pair, contact) is false.
  template <typename IsKept>
  void keep_contacts(const IsKept& is_kept);
  /// Leaves out contacts at points that shapes of the same body cover.
  void leave_out_covered();
  /// Returns the tree that a shape belongs to; -1: it is fixed.
  int tree_of(int shape) const;
  /// Groups the trees that may push each other, and marks the groups of which one meets something.
  void find_what_meets(double h);
  /// Leaves out the contacts of pairs that pass, where nothing that may push one of the two meets
  /// anything.
  void leave_out_passing(double h);
  /// Returns how far a shape may travel within the step against the first link of its tree,
  /// as shape_margin() [m].
  double margin_within(int tree, std::size_t shape, double h) const;
  /// Returns the horizon up to which two shapes may touch within the step.
  ContactHorizon pair_horizon(std::size_t a, std::size_t b, double h,
                              const ClosingSpeed& closing) const;

  const System* system_;
  BroadPhase broad_phase_;
  InnerPairs inner_pairs_;
  FlushShapes flush_shapes_;
  std::vector<Pose> X_WG_;
  std::vector<double> margins_;
  std::array<LinkVelocities, 2> link_velocities_;         // at the start, and without contact
  std::vector<std::array<ShapeVelocity, 2>> velocities_;  // [shapes] likewise
  std::vector<Aabb> boxes_;
  std::vector<char> is_static_;  // [shapes] fixed, or on a tree that is kept
  std::vector<char> is_kept_;  // [shapes] pose, margin and velocities equal those of the last call
  std::vector<ContactPoint> points_;
  std::vector<Contact> contacts_, last_contacts_;
  std::vector<PairContacts> pairs_, last_pairs_;  // sorted by their shapes
  std::vector<double> least_gaps_;                // [pairs_] of all contacts found [m]
  std::vector<PairOfShapes> passing_;
  DisjointSets groups_;            // trees that may push each other
  std::vector<int> meeting_;       // trees that meet something
  std::vector<char> meets_;        // by the root of their group
  std::vector<double> thickness_;  // [shapes] half of the smallest extent along an own axis [m]
  std::vector<PairClearance> clearances_, last_clearances_;
};

}  // namespace amontons
