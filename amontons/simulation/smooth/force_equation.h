#pragma once

#include "amontons/models/acceleration/force_modes.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/smooth/contact_force_law.h"
#include "amontons/simulation/smooth/sustained_contacts.h"
#include "amontons/simulation/smooth/tree_group.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace amontons {

/// Largest gap of a closed contact that a projection leaves, its rounding [m].
inline constexpr double kClosedGap = 1e-14;

/// Describes the differential equation of trees in sustained contact, M vdot = f + forces of
/// contact, while each contact keeps its mode [Drumwright 2015, secs. III-B and IV]. It gives the
/// rate, tests whether the modes still satisfy the law, and removes the drift of an integrator. A
/// contact that the law opens has no force and is not followed; the test finds where it closes.
///
/// q [nq] and v [nv] are those of the group; `part` gives the phases of its servos.
class ForceEquation {
 public:
  ForceEquation(const System& system, ContactForceLaw law)
      : system_(&system), law_(std::move(law)), sustained_(system) {}

  /// Starts with a group of trees, and the contacts [sorted] of the given pairs of shapes.
  /// @param at    kinematics at the start.
  /// @param q, v  state of the group there.
  void begin(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs,
             const std::vector<ContactKey>& contacts, const Eigen::VectorXd& q,
             const Eigen::VectorXd& v);

  const TreeGroup& group() const { return sustained_.group(); }
  bool has_pair(const PairOfShapes& pair) const { return sustained_.has_pair(pair); }

  /// Returns the forces and modes of the law at q, v; NotRun where a contact is missing.
  ContactForces solve(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const ServoPart& part);

  /// Returns the same for the contacts that are present at the end of a motion; those in mode Open
  /// have no force, and slips that end there still have their friction.
  ContactForces solve_present(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const ServoPart& part);
  /// Returns those contacts, with M and J_C.
  const ContactProblem& present() const { return instant_.problem; }

  /// Sets the modes [contacts of begin()] that the contacts keep. Open ones are not followed.
  void set_modes(const std::vector<ForceMode>& modes);

  /// Computes y' of y = (displacement from q_base, v, impulse of servos) [3 nv].
  /// @returns false where a closed contact is lost.
  bool rate(double time, const Eigen::VectorXd& q_base, const Eigen::VectorXd& y,
            const ServoPart& part, Eigen::VectorXd& rate);

  /// Brings gaps, closing speeds and the slip of sticking contacts back to zero, and slips that
  /// have just begun into the direction of their friction, by the least changes in the norm of M
  /// [Hairer, Wanner 1996, sec. VII.2].
  /// @returns false where a closed contact is lost.
  bool project(Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Returns true if the modes satisfy the law: no force or slip has changed its sign, and nothing
  /// else has come into contact.
  /// @param contact_tolerance  largest overlap of shapes [m].
  bool still_holds(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   const ServoPart& part, double contact_tolerance);

  /// Writes the poses of the group's trees at q, v into the kinematics.
  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, SystemKinematics& kinematics);

 private:
  ContactForces solve(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const std::vector<FollowedContact>& contacts, const ServoPart& part,
                      double slip_speed);
  void align_slow_slips(const ForcesInModes& system, const std::vector<ForceMode>& closed,
                        const Eigen::VectorXd& v, Eigen::VectorXd& change) const;

  const System* system_;
  ContactForceLaw law_;
  SustainedContacts sustained_;
  std::vector<FollowedContact> contacts_, closed_;  // all, and those that are not open
  std::vector<char> is_closed_;                     // [contacts_]
  std::vector<ForceMode> modes_;                    // modes of closed_
  ContactInstant stage_, instant_;  // instants of rate(), and of all other functions
};

}  // namespace amontons
