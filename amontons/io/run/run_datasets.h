#pragma once

#include <Eigen/Core>

namespace amontons::io {

/// Visits the datasets of a run with the fields of a row that may repeat from row to row: one list
/// for writer and reader. A run holds them once for all rows that share them (repeated_rows.h).
///
/// `visit(name, field, inner)` is called for each, in the order in which they are written. A vector
/// of n numbers is a row [n], or [n / inner, inner] where inner is given. docs/run-format.md says
/// what each dataset means.
///
/// The order is: the step with its states, the residuals of the certificate, the claimed law,
/// energies and works [J], events, and records of the solver.
///
/// Contacts are rows of their own (visit_contact_columns), found through /contacts/offset.
template <typename Row, typename Visitor>
void visit_record_columns(Row&& row, Visitor&& visit) {
  visit("/step", row.step);
  visit("/q", row.q);
  visit("/v", row.v);
  visit("/v_free", row.v_free);
  visit("/q_start", row.q_start);
  visit("/v_start", row.v_start);
  visit("/v_eval", row.v_eval);
  visit("/v_coupled", row.v_coupled);
  visit("/coupled_damping", row.coupled_damping);
  visit("/closing_speed", row.closing_speed);
  visit("/bodies/position", row.body_position, 3);
  visit("/bodies/quat_wxyz", row.body_quat_wxyz, 4);
  visit("/joints/impulse", row.joint_impulse);
  visit("/num_contacts", row.num_contacts);
  visit("/certificate/claimed", row.certificate.holds);
  visit("/certificate/coulomb", row.certificate.coulomb.value);
  visit("/certificate/normal", row.certificate.normal.value);
  visit("/certificate/friction", row.certificate.friction.value);
  visit("/certificate/limit", row.certificate.limit.value);
  visit("/certificate/joint_friction", row.certificate.joint_friction.value);
  visit("/certificate/joint", row.certificate.joint.value);
  visit("/certificate/dynamics", row.certificate.dynamics.value);
  visit("/certificate/infeasibility", row.certificate.infeasibility);
  visit("/certificate/energy_gained", row.certificate.energy_gained);
  visit("/certificate/dissipation", row.certificate.dissipation.value);
  visit("/certificate/stabilization_work", row.certificate.stabilization_work);
  visit("/certificate/missed_contacts", row.certificate.missed_contacts);
  visit("/certificate/loop", row.certificate.loop.value);
  visit("/certificate/overlap", row.certificate.overlap.value);
  visit("/certificate/energy_created", row.certificate.energy_created);
  visit("/certificate/law_distance", row.certificate.law_distance.value);
  visit("/law/asked", row.law_asked);
  visit("/law/kind", row.law.kind);
  visit("/law/directions", row.law.directions);
  visit("/law/restitution", row.law.restitution);
  visit("/law/activation_gap", row.law.activation_gap);
  visit("/law/within", row.law.within);
  visit("/energy/kinetic", row.energy.kinetic);
  visit("/energy/potential", row.energy.potential);
  visit("/energy/gravity", row.energy.gravity);
  visit("/energy/actuators", row.energy.actuators);
  visit("/energy/contact_normal", row.energy.contact_normal);
  visit("/energy/contact_friction", row.energy.contact_friction);
  visit("/energy/springs", row.energy.springs);
  visit("/energy/joint_friction", row.energy.joint_friction);
  visit("/energy/impacts", row.energy.impacts);
  visit("/energy/stabilization", row.energy.stabilization);
  visit("/energy/integration", row.energy.integration);
  visit("/energy/unexplained", row.energy.unexplained);
  visit("/events/impact", row.events.impact);
  visit("/events/arrival", row.events.arrival);
  visit("/events/zeno", row.events.zeno);
  visit("/events/sliding", row.events.sliding);
  visit("/events/by_forces", row.events.by_forces);
  visit("/events/steady", row.events.steady);
  visit("/events/became_steady", row.events.became_steady);
  visit("/events/became_bouncing", row.events.became_bouncing);
  visit("/solver/status", row.status);
  visit("/solver/iterations", row.iterations);
  visit("/solver/attempts", row.attempts);
}

/// Visits the datasets with the fields that each row has of its own: times and what counts with
/// them. /time comes last: a row counts once its time is there.
template <typename Row, typename Visitor>
void visit_time_columns(Row&& row, Visitor&& visit) {
  visit("/step_count", row.step_count);
  visit("/time_start", row.time_start);
  visit("/start_was_set", row.start_was_set);
  visit("/solver/step_time_s", row.step_time_s);
  visit("/solver/solve_time_s", row.solve_time_s);
  visit("/time", row.time);
}

/// Visits all datasets with the fields of a row.
template <typename Row, typename Visitor>
void visit_row_columns(Row&& row, Visitor&& visit) {
  visit_time_columns(row, visit);
  visit_record_columns(row, visit);
}

/// Visits the datasets of contacts, found through /contacts/offset.
template <typename Contact, typename Visitor>
void visit_contact_columns(Contact&& contact, Visitor&& visit) {
  // Bodies, key, geometry and coefficients.
  visit("/contacts/body_a", contact.body_a);
  visit("/contacts/body_b", contact.body_b);
  visit("/contacts/shape_a", contact.key.shape_a);
  visit("/contacts/shape_b", contact.key.shape_b);
  visit("/contacts/feature", contact.key.feature);
  visit("/contacts/position", contact.position_W);
  visit("/contacts/normal", contact.normal_W);
  visit("/contacts/gap", contact.gap);
  visit("/contacts/friction", contact.friction);
  visit("/contacts/viscous_friction", contact.viscous_friction);
  visit("/contacts/restitution", contact.restitution);
  // The solution at the contact, in its frame (t1, t2, n).
  visit("/contacts/law", contact.law);
  visit("/contacts/impulse", contact.impulse);
  visit("/contacts/compression", contact.compression);
  visit("/contacts/velocity", contact.velocity);
  visit("/contacts/velocity_free", contact.velocity_free);
  visit("/contacts/mode", contact.mode);
  visit("/contacts/witness", contact.witness);
  visit("/contacts/first_witness", contact.first_witness);
  visit("/contacts/restitution_share", contact.restitution_share);
}

/// Visits the datasets of bounded rows, found through /bounded/offset.
template <typename Bounded, typename Visitor>
void visit_bounded_columns(Bounded&& bounded, Visitor&& visit) {
  visit("/bounded/kind", bounded.row.kind);
  visit("/bounded/index", bounded.row.index);
  visit("/bounded/is_upper", bounded.row.is_upper);
  visit("/bounded/lower", bounded.row.lower);
  visit("/bounded/upper", bounded.row.upper);
  visit("/bounded/gap", bounded.row.gap);
  visit("/bounded/offset_speed", bounded.row.offset);
  visit("/bounded/compliance", bounded.row.compliance);
  visit("/bounded/restitution", bounded.row.restitution);
  visit("/bounded/impulse", bounded.impulse);
  visit("/bounded/compression", bounded.compression);
  visit("/bounded/velocity", bounded.velocity);
  visit("/bounded/mode", bounded.mode);
  visit("/bounded/witness", bounded.witness);
  visit("/bounded/first_witness", bounded.first_witness);
  visit("/bounded/restitution_share", bounded.restitution_share);
}

/// Visits the datasets of a program's commands, found through /commands/offset.
template <typename Command, typename Visitor>
void visit_command_columns(Command&& command, Visitor&& visit) {
  visit("/commands/kind", command.kind);
  visit("/commands/index", command.index);
  visit("/commands/value", command.value);
  visit("/commands/rate", command.rate);
  visit("/commands/force", command.force_W);
  visit("/commands/torque", command.torque_W);
  visit("/commands/at", command.at_B);
}

}  // namespace amontons::io
