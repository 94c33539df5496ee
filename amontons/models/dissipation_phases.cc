#include "amontons/models/dissipation_phases.h"

#include "amontons/contact/contact_law.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"

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

// Number of contacts up to which the dense form is tried after that on bodies.
constexpr std::size_t kDenseAfterBodies = 80;

// Share of the tolerance up to which the speed of a row counts as zero at a kink [-].
constexpr double kKinkMargin = 1e-1;

// Share of the certificate's tolerance that phase II must reach [-].
constexpr double kToleranceShare = 1e-2;

// Kinks that may be crossed, and for each row.
constexpr int kCrossings = 8, kCrossingsPerRow = 2;

// Share of its inverse mass below which the joints hold a contact or row, and no impulse moves it
// [-].
constexpr double kHeldByJoints = 1e-12;

}  // namespace

/// Holds the input of phase II.
struct DissipationPhases::Base {
  const ContactPhase& phase;
  VectorXd velocity;  // u with the given impulses alone [3 nc] [m/s]
  VectorXd offset;    // offsets of the discs [nc] [N s]
  const DissipationCap& cap;
  DissipationRowSides sides;
};

DissipationPhases::DissipationPhases(const ContactProblem& problem, const ProblemScaling& scaling,
                                     const ContactSpace& space, const ModelSettings& settings)
    : problem_(problem),
      scaling_(scaling),
      space_(space),
      response_(problem, scaling, &space),
      settings_(settings),
      tolerance_(settings.tolerance),
      free_(free_contact_motion(problem, scaling)),
      is_contact_(problem.num_contacts(), 0) {
  // A contact that the joints hold carries nothing: in its unit the others would be rounding.
  for (std::size_t c = 0; c < is_contact_.size(); ++c) {
    const double w = scaling.scales.inverse_mass(static_cast<Index>(c));
    if (problem.contacts[c].is_joint_row || !(w > 0.0)) continue;
    const int own = static_cast<int>(c);
    is_contact_[c] = problem.joint_jacobian.rows() == 0 ||
                     space.delassus({&own, 1}).trace() > 3.0 * kHeldByJoints * w;
  }
  if (DissipationOnBodies::applies_to(problem)) on_bodies_.emplace(problem, scaling, is_contact_);
}

DissipationSolution DissipationPhases::solve(const ContactPhase& phase, bool first) const {
  DissipationSolution dissipation;
  DissipationCap cap;
  const DissipationFirstPhase phase_one(problem_, scaling_, space_, response_, settings_);
  if (phase_one.solve(phase, cap, dissipation)) solve_phase_two(phase, cap, first, dissipation);
  return dissipation;
}

/// Solves phase II on bodies where that is possible, else or where it misses in contact space.
void DissipationPhases::solve_phase_two(const ContactPhase& phase, const DissipationCap& cap,
                                        bool first, DissipationSolution& dissipation) const {
  Base base{phase,
            space_.contact_velocities(phase.given_impulses),
            dissipation_offsets(problem_, free_.velocity - free_.correction, phase.given_load,
                                first, cap.loaded),
            cap,
            {problem_, scaling_.scales, phase.gap_speeds, phase.friction_offset}};
  // A cap of zero leaves no impulse but friction without a load, viscous friction, and the rows'. A
  // row whose speed is rounding needs none: two that must hold exactly may contradict each other.
  const bool rows_need_none = base.sides.size() == 0 || cap.needs_none;
  if (cap.sum == 0.0 && rows_need_none && base.offset.isZero(0.0)) {
    return carry_nothing(base, dissipation);
  }
  if (!on_bodies_) return solve_from_first_phase(base, dissipation);
  on_bodies_->solve(phase, base.velocity, base.offset, cap, kToleranceShare * tolerance_,
                    settings_.max_iterations, dissipation);
  // The dense form is costlier, and arrives now and then where that one does not.
  const bool is_small = problem_.num_contacts() <= kDenseAfterBodies;
  if (dissipation.status == SolveStatus::Converged || !is_small || !has_effort()) return;
  DissipationSolution dense = dissipation;
  solve_from_first_phase(base, dense);
  dissipation.iterations = dense.iterations;
  dissipation.attempts = dense.attempts;
  if (dense.status == SolveStatus::Converged || dense.residual < dissipation.residual) {
    dissipation = std::move(dense);
  }
}

/// Writes the solution of phase II under a cap of zero: no impulse, at the least price for which no
/// impulse of a cone would dissipate more than its share of the cap costs. Contacts that the joints
/// hold count as well: where a joint is driven they slide, and the condition is theirs, too.
void DissipationPhases::carry_nothing(const Base& base, DissipationSolution& dissipation) const {
  double price = 0.0;
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    const bool is_moved = scaling_.scales.inverse_mass(static_cast<Index>(c)) > 0.0;
    if (!is_moved || base.cap.stays_open[c]) continue;
    const Vector3d u = (base.velocity - free_.correction).segment<3>(ContactProblem::row(c));
    price = std::max(price, problem_.contacts[c].friction * u.head<2>().norm() - u.z());
  }
  for (DissipationWitness& witness : dissipation.witness) {
    witness.multiplier = 0.0;
    witness.price = price;
  }
  dissipation.impulses.setZero(base.phase.given_impulses.size());
  dissipation.status = SolveStatus::Converged;
  dissipation.residual = 0.0;
  dissipation.attempts.push_back({"phase II", SolveStatus::Converged, 0, 0.0, {}});
}

/// Solves phase II in contact space from the solution of phase I, and crosses kinks while that
/// lowers the energy.
void DissipationPhases::solve_from_first_phase(Base& base, DissipationSolution& dissipation) const {
  const ContactPhase& phase = base.phase;
  VectorXd impulses = VectorXd::Zero(phase.given_impulses.size());
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    if (!problem_.contacts[c].is_joint_row) {
      impulses(ContactProblem::row(c) + 2) = dissipation.witness[c].phase_one;
    }
  }
  for (std::size_t row = 0; row < base.sides.size(); ++row) {
    const Index slot = base.sides.slot(row);
    impulses(slot) = dissipation.witness[static_cast<std::size_t>(slot / 3)].phase_one;
  }
  dissipation.impulses = impulses;
  base.sides.choose(impulses, response_.contact_velocities(phase.given_impulses + impulses));
  solve_on_sides(base, dissipation);
  const int most = kCrossings + kCrossingsPerRow * static_cast<int>(base.sides.size());
  for (int round = 0; round < most && dissipation.status == SolveStatus::Converged; ++round) {
    if (!cross(base, dissipation, base.sides)) return;
    // What fails on the other side leaves the solution on this one, which the certificate decides.
    DissipationSolution other = dissipation;
    solve_on_sides(base, other);
    dissipation.iterations = other.iterations;
    dissipation.attempts = other.attempts;
    if (other.status == SolveStatus::Converged) dissipation = std::move(other);
  }
}

/// Solves phase II on the present sides, on growing working sets.
void DissipationPhases::solve_on_sides(const Base& base, DissipationSolution& dissipation) const {
  std::vector<int> set = first_set(base, dissipation.witness);
  // Bound: every pass adds a contact; and the effort.
  while (true) {
    // Contacts outside the set that violate the conditions join, until none does.
    dissipation.status = solve_on(base, set, dissipation);
    if (dissipation.status != SolveStatus::Converged) return;
    const std::vector<int> more = violated_contacts(base, set, dissipation);
    if (more.empty()) return;
    if (!has_effort()) {
      dissipation.status = SolveStatus::IterationLimit;
      return;
    }
    set.insert(set.end(), more.begin(), more.end());
    std::sort(set.begin(), set.end());
  }
}

/// Returns all contacts if they are few, else those that phase I or an offset may load.
std::vector<int> DissipationPhases::first_set(
    const Base& base, const std::vector<DissipationWitness>& witness) const {
  std::vector<int> all, loaded;
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    if (!is_contact(c)) continue;
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
  // u of x, and gamma = A x + b0 - A_(:,N) lambda - A_(:,rows) phi.
  VectorXd total = base.phase.given_impulses + dissipation.impulses, dual = total;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    if (is_contact(c)) dual(ContactProblem::row(c) + 2) -= dissipation.witness[c].multiplier;
  }
  for (std::size_t row = 0; row < base.sides.size(); ++row) {
    const Index slot = base.sides.slot(row);
    dual(slot) -= dissipation.witness[static_cast<std::size_t>(slot / 3)].multiplier;
  }
  const VectorXd u = response_.contact_velocities(total);
  const VectorXd gamma = response_.contact_velocities(dual) - free_.correction;
  std::vector<std::pair<double, int>> violations;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    if (!is_contact(c) || std::binary_search(set.begin(), set.end(), static_cast<int>(c))) continue;
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

/// Crosses the kink that promises most; returns false if there is none.
bool DissipationPhases::cross(const Base& base, const DissipationSolution& dissipation,
                              DissipationRowSides& sides) const {
  if (sides.size() == 0) return false;
  // Velocities with the impulses, and those that multipliers and answers give.
  VectorXd dual = VectorXd::Zero(dissipation.impulses.size());
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    if (is_contact(c)) dual(ContactProblem::row(c) + 2) = dissipation.witness[c].multiplier;
  }
  VectorXd impulses(static_cast<Index>(sides.size()));
  std::vector<RowMultipliers> multipliers(sides.size());
  for (std::size_t row = 0; row < sides.size(); ++row) {
    const Index slot = sides.slot(row);
    const double phi = dissipation.witness[static_cast<std::size_t>(slot / 3)].multiplier;
    dual(slot) = phi;
    impulses(static_cast<Index>(row)) = dissipation.impulses(slot);
    multipliers[row].answer = scaling_.scales.inverse_mass(slot / 3) * phi;
  }
  const VectorXd total = base.phase.given_impulses + dissipation.impulses;
  const VectorXd u = response_.contact_velocities(total);
  const VectorXd change = u - response_.contact_velocities(total - dual);
  for (std::size_t row = 0; row < sides.size(); ++row) {
    multipliers[row].speed = u(sides.slot(row)) + sides.shift(row);
    multipliers[row].change = change(sides.slot(row));
  }
  return sides.cross(impulses, multipliers, kKinkMargin * tolerance_);
}

/// States phase II on a set of contacts and the rows that move, in x = sqrt(w) impulses.
/// @param unit  unit of the cap, in which its largest weight is 1.
/// @param root  sqrt(w) of the contacts, then of the rows.
/// @param A     Delassus matrix of the entries of contacts, then of rows.
CappedFrictionProblem DissipationPhases::assemble(const Base& base, const std::vector<int>& set,
                                                  const std::vector<std::size_t>& rows, double unit,
                                                  const VectorXd& root, const MatrixXd& A) const {
  const Index n = static_cast<Index>(set.size()), m = static_cast<Index>(rows.size());
  // W, q = b0 / sqrt(w) without the joints' correction, c = (b_n + s) / sqrt(w) with it.
  CappedFrictionProblem capped;
  capped.q.resize(3 * n + m);
  capped.c.resize(n);
  VectorXd scale(3 * n + m);
  for (Index k = 0; k < n; ++k) {
    const int c = set[static_cast<std::size_t>(k)];
    const std::size_t index = static_cast<std::size_t>(c);
    scale.segment<3>(3 * k).setConstant(1.0 / root(k));
    capped.q.segment<3>(3 * k) = (base.velocity - free_.correction).segment<3>(3 * c) / root(k);
    capped.c(k) = (base.velocity(3 * c + 2) + base.phase.gap_speeds(c)) / root(k);
    capped.cones.push_back(
        {ConeKind::Friction, problem_.contacts[index].friction, root(k) * base.offset(c)});
    capped.closed.push_back(base.cap.stays_open[index]);
  }
  // sum x_n = sum r_n / sqrt(w) <= kappa.
  capped.weights = unit * root.head(n).cwiseInverse();
  capped.cap = unit * base.cap.sum;
  for (Index k = 0; k < m; ++k) {
    const std::size_t row = rows[static_cast<std::size_t>(k)];
    const double own = root(n + k);
    scale(3 * n + k) = 1.0 / own;
    capped.q(3 * n + k) = (base.velocity(base.sides.slot(row)) + base.sides.shift(row)) / own;
    if (base.sides.holds(row)) {
      capped.rows.push_back({true, own * base.sides.lower(row), own * base.sides.upper(row), 0.0});
    } else {
      const double bound = own * base.sides.bound(row);
      capped.rows.push_back({false, bound, bound, base.sides.sign(row)});
    }
  }
  capped.W = scale.asDiagonal() * A * scale.asDiagonal();
  return capped;
}

/// Returns the residual, as a share of the largest speed, that the V of each contact and row asks
/// for [-]. Rows of drives may be thousands of times faster than contacts, and speeds of rounding
/// are far below any V.
double DissipationPhases::smallest_tolerance(const CappedFrictionProblem& capped,
                                             const std::vector<int>& moved,
                                             const VectorXd& root) const {
  const double size = speed_scale(capped);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < moved.size(); ++k) {
    least = std::min(least, scaling_.scales.speed(moved[k]) / root(static_cast<Index>(k)));
  }
  return kToleranceShare * tolerance_ * least / size;
}

/// Solves phase II on a set of contacts, on the present sides of the rows.
SolveStatus DissipationPhases::solve_on(const Base& base, const std::vector<int>& set,
                                        DissipationSolution& dissipation) const {
  const Stopwatch watch;
  // Entries of the contacts, then those of the rows; rows that no impulse moves keep theirs.
  std::vector<int> all = set;
  for (std::size_t row = 0; row < base.sides.size(); ++row) {
    all.push_back(static_cast<int>(base.sides.slot(row) / 3));
  }
  const MatrixXd of_all = space_.delassus(all);
  const Index n = static_cast<Index>(set.size());
  std::vector<Index> entries(static_cast<std::size_t>(3 * n));
  for (Index k = 0; k < 3 * n; ++k) entries[static_cast<std::size_t>(k)] = k;
  std::vector<std::size_t> rows;
  std::vector<double> row_roots;
  std::vector<int> moved = set;
  for (std::size_t row = 0; row < base.sides.size(); ++row) {
    const Index slot = base.sides.slot(row);
    const Index entry = 3 * (n + static_cast<Index>(row)) + slot % 3;
    const double w = of_all(entry, entry);
    if (!(w > kHeldByJoints * scaling_.scales.inverse_mass(slot / 3))) continue;
    rows.push_back(row);
    moved.push_back(static_cast<int>(slot / 3));
    row_roots.push_back(std::sqrt(w));
    entries.push_back(entry);
  }
  VectorXd root(n + static_cast<Index>(rows.size()));
  root.head(n) = contact_roots(of_all.topLeftCorner(3 * n, 3 * n), set, scaling_.scales);
  for (std::size_t k = 0; k < rows.size(); ++k) root(n + static_cast<Index>(k)) = row_roots[k];
  const double unit = n > 0 ? root.head(n).minCoeff() : 1.0;
  const CappedFrictionProblem capped =
      assemble(base, set, rows, unit, root, of_all(entries, entries));

  CappedFrictionPoint point;
  const double tolerance = smallest_tolerance(capped, moved, root);
  const CappedFrictionSettings limits =
      capped_friction_settings(tolerance, settings_.max_iterations);
  CappedFrictionResult result = solve_capped_friction(capped, limits, point);
  // Conditions between speeds far below V may contradict each other by what V calls rounding.
  if (point.residual <= tolerance * speed_scale(capped)) result.status = SolveStatus::Converged;
  // Impulses and multipliers back to physical units; the price is the same at all contacts.
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    dissipation.witness[c].multiplier = 0.0;
    dissipation.witness[c].price = point.price * unit;
    if (is_contact(c)) dissipation.impulses.segment<3>(ContactProblem::row(c)).setZero();
  }
  for (Index k = 0; k < n; ++k) {
    const int c = set[static_cast<std::size_t>(k)];
    dissipation.impulses.segment<3>(3 * c) = point.x.segment<3>(3 * k) / root(k);
    dissipation.witness[static_cast<std::size_t>(c)].multiplier = point.multipliers(k) / root(k);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index slot = base.sides.slot(rows[k]), own = static_cast<Index>(k);
    dissipation.impulses(slot) = point.x(3 * n + own) / root(n + own);
    dissipation.witness[static_cast<std::size_t>(slot / 3)].multiplier =
        point.answers(own) / root(n + own);
  }
  const int iterations = result.interior_steps + result.newton_steps;
  dissipation.iterations += iterations;
  dissipation.residual = point.residual / speed_scale(capped);
  dissipation.attempts.push_back({"phase II", result.status, iterations, watch.seconds(), {}});
  return result.status;
}

}  // namespace amontons
