#include "amontons/io/verify/verify_modes.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/bounded_row_certificate.h"
#include "amontons/contact/certificate/dissipation_residual.h"
#include "amontons/contact/marks.h"
#include "amontons/contact/rows_as_contacts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;

// Slip, relative to V, below which a loaded contact or row sticks [-] (solution_assembly.cc).
constexpr double kStickShare = 1e-6;
// Factor around a bound within which both sides of it pass: V of a damped problem differs.
constexpr double kSlack = 10.0;

/// Says how a value lies to a bound.
struct Comparison {
  bool may_be_above, may_be_below;
};

/// Compares a value with a bound that lies between two values.
Comparison compare(double value, double least, double most) {
  return {value >= least / kSlack, value <= most * kSlack};
}

/// Holds the scales w and V with which contacts and bounded rows were solved, and says which of
/// them may bounce. Beside contacts, rows of joints are solved in the form of contacts, with one V
/// for the contacts and rows of an island: a row that rests has that of what moves beside it.
struct SolvedScales {
  Eigen::VectorXd contact_inverse_mass, contact_speed;  ///< [nc] [1/kg], [m/s]
  Eigen::VectorXd row_inverse_mass, row_speed;          ///< [nb], in the units of each row
  std::vector<char> contact_may_bounce, row_may_bounce;
  double drag = 0.0;  ///< h mu_v of all contacts of the island [kg]

  /// Returns the root of the factor by which drag raises at most the mass that moves [-]. V of the
  /// damped problem, which was solved, is less or more by up to this factor: more mass, whose free
  /// motion has more energy.
  double damping(double inverse_mass) const { return std::sqrt(1.0 + inverse_mass * drag); }
};

/// Returns the scales of an island.
SolvedScales solved_scales(const IslandPart& part) {
  const ContactScales& contacts = part.scaling.scales;
  const BoundedRowScaling& rows = part.scaling.bounded;
  SolvedScales result{contacts.inverse_mass,   contacts.speed, rows.inverse_mass, rows.speed,
                      part.scaling.may_bounce, rows.may_bounce};
  for (const Contact& contact : part.problem.contacts) {
    result.drag += part.problem.step * contact.viscous_friction;
  }
  if (part.problem.bounded_rows.empty() ||
      needs_no_contact_form(part.problem, part.scaling, part.solution)) {
    return result;
  }
  // Rows with bounds follow the contacts there, in their order.
  const ProblemScaling all(rows_as_contacts(part.problem));
  const Index nc = static_cast<Index>(part.problem.num_contacts());
  result.contact_inverse_mass = all.scales.inverse_mass.head(nc);
  result.contact_speed = all.scales.speed.head(nc);
  std::copy_n(all.may_bounce.begin(), nc, result.contact_may_bounce.begin());
  Index place = nc;
  for (const std::size_t row : rows_with_bounds(part.problem)) {
    result.row_inverse_mass(static_cast<Index>(row)) = all.scales.inverse_mass(place);
    result.row_speed(static_cast<Index>(row)) = all.scales.speed(place);
    result.row_may_bounce[row] = all.may_bounce[static_cast<std::size_t>(place)];
    ++place;
  }
  return result;
}

/// Returns true if a contact may have its recorded mode.
bool is_possible(const IslandPart& part, const SolvedScales& scales, std::size_t i,
                 double tolerance) {
  const ContactSolution& solution = part.solution;
  const ContactMode mode = solution.modes[i];
  const Index first = ContactProblem::row(i), c = static_cast<Index>(i);
  const Contact& contact = part.problem.contacts[i];
  const bool lists_sticking =
      law_traits(solution.law.kind).residual == LawResidualKind::StickingList;
  const bool may_bounce = scales.contact_may_bounce[i] != 0;
  // Under maximum dissipation what phase I loads bounces, too.
  if (mode == ContactMode::Impact && !solution.witnesses.empty() &&
      bouncing_load(solution.witnesses.front()[i]) > 0.0) {
    return may_bounce;
  }
  const double w = scales.contact_inverse_mass(c), V = scales.contact_speed(c);
  const double damping = scales.damping(w);
  const double stick_share =
      lists_sticking ? std::max(kStickShare, solution.law.within) : kStickShare;
  const Comparison slip = compare(part.contact_velocity.segment<2>(first).norm(),
                                  stick_share * V / damping, stick_share * V * damping);
  // Without an impulse it is open, or on the list of contacts that must not slip.
  if (solution.impulses.segment<3>(first).isZero(0.0)) {
    return mode == ContactMode::Open || (mode == ContactMode::Stick && lists_sticking &&
                                         may_stick(contact) && slip.may_be_below);
  }
  if (mode == ContactMode::Open) return false;
  // Every collision of a sequence is an impact.
  if (is_collision_law(solution.law.kind)) return mode == ContactMode::Impact;
  const Eigen::VectorXd& load =
      solution.has_two_phases() ? solution.compression_impulses : solution.impulses;
  const Comparison loaded = compare(w * load(first + 2), tolerance * V / damping,
                                    tolerance * V * damping * damping * damping);
  if (mode == ContactMode::Impact) return may_bounce && loaded.may_be_above;
  if (may_bounce && !loaded.may_be_below) return false;
  // What carries viscous friction alone may be called sliding, however slowly it does.
  const bool is_pressed = solution.impulses(first + 2) != 0.0 || contact.friction_offset > 0.0;
  const bool has_drag_alone = !is_pressed && contact.viscous_friction > 0.0;
  if (has_drag_alone && mode == ContactMode::Slide) return true;
  // Only what may stick is on the list, and all of it that bears a load.
  if (lists_sticking) {
    return mode == ContactMode::Stick ? may_stick(contact) && slip.may_be_below
                                      : !may_stick(contact) || loaded.may_be_below;
  }
  return mode == ContactMode::Stick ? slip.may_be_below : slip.may_be_above;
}

/// Returns true if an island of an impact has contacts or limits that bounce.
bool has_collisions(const IslandPart& part) {
  const std::vector<char>& may_bounce = part.scaling.bounded.may_bounce;
  return part.problem.num_contacts() > 0 || any_marked(may_bounce);
}

/// Returns true if a bounded row may have its recorded mode.
bool is_possible_row(const IslandPart& part, const SolvedScales& scales, Index i,
                     double tolerance) {
  const ContactSolution& solution = part.solution;
  const BoundedRow& row = part.problem.bounded_rows[static_cast<std::size_t>(i)];
  const ContactMode mode = solution.bounded_modes[static_cast<std::size_t>(i)];
  const double impulse = solution.bounded_impulses(i);
  const double w = scales.row_inverse_mass(i), V = scales.row_speed(i);
  const double damping = scales.damping(w);
  if (row.is_unbounded()) {
    return mode == ContactMode::Stick || (impulse == 0.0 && mode == ContactMode::Open);
  }
  if (impulse == 0.0 || mode == ContactMode::Open) {
    return impulse == 0.0 && mode == ContactMode::Open;
  }
  if (row.kind == BoundedRowKind::Limit) {
    // Among collisions every loaded limit collides, unless there is nothing but limits at rest.
    if (is_collision_law(solution.law.kind)) {
      return mode == (has_collisions(part) ? ContactMode::Impact : ContactMode::Stick);
    }
    const double load =
        solution.has_two_phases() ? solution.bounded_compression(i) : solution.bounded_impulses(i);
    const Comparison loaded =
        compare(w * load, tolerance * V / damping, tolerance * V * damping * damping * damping);
    const bool may_bounce = scales.row_may_bounce[static_cast<std::size_t>(i)] != 0;
    if (mode == ContactMode::Impact) return may_bounce && loaded.may_be_above;
    return mode == ContactMode::Stick && (!may_bounce || loaded.may_be_below);
  }
  // Dry friction and servos stick where u + s + R f = 0, between their bounds.
  const double velocity =
      part.bounded_velocity(i) + part.scaling.bounded.offset(i) + row.compliance * impulse;
  const Comparison slip =
      compare(std::abs(velocity), kStickShare * V / damping, kStickShare * V * damping);
  if (mode == ContactMode::Stick) return slip.may_be_below;
  return mode == ContactMode::Slide && slip.may_be_above;
}

bool is_zero(double value) { return value == 0.0; }
bool is_zero(const Eigen::Vector3d& value) { return value.isZero(0.0); }

/// Checks the multipliers of maximum dissipation that the certificate does not read: those of
/// joints' rows alone are zero, and an island of one phase repeats its own in a step of two.
void check_multipliers(const RebuiltStep& step, const IslandPart& part, const RunRow& row,
                       VerificationChecks& checks) {
  // Only Poisson's law records a compression.
  const auto is_compressed = [](const auto& own) { return !is_zero(own.compression); };
  const bool repeats =
      !part.solution.has_two_phases() &&
      (std::any_of(row.contacts.begin(), row.contacts.end(), is_compressed) ||
       std::any_of(row.bounded_rows.begin(), row.bounded_rows.end(), is_compressed));
  for (const int i : part.island.contacts) {
    const RunContact& own = row.contacts[static_cast<std::size_t>(i)];
    if (!repeats || own.witness == own.first_witness) continue;
    checks.record(Check::Witnesses, 1.0, "/contacts/witness: " + step.contact_name(i));
  }
  const bool unused = needs_no_contact_form(part.problem, part.scaling, part.solution);
  for (const int i : part.island.bounded_rows) {
    const RunBoundedRow& own = row.bounded_rows[static_cast<std::size_t>(i)];
    if (!(repeats && own.witness != own.first_witness) && !(unused && !own.witness.isZero(0.0))) {
      continue;
    }
    checks.record(Check::Witnesses, 1.0, "/bounded/witness: " + step.bounded_name(i));
  }
}

/// Returns true if drag alone acts at a contact that may bounce: it then leaves at the speed of the
/// rebound, which has the island's share.
bool drags_at_rebound(const IslandPart& part, const SolvedScales& scales) {
  for (std::size_t i = 0; i < part.solution.modes.size(); ++i) {
    if (part.problem.contacts[i].viscous_friction > 0.0 && scales.contact_may_bounce[i] &&
        part.solution.modes[i] != ContactMode::Open) {
      return true;
    }
  }
  return false;
}

/// Records shares of restitution that differ within an island, or are below 1 where nothing
/// bounces. Rows of joints that are no limits do not bounce: theirs is 1 or that of the island.
void check_shares(const RebuiltStep& step, const IslandPart& part, bool bounces,
                  VerificationChecks& checks) {
  const Eigen::VectorXd& shares = part.solution.restitution_shares;
  const std::size_t contacts = part.solution.modes.size();
  const auto may_bounce = [&](std::size_t k) {
    return k < contacts || part.problem.bounded_rows[k - contacts].kind == BoundedRowKind::Limit;
  };
  const std::size_t size = static_cast<std::size_t>(shares.size());
  std::size_t first = 0;
  while (first < size && !may_bounce(first)) ++first;
  const double of_island = first < size ? shares(static_cast<Index>(first)) : 1.0;
  for (std::size_t k = 0; k < size; ++k) {
    const double share = shares(static_cast<Index>(k));
    const bool is_share = share == 1.0 || (bounces && share >= 0.0 && share < 1.0);
    if (is_share && (share == of_island || (share == 1.0 && !may_bounce(k)))) continue;
    checks.record(Check::Witnesses, 1.0,
                  k < contacts
                      ? "/contacts/restitution_share: " + step.contact_name(part.island.contacts[k])
                      : "/bounded/restitution_share: " +
                            step.bounded_name(part.island.bounded_rows[k - contacts]));
  }
}

}  // namespace

void check_modes(const RebuiltStep& step, const IslandPart& part, const RunRow& row,
                 double tolerance, VerificationChecks& checks) {
  const SolvedScales scales = solved_scales(part);
  for (std::size_t i = 0; i < part.solution.modes.size(); ++i) {
    if (is_possible(part, scales, i, tolerance)) continue;
    checks.record(Check::Modes, 1.0,
                  "/contacts/mode: " + step.contact_name(part.island.contacts[i]));
  }
  for (std::size_t i = 0; i < part.solution.bounded_modes.size(); ++i) {
    if (is_possible_row(part, scales, static_cast<Index>(i), tolerance)) continue;
    checks.record(Check::Modes, 1.0,
                  "/bounded/mode: " + step.bounded_name(part.island.bounded_rows[i]));
  }
  // Poisson's law has a second phase where something bounces, and only there.
  const bool bounces = any_impact(part.solution);
  if (part.solution.has_two_phases() && !bounces) {
    checks.record(Check::Modes, 1.0,
                  "/contacts/compression: differs from the impulse where nothing bounces");
  }
  check_shares(step, part, bounces || drags_at_rebound(part, scales), checks);
  if (dissipates_most(part.solution.law.kind)) check_multipliers(step, part, row, checks);
}

void check_unused(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks) {
  // Multipliers belong to maximum dissipation, a second set of them to Poisson's law. A weaker law
  // may have answered in other islands of the step.
  const bool has_witnesses =
      dissipates_most(row.law.kind) ||
      std::any_of(row.contacts.begin(), row.contacts.end(),
                  [](const RunContact& contact) { return dissipates_most(contact.law); });
  bool has_compression = false, has_impact = false;
  const auto check = [&](const auto& own, bool may_have, const std::string& last,
                         const std::string& first) {
    has_compression = has_compression || !is_zero(own.compression);
    has_impact = has_impact || own.mode == ContactMode::Impact;
    if (may_have) return;
    if (!own.witness.isZero(0.0)) checks.record(Check::Witnesses, 1.0, last);
    if (!own.first_witness.isZero(0.0)) checks.record(Check::Witnesses, 1.0, first);
  };
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    const std::string where = step.contact_name(static_cast<int>(i));
    check(row.contacts[i], dissipates_most(row.contacts[i].law), "/contacts/witness: " + where,
          "/contacts/first_witness: " + where);
  }
  for (std::size_t i = 0; i < row.bounded_rows.size(); ++i) {
    const std::string where = step.bounded_name(static_cast<int>(i));
    check(row.bounded_rows[i], has_witnesses, "/bounded/witness: " + where,
          "/bounded/first_witness: " + where);
  }
  if (has_compression && !(has_impact && row.law.restitution == RestitutionLaw::Poisson)) {
    checks.record(Check::Modes, 1.0, "/contacts/compression: nothing bounces by Poisson's law");
  }
  if (has_compression || !has_witnesses) return;
  // One phase has one set of multipliers.
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    if (row.contacts[i].first_witness.isZero(0.0)) continue;
    checks.record(Check::Witnesses, 1.0,
                  "/contacts/first_witness: " + step.contact_name(static_cast<int>(i)));
  }
  for (std::size_t i = 0; i < row.bounded_rows.size(); ++i) {
    if (row.bounded_rows[i].first_witness.isZero(0.0)) continue;
    checks.record(Check::Witnesses, 1.0,
                  "/bounded/first_witness: " + step.bounded_name(static_cast<int>(i)));
  }
}

}  // namespace amontons::io
