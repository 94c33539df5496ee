#include "amontons/models/acceleration/viscous_acceleration.h"

#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/acceleration/acceleration_problem.h"
#include "amontons/models/acceleration/drag_of_forces.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/optimization/lcp/plain_lemke.h"

#include <optional>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Tolerance of the conditions on acceleration, relative to that of the free motion [-].
constexpr double kTolerance = 1e-8;

/// Holds the normal forces that a method found.
struct NormalForces {
  SolveStatus status;
  VectorXd forces;  // [3 nc]
  int pivots;
};

/// Solves for the normal forces by modified principal pivoting.
NormalForces by_pivoting(const AccelerationProblem& acceleration, const ProblemScaling& scaling) {
  NormalImpulses normals(acceleration.instant, scaling, acceleration.touching, kTolerance);
  PhaseSolution found = normals.solve(plain_phase(acceleration.instant, scaling));
  return {found.status, std::move(found.impulses), found.iterations};
}

/// Solves for the normal forces by a dense Lemke method on N M^-1 N'.
NormalForces by_plain_lemke(const AccelerationProblem& acceleration,
                            const ProblemScaling& scaling) {
  const ContactProblem& instant = acceleration.instant;
  if (instant.joint_jacobian.rows() > 0) {
    throw std::invalid_argument(
        "viscous contact at acceleration level: rows of J are not taken by "
        "Lemke's method");
  }
  // Only normals of touching contacts are unknowns.
  std::vector<Index> normals;
  for (std::size_t c = 0; c < acceleration.touching.size(); ++c) {
    if (acceleration.touching[c]) normals.push_back(ContactProblem::row(c) + 2);
  }
  // N M^-1 N' = G G' with the whitened rows G = N L^-1.
  const Eigen::MatrixXd rows = scaling.contact_rows.to_dense()(normals, Eigen::all);
  const VectorXd free = instant.contact_velocities(instant.free_velocity);
  const PlainLemkeSolution found =
      solve_plain_lemke({rows * rows.transpose(), free(normals)}, {kTolerance});
  NormalForces result{found.status, VectorXd::Zero(free.size()), found.pivots};
  result.forces(normals) = found.z;
  return result;
}

}  // namespace

ViscousAcceleration viscous_acceleration(const ContactProblem& problem,
                                         const Eigen::Ref<const VectorXd>& forces,
                                         const Eigen::Ref<const VectorXd>& contact_rate,
                                         const Eigen::Ref<const VectorXd>& joint_rate,
                                         NormalForceMethod method) {
  ViscousAcceleration result;
  VectorXd rates;
  const auto solve = [&](const VectorXd& shares) -> std::optional<VectorXd> {
    // The problem of one instant: its impulses are forces, its velocities accelerations.
    const AccelerationProblem acceleration =
        acceleration_problem(problem, forces, contact_rate, joint_rate, shares);
    const ContactProblem& instant = acceleration.instant;
    const ProblemScaling scaling(instant);
    const NormalForces found = method == NormalForceMethod::ModifiedPivoting
                                   ? by_pivoting(acceleration, scaling)
                                   : by_plain_lemke(acceleration, scaling);
    // vdot and the forces of the joints that belong to the normal forces; drag adds to these.
    result.status = found.status;
    result.pivots += found.pivots;
    ImpulseResponse(instant, scaling).apply(found.forces, result.acceleration, result.joint_forces);
    result.contact_forces = found.forces + acceleration.drag;
    result.drag_shares = shares;
    rates = instant.contact_velocities(result.acceleration);
    if (found.status != SolveStatus::Converged) return std::nullopt;
    return loads_of_instant(problem, acceleration, scaling, shares, found.forces, rates,
                            kTolerance);
  };
  VectorXd shares;
  if (!find_shares_of_forces(problem, solve, shares) && result.status == SolveStatus::Converged) {
    result.status = SolveStatus::Stalled;
  }
  result.separation.resize(static_cast<Index>(problem.num_contacts()));
  for (Index i = 0; i < result.separation.size(); ++i) result.separation(i) = rates(3 * i + 2);
  return result;
}

}  // namespace amontons
