#pragma once

#include "amontons/dynamics/velocity_curvature.h"
#include "amontons/geometry/rigid_motion.h"
#include "amontons/simulation/smooth/tree_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// Describes the motion of all bodies in [0, h] after an instant. Trees have constant velocities, q
/// (+) t v, or move as a TreeMotion; fixed bodies move as prescribed. A free body with a spin axis
/// swings as in integrate_positions() (system/swing_rotation.h).
///
/// Bounds of velocities hold for each part of a motion. Parts are so short that nothing turns far
/// in them. In a part from a to b, v lies within |v(b) - v(a)|/2 of its mean, plus a bound of its
/// curvature. A body alone at constant rates, or one that falls freely, moves by a formula
/// (ConstantMotion). At constant rates that bound is known (dynamics/velocity_curvature.h). Where
/// an integrator moves a tree it is twice the distance of the middle from the mean.
class SystemMotion {
 public:
  explicit SystemMotion(const System& system) : system_(&system) {}

  /// Starts a motion: all trees move at v from q, at `time`, for `duration` [s]. The references
  /// must stay valid.
  void begin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double time, double duration);

  /// Replaces the motion of one tree.
  void follow(int articulation, TreeMotion& motion);

  double start_time() const { return time_; }  ///< [s]

  /// Returns true if a tree falls freely: its way then depends on no length of the motion.
  bool falls_freely(int articulation) const {
    const Tree& tree = trees_[static_cast<std::size_t>(articulation)];
    return tree.smooth != nullptr && tree.acceleration;
  }
  /// Marks the trees that fall freely [articulations].
  void mark_falling_trees(std::vector<char>& falls) const;

  /// Returns the effort of pose() and bound(), in distances of two boxes (distance_effort.h).
  int effort(int body) const;

  /// Returns X_WB of a body at a time after the start [s].
  Pose pose(int body, double elapsed) const;
  /// Returns bounds of a body's velocities in [begin, end] [s].
  MotionBound bound(int body, double begin, double end) const;

 private:
  /// Caches the kinematics of a tree at one of the last requested instants. The cache covers the
  /// ends and middles of the parts of a motion, which all bodies of the tree request in turn.
  struct Instant {
    double elapsed = std::numeric_limits<double>::quiet_NaN();
    ArticulationKinematics kinematics;
  };
  struct Tree {
    TreeMotion* smooth = nullptr;
    std::optional<Eigen::Vector3d> acceleration;  // constant, of its only link's origin
    std::optional<ConstantMotion> formula;        // of that link, once it is asked for
    std::array<Instant, 24> instants;
    std::size_t next = 0;

    /// Begins another motion, for which the instants of the last one are invalid.
    void restart(TreeMotion* motion, const std::optional<Eigen::Vector3d>& constant) {
      smooth = motion;
      acceleration = constant;
      formula.reset();
      for (Instant& instant : instants) instant.elapsed = std::numeric_limits<double>::quiet_NaN();
    }
  };

  /// Returns the formula of a body's motion, or null.
  const ConstantMotion* formula_of(const Body& body) const;
  const ArticulationKinematics& kinematics_at(int articulation, double elapsed) const;
  Vector6d velocity_at(const Body& body, double elapsed) const;
  VelocityCurvature curvature_of(const Body& body) const;
  MotionBound bound_of_part(const Body& body, double begin, double end) const;
  MotionBound bound_of_fixed(const Body& body, double begin, double end) const;
  MotionBound bound_at_constant_rates(const Body& body, double begin, double end) const;
  MotionBound bound_of_smooth(int body, double begin, double end) const;

  /// Returns the spin axis of a tree at constant rates; zero where it has none.
  Eigen::Vector3d spin_axis(int articulation) const;

  const System* system_;
  const Eigen::VectorXd *q_ = nullptr, *v_ = nullptr;
  std::vector<Eigen::Vector3d> axes_;  // [articulations] spin axes; empty without loop joints
  double time_ = 0.0, duration_ = 0.0;
  mutable std::vector<Tree> trees_;
  /// Bounds of whole parts of integrated motions, by body; empty where none is known yet.
  mutable std::vector<std::vector<std::optional<MotionBound>>> bounds_of_parts_;
  mutable Eigen::VectorXd q_tree_, v_tree_;
};

/// Presents one body of a SystemMotion to the search for impacts.
class BodyOfSystem final : public RigidMotion {
 public:
  BodyOfSystem(const SystemMotion& motion, int body) : motion_(&motion), body_(body) {}

  Pose pose(double elapsed) const override { return motion_->pose(body_, elapsed); }
  MotionBound bound(double begin, double end) const override {
    return motion_->bound(body_, begin, end);
  }

 private:
  const SystemMotion* motion_;
  int body_;
};

}  // namespace amontons
