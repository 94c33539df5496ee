#pragma once

#include "amontons/math/block_sparse_matrix.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/stepping/linkage_equation.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Computes the motion of inertia of trees that rows of J connect, linkage by linkage. Bounded rows
/// (limits, springs, dampers, servos) and contacts do not count as connections.
///
/// The velocity v at the start has moved with its last step: that of a body which spins about an
/// axis of its rows turns with the axis, v_t (swung_velocity()). Where v obeys the rows already, as
/// at the start of a run and after an impact, it stays. M-orthogonal projection gives v_p, J v_p =
/// 0. It removes the speed of the last stabilization, and no momentum. Then
///
///   M (x - v_p) + h b((v_p + x)/2) = J' lambda,   J x = 0
///
/// and x_s = s x, with the factor s > 0 that keeps the energy but that of the speed removed:
/// T(q (+) h x_s, x_s) = T(q, v) - (T(q, v_t) - T(q, v_p)). Where every root is free and the rows
/// are internal, s scales the motion relative to the center of mass, whose velocity stays.
///
/// Rows of prescribed motions keep their rate instead, J x = J v_t, and s is then 1.
///
/// The impulse M (x_s - v) - J' lambda is without that of the rows. The contact problem finds
/// lambda again, as the reaction of the joints.
///
/// The impulse of a coupled linkage, which ends the step with w, is M (v_t - v) - h b((v_t + w)/2),
/// balanced as that of a coupled tree (dynamics/coupled_inertia.h).
class LinkedInertiaStep {
 public:
  /// Computes the motion at `kinematics`, of the velocity v [nv] in a step of length h [s]. A
  /// linkage without inertial forces, as in plane motion, has no impulse.
  /// @param v  velocity that has led to these kinematics, so that it turns with the axes.
  /// @param coupled  coupled trees; null: there are none.
  /// @returns the result, valid until the next call. Its status is Safe where an equation has no
  /// solution: its inertial forces are left out then.
  const LinkedInertia& compute(const System& system, const SystemKinematics& kinematics,
                               const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                               const CoupledInertia* coupled = nullptr);
  /// Returns the result of the last call of compute().
  const LinkedInertia& last() const { return result_; }

 private:
  void find_linkages(const System& system);
  void move(const System& system, const SystemKinematics& kinematics,
            const Eigen::Ref<const Eigen::VectorXd>& v, double h, const Linkage& linkage,
            const CoupledInertia* coupled);
  /// Sets v_p; returns true if rows of the linkage follow a prescribed motion.
  bool project_start(const System& system, const Linkage& linkage, const Eigen::VectorXd& v_t,
                     Eigen::VectorXd& v_p);
  /// Scales x so that its energy at the end of the step is the given one [J]; v is the velocity at
  /// the start.
  void keep_energy(const System& system, const SystemKinematics& kinematics, const Linkage& linkage,
                   const Eigen::VectorXd& v, double energy, double h, Eigen::VectorXd& x);

  /// Returns the impulse of inertia of a coupled linkage that moves from v, turned to v_t, to w.
  Eigen::VectorXd coupled_impulse(const System& system, const SystemKinematics& kinematics,
                                  const Linkage& linkage, const Eigen::VectorXd& v,
                                  const Eigen::VectorXd& v_t, const Eigen::VectorXd& w, double h);

  BlockSparseMatrix jacobian_;
  Eigen::VectorXd error_;
  std::vector<Eigen::Vector3d> axes_;
  std::vector<Linkage> linkages_;
  std::vector<LinkageEquation> equations_;  // one for each linkage, so that patterns stay
  LinkedInertia result_;
};

}  // namespace amontons
