#pragma once

#include "amontons/math/block_diagonal_matrix.h"
#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/forces/inertial_gain.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Seeks the velocity w at the end of a step with the inertial forces of w: the fixed point of
/// w -> v+(w), where v+(w) is the end of the step whose inertial forces belong to w.
///
/// The first passes take v+ itself. Later ones extrapolate from the last two by Anderson's method
/// [Anderson 1965], because v+ changes more than w where a light link strikes the ground. Where
/// that does not suffice, the coupled trees are damped, four times as much in each pass. Damping
/// makes the iteration contract; at last a tree moves as a rigid body in translation, which has no
/// inertial forces.
class InertiaCoupling {
 public:
  /// Begins a step, in which no tree is coupled.
  void clear();

  /// Returns w and the damping; null where no tree is coupled.
  const CoupledInertia* get() const { return inertia_.velocity.size() > 0 ? &inertia_ : nullptr; }
  int num_passes() const { return num_passes_; }  ///< calls of couple() in this step

  /// Couples the trees that gain, and moves w towards the fixed point there; w of other trees
  /// stays.
  /// @param gain      of the step with the present w.
  /// @param start     v, of the start of the step [nv].
  /// @param velocity  v+(w), of the step with the present w [nv].
  /// @param M         gives the norm in which changes of v+ are compared.
  void couple(const System& system, const InertialGain& gain, const Eigen::VectorXd& start,
              const Eigen::VectorXd& velocity, const BlockDiagonalMatrix& M);

  /// Goes back to the w and the damping with the least gain, where no pass had none.
  /// @param gain  of the step with the present w [J].
  /// @returns false where these are the present ones.
  bool take_best(double gain);

 private:
  /// Holds a pass: w, and v+(w) - w of the trees coupled in it.
  struct Pass {
    Eigen::VectorXd velocity, change;
  };
  Eigen::VectorXd extrapolated(const BlockDiagonalMatrix& M) const;
  /// Shortens w to the speeds that the step has had at most, |v|_M + |v+|_M without coupling.
  void limit(const BlockDiagonalMatrix& M);

  CoupledInertia inertia_, best_;
  double least_gain_ = 0.0;   // of best_ [J]
  std::vector<char> trees_;   // coupled in the last pass
  std::vector<Pass> passes_;  // the last ones with these trees, newest at the end
  double largest_ = 0.0;      // bound of |w|_M [sqrt(J)]
  int num_passes_ = 0;
};

/// Takes back couplings that have no effect. A tree that gained energy in an early pass of a step
/// may move in the last one as if it were not coupled, and keeps a w that means nothing.
/// @param uncoupled  free motion of the step without coupled trees.
/// @param velocity   free velocity with them [nv].
/// @param coupled_velocity  w of the coupled trees [nv]; out: of idle ones that of the motion
/// without coupling.
void leave_idle_couplings(const System& system, const FreeMotion& uncoupled,
                          const Eigen::VectorXd& velocity, Eigen::VectorXd& coupled_velocity);

}  // namespace amontons
