#include "amontons/models/dissipation_on_bodies.h"

#include "amontons/math/stopwatch.h"
#include "amontons/models/formulation/contacts_on_bodies.h"

#include <algorithm>

namespace amontons {
namespace {

// Largest factor of the cap's unit [-]. The certificate measures the cap as a share of itself, and
// so must the solver where the cap is small beside the speeds.
constexpr double kLargestCapUnit = 1e6;

}  // namespace

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

bool DissipationOnBodies::applies_to(const ContactProblem& problem) {
  return problem.joint_jacobian.rows() == 0 &&
         std::none_of(problem.contacts.begin(), problem.contacts.end(),
                      [](const Contact& contact) { return contact.is_joint_row; });
}

DissipationOnBodies::DissipationOnBodies(const ContactProblem& problem,
                                         const ProblemScaling& scaling,
                                         const std::vector<char>& is_contact)
    : problem_(problem), scaling_(scaling) {
  for (std::size_t c = 0; c < is_contact.size(); ++c) {
    if (is_contact[c] != 0) members_.push_back(static_cast<int>(c));
  }
  root_ = contacts_on_bodies(scaling, members_, rows_);
}

/// States phase II in r = sqrt(w) x.
/// @param unit  unit of the cap, in which its largest weight is 1.
BodyFrictionProblem DissipationOnBodies::assemble(const ContactPhase& phase,
                                                  const VectorXd& velocity, const VectorXd& offset,
                                                  const DissipationCap& cap, double unit,
                                                  const DissipationSolution& dissipation) const {
  const Index n = root_.size();
  BodyFrictionProblem problem;
  problem.G = &rows_;
  problem.q.resize(3 * n);
  problem.c.resize(n);
  problem.normals.resize(n);
  // q = b0 / sqrt(w), c = (b_n + s) / sqrt(w); sum x_n = sum r_n / sqrt(w) <= kappa.
  for (Index k = 0; k < n; ++k) {
    const int c = members_[static_cast<std::size_t>(k)];
    const std::size_t index = static_cast<std::size_t>(c);
    problem.q.segment<3>(3 * k) = velocity.segment<3>(3 * c) / root_(k);
    problem.c(k) = (velocity(3 * c + 2) + phase.gap_speeds(c)) / root_(k);
    problem.cones.push_back(
        {ConeKind::Friction, problem_.contacts[index].friction, root_(k) * offset(c)});
    problem.closed.push_back(cap.stays_open[index]);
    problem.normals(k) = root_(k) * dissipation.witness[index].phase_one;
  }
  problem.weights = unit * root_.cwiseInverse();
  problem.cap = unit * cap.sum;
  return problem;
}

void DissipationOnBodies::solve(const ContactPhase& phase, const VectorXd& velocity,
                                const VectorXd& offset, const DissipationCap& cap, double tolerance,
                                std::optional<int> limit, DissipationSolution& dissipation) const {
  const Stopwatch watch;
  const Index n = root_.size();
  dissipation.impulses.setZero(3 * static_cast<Index>(problem_.num_contacts()));
  dissipation.status = SolveStatus::Converged;
  if (n == 0) return;
  double unit = root_.minCoeff();
  BodyFrictionProblem problem = assemble(phase, velocity, offset, cap, unit, dissipation);
  // The residual, as a share of the largest speed, that each contact's own V asks for.
  const double size = speed_scale(problem);
  double least = size;
  for (Index k = 0; k < n; ++k) {
    least =
        std::min(least, scaling_.scales.speed(members_[static_cast<std::size_t>(k)]) / root_(k));
  }
  if (problem.cap > 0.0) {
    const double factor = std::clamp(size / problem.cap, 1.0, kLargestCapUnit);
    unit *= factor;
    problem.weights *= factor;
    problem.cap *= factor;
  }
  const CappedFrictionSettings settings = capped_friction_settings(tolerance * least / size, limit);
  CappedFrictionPoint point;
  if (phase.guess.size() > 0) {
    point.x.resize(3 * n);
    for (Index k = 0; k < n; ++k) {
      point.x.segment<3>(3 * k) =
          root_(k) * phase.guess.segment<3>(3 * members_[static_cast<std::size_t>(k)]);
    }
  }
  const CappedFrictionResult result = solve_body_friction(problem, settings, point);
  const int iterations = result.interior_steps + result.newton_steps;
  const bool kept = iterations == 0 && result.status == SolveStatus::Converged;
  // Impulses and multipliers back to physical units; the price is the same at all contacts. A guess
  // that was kept is not divided by what it was multiplied by.
  for (DissipationWitness& own : dissipation.witness) {
    own.multiplier = 0.0;
    own.price = point.price * unit;
  }
  for (Index k = 0; k < n; ++k) {
    const int c = members_[static_cast<std::size_t>(k)];
    dissipation.impulses.segment<3>(3 * c) = kept ? Vector3d(phase.guess.segment<3>(3 * c))
                                                  : Vector3d(point.x.segment<3>(3 * k) / root_(k));
    dissipation.witness[static_cast<std::size_t>(c)].multiplier = point.multipliers(k) / root_(k);
  }
  dissipation.iterations += iterations;
  dissipation.residual = point.residual / size;
  dissipation.status = result.status;
  dissipation.attempts.push_back({"phase II", result.status, iterations, watch.seconds(), {}});
}

}  // namespace amontons
