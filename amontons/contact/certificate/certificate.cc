#include "amontons/contact/certificate/certificate.h"

#include "amontons/contact/certificate/bounded_row_certificate.h"
#include "amontons/contact/certificate/certificate_workspace.h"
#include "amontons/contact/certificate/contact_certificate.h"
#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/math/step_times.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;

/// Throws std::invalid_argument naming the vector if its size is not the expected one.
void check_size(Index size, Index expected, const char* name) {
  if (size == expected) return;
  throw std::invalid_argument(std::string("contact solution: ") + name + " has " +
                              std::to_string(size) + " entries, expected " +
                              std::to_string(expected));
}

/// Checks every vector of a solution against the sizes of the problem.
void check_sizes(const ContactProblem& problem, const ContactSolution& solution) {
  const Index nc = static_cast<Index>(problem.num_contacts());
  check_size(solution.impulses.size(), 3 * nc, "impulses");
  check_size(solution.joint_impulses.size(), problem.joint_jacobian.rows(), "joint_impulses");
  check_size(solution.velocity.size(), problem.mass_matrix.size(), "velocity");
  check_size(static_cast<Index>(solution.modes.size()), nc, "modes");
  const Index nb = static_cast<Index>(problem.bounded_rows.size());
  check_size(solution.bounded_impulses.size(), nb, "bounded_impulses");
  check_size(static_cast<Index>(solution.bounded_modes.size()), nb, "bounded_modes");
  if (solution.has_two_phases()) {
    check_size(solution.compression_impulses.size(), 3 * nc, "compression_impulses");
    check_size(solution.bounded_compression.size(), nb, "bounded_compression");
  }
  if (solution.restitution_shares.size() > 0) {
    check_size(solution.restitution_shares.size(), nc + nb, "restitution_shares");
  }
  // Maximum dissipation is certified by a witness for each contact and row, in each phase.
  if (!dissipates_most(solution.law.kind)) return;
  const std::size_t phases = solution.has_two_phases() ? 2 : 1;
  check_size(static_cast<Index>(solution.witnesses.size()), static_cast<Index>(phases),
             "witnesses");
  for (const std::vector<DissipationWitness>& witness : solution.witnesses) {
    check_size(static_cast<Index>(witness.size()), nc + nb, "witness");
  }
}

}  // namespace

void Certificate::set_holds(double tolerance, double within) {
  set_holds_by_laws(tolerance, within);
  require(joint.value <= tolerance && dynamics.value <= tolerance);
  require(keeps_energy(*this, tolerance, within));
  require(missed_contacts == 0);
}

void Certificate::set_holds_by_laws(double tolerance, double within) {
  const double bound = std::max(tolerance, within);
  holds = normal.value <= bound && friction.value <= bound && limit.value <= bound &&
          joint_friction.value <= bound && rounding.value <= tolerance;
  if (within > tolerance) require(inequality.value <= tolerance);
}

double Certificate::worst_of_laws() const {
  return std::max({normal.value, friction.value, limit.value, joint_friction.value});
}

void Certificate::require(bool condition) { holds = holds && condition; }

void Certificate::merge(const Certificate& other) {
  // Each residual keeps the island where it is worst.
  normal.merge_worst(other.normal);
  friction.merge_worst(other.friction);
  limit.merge_worst(other.limit);
  joint_friction.merge_worst(other.joint_friction);
  joint.merge_worst(other.joint);
  dynamics.merge_worst(other.dynamics);
  rounding.merge_worst(other.rounding);
  dissipation.merge_worst(other.dissipation);
  coulomb.merge_worst(other.coulomb);
  inequality.merge_worst(other.inequality);
  law_distance.merge_worst(other.law_distance);
  // An energy that was never measured (NaN) yields to one that was.
  energy_gained = std::isnan(energy_gained) ? other.energy_gained
                                            : std::max(energy_gained, other.energy_gained);
  stabilization_work = std::max(stabilization_work, other.stabilization_work);
  restitution_work = std::max(restitution_work, other.restitution_work);
  kinetic_energy = std::max(kinetic_energy, other.kinetic_energy);
  change_energy = std::max(change_energy, other.change_energy);
  infeasibility = std::max(infeasibility, other.infeasibility);
  missed_contacts = std::max(missed_contacts, other.missed_contacts);
  loop.merge_worst(other.loop);
  overlap.merge_worst(other.overlap);
  held_overlap.merge_worst(other.held_overlap);
  energy_created = std::max(energy_created, other.energy_created);
  // Recomputed from the merged maxima it could turn true: the energy gained by one island would be
  // compared with the kinetic energy of another.
  require(other.holds);
}

Certificate certify(const ContactProblem& problem, const ContactSolution& solution,
                    double tolerance) {
  check_sizes(problem, solution);
  return certify(problem, ProblemScaling(problem), solution, tolerance);
}

Certificate certify(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, double tolerance) {
  CertificateWorkspace work;
  return certify(problem, scaling, solution, tolerance, work);
}

Certificate certify(const ContactProblem& problem, const ProblemScaling& scaling,
                    const ContactSolution& solution, double tolerance, CertificateWorkspace& work) {
  const TimedPart part(StepPart::Certificate);
  check_sizes(problem, solution);
  // Rows of joints are certified by their own law, unless contacts or bounces couple them to the
  // laws of contacts.
  if (problem.bounded_rows.empty()) {
    return certify_contacts(problem, scaling, solution, tolerance, work);
  }
  if (needs_no_contact_form(problem, scaling, solution)) {
    return certify_bounded_rows(problem, scaling, solution, tolerance, work);
  }
  const ContactProblem contacts = rows_as_contacts(problem);
  const ContactSolution as_contacts = rows_as_contacts(problem, solution);
  Certificate result =
      certify_contacts(contacts, ProblemScaling(contacts), as_contacts, tolerance, work);
  // The residuals name bounded rows by their place among the contacts: translate to the problem's
  // own indices.
  const std::vector<std::size_t> bounded = rows_with_bounds(problem);
  for (Residual* residual : {&result.limit, &result.joint_friction}) {
    if (residual->where < 0) continue;
    residual->where = static_cast<int>(bounded[static_cast<std::size_t>(residual->where)]);
  }
  return result;
}

}  // namespace amontons
