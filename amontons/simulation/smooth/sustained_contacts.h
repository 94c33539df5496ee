#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/simulation/forces/explicit_servos.h"
#include "amontons/simulation/smooth/tree_group.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <algorithm>
#include <optional>
#include <vector>

namespace amontons {

/// Holds the data that determine contact forces at one instant
/// (models/acceleration/coulomb_acceleration.h).
struct ContactInstant {
  ContactProblem problem;        ///< M, v, contacts and J_C of a group of trees, no joint rows
  Eigen::VectorXd forces;        ///< applied, servos, gravity, Coriolis [nv]
  Eigen::VectorXd servo_forces;  ///< part of `forces` from servos [nv]
  Eigen::VectorXd contact_rate;  ///< (d J_C/dt) v [3 nc]
};

/// Identifies a contact during a motion. The key of a face of a terrain or mesh depends on the
/// other faces nearby. Its normal in its body's frame does not change.
struct FollowedContact {
  ContactKey key;
  std::optional<Eigen::Vector3d> face;  ///< normal of a face of a terrain or mesh, in its body
};

/// Finds and assembles the contacts of given pairs of shapes as their trees move; all other trees
/// stay in place.
class SustainedContacts {
 public:
  explicit SustainedContacts(const System& system) : system_(&system) {}

  /// Starts with a group of trees and pairs of shapes.
  /// @param at     kinematics at the start.
  /// @param pairs  sorted; all their moving bodies are on the group's trees.
  void begin(const SystemKinematics& at, TreeGroup group, std::vector<PairOfShapes> pairs);

  const TreeGroup& group() const { return group_; }
  bool has_pair(const PairOfShapes& pair) const {
    return std::binary_search(pairs_.begin(), pairs_.end(), pair);
  }

  /// Places the group's trees and finds all contacts of the pairs, sorted by key.
  const std::vector<Contact>& place(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  const SystemKinematics& kinematics() const { return kinematics_; }

  /// Returns the contacts to follow, by their keys where the trees are placed.
  std::vector<FollowedContact> follow(const std::vector<ContactKey>& keys) const;
  /// Returns true if the contact is present where the trees are placed.
  bool has(const FollowedContact& followed) const { return find(followed) != nullptr; }

  /// Returns true if a contact of place() is one of the followed ones.
  bool is_one_of(const std::vector<FollowedContact>& followed, const Contact& contact) const;

  /// Assembles contacts [sorted] at q, v. The rate of J_C comes from J_C v at displacements along
  /// v, by a formula of fourth order. It uses both sides, or one side where a contact changes its
  /// feature on the other.
  /// @param part  part of the motion, which gives the phases of servos.
  /// @returns false if a contact is missing.
  bool assemble(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                const std::vector<FollowedContact>& contacts, const ServoPart& part,
                ContactInstant& instant);

  /// Assembles the same without forces and rates.
  bool assemble(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                const std::vector<FollowedContact>& contacts, ContactProblem& problem);

 private:
  void move_trees(const Eigen::VectorXd& q, const Eigen::VectorXd& v, bool with_inertia);
  void find_contacts();
  const Eigen::Matrix3d& rotation_of(int body) const;
  const Contact* find(const FollowedContact& followed) const;
  bool select(const std::vector<FollowedContact>& contacts);
  void assemble_rows(ContactProblem& problem) const;
  bool compute_rate(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                    const std::vector<FollowedContact>& contacts, Eigen::VectorXd& rate);
  void compute_forces(double time, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const ServoPart& part, ContactInstant& instant) const;

  const System* system_;
  TreeGroup group_;
  std::vector<Eigen::Index> group_v_offset_;  // [articulations] -1: not in the group
  std::vector<PairOfShapes> pairs_;
  std::vector<int> bodies_;  // bodies on the group's trees
  SystemKinematics kinematics_;
  std::vector<Contact> contacts_, selected_;
  std::vector<ContactPoint> points_;
  ContactProblem displaced_;
};

}  // namespace amontons
