#pragma once

#include "amontons/dynamics/velocity_curvature.h"
#include "amontons/geometry/shapes/rigid_motion.h"
#include "amontons/simulation/smooth/tree_motion.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <array>
#include <limits>
#include <vector>

namespace amontons {

/// How all bodies move in [0, h] after an instant: trees with constant velocities, q (+) t v, or as
/// a TreeMotion has them; fixed bodies as prescribed.
///
/// Bounds of velocities hold for each part of a motion, parts short enough that nothing turns far
/// in them: v lies within |v(b) - v(a)|/2 of its mean, and by how much it may curve in between. At
/// constant rates that is known (dynamics/velocity_curvature.h); where an integrator has the motion
/// it is twice what the middle misses the mean by.
class SystemMotion {
 public:
  explicit SystemMotion(const System& system) : system_(&system) {}

  /// All trees move at v from q, at `time`, for `duration` [s]. References must stay as they are.
  void begin(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double time, double duration);

  /// A tree moves otherwise.
  void follow(int articulation, TreeMotion& motion);

  Pose pose(int body, double elapsed) const;
  MotionBound bound(int body, double begin, double end) const;

 private:
  /// Kinematics of a tree at some instants, the last ones asked for: enough for the ends and
  /// middles of the parts of a motion, which all bodies of the tree ask for in turn.
  struct Instant {
    double elapsed = std::numeric_limits<double>::quiet_NaN();
    ArticulationKinematics kinematics;
  };
  struct Tree {
    TreeMotion* smooth = nullptr;
    std::array<Instant, 24> instants;
    std::size_t next = 0;
  };

  const ArticulationKinematics& kinematics_at(int articulation, double elapsed) const;
  Vector6d velocity_at(const Body& body, double elapsed) const;
  VelocityCurvature curvature_of(const Body& body) const;
  MotionBound bound_of_part(const Body& body, double begin, double end) const;
  MotionBound bound_of_fixed(const Body& body, double begin, double end) const;
  std::vector<double> parts(int articulation, double begin, double end) const;

  const System* system_;
  const Eigen::VectorXd *q_ = nullptr, *v_ = nullptr;
  double time_ = 0.0, duration_ = 0.0;
  mutable std::vector<Tree> trees_;
  mutable Eigen::VectorXd q_tree_, v_tree_;
};

/// One body of it.
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
