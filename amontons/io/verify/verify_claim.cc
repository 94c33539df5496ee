#include "amontons/io/verify/verify_claim.h"

#include "amontons/io/verify/verify_island.h"
#include "amontons/io/verify/verify_modes.h"
#include "amontons/simulation/forces/energy.h"

#include <exception>
#include <string>

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
  compare("energy_gained", recorded.energy_gained, certificate.energy_gained);
  compare("stabilization_work", recorded.stabilization_work, certificate.stabilization_work);
}

}  // namespace

void check_claim(RebuiltStep& step, const LawCheck& laws, const RunRow& row,
                 const SystemKinematics& end, VerificationChecks& checks) {
  // The law of a step is the weakest of its islands; each contact must claim that one.
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    if (row.contacts[i].law != row.law.kind) {
      checks.record(Check::Claim, 1.0,
                    "/contacts/law: " + step.contact_name(static_cast<int>(i)) +
                        " claims another law than its step");
    }
  }
  laws.check_law(row, step.problem(), checks);
  // Impulses of a damaged file may not fit the problem, which certify_islands() reports by
  // throwing.
  const ContactSolution solution = recorded_solution(row, step.problem());
  Certificate certificate;
  try {
    const double tolerance = step.settings().tolerance;
    certificate = certify_islands(step.problem(), solution, tolerance, [&](const IslandPart& part) {
      check_modes(step, part, row, tolerance, checks);
    });
  } catch (const std::exception& error) {
    checks.record(Check::Claim, 1.0, std::string("cannot be certified: ") + error.what());
    return;
  }
  // Each residual with the contact, bounded row or joint where it is largest.
  checks.record(Check::Normal, certificate.normal.value,
                step.contact_name(certificate.normal.where));
  checks.record(Check::FrictionLaw, certificate.friction.value,
                step.contact_name(certificate.friction.where));
  checks.record(Check::JointLimit, certificate.limit.value,
                step.bounded_name(certificate.limit.where));
  checks.record(Check::JointFriction, certificate.joint_friction.value,
                step.bounded_name(certificate.joint_friction.where));
  checks.record(Check::Joint, certificate.joint.value, step.joint_name(certificate.joint.where));
  checks.record(Check::Dynamics, certificate.dynamics.value);
  // Energy gained [J], relative to 1 J + kinetic energy of v_free, as the certificate measures it.
  checks.record(Check::EnergyGained,
                certificate.energy_gained / (1.0 + certificate.kinetic_energy));
  laws.check_status(row, step.problem(), certificate.holds, checks);
  check_unused(step, row, checks);
  // A contact that no law was asked of makes the certificate fail.
  certificate.missed_contacts = static_cast<int>(step.missed_contacts(row).size());
  certificate.require(certificate.missed_contacts == 0);
  check_certificate(row.certificate, certificate, step.settings().tolerance, checks);
  // Works by cause [J], computed again from impulses and velocities.
  const EnergyLedger ledger =
      account_energy(step.system(), step.problem(), solution, step.free_motion(),
                     stored_energy(step.system(), step.start()), stored_energy(step.system(), end));
  const auto vector_of = [](const EnergyLedger& e) {
    Eigen::VectorXd v(12);
    v << e.kinetic, e.potential, e.gravity, e.actuators, e.contact_normal, e.contact_friction,
        e.springs, e.joint_friction, e.impacts, e.stabilization, e.integration, e.unexplained;
    return v;
  };
  checks.record(Check::Energy, deviation(vector_of(row.energy), vector_of(ledger)));
}

}  // namespace amontons::io
