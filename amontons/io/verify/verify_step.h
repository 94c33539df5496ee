#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_law.h"

namespace amontons::io {

/// Rebuilds the step behind each row of a run and compares it with the row.
class StepVerifier {
 public:
  /// @throws std::invalid_argument naming what is wrong with the scene.
  StepVerifier(const Scene& scene, VerificationChecks& checks)
      : step_(scene),
        laws_(scene),
        output_(scene.output),
        method_(scene.simulation.method),
        checks_(&checks) {}

  const System& system() const { return step_.system(); }
  /// Checks row 0 against the initial state of the scene, unless a program set another one.
  void check_initial(const RunRow& row);
  /// Checks a row that a step led to.
  void check_step(const RunRow& row);

 private:
  /// Checks that row 0 records no step.
  void check_no_step(const RunRow& row);
  /// Gives the system the row's commands, and checks them; returns false where it cannot have them.
  bool give_commands(const RunRow& row);
  /// Checks that each command has the numbers of its kind alone.
  void check_commands(const RunRow& row);
  /// Checks time and length of the step against the scene [s].
  void check_times(const RunRow& row);
  /// Checks q = q_start (+) h v, v_eval and v_free.
  void check_motion(const RunRow& row);
  /// Checks the velocities to which inertial forces belong, as far as the row before tells them,
  /// and the damping.
  void check_coupling(const RunRow& row);
  /// Checks these velocities tree by tree, in time stepping.
  void check_coupled_trees(const RunRow& row);
  /// Checks poses, overlaps and joint errors at the end of the step; returns the kinematics there.
  const SystemKinematics& check_end(const RunRow& row);
  /// Checks kinetic and potential energy at the end of the step.
  void check_stored_energy(const RunRow& row, const SystemKinematics& end);
  /// Judges a row whose contacts are not recorded: their number, bounded rows, stored energies.
  void check_without_contacts(const RunRow& row, const SystemKinematics& end);

  RebuiltStep step_;
  LawCheck laws_;
  OutputSettings output_;
  std::string method_;
  VerificationChecks* checks_;
};

}  // namespace amontons::io
