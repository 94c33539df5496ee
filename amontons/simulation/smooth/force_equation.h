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

/// The differential equation of trees in sustained contact while each contact keeps what it does,
/// M vdot = f + forces of contact [Drumwright 2015, secs. III-B and IV]: its rate, whether its
/// modes are still the law's, and the way back to it from what an integrator has drifted.
///
/// q [nq] and v [nv] are those of the group; `part` says how its servos act.
class ForceEquation {
 public:
  ForceEquation(const System& system, ContactForceLaw law)
      : system_(&system), law_(std::move(law)), sustained_(system) {}

  /// Takes a group of trees, and the contacts [sorted] of those pairs of shapes.
  /// @param at    everything at the start.
  /// @param q, v  there.
  void begin(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs,
             const std::vector<ContactKey>& contacts, const Eigen::VectorXd& q,
             const Eigen::VectorXd& v);

  const TreeGroup& group() const { return sustained_.group(); }
  bool has_pair(const PairOfShapes& pair) const { return sustained_.has_pair(pair); }

  /// What the law asks for at q, v, whatever the modes; NotRun where a contact is not there.
  ContactForces solve(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const ServoPart& part);

  /// The same of the contacts that are there.
  ContactForces solve_present(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const ServoPart& part);
  /// Those contacts, with M and J_C.
  const ContactProblem& present() const { return instant_.problem; }

  /// What the contacts do from now on.
  void set_modes(const std::vector<ForceMode>& modes) { modes_ = modes; }

  /// y' of y = (displacement from q_base, v, impulse of servos) [3 nv].
  /// @returns false where a contact is lost.
  bool rate(double time, const Eigen::VectorXd& q_base, const Eigen::VectorXd& y,
            const ServoPart& part, Eigen::VectorXd& rate);

  /// Brings gaps, closing speeds and the slip of what sticks back to zero, by the least changes in
  /// the norm of M [Hairer, Wanner 1996, sec. VII.2].
  /// @returns false where a contact is lost.
  bool project(Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Whether the modes are what the law says: no force or slip has changed its sign, and nothing
  /// else has come into contact.
  /// @param contact_tolerance  up to which shapes may overlap [m].
  bool still_holds(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   const ServoPart& part, double contact_tolerance);

  /// Places the group's trees there.
  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v, SystemKinematics& kinematics);

 private:
  ContactForces solve(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const std::vector<FollowedContact>& contacts, const ServoPart& part);

  const System* system_;
  ContactForceLaw law_;
  SustainedContacts sustained_;
  std::vector<FollowedContact> contacts_;
  std::vector<ForceMode> modes_;    // of contacts_
  ContactInstant stage_, instant_;  // of rate(); of all else
};

}  // namespace amontons
