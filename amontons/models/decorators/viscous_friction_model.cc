#include "amontons/models/decorators/viscous_friction_model.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/models/common/solution_assembly.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

/// Holds the contacts at which the drag acts, while they are being found.
class DragList {
 public:
  /// Starts with the contacts that the free motion closes.
  DragList(const ContactProblem& problem, const ProblemScaling& scaling)
      : acts_(problem.num_contacts(), 0), dropped_(acts_), locked_(acts_) {
    for (std::size_t c = 0; c < acts_.size(); ++c) {
      const Index i = static_cast<Index>(c);
      acts_[c] = viscous_drag(problem, c) > 0.0 &&
                 scaling.free_contact_velocity(3 * i + 2) + scaling.gap_speeds(i) < 0.0;
    }
  }

  /// Returns the problem with viscous friction at the contacts of the list alone.
  ContactProblem with_list(const ContactProblem& problem) const {
    ContactProblem result = problem;
    for (std::size_t c = 0; c < acts_.size(); ++c) {
      if (!acts_[c]) result.contacts[c].viscous_friction = 0.0;
    }
    return result;
  }

  /// Adds the contacts that bear a load; where none is to add, drops those that bear none. A
  /// contact is dropped at most once, and then joins for good: at most 3 nc changes.
  /// @returns true if the list has changed.
  bool update(const std::vector<DragState>& states) {
    bool changed = false;
    for (std::size_t c = 0; c < acts_.size(); ++c) {
      if (acts_[c] || states[c] != DragState::On) continue;
      acts_[c] = 1;
      locked_[c] = dropped_[c];
      changed = true;
    }
    if (changed) return true;
    for (std::size_t c = 0; c < acts_.size(); ++c) {
      if (!acts_[c] || locked_[c] || states[c] != DragState::Off) continue;
      acts_[c] = 0;
      dropped_[c] = 1;
      changed = true;
    }
    return changed;
  }

 private:
  std::vector<char> acts_;     // contacts with drag [nc]
  std::vector<char> dropped_;  // contacts that were dropped once [nc]
  std::vector<char> locked_;   // contacts that joined again after that, for good [nc]
};

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
  DragList list(problem, scaling);
  std::vector<SolveAttempt> attempts;
  int iterations = 0;
  while (true) {
    CertifiedSolution certified =
        solve_with_list(problem, scaling, list.with_list(problem), warm_start);
    ContactSolution& solution = certified.solution;
    // The drag must act at the contacts that bear a load, and nowhere else.
    const bool changed =
        claims_law(solution.status) &&
        list.update(drag_states(problem, scaling, solution.law, solution.impulses,
                                problem.contact_velocities(solution.velocity), tolerance_));
    iterations += std::exchange(solution.iterations, 0);
    attempts.insert(attempts.end(), solution.attempts.begin(), solution.attempts.end());
    if (!changed) {
      solution.iterations = iterations;
      solution.attempts = std::move(attempts);
      if (certified.certificate.holds || !claims_law(solution.status)) return certified;
      solution.status = SolveStatus::Stalled;
      if (!solution.attempts.empty()) {
        solution.attempts.back().remark = describe_failure(certified.certificate, tolerance_);
      }
      return certified;
    }
    if (attempts.empty()) continue;
    attempts.back().status = SolveStatus::Stalled;
    attempts.back().remark = "viscous friction at other contacts than those under load";
  }
}

CertifiedSolution ViscousFrictionModel::solve_with_list(
    const ContactProblem& problem, const ProblemScaling& scaling, const ContactProblem& dragged,
    const Eigen::Ref<const Eigen::VectorXd>& warm_start) const {
  const ContactProblem damped = with_viscous_damping(dragged);
  ProblemScaling damped_scaling(damped);
  damped_scaling.rebound = scaling.rebound;  // the rebound is that of the motion without drag
  // Solve the damped problem, add the drag, and certify the original problem.
  const auto solution_of_part = [&](const ContactModel& model) {
    CertifiedSolution certified;
    certified.solution = model.solve(damped, damped_scaling, warm_start);
    add_drag(dragged, damped, damped_scaling, certified.solution);
    certified.certificate = certify(problem, scaling, certified.solution, tolerance_);
    return certified;
  };
  CertifiedSolution certified = solution_of_part(*model_);
  ContactSolution& solution = certified.solution;
  // A solution that misses the original tolerance is solved again to a smaller one, if it is not
  // the list that it misses.
  if (certified.certificate.holds || !claims_law(solution.status)) return certified;
  const Certificate own = certify(dragged, scaling, solution, tolerance_);
  if (own.holds) return certified;
  CertifiedSolution tighter = solution_of_part(*tighter_);
  if (certify(dragged, scaling, tighter.solution, tolerance_).holds &&
      claims_law(tighter.solution.status)) {
    tighter.solution.iterations += solution.iterations;
    tighter.solution.attempts.insert(tighter.solution.attempts.begin(), solution.attempts.begin(),
                                     solution.attempts.end());
    return tighter;
  }
  return certified;
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
