#include "amontons/models/closed_form/single_contact_solver.h"

#include "amontons/models/closed_form/warm_start_equilibrium.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Bound of the corrections for W out of symmetry, and the relative change at which they have
/// converged [-].
constexpr int kMaxCorrections = 8;
constexpr double kImpulseRounding = 1e-15;

/// Solves Coulomb's law at a contact in the units of cone_assembly.h: trace 3, r = sqrt(w) p.
class ScaledContact {
 public:
  ScaledContact(const Matrix3d& W, double friction)
      : inverse_mass_(W.trace() / 3.0),
        root_(std::sqrt(inverse_mass_)),
        symmetric_(0.5 * (W + W.transpose()) / inverse_mass_),
        rest_(W / inverse_mass_ - symmetric_),
        contact_(symmetric_, {ConeKind::Friction, friction, 0.0}) {}

  bool has_one_solution() const { return contact_.has_one_solution(); }

  /// Returns p of u = W p + q [N s].
  Vector3d solve(const Vector3d& q) const {
    const Vector3d speed = q / root_;
    Vector3d r = contact_.solve(speed);
    // The antisymmetric part of W acts as a correction of q; the corrections decrease
    // geometrically.
    const double share = rest_.norm();
    for (int k = 0; k < kMaxCorrections && share > 0.0; ++k) {
      const Vector3d next = contact_.solve(speed + rest_ * r);
      const double change = (next - r).norm();
      r = next;
      if (share * change <= kImpulseRounding * r.norm()) break;
    }
    return r / root_;
  }

 private:
  double inverse_mass_, root_;
  Matrix3d symmetric_, rest_;
  SingleCoulombContact contact_;
};

/// Returns the free velocity with s in its normal component [m/s].
Vector3d approach_of(const SingleContact& contact) {
  Vector3d q = contact.free_velocity();
  q.z() += contact.gap_speed();
  return q;
}

/// Returns true if the impulse of the last step holds the bodies at rest, as
/// try_warm_start() decides for an island; they are then in `response`.
bool rests(const SingleContact& contact, const Vector3d& warm_start, const Vector3d& q,
           SingleContact::Response& response) {
  if (!(q.z() < -kAtRest * contact.speed())) return false;
  const Vector3d impulse = in_friction_cone(warm_start, contact.friction());
  // An impulse that presses less than its gap opens would move what it pushes.
  if (impulse.z() * contact.inverse_mass() < contact.gap_speed()) return false;
  response = contact.respond(impulse, kAtRest);
  return contact.is_at_rest(response);
}

}  // namespace

Vector3d coulomb_impulse(const Eigen::Matrix3d& W, const Vector3d& q, double friction) {
  // A contact that opens by itself carries nothing.
  if (q.z() >= 0.0) return Vector3d::Zero();
  return ScaledContact(W, friction).solve(q);
}

bool SingleContactSolver::solve(const SingleContact& contact, const Vector3d& warm_start,
                                const ContactLaw& law, double tolerance, Answer& answer) {
  const Vector3d q = approach_of(contact);
  // What rests keeps its impulse, to the last bit.
  const bool warm = !warm_start.isZero(0.0);
  if (warm && rests(contact, warm_start, q, answer.response)) {
    answer.certificate = contact.certify(law, answer.response, tolerance);
    answer.kind = Answer::Kind::Rest;
    const double worst =
        std::max(answer.certificate.worst_of_laws(), answer.certificate.dynamics.value);
    if (answer.certificate.holds && worst <= kAtRest) return true;
  }
  // A contact that opens by itself carries nothing.
  Vector3d impulse = Vector3d::Zero();
  if (q.z() < 0.0) {
    const ScaledContact scaled(contact.delassus(), contact.friction());
    // Of several solutions the model finds the one that the warm start leads to.
    if (warm && !scaled.has_one_solution()) return false;
    impulse = scaled.solve(q);
  }
  answer.response = contact.respond(impulse, kAtRest);
  answer.certificate = contact.certify(law, answer.response, tolerance);
  answer.kind = impulse.isZero(0.0) ? Answer::Kind::FreeMotion : Answer::Kind::Contact;
  return answer.certificate.holds;
}

void SingleContactSolver::write(const SingleContact& contact, const Answer& answer,
                                ContactSolution& solution) {
  const std::size_t i = static_cast<std::size_t>(contact.index());
  solution.impulses.segment<3>(ContactProblem::row(i)) = answer.response.impulse;
  contact.scatter(answer.response, solution.velocity);
  SolveAttempt& attempt = solution.attempts.emplace_back();
  attempt.status = SolveStatus::Converged;
  // Each kind has its own name among the attempts.
  switch (answer.kind) {
    case Answer::Kind::Rest:
      attempt.solver = "warm start";
      break;
    case Answer::Kind::FreeMotion:
      attempt.solver = "free motion";
      return;
    case Answer::Kind::Contact:
      attempt.solver = "closed form";
      attempt.iterations = 1;
      ++solution.iterations;
      break;
  }
  solution.modes[i] = mode_of_loaded(answer.response.contact_velocity, contact.speed());
}

const std::vector<char>& SingleContactSolver::solve(const ContactProblem& problem,
                                                    const Eigen::VectorXd& warm_start,
                                                    const ContactLaw& law, double tolerance,
                                                    bool limits_openings, CertifiedSolution& whole,
                                                    std::size_t& num_solved) {
  // Candidates are contacts on free bodies that no other row touches.
  solved_.assign(problem.num_contacts(), 0);
  const std::span<const SingleContactIsland> islands = finder_.find(problem);
  whole.solution.attempts.reserve(islands.size());
  const double fast = kSmallOpening * problem.overlap_speed;
  Answer answer;
  for (const SingleContactIsland& island : islands) {
    const std::size_t i = static_cast<std::size_t>(island.contact);
    const SingleContact contact(problem, island);
    if (!(contact.inverse_mass() > 0.0)) continue;
    // A fast opening may need what the model does about its speed.
    if (limits_openings && contact.gap_speed() < -fast) continue;
    const Vector3d warm = warm_start.size() > 0
                              ? Vector3d(warm_start.segment<3>(ContactProblem::row(i)))
                              : Vector3d::Zero();
    // A solution that is not certified is discarded, and the model solves the island.
    if (!solve(contact, warm, law, tolerance, answer)) continue;

    // Impulse, velocities and mode go straight into the whole solution.
    write(contact, answer, whole.solution);
    // The first island sets law and certificate of the whole, the others merge.
    if (num_solved++ == 0) {
      whole.certificate = answer.certificate;
      whole.solution.law = law;
    } else {
      whole.certificate.merge(answer.certificate);
    }
    solved_[i] = 1;
  }
  return solved_;
}

}  // namespace amontons
