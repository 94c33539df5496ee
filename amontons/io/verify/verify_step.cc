#include "amontons/io/verify/verify_step.h"

#include "amontons/io/verify/verify_claim.h"
#include "amontons/io/verify/verify_contacts.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/forces/energy.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons::io {

void StepVerifier::check_initial(const RunRow& row) {
  if (!row.start_was_set) {
    const State initial = step_.system().initial_state();
    checks_->record(Check::Initial, deviation(row.q, initial.q));
    checks_->record(Check::Initial, deviation(row.v, initial.v));
    checks_->record(Check::Times,
                    std::abs(row.time) + std::abs(static_cast<double>(row.step_count)));
  }
  const SystemKinematics& end = check_end(row);
  const StoredEnergy energy = stored_energy(step_.system(), end);
  checks_->record(Check::Energy, deviation(row.energy.kinetic, energy.kinetic));
  checks_->record(Check::Energy, deviation(row.energy.potential, energy.potential()));
}

void StepVerifier::check_step(const RunRow& row) {
  // Numbers that are not finite would make every further comparison meaningless.
  if (!row.q.allFinite() || !row.v.allFinite() || !row.q_start.allFinite() ||
      !row.v_start.allFinite() || !row.v_eval.allFinite() || !std::isfinite(row.closing_speed)) {
    checks_->record(Check::Positions, std::numeric_limits<double>::infinity(), "not finite");
    return;
  }
  // A damaged file may command what the system does not have.
  try {
    step_.set_commands(row);
  } catch (const std::invalid_argument& error) {
    checks_->record(Check::Claim, 1.0, std::string("the commands recorded: ") + error.what());
    return;
  }
  // Laws are evaluated last, because they need the same contacts and bounded rows.
  step_.rebuild(row);
  check_times(row);
  check_motion(row);
  const SystemKinematics& end = check_end(row);
  if (!check_contacts(step_, row, *checks_) || !check_bounded_rows(step_, row, *checks_)) return;
  check_contact_velocities(step_, row, *checks_);
  check_claim(step_, row, end, *checks_);
}

void StepVerifier::check_times(const RunRow& row) {
  // Steps that end at events may be shorter than the scene's, but never pass one of its instants.
  if (step_.ends_at_events()) {
    checks_->record(Check::Times, deviation(row.time, row.time_start + row.step));
    const bool too_long = row.time > step_.settings().next_time(row.time_start);
    checks_->record(Check::Times, too_long ? 1.0 : 0.0, "an instant of the steps is passed");
    return;
  }
  // In time stepping, step and time follow from the number of the step alone.
  const double expected_step = step_.settings().step_size(row.step_count - 1);
  checks_->record(Check::Times, deviation(row.step, expected_step));
  checks_->record(Check::Times, deviation(row.time, step_.settings().time_of(row.step_count)));
  checks_->record(Check::Times,
                  deviation(row.time_start, step_.settings().time_of(row.step_count - 1)));
}

void StepVerifier::check_motion(const RunRow& row) {
  // Models that evaluate at the start of the step use q_start: v_eval is 0.
  if (!step_.settings().evaluates_ahead()) {
    checks_->record(Check::Positions, row.v_eval.lpNorm<Eigen::Infinity>(), "v_eval must be 0");
  }
  checks_->record(Check::Positions, deviation(row.q, step_.end_positions(row)));
  checks_->record(Check::FreeVelocity, deviation(row.v_free, step_.problem().free_velocity));
}

const SystemKinematics& StepVerifier::check_end(const RunRow& row) {
  const System& system = step_.system();
  const SystemKinematics& end = step_.evaluate_end(row).kinematics;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    // Quaternions q and -q are one rotation, so that rotation matrices are compared.
    const Pose& X_WB = end.X_WB[i];
    const Eigen::Vector4d quat = row.quat_wxyz_of(i);
    const double turned =
        quat.allFinite() && quat.norm() > 0.5
            ? (quaternion_from_wxyz(quat).toRotationMatrix() - X_WB.rotation).norm()
            : 1.0;
    checks_->record(Check::BodyPoses, deviation(row.position_of(i), X_WB.translation),
                    system.bodies()[i].name);
    checks_->record(Check::BodyPoses, turned, system.bodies()[i].name);
  }
  // Overlaps and joint errors after the step [m or rad].
  const Infeasibility found = step_.infeasibility();
  std::string where;
  if (found.deepest) {
    where = system.bodies()[static_cast<std::size_t>(found.deepest->body_a)].name + " and " +
            system.bodies()[static_cast<std::size_t>(found.deepest->body_b)].name;
  }
  checks_->record(Check::Infeasibility, deviation(row.certificate.infeasibility, found.largest),
                  where);
  return end;
}

}  // namespace amontons::io
