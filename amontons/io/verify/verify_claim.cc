#include "amontons/io/verify/verify_claim.h"

#include "amontons/io/verify/verify_island.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/stepping/motion_certificate.h"

#include <exception>
#include <string>

namespace amontons::io {
namespace {

/// Checks that the recorded certificate is that of the recorded impulses.
void check_certificate(const Certificate& recorded, const Certificate& certificate,
                       double tolerance, VerificationChecks& checks) {
  // A step that claims to hold must hold, and one that holds must say so.
  if (!certificate.holds || recorded.missed_contacts > 0) {
    checks.record(Check::Claim, 1.0, "the step misses its certificate");
  } else if (!recorded.holds) {
    checks.record(Check::Claim, 1.0, "recorded as missed, but it is met");
  }
  const auto compare = [&](const char* name, double value, double expected) {
    // Tiny residuals consist of rounding, which may differ on another machine.
    if (deviation(value, expected) <= tolerance) return;
    checks.record(Check::Claim, 1.0, std::string("the residual ") + name + " is misreported");
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
  compare("loop", recorded.loop.value, certificate.loop.value);
  compare("overlap", recorded.overlap.value, certificate.overlap.value);
  compare("energy_created", recorded.energy_created, certificate.energy_created);
}

}  // namespace

void check_claim(const RebuiltStep& step, const RunRow& row, const SystemKinematics& end,
                 VerificationChecks& checks) {
  // The law of a step is the weakest of its islands; each contact must claim that one.
  for (std::size_t i = 0; i < row.contacts.size(); ++i) {
    if (row.contacts[i].law != row.law.kind) {
      checks.record(Check::Claim, 1.0,
                    step.contact_name(static_cast<int>(i)) + " claims another law than its step");
    }
  }
  // Impulses of a damaged file may not fit the problem, which certify_islands() reports by
  // throwing.
  const ContactSolution solution = recorded_solution(row, step.problem());
  Certificate certificate;
  try {
    certificate = certify_islands(step.problem(), solution, step.settings().tolerance);
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
  // Works by cause [J], computed again from impulses and velocities, then the positions at the end.
  const StoredEnergy before = stored_energy(step.system(), step.start());
  const EnergyLedger ledger =
      account_energy(step.system(), step.problem(), solution, step.free_motion(), before,
                     stored_energy(step.system(), end));
  certify_motion(step.system(), step.start(), before, step.problem(), solution.law, ledger,
                 step.end(), certificate);
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
