#include "amontons/models/decorators/viscous_friction_model.h"

#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/operators/damped_step.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/models/common/drag_share_search.h"
#include "amontons/models/common/solution_assembly.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of the tolerance to which shares of the drag are found [-].
constexpr double kSearchShare = 0.1;

/// Returns true if viscous friction acts between two articulations, or two links of one. Its blocks
/// then do not fit those of M.
bool couples(const ContactProblem& problem) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (viscous_drag(problem, i) > 0.0 && problem.contact_jacobian.block_row(i).size() > 1) {
      return true;
    }
  }
  return false;
}

/// Returns -h mu_v u_t at each contact, for contact velocities u [3 nc] [N s].
VectorXd drag_impulses(const ContactProblem& problem, const VectorXd& u) {
  VectorXd impulses = VectorXd::Zero(u.size());
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Index row = ContactProblem::row(i);
    impulses.segment<2>(row) = -viscous_drag(problem, i) * u.segment<2>(row);
  }
  return impulses;
}

/// Returns M~ = M + h J_t' mu_v J_t.
BlockDiagonalMatrix damped_mass_matrix(const ContactProblem& problem) {
  const BlockDiagonalMatrix& M = problem.mass_matrix;
  // Drag that couples articulations makes one dense block; else the blocks of M stay.
  BlockDiagonalMatrix result;
  if (couples(problem)) {
    result.add_block(M.to_dense());
  } else {
    for (const BlockDiagonalMatrix::Block& block : M.blocks()) result.add_block(block.matrix);
  }
  // The block of each velocity coordinate.
  std::vector<std::size_t> block_of;
  for (std::size_t b = 0; b < result.num_blocks(); ++b) {
    block_of.insert(block_of.end(), static_cast<std::size_t>(result.block(b).matrix.rows()), b);
  }
  const BlockSparseMatrix& J = problem.contact_jacobian;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // Each contact adds drag J_t'J_t between all articulations that it touches.
    const double drag = viscous_drag(problem, i);
    if (!(drag > 0.0)) continue;
    for (const BlockSparseMatrix::Block& left : J.block_row(i)) {
      const std::size_t b = block_of[static_cast<std::size_t>(left.col)];
      const Index offset = result.block(b).offset;
      for (const BlockSparseMatrix::Block& right : J.block_row(i)) {
        result.mutable_block(b).block(left.col - offset, right.col - offset, left.num_cols,
                                      right.num_cols) +=
            drag * J.values(left).topRows(2).transpose() * J.values(right).topRows(2);
      }
    }
  }
  return result;
}

/// Returns u [3 nc] [m/s] at the end of Poisson's first phase.
VectorXd compressed_velocities(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactSolution& solution) {
  const VectorXd& p = solution.compression_impulses;
  if (problem.bounded_rows.empty()) return ImpulseResponse(problem, scaling).contact_velocities(p);
  const ContactProblem given = with_prescribed_rows(problem, solution.bounded_compression);
  return ImpulseResponse(given, scaling).contact_velocities(p);
}

/// Turns the solution of the damped problem into that of the original one.
void add_drag(const ContactProblem& problem, const ContactProblem& damped,
              const ProblemScaling& damped_scaling, ContactSolution& solution) {
  // Drag of each phase, -h mu_v u_t at the velocity that ends it.
  if (solution.compression_impulses.size() > 0) {
    const VectorXd u = compressed_velocities(damped, damped_scaling, solution);
    solution.compression_impulses += drag_impulses(problem, u);
  }
  const VectorXd drag = drag_impulses(problem, problem.contact_velocities(solution.velocity));
  solution.impulses += drag;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // An unloaded contact with drag slides.
    const bool slides = solution.modes[i] == ContactMode::Open &&
                        !drag.segment<2>(ContactProblem::row(i)).isZero(0.0);
    if (slides) solution.modes[i] = ContactMode::Slide;
  }
}

/// Returns what a model solves for the damped problem, as a solution of the original one, with the
/// viscous friction of `dragged`.
ContactSolution solve_with_drag(const ContactModel& model, const ProblemScaling& scaling,
                                const ContactProblem& dragged,
                                const Eigen::Ref<const VectorXd>& warm_start) {
  const ContactProblem damped = with_viscous_damping(dragged);
  ProblemScaling damped_scaling(damped);
  const DampedStep step{&dragged, {}, {}};
  damped_scaling.add_drag(step, scaling);
  ContactSolution solution = model.solve(damped, damped_scaling, warm_start);
  add_drag(dragged, damped, damped_scaling, solution);
  return solution;
}

/// Returns the same problem with the given shares of its viscous friction.
ContactProblem with_shares(const ContactProblem& problem, const VectorXd& shares) {
  ContactProblem result = problem;
  for (std::size_t c = 0; c < result.num_contacts(); ++c) {
    result.contacts[c].viscous_friction *= shares(static_cast<Index>(c));
  }
  return result;
}

}  // namespace

bool has_viscous_friction(const ContactProblem& problem) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (viscous_drag(problem, i) > 0.0) return true;
  }
  return false;
}

ContactProblem with_viscous_damping(const ContactProblem& problem) {
  ContactProblem damped = problem;
  damped.mass_matrix = damped_mass_matrix(problem);
  for (Contact& contact : damped.contacts) contact.viscous_friction = 0.0;
  // M~ v~_free = M v_free - h J_t' mu_v bias_t.
  VectorXd momentum = problem.mass_matrix * problem.free_velocity;
  momentum +=
      problem.contact_jacobian.transpose_times(drag_impulses(problem, problem.contact_bias));
  BlockDiagonalFactor(damped.mass_matrix).solve_in_place(momentum);
  damped.free_velocity = momentum;
  return damped;
}

CertifiedSolution ViscousFrictionModel::solve_and_certify(
    const ContactProblem& problem, const ProblemScaling& scaling,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  // The search starts with the contacts that the free motion closes.
  const Index nc = static_cast<Index>(problem.num_contacts());
  VectorXd shares = VectorXd::Zero(nc), drag_numbers = VectorXd::Zero(nc);
  for (Index i = 0; i < nc; ++i) {
    drag_numbers(i) =
        scaling.scales.inverse_mass(i) * viscous_drag(problem, static_cast<std::size_t>(i));
    const bool closes = scaling.free_contact_velocity(3 * i + 2) + scaling.gap_speeds(i) < 0.0;
    if (drag_numbers(i) > 0.0 && closes) shares(i) = 1.0;
  }
  ContactSolution solution;
  std::vector<SolveAttempt> attempts;
  int iterations = 0;
  const auto loads_of = [&](const VectorXd& of, bool accurate) -> std::optional<VectorXd> {
    if (!attempts.empty()) {
      attempts.back().status = SolveStatus::Stalled;
      attempts.back().remark = "viscous friction with other shares than the loads ask for";
    }
    const ContactModel& model = accurate ? *tighter_ : *model_;
    solution = solve_with_drag(model, scaling, with_shares(problem, of), warm_start);
    iterations += std::exchange(solution.iterations, 0);
    attempts.insert(attempts.end(), solution.attempts.begin(), solution.attempts.end());
    if (!claims_law(solution.status)) return std::nullopt;
    // Shares are found to a tenth of the tolerance that judges them.
    const double tolerance = accurate ? kSearchShare * tolerance_ : tolerance_;
    return contact_drag(problem, scaling, solution, tolerance).loads;
  };
  const bool agrees = find_drag_shares(shares, drag_numbers, loads_of);
  Certificate certificate = certify(problem, scaling, solution, tolerance_);
  // A solution that misses the original tolerance is solved again to a smaller one.
  if (agrees && !certificate.holds) {
    ContactSolution first = solution;
    const bool solved = loads_of(shares, true).has_value();
    Certificate second = certify(problem, scaling, solution, tolerance_);
    if (solved && second.holds) {
      certificate = second;
    } else {
      solution = std::move(first);
    }
  }
  solution.iterations = iterations;
  solution.attempts = std::move(attempts);
  if (!certificate.holds && claims_law(solution.status)) {
    solution.status = SolveStatus::Stalled;
    if (!solution.attempts.empty()) {
      solution.attempts.back().remark = describe_failure(certificate, tolerance_);
    }
  }
  return {std::move(solution), certificate};
}

ContactSolution ViscousFrictionModel::solve(
    const ContactProblem& problem, const ProblemScaling& scaling,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  return solve_and_certify(problem, scaling, warm_start).solution;
}

CertifiedSolution ViscousFrictionModel::solve_certified(const ContactProblem& problem,
                                                        const ProblemScaling& scaling,
                                                        const Eigen::VectorXd& warm_start,
                                                        double tolerance,
                                                        ModelMemory& /*memory*/) const {
  CertifiedSolution certified = solve_and_certify(problem, scaling, warm_start);
  if (tolerance != tolerance_) {
    certified.certificate = certify(problem, scaling, certified.solution, tolerance);
  }
  return certified;
}

}  // namespace amontons
