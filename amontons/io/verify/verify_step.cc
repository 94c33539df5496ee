#include "amontons/io/verify/verify_step.h"

#include "amontons/io/run/recorded_contacts.h"
#include "amontons/io/verify/verify_claim.h"
#include "amontons/io/verify/verify_contacts.h"
#include "amontons/io/verify/verify_events.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/system/law_tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::io {

void StepVerifier::check_initial(const RunRow& row) {
  if (!row.start_was_set) {
    const State initial = step_.system().initial_state();
    checks_->record(Check::Initial, deviation(row.q, initial.q));
    checks_->record(Check::Initial, deviation(row.v, initial.v));
    checks_->record(Check::Times,
                    std::abs(row.time) + std::abs(static_cast<double>(row.step_count)));
  }
  check_no_step(row);
  step_.forget_impulses(row);
  // Properties that a program changed ahead of the run tell its masses and its gravity.
  if (!give_commands(row)) return;
  const SystemKinematics& end = check_end(row);
  check_stored_energy(row, end);
}

void StepVerifier::check_no_step(const RunRow& row) {
  const auto check = [this](bool fits, const char* dataset) {
    if (!fits) checks_->record(Check::Initial, 1.0, dataset);
  };
  // The step begins and ends in the same state, and no impulse acts.
  check(row.step == 0.0, "/step");
  check(row.time_start == row.time, "/time_start");
  check(row.q_start == row.q, "/q_start");
  check(row.v_start == row.v, "/v_start");
  check(row.v_free == row.v, "/v_free");
  check(row.v_eval.isZero(0.0), "/v_eval");
  check(row.v_coupled.isZero(0.0), "/v_coupled");
  check(row.coupled_damping == 0.0, "/coupled_damping");
  check(row.closing_speed == 0.0, "/closing_speed");
  check(row.joint_impulse.isZero(0.0), "/joints/impulse");
  check(row.num_contacts == 0, "/num_contacts");
  check(row.contacts.empty(), "/contacts/offset");
  check(row.bounded_rows.empty(), "/bounded/offset");
  // A certificate without laws, and no work.
  const Certificate& c = row.certificate;
  check(c.holds, "/certificate/claimed");
  for (const auto& [value, dataset] :
       {std::pair{c.normal.value, "/certificate/normal"},
        {c.friction.value, "/certificate/friction"},
        {c.limit.value, "/certificate/limit"},
        {c.joint_friction.value, "/certificate/joint_friction"},
        {c.joint.value, "/certificate/joint"},
        {c.dynamics.value, "/certificate/dynamics"},
        {c.coulomb.value, "/certificate/coulomb"},
        {c.dissipation.value, "/certificate/dissipation"},
        {c.energy_gained, "/certificate/energy_gained"},
        {c.stabilization_work, "/certificate/stabilization_work"},
        {static_cast<double>(c.missed_contacts), "/certificate/missed_contacts"},
        {c.loop.value, "/certificate/loop"},
        {c.overlap.value, "/certificate/overlap"},
        {c.energy_created, "/certificate/energy_created"},
        {c.law_distance.value, "/certificate/law_distance"},
        {row.energy.gravity, "/energy/gravity"},
        {row.energy.actuators, "/energy/actuators"},
        {row.energy.contact_normal, "/energy/contact_normal"},
        {row.energy.contact_friction, "/energy/contact_friction"},
        {row.energy.springs, "/energy/springs"},
        {row.energy.joint_friction, "/energy/joint_friction"},
        {row.energy.impacts, "/energy/impacts"},
        {row.energy.stabilization, "/energy/stabilization"},
        {row.energy.integration, "/energy/integration"},
        {row.energy.unexplained, "/energy/unexplained"}}) {
    check(value == 0.0, dataset);
  }
  // No law, no events and no solver.
  const ContactLaw none;
  check(row.law.kind == none.kind, "/law/kind");
  check(row.law_asked == none.kind, "/law/asked");
  check(row.law.within == none.within, "/law/within");
  check(row.law.directions == 0, "/law/directions");
  check(row.law.restitution == none.restitution, "/law/restitution");
  check(row.law.activation_gap == none.activation_gap, "/law/activation_gap");
  const StepEvents& e = row.events;
  check(!e.impact, "/events/impact");
  check(!e.arrival, "/events/arrival");
  check(!e.zeno, "/events/zeno");
  check(e.sliding == SlidingLaw::Determined, "/events/sliding");
  check(e.by_forces == 0, "/events/by_forces");
  check(!e.steady, "/events/steady");
  check(e.became_steady == 0, "/events/became_steady");
  check(e.became_bouncing == 0, "/events/became_bouncing");
  check(row.status == SolveStatus::NotRun, "/solver/status");
}

void StepVerifier::check_step(const RunRow& row) {
  // Numbers that are not finite would make every further comparison meaningless.
  if (!row.q.allFinite() || !row.v.allFinite() || !row.q_start.allFinite() ||
      !row.v_start.allFinite() || !row.v_eval.allFinite() || !row.v_coupled.allFinite() ||
      !std::isfinite(row.closing_speed)) {
    checks_->record(Check::Positions, std::numeric_limits<double>::infinity(), "not finite");
    return;
  }
  checks_->record(Check::ContactSet, std::max(0.0, -row.closing_speed),
                  "closing_speed must not be negative");
  if (!give_commands(row)) return;
  // Laws are evaluated last, because they need the same contacts and bounded rows.
  step_.rebuild(row);
  check_times(row);
  check_motion(row);
  const SystemKinematics& end = check_end(row);
  if (!row.has_contacts()) {
    check_without_contacts(row, end);
    return;
  }
  if (!check_contacts(step_, row, *checks_) || !check_bounded_rows(step_, row, *checks_)) return;
  step_.keep_impulses(row);
  check_contact_velocities(step_, row, *checks_);
  check_claim(step_, laws_, row, end, *checks_);
  check_events(step_, row, *checks_);
}

void StepVerifier::check_stored_energy(const RunRow& row, const SystemKinematics& end) {
  const StoredEnergy energy = stored_energy(step_.system(), end);
  checks_->record(Check::Energy, deviation(row.energy.kinetic, energy.kinetic));
  checks_->record(Check::Energy, deviation(row.energy.potential, energy.potential()));
}

void StepVerifier::check_without_contacts(const RunRow& row, const SystemKinematics& end) {
  // A contact that the run had to record is missing.
  if (records_contacts(output_, method_, row) || !row.contacts.empty()) {
    checks_->record(Check::ContactSet, 1.0, "not all contacts of the step are recorded");
    return;
  }
  const std::size_t found = step_.problem().num_contacts();
  const bool fits = found == static_cast<std::size_t>(row.num_contacts);
  checks_->record(Check::ContactSet, fits ? 0.0 : 1.0,
                  std::to_string(row.num_contacts) + " contacts are recorded, there are " +
                      std::to_string(found));
  check_bounded_rows(step_, row, *checks_);
  check_stored_energy(row, end);
}

bool StepVerifier::give_commands(const RunRow& row) {
  // A damaged file may command what the system does not have.
  try {
    step_.set_commands(row);
  } catch (const std::invalid_argument& error) {
    checks_->record(Check::Claim, 1.0, std::string("the commands recorded: ") + error.what());
    return false;
  }
  check_commands(row);
  return true;
}

void StepVerifier::check_commands(const RunRow& row) {
  // A command has the numbers of its kind alone.
  for (const RunCommand& command : row.commands) {
    // The system has checked the numbers of a change; two of its places stay empty.
    if (command.kind >= CommandKind::FirstChange) {
      const bool fits = command.at_B.y() == 0.0 && command.at_B.z() == 0.0 &&
                        command.rate == std::floor(command.rate);
      if (!fits) checks_->record(Check::FreeVelocity, 1.0, "/commands/at");
      continue;
    }
    const bool is_wrench = command.kind == CommandKind::Wrench;
    const auto check = [this](bool fits, const char* dataset) {
      if (!fits) checks_->record(Check::FreeVelocity, 1.0, dataset);
    };
    check(command.kind == CommandKind::Target || command.rate == 0.0, "/commands/rate");
    check(!is_wrench || command.value == 0.0, "/commands/value");
    check(is_wrench || command.force_W.isZero(0.0), "/commands/force");
    check(is_wrench || command.torque_W.isZero(0.0), "/commands/torque");
    check(is_wrench || command.at_B.isZero(0.0), "/commands/at");
  }
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
  check_coupling(row);
  checks_->record(Check::Positions, deviation(row.q, step_.end_positions(row)));
  checks_->record(Check::FreeVelocity, deviation(row.v_free, step_.problem().free_velocity));
}

void StepVerifier::check_coupling(const RunRow& row) {
  // Between events no step is coupled, and only coupled trees are damped.
  const double coupled = row.v_coupled.lpNorm<Eigen::Infinity>();
  if (step_.ends_at_events()) {
    checks_->record(Check::FreeVelocity, coupled, "v_coupled must be 0");
  } else {
    check_coupled_trees(row);
  }
  if (coupled == 0.0 || row.coupled_damping < 0.0) {
    checks_->record(Check::FreeVelocity, std::abs(row.coupled_damping),
                    "coupled_damping must be 0");
  }
}

void StepVerifier::check_coupled_trees(const RunRow& row) {
  // Change of v_free up to which a coupling does nothing: the run has left such ones
  // (leave_idle_couplings()), unless it damps the tree.
  constexpr double kRounding = 1e-10;
  const RebuiltStep::ExpectedMotion expected = step_.expected_motion(row);
  const System& system = step_.system();
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    if (!expected.holds_for_all && !is_single_body(tree)) continue;
    const auto own = Eigen::seqN(system.v_offset(static_cast<int>(a)), tree.num_velocities());
    if (step_.damps(a)) continue;
    if (deviation(expected.free(own), step_.problem().free_velocity(own)) <= kRounding)
      checks_->record(Check::FreeVelocity, deviation(row.v_coupled(own), expected.coupled(own)),
                      "v_coupled of '" + tree.links()[0].name + "' is not what the step expects");
  }
}

const SystemKinematics& StepVerifier::check_end(const RunRow& row) {
  const System& system = step_.system();
  const SystemKinematics& end = step_.evaluate_end(row).kinematics;
  for (std::size_t i = 0; i < system.bodies().size(); ++i) {
    // Quaternions q and -q are one rotation.
    const Pose& X_WB = end.X_WB[i];
    const Eigen::Vector4d quat = row.quat_wxyz_of(i);
    const Eigen::Vector4d found =
        wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation).normalized());
    const double turned = std::min(deviation(quat, found), deviation(-quat, found));
    checks_->record(Check::BodyPoses, deviation(row.position_of(i), X_WB.translation),
                    system.bodies()[i].name);
    checks_->record(Check::BodyPoses, turned, system.bodies()[i].name);
  }
  // Overlaps and joint errors after the step [m or rad].
  const Infeasibility found = step_.infeasibility();
  std::string where;
  if (found.deepest) {
    where = names_of_bodies(system, found.deepest->body_a, found.deepest->body_b);
  }
  checks_->record(Check::Infeasibility, deviation(row.certificate.infeasibility, found.largest),
                  where);
  return end;
}

}  // namespace amontons::io
