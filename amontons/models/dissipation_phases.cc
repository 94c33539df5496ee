#include "amontons/models/dissipation_phases.h"

#include "amontons/contact/contact_law.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/working_set.h"
#include "amontons/optimization/ccp/methods/capped_friction.h"
#include "amontons/optimization/qp/minimizer_face.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Number of contacts up to which phase II takes all of them at once; beyond, a working set.
constexpr std::size_t kAllAtOnce = 32;

// Share of the tolerance up to which an impulse of phase I is rounding, and by which the least sum
// may miss phase I's conditions [-].
constexpr double kImpulseRounding = 1e-4, kMinSumMargin = 0.1;

/// Returns true if some velocity lifts these contacts at equal speed: every solution of phase I
/// then has the same sum. It is tested only where contacts outnumber velocities, because there it
/// is cheap.
bool can_separate_all(const ContactProblem& problem, const std::vector<int>& contacts) {
  constexpr double kGapSpeedRounding = 1e-9;
  const Index n = static_cast<Index>(contacts.size()), nv = problem.mass_matrix.size();
  if (problem.joint_jacobian.rows() > 0 || n <= nv) return false;
  const BlockSparseMatrix& J = problem.contact_jacobian;
  // N v = 1 has a solution if the least-norm v satisfies it.
  MatrixXd normals = MatrixXd::Zero(n, nv);
  for (Index k = 0; k < n; ++k) {
    for (const BlockSparseMatrix::Block& block :
         J.block_row(static_cast<std::size_t>(contacts[static_cast<std::size_t>(k)]))) {
      normals.block(k, block.col, 1, block.num_cols) = J.values(block).row(2);
    }
  }
  const VectorXd ones = VectorXd::Ones(n);
  const VectorXd v = least_norm_solution(normals, ones, kGapSpeedRounding);
  return (normals * v - ones).lpNorm<Eigen::Infinity>() <= kGapSpeedRounding;
}

}  // namespace

/// Holds the input of phase II.
struct DissipationPhases::Base {
  const ContactPhase& phase;
  VectorXd velocity;  // u with the given impulses alone [3 nc] [m/s]
  VectorXd offset;    // offsets of the discs [nc] [N s]
  const DissipationCap& cap;
};

DissipationPhases::DissipationPhases(const ContactProblem& problem, const ProblemScaling& scaling,
                                     const ContactSpace& space, const ModelSettings& settings,
                                     FreeContactMotion free)
    : problem_(problem),
      scaling_(scaling),
      space_(space),
      response_(problem, scaling, &space),
      settings_(settings),
      tolerance_(settings.tolerance),
      free_(std::move(free)) {}

DissipationSolution DissipationPhases::solve(const ContactPhase& phase, bool first) {
  DissipationSolution dissipation;
  DissipationCap cap;
  if (solve_phase_one(phase, cap, dissipation)) solve_phase_two(phase, cap, first, dissipation);
  return dissipation;
}

bool DissipationPhases::solve_phase_one(const ContactPhase& phase, DissipationCap& cap,
                                        DissipationSolution& dissipation) const {
  dissipation.impulses = VectorXd::Zero(problem_.contact_jacobian.rows());
  dissipation.witness.assign(problem_.num_contacts(), {});
  if (!find_phase_one(phase, dissipation)) return false;
  const VectorXd slack = phase_one_slack(phase, dissipation);
  choose_least_sum(slack, dissipation);
  // The cap kappa is the sum of y, and contacts that phase I leaves open carry nothing.
  cap = {0.0, std::vector<char>(problem_.num_contacts(), 0),
         loaded_by_phase_one(problem_, scaling_, dissipation.witness, slack, tolerance_)};
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    cap.sum += dissipation.witness[c].phase_one;
    cap.stays_open[c] = stays_open(scaling_, c, slack(static_cast<Index>(c)), tolerance_);
  }
  return true;
}

/// Solves phase I: pivoting on the normals, or Lemke's method for many velocities.
PhaseSolution DissipationPhases::solve_normals(const ContactPhase& phase) const {
  std::vector<char> active(problem_.num_contacts(), 0);
  for (std::size_t c = 0; c < active.size(); ++c) active[c] = moves(c);
  if (problem_.mass_matrix.size() <= kMaxVelocitiesForNormals) {
    return NormalImpulses(problem_, scaling_, active, tolerance_).solve(phase);
  }
  const VectorXd none = VectorXd::Zero(phase.gap_speeds.size());
  const PolyhedralProblem normals{
      &problem_, &space_,   &scaling_.scales, polygon_directions(4), false,
      active,    none,      phase.gap_speeds, phase.given_impulses,  none,
      none,      tolerance_};
  const PolyhedralSolution found = solve_by_working_set(normals, {});
  return {found.status, found.impulses, found.pivots};
}

/// Solves phase I and writes y into the witness; returns false if that failed.
bool DissipationPhases::find_phase_one(const ContactPhase& phase,
                                       DissipationSolution& dissipation) const {
  const Stopwatch watch;
  const PhaseSolution found = solve_normals(phase);
  dissipation.status = found.status;
  dissipation.iterations = found.iterations;
  dissipation.attempts.push_back({"phase I", found.status, found.iterations, watch.seconds(), {}});
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    const Index i = static_cast<Index>(c);
    // An impulse y of the size of rounding counts as zero.
    const double y = std::max(0.0, found.impulses(3 * i + 2));
    const double least = kImpulseRounding * tolerance_ * scaling_.scales.speed(i);
    dissipation.witness[c].phase_one = scaling_.scales.inverse_mass(i) * y > least ? y : 0.0;
  }
  return found.status == SolveStatus::Converged;
}

/// Returns u_n(y) + s of phase I [nc] [m/s].
VectorXd DissipationPhases::phase_one_slack(const ContactPhase& phase,
                                            const DissipationSolution& dissipation) const {
  VectorXd impulses = phase.given_impulses;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    impulses(3 * static_cast<Index>(c) + 2) += dissipation.witness[c].phase_one;
  }
  const VectorXd u = response_.contact_velocities(impulses);
  VectorXd slack = phase.gap_speeds;
  for (Index i = 0; i < slack.size(); ++i) slack(i) += u(3 * i + 2);
  return slack;
}

/// Replaces y by the solution of phase I with the least sum, where sums differ.
void DissipationPhases::choose_least_sum(const VectorXd& slack,
                                         DissipationSolution& dissipation) const {
  // Only contacts that do not separate may carry an impulse in another solution.
  std::vector<int> face;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (moves(c) && slack(i) <= tolerance_ * scaling_.scales.speed(i)) {
      face.push_back(static_cast<int>(c));
    }
  }
  const Index n = static_cast<Index>(face.size());
  if (n < 2 || can_separate_all(problem_, face)) return;
  // min 1'y over 0 <= y perp A y + g >= 0, A the normals' Delassus matrix of the face.
  std::vector<Index> normals;
  VectorXd y(n), g(n);
  for (Index k = 0; k < n; ++k) {
    const int c = face[static_cast<std::size_t>(k)];
    normals.push_back(3 * k + 2);
    y(k) = dissipation.witness[static_cast<std::size_t>(c)].phase_one;
    g(k) = std::max(0.0, slack(c));
  }
  const MatrixXd A = space_.delassus(face)(normals, normals);
  g -= A * y;
  const LeastSumSolution least = least_sum_solution({A, g}, y);
  if (least.is_sum_unique || least.status != SolveStatus::Converged) return;
  // The new y counts only if it satisfies phase I nearly as well.
  const VectorXd left = A * least.y + g;
  for (Index k = 0; k < n; ++k) {
    const int c = face[static_cast<std::size_t>(k)];
    const double missed = std::abs(std::min(scaling_.scales.inverse_mass(c) * least.y(k), left(k)));
    if (missed > kMinSumMargin * tolerance_ * scaling_.scales.speed(c)) return;
  }
  for (Index k = 0; k < n; ++k) {
    dissipation.witness[static_cast<std::size_t>(face[static_cast<std::size_t>(k)])].phase_one =
        least.y(k);
  }
  dissipation.iterations += least.pivots;
  dissipation.attempts.push_back(
      {"least sum of phase I", SolveStatus::Converged, least.pivots, 0.0, {}});
}

void DissipationPhases::solve_phase_two(const ContactPhase& phase, const DissipationCap& cap,
                                        bool first, DissipationSolution& dissipation) {
  const Base base{phase, response_.contact_velocities(phase.given_impulses),
                  dissipation_offsets(problem_, free_.velocity - free_.correction, phase.given_load,
                                      first, cap.loaded),
                  cap};
  // Phase II is solved on growing working sets.
  std::vector<int> set = first_set(base, dissipation.witness);
  while (true) {
    // Contacts outside the set that violate the conditions join, until none does.
    dissipation.status = solve_on(base, set, dissipation);
    if (dissipation.status != SolveStatus::Converged) return;
    const std::vector<int> more = violated_contacts(base, set, dissipation);
    if (more.empty()) return;
    set.insert(set.end(), more.begin(), more.end());
    std::sort(set.begin(), set.end());
  }
}

/// Returns all contacts if they are few, else those that phase I or an offset may load.
std::vector<int> DissipationPhases::first_set(
    const Base& base, const std::vector<DissipationWitness>& witness) const {
  std::vector<int> all, loaded;
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    if (!moves(c)) continue;
    all.push_back(static_cast<int>(c));
    const bool may_be_loaded =
        witness[c].phase_one > 0.0 || base.offset(static_cast<Index>(c)) > 0.0;
    if (may_be_loaded) loaded.push_back(static_cast<int>(c));
  }
  return all.size() <= kAllAtOnce ? all : loaded;
}

/// Returns contacts outside the set that violate the optimality conditions, the worst first.
std::vector<int> DissipationPhases::violated_contacts(
    const Base& base, const std::vector<int>& set, const DissipationSolution& dissipation) const {
  // u of x, and gamma = A x + b0 - A_(:,N) lambda.
  VectorXd total = base.phase.given_impulses + dissipation.impulses, dual = total;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    dual(3 * static_cast<Index>(c) + 2) -= dissipation.witness[c].multiplier;
  }
  const VectorXd u = response_.contact_velocities(total);
  const VectorXd gamma = response_.contact_velocities(dual) - free_.correction;
  std::vector<std::pair<double, int>> violations;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    if (!moves(c) || std::binary_search(set.begin(), set.end(), static_cast<int>(c))) continue;
    const Index i = static_cast<Index>(c);
    // A contact outside must not approach, and its cone must not contain a descent direction at the
    // price.
    double violation = std::max(0.0, -u(3 * i + 2) - base.phase.gap_speeds(i));
    if (!base.cap.stays_open[c]) {
      Vector3d at_price = gamma.segment<3>(3 * i);
      at_price.z() += dissipation.witness[c].price;
      const double worth = project_on_cone(-at_price, problem_.contacts[c].friction).norm();
      violation = std::max(violation, worth);
    }
    violation /= scaling_.scales.speed(i);
    if (violation > kSolverMargin * tolerance_) {
      violations.emplace_back(-violation, static_cast<int>(c));
    }
  }
  // Adding half of the set at most keeps the dense problem small.
  std::sort(violations.begin(), violations.end());
  violations.resize(std::min(violations.size(), std::max<std::size_t>(16, set.size() / 2)));
  std::vector<int> result;
  for (const auto& [violation, contact] : violations) result.push_back(contact);
  return result;
}

/// Solves phase II on a set of contacts, in reactions r = sqrt(w) x.
SolveStatus DissipationPhases::solve_on(const Base& base, const std::vector<int>& set,
                                        DissipationSolution& dissipation) {
  const Stopwatch watch;
  const Index n = static_cast<Index>(set.size());
  // W, q = b0 / sqrt(w) without the joints' correction, c = (b_n + s) / sqrt(w) with it.
  CappedFrictionProblem capped;
  capped.W = space_.delassus(set);
  capped.q.resize(3 * n);
  capped.c.resize(n);
  const VectorXd root = contact_roots(capped.W, set, scaling_.scales);
  for (Index k = 0; k < n; ++k) {
    const int c = set[static_cast<std::size_t>(k)];
    const std::size_t index = static_cast<std::size_t>(c);
    capped.q.segment<3>(3 * k) = (base.velocity - free_.correction).segment<3>(3 * c) / root(k);
    capped.c(k) = (base.velocity(3 * c + 2) + base.phase.gap_speeds(c)) / root(k);
    capped.cones.push_back(
        {ConeKind::Friction, problem_.contacts[index].friction, root(k) * base.offset(c)});
    capped.closed.push_back(base.cap.stays_open[index]);
  }
  for (Index k = 0; k < n; ++k) {
    capped.W.middleRows(3 * k, 3) /= root(k);
    capped.W.middleCols(3 * k, 3) /= root(k);
  }
  // sum x_n = sum r_n / sqrt(w) <= kappa, in a unit that makes the largest weight 1.
  const double unit = n > 0 ? root.minCoeff() : 1.0;
  capped.weights = unit * root.cwiseInverse();
  capped.cap = unit * base.cap.sum;

  // The budget of iterations is shared by the interior point and Newton's method.
  CappedFrictionPoint point;
  CappedFrictionSettings limits;
  if (settings_.max_iterations) {
    limits.max_interior_steps = std::min(limits.max_interior_steps, *settings_.max_iterations);
    limits.max_newton_steps =
        std::min(limits.max_newton_steps, *settings_.max_iterations - limits.max_interior_steps);
  }
  const CappedFrictionResult result = solve_capped_friction(capped, limits, point);
  // Impulses and multipliers back to physical units; the price is the same at all contacts.
  dissipation.impulses.setZero();
  for (DissipationWitness& witness : dissipation.witness) {
    witness.multiplier = 0.0;
    witness.price = point.price * unit;
  }
  for (Index k = 0; k < n; ++k) {
    const int c = set[static_cast<std::size_t>(k)];
    dissipation.impulses.segment<3>(3 * c) = point.r.segment<3>(3 * k) / root(k);
    dissipation.witness[static_cast<std::size_t>(c)].multiplier = point.multipliers(k) / root(k);
  }
  const int iterations = result.interior_steps + result.newton_steps;
  dissipation.iterations += iterations;
  dissipation.attempts.push_back({"phase II", result.status, iterations, watch.seconds(), {}});
  return result.status;
}

}  // namespace amontons
