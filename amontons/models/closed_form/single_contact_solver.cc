#include "amontons/models/closed_form/single_contact_solver.h"

#include "amontons/models/common/solution_assembly.h"
#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <cmath>
#include <span>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;

/// Bound of the corrections for W out of symmetry, and the relative change at which they have
/// converged [-].
constexpr int kMaxCorrections = 8;
constexpr double kImpulseRounding = 1e-15;

/// Returns the impulse of an island of one contact under Coulomb's law [N s].
Vector3d impulse_of(const SingleContact& contact) {
  Vector3d q = contact.free_velocity();
  q.z() += contact.gap_speed();
  return coulomb_impulse(contact.delassus(), q, contact.friction());
}

}  // namespace

Vector3d coulomb_impulse(const Eigen::Matrix3d& W, const Vector3d& q, double friction) {
  // A contact that opens by itself carries nothing.
  if (q.z() >= 0.0) return Vector3d::Zero();
  // Scaled to trace 3: r = sqrt(w) p, q / sqrt(w).
  const double inverse_mass = W.trace() / 3.0, root = std::sqrt(inverse_mass);
  const Eigen::Matrix3d A = 0.5 * (W + W.transpose()) / inverse_mass;
  const Eigen::Matrix3d rest = W / inverse_mass - A;
  const Vector3d speed = q / root;
  const SingleCoulombContact contact(A, {ConeKind::Friction, friction, 0.0});
  Vector3d r = contact.solve(speed);
  // The antisymmetric part of W acts as a correction of q; the corrections decrease geometrically.
  const double share = rest.norm();
  for (int k = 0; k < kMaxCorrections && share > 0.0; ++k) {
    const Vector3d next = contact.solve(speed + rest * r);
    const double change = (next - r).norm();
    r = next;
    if (share * change <= kImpulseRounding * r.norm()) break;
  }
  return r / root;
}

const std::vector<char>& SingleContactSolver::solve(const ContactProblem& problem,
                                                    const Eigen::VectorXd& warm_start,
                                                    const ContactLaw& law, double tolerance,
                                                    CertifiedSolution& whole,
                                                    std::size_t& num_solved) {
  // Candidates are contacts on free bodies that no other row touches.
  solved_.assign(problem.num_contacts(), 0);
  const std::span<const SingleContactIsland> islands = finder_.find(problem);
  whole.solution.attempts.reserve(islands.size());
  for (const SingleContactIsland& island : islands) {
    const Index row = 3 * Index{island.contact};
    // With a warm start the model continues from it, so that what rests keeps its impulse.
    if (warm_start.size() > 0 && !warm_start.segment<3>(row).isZero(0.0)) continue;
    const SingleContact contact(problem, island);
    if (!(contact.inverse_mass() > 0.0)) continue;
    // A solution that is not certified is discarded, and the model solves the island.
    const SingleContact::Response response = contact.respond(impulse_of(contact), kAtRest);
    const Certificate certificate = contact.certify(law, response, tolerance);
    if (!certificate.holds) continue;

    // Impulse, velocities and mode go straight into the whole solution.
    const std::size_t i = static_cast<std::size_t>(island.contact);
    const bool acts = !response.impulse.isZero(0.0);
    ContactSolution& solution = whole.solution;
    solution.impulses.segment<3>(row) = response.impulse;
    contact.scatter(response, solution.velocity);
    if (acts) {
      solution.modes[i] = mode_of_loaded(response.contact_velocity, contact.speed());
      ++solution.iterations;
    }
    solution.attempts.push_back(
        {acts ? "closed form" : "free motion", SolveStatus::Converged, acts ? 1 : 0, 0.0, {}});
    // The first island sets law and certificate of the whole, the others merge.
    if (num_solved++ == 0) {
      whole.certificate = certificate;
      solution.law = law;
    } else {
      whole.certificate.merge(certificate);
    }
    solved_[i] = 1;
  }
  return solved_;
}

}  // namespace amontons
