#include "amontons/io/verify/verify_claim.h"

#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/io/verify/verify_island.h"
#include "amontons/io/verify/verify_modes.h"
#include "amontons/models/formulation/hanging_contacts.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/motion_certificate.h"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

/// Checks that the recorded certificate is that of the recorded impulses.
void check_certificate(const Certificate& recorded, const Certificate& certificate,
                       double tolerance, VerificationChecks& checks) {
  // A step that claims to hold must hold, and one that holds must say so.
  if (recorded.holds != certificate.holds) {
    checks.record(Check::Claim, 1.0,
                  recorded.holds ? "/certificate/claimed: recorded as met, but it is missed"
                                 : "/certificate/claimed: recorded as missed, but it is met");
  } else if (!certificate.holds) {
    checks.record(Check::Claim, 1.0, "the step misses its certificate");
  }
  if (recorded.missed_contacts != certificate.missed_contacts) {
    checks.record(
        Check::Claim, 1.0,
        "/certificate/missed_contacts: there are " + std::to_string(certificate.missed_contacts));
  }
  const auto compare = [&](const char* name, double value, double expected) {
    // Tiny residuals consist of rounding, which may differ on another machine.
    if (deviation(value, expected) <= tolerance) return;
    checks.record(Check::Claim, 1.0, std::string("/certificate/") + name + ": misreported");
  };
  // Residuals first, then energies [J].
  compare("normal", recorded.normal.value, certificate.normal.value);
  compare("friction", recorded.friction.value, certificate.friction.value);
  compare("limit", recorded.limit.value, certificate.limit.value);
  compare("joint_friction", recorded.joint_friction.value, certificate.joint_friction.value);
  compare("joint", recorded.joint.value, certificate.joint.value);
  compare("dynamics", recorded.dynamics.value, certificate.dynamics.value);
  compare("dissipation", recorded.dissipation.value, certificate.dissipation.value);
  compare("coulomb", recorded.coulomb.value, certificate.coulomb.value);
  compare("law_distance", recorded.law_distance.value, certificate.law_distance.value);
  // An energy gained is a difference of kinetic energies, of which it may be the rounding.
  const double energies = certificate.kinetic_energy + certificate.change_energy;
  if (std::abs(recorded.energy_gained - certificate.energy_gained) > tolerance * energies) {
    compare("energy_gained", recorded.energy_gained, certificate.energy_gained);
  }
  compare("stabilization_work", recorded.stabilization_work, certificate.stabilization_work);
  compare("loop", recorded.loop.value, certificate.loop.value);
  compare("overlap", recorded.overlap.value, certificate.overlap.value);
  compare("energy_created", recorded.energy_created, certificate.energy_created);
}

/// Checks the laws that contacts claim against the status, and the bound of an acceptable step.
void check_claimed_laws(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks) {
  const bool claims_asked = answers_law_asked(row.status);
  for (std::size_t i = 0; claims_asked && i < row.contacts.size(); ++i) {
    // Contacts that touch no moving body belong to no island and claim nothing.
    const bool is_moving = !step.problem().contact_jacobian.block_row(i).empty();
    if (!is_moving || row.contacts[i].law == row.law_asked) continue;
    checks.record(Check::Claim, 1.0,
                  step.contact_name(static_cast<int>(i)) +
                      " claims another law than its step, whose status is that of the law asked");
  }
  // Only the scene's acceptable tolerance widens a claim, and never that of a Converged step.
  const double within = row.law.within;
  const bool is_wide = within != 0.0;
  if (is_wide && (row.status == SolveStatus::Converged || within != step.acceptable_tolerance())) {
    checks.record(Check::Claim, 1.0, "the law is claimed within another bound than the scene's");
  }
  if (row.status == SolveStatus::Acceptable && !is_wide) {
    checks.record(Check::Claim, 1.0, "an acceptable step names no bound");
  }
}

/// Checks that no contact of an island under the law `NoSlip` hangs on a wall that nothing presses
/// it to. The certificate allows that, because the published list of contacts does.
void check_hanging(const RebuiltStep& step, const LawCheck& laws, const RunRow& row,
                   const IslandPart& part, VerificationChecks& checks) {
  if (row.law.kind != LawKind::NoSlip || !laws.holds_by_loads()) return;
  // An acceptable step claims loads and friction within its own bound.
  const double within = std::max(step.settings().tolerance, row.law.within);
  const std::vector<char> hangs =
      hanging_contacts(part.problem, part.scaling, part.solution, within);
  for (std::size_t c = 0; c < hangs.size(); ++c) {
    if (!hangs[c] || part.solution.law_of(c) != LawKind::NoSlip) continue;
    checks.record(Check::FrictionLaw, 1.0,
                  step.contact_name(part.island.contacts[c]) + " hangs: nothing presses it");
  }
}

}  // namespace

void check_claim(RebuiltStep& step, const LawCheck& laws, const RunRow& row,
                 const SystemKinematics& end, VerificationChecks& checks) {
  // The law asked must be one of the scene's, and the claims must fit it.
  const ContactLaw* asked = laws.law_asked(row.law_asked);
  if (asked == nullptr) {
    checks.record(Check::Claim, 1.0,
                  "the scene does not ask for the law that is recorded as asked");
    return;
  }
  check_claimed_laws(step, row, checks);
  laws.check_law(row, step.problem(), checks);
  // Impulses of a damaged file may not fit the problem, which certify_islands() reports by
  // throwing.
  const ContactSolution solution = recorded_solution(row, step.problem());
  Certificate certificate;
  try {
    const double tolerance = step.settings().tolerance;
    certificate =
        certify_islands(step.problem(), solution, tolerance, asked, [&](const IslandPart& part) {
          check_modes(step, part, row, tolerance, checks);
          check_hanging(step, laws, row, part, checks);
        });
  } catch (const std::exception& error) {
    checks.record(Check::Claim, 1.0, std::string("cannot be certified: ") + error.what());
    return;
  }
  // Each residual with the contact, bounded row or joint where it is largest. Acceptable steps have
  // a bound of their own.
  const bool is_acceptable = row.certificate.holds && row.law.within > step.settings().tolerance;
  const auto record_law = [&](Check check, double value, const std::string& where) {
    checks.record(is_acceptable ? Check::AcceptableLaw : check, value, where);
  };
  record_law(Check::Normal, certificate.normal.value, step.contact_name(certificate.normal.where));
  record_law(Check::FrictionLaw, certificate.friction.value,
             step.contact_name(certificate.friction.where));
  record_law(Check::JointLimit, certificate.limit.value,
             step.bounded_name(certificate.limit.where));
  record_law(Check::JointFriction, certificate.joint_friction.value,
             step.bounded_name(certificate.joint_friction.where));
  checks.record(Check::Joint, certificate.joint.value, step.joint_name(certificate.joint.where));
  checks.record(Check::Dynamics, certificate.dynamics.value);
  // Energy gained, relative to its allowance, as the certificate measures it. An acceptable step
  // keeps another bound of energy, which `holds` contains.
  const double gained =
      is_acceptable && certificate.holds ? 0.0 : std::max(0.0, certificate.energy_gained);
  checks.record(
      Check::EnergyGained,
      gained > 0.0 ? gained / energy_allowance(certificate, step.settings().tolerance) : 0.0);
  laws.check_status(row, step.problem(), certificate.holds, checks);
  check_unused(step, row, checks);
  // A contact that no law was asked of makes the certificate fail.
  certificate.missed_contacts =
      static_cast<int>(step.missed_contacts(row).size() + step.num_passages(row));
  certificate.require(certificate.missed_contacts == 0);
  // A limit that was passed without a row, which check_bounded_rows() records, does so, too.
  certificate.require(step.has_all_rows(row));
  // Works by cause [J], computed again from impulses and velocities, then the positions at the end.
  const StepEnergies energies = step.energies(row, end);
  const EnergyLedger ledger =
      account_energy(step.system(), step.problem(), solution, step.free_motion(), energies);
  certify_motion(step.system(), step.start(), energies, step.problem(), solution,
                 step.free_motion(), step.is_by_velocities(), ledger, step.end(), certificate);
  check_certificate(row.certificate, certificate, step.settings().tolerance, checks);
  const auto vector_of = [](const EnergyLedger& e) {
    Eigen::VectorXd v(12);
    v << e.kinetic, e.potential, e.gravity, e.actuators, e.contact_normal, e.contact_friction,
        e.springs, e.joint_friction, e.impacts, e.stabilization, e.integration, e.unexplained;
    return v;
  };
  checks.record(Check::Energy, deviation(vector_of(row.energy), vector_of(ledger)));
}

}  // namespace amontons::io
