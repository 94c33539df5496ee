#include "amontons/models/dissipation_first_phase.h"

#include "amontons/contact/rows_as_contacts.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/formulation/cone_phases.h"
#include "amontons/models/formulation/contacts_on_bodies.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/working_set.h"
#include "amontons/optimization/qp/box_qp.h"
#include "amontons/optimization/qp/minimizer_face.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Share of the tolerance up to which an impulse of phase I is rounding, and by which the least sum
// may miss phase I's conditions [-].
constexpr double kImpulseRounding = 1e-4, kMinSumMargin = 0.1;

// Share of the tolerance up to which an impact or a second phase may approach at its start and
// needs no impulse [-]: a first phase leaves as much, and the certificate accepts it.
constexpr double kLeftByFirst = 0.5;

// Number of contacts up to which pivoting costs less than the cone solver's sparse kernel.
constexpr std::size_t kMaxContactsForPivots = 30;

// Number of contacts and rows up to which a dense box program is tried.
constexpr std::size_t kMaxBoxSize = 400;

}  // namespace

bool DissipationFirstPhase::has_rows() const {
  return std::any_of(problem_.contacts.begin(), problem_.contacts.end(),
                     [](const Contact& contact) { return contact.is_joint_row; });
}

/// Returns the entry of a contact's normal, or of the row that it represents [3 nc].
Index DissipationFirstPhase::slot(std::size_t contact) const {
  return ContactProblem::row(contact) +
         (is_row(contact) ? component_of_joint_row(problem_, contact) : 2);
}

/// Returns the bounds of y or f [N s].
double DissipationFirstPhase::lower(const ContactPhase& phase, std::size_t contact) const {
  return slot(contact) % 3 == 2 ? 0.0 : -phase.friction_offset(static_cast<Index>(contact));
}
double DissipationFirstPhase::upper(const ContactPhase& phase, std::size_t contact) const {
  return slot(contact) % 3 == 2 ? std::numeric_limits<double>::infinity()
                                : phase.friction_offset(static_cast<Index>(contact));
}

bool DissipationFirstPhase::solve(const ContactPhase& phase, DissipationCap& cap,
                                  DissipationSolution& dissipation) const {
  dissipation.impulses = VectorXd::Zero(problem_.contact_jacobian.rows());
  dissipation.witness.assign(problem_.num_contacts(), {});
  const bool needs_none = starts_at_rounding(phase);
  if (needs_none) dissipation.status = SolveStatus::Converged;
  if (!needs_none && !find(phase, dissipation)) return false;
  const VectorXd after = slack(phase, dissipation);
  choose_least_sum(phase, after, dissipation);
  // The cap kappa is the sum of y, and contacts that phase I leaves open carry nothing.
  cap = {0.0, needs_none, std::vector<char>(problem_.num_contacts(), 0),
         loaded_by_phase_one(problem_, scaling_, dissipation.witness, after, settings_.tolerance)};
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    if (is_row(c)) continue;
    cap.sum += dissipation.witness[c].phase_one;
    cap.stays_open[c] = stays_open(scaling_, c, after(static_cast<Index>(c)), settings_.tolerance);
  }
  return true;
}

/// Returns true if an impact, or a second phase, starts where no contact approaches by more than a
/// first phase leaves. Impulses against that rounding would be a cap of their own, and their
/// residual a share of it.
bool DissipationFirstPhase::starts_at_rounding(const ContactPhase& phase) const {
  if (problem_.step > 0.0 && phase.given_impulses.isZero(0.0)) return false;
  const VectorXd u = response_.contact_velocities(phase.given_impulses);
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    const Index i = static_cast<Index>(c), own = slot(c);
    if (!moves(c)) continue;
    if (own % 3 == 2) {
      const double allowed = kLeftByFirst * settings_.tolerance * scaling_.scales.speed(i);
      if (u(own) + phase.gap_speeds(i) < -allowed) return false;
    } else if (upper(phase, c) > 0.0) {
      return false;  // dry friction acts at any speed
    }
  }
  return true;
}

/// Solves phase I by one method after the other, until one converges.
bool DissipationFirstPhase::find(const ContactPhase& phase,
                                 DissipationSolution& dissipation) const {
  const auto attempt = [&](const char* name, const auto& method) {
    const Stopwatch watch;
    const PhaseSolution found = method();
    dissipation.status = found.status;
    dissipation.iterations += found.iterations;
    dissipation.attempts.push_back({name, found.status, found.iterations, watch.seconds(), {}});
    if (found.status == SolveStatus::Converged) record(found, dissipation);
    return found.status == SolveStatus::Converged;
  };
  const bool sparse = !has_rows() && problem_.joint_jacobian.rows() == 0 &&
                      problem_.num_contacts() > kMaxContactsForPivots;
  if (sparse && attempt("phase I, cone solver", [&] { return by_cones(phase); })) return true;
  const bool pivots = !has_rows() && problem_.mass_matrix.size() <= kMaxVelocitiesForNormals;
  if (pivots && attempt("phase I", [&] { return by_pivoting(phase); })) return true;
  if (attempt(pivots ? "phase I, Lemke" : "phase I", [&] { return by_lemke(phase); })) return true;
  return problem_.num_contacts() <= kMaxBoxSize &&
         attempt("phase I, box program", [&] { return by_box_program(phase); });
}

PhaseSolution DissipationFirstPhase::by_cones(const ContactPhase& phase) const {
  ConeMemory memory;
  return solve_normals(problem_, scaling_, settings_, std::numeric_limits<double>::infinity(),
                       phase, &space_, memory);
}

PhaseSolution DissipationFirstPhase::by_pivoting(const ContactPhase& phase) const {
  std::vector<char> active(problem_.num_contacts(), 0);
  for (std::size_t c = 0; c < active.size(); ++c) active[c] = moves(c);
  return NormalImpulses(problem_, scaling_, active, settings_.tolerance).solve(phase);
}

PhaseSolution DissipationFirstPhase::by_lemke(const ContactPhase& phase) const {
  const VectorXd none = VectorXd::Zero(phase.gap_speeds.size());
  PolyhedralProblem normals{&problem_,
                            &space_,
                            &scaling_.scales,
                            polygon_directions(4),
                            false,
                            std::vector<char>(problem_.num_contacts(), 0),
                            none,
                            phase.gap_speeds,
                            phase.given_impulses,
                            none,
                            none,
                            settings_.tolerance};
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    normals.active[c] = moves(c);
    const Index i = static_cast<Index>(c);
    if (is_row(c)) normals.friction_offset(i) = phase.friction_offset(i);
  }
  const PolyhedralSolution found = solve_by_working_set(normals, {});
  return {found.status, found.impulses, found.pivots};
}

/// Solves min 1/2 z'A z + z'(b + s), z = (y, f) in its bounds.
PhaseSolution DissipationFirstPhase::by_box_program(const ContactPhase& phase) const {
  std::vector<int> all(problem_.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  const MatrixXd A = space_.delassus(all);
  const VectorXd b = space_.contact_velocities(phase.given_impulses);
  std::vector<Index> slots;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (moves(c)) slots.push_back(slot(c));
  }
  const Index n = static_cast<Index>(slots.size());
  BoxQuadraticProgram box{A(slots, slots), b(slots), VectorXd(n), VectorXd(n)};
  for (Index k = 0; k < n; ++k) {
    const Index own = slots[static_cast<std::size_t>(k)];
    const std::size_t contact = static_cast<std::size_t>(own / 3);
    if (own % 3 == 2) box.g(k) += phase.gap_speeds(own / 3);
    box.lower(k) = lower(phase, contact);
    box.upper(k) = upper(phase, contact);
  }
  const BoxQpSolution found = solve_box_qp(box);
  PhaseSolution result{found.status, VectorXd::Zero(b.size()), found.iterations()};
  for (Index k = 0; k < n; ++k) {
    result.impulses(slots[static_cast<std::size_t>(k)]) = found.x(k);
  }
  return result;
}

/// Writes y and f into the witness; an impulse y of the size of rounding counts as zero.
void DissipationFirstPhase::record(const PhaseSolution& found,
                                   DissipationSolution& dissipation) const {
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    const Index i = static_cast<Index>(c);
    double& own = dissipation.witness[c].phase_one;
    own = found.impulses(slot(c));
    if (is_row(c)) continue;
    const double least = kImpulseRounding * settings_.tolerance * scaling_.scales.speed(i);
    if (!(scaling_.scales.inverse_mass(i) * own > least)) own = 0.0;
  }
}

/// Returns u + s of the slots after phase I [nc] [m/s].
VectorXd DissipationFirstPhase::slack(const ContactPhase& phase,
                                      const DissipationSolution& dissipation) const {
  VectorXd impulses = phase.given_impulses;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    impulses(slot(c)) += dissipation.witness[c].phase_one;
  }
  const VectorXd u = response_.contact_velocities(impulses);
  VectorXd result(phase.gap_speeds.size());
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    const Index i = static_cast<Index>(c), own = slot(c);
    result(i) = u(own) + (own % 3 == 2 ? phase.gap_speeds(i) : 0.0);
  }
  return result;
}

/// Replaces y and f by the solution of phase I with the least sum of y, where sums differ.
void DissipationFirstPhase::choose_least_sum(const ContactPhase& phase, const VectorXd& slack,
                                             DissipationSolution& dissipation) const {
  // Only contacts that do not separate, and rows that do not slip, may differ in another solution.
  std::vector<int> face;
  std::vector<Index> slots;
  Index presses = 0;
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    const Index i = static_cast<Index>(c);
    const double own = is_row(c) ? std::abs(slack(i)) : slack(i);
    if (!moves(c) || !(own <= settings_.tolerance * scaling_.scales.speed(i))) continue;
    slots.push_back(3 * static_cast<Index>(face.size()) + slot(c) % 3);
    face.push_back(static_cast<int>(c));
    if (!is_row(c)) ++presses;
  }
  const Index n = static_cast<Index>(face.size());
  if (n < 2 || presses == 0) return;
  // The general test is dense: few contacts take it at once, unless they are redundant.
  const bool is_large = face.size() > kMaxContactsForPivots || n > problem_.mass_matrix.size();
  const bool has_joints = problem_.joint_jacobian.rows() > 0;
  if (presses == n && is_large && !has_joints && can_lift_all(scaling_, face)) return;
  // min 1'y over 0 <= z perp A z + g >= 0 and z <= range, z = (y, f - lower) of the face.
  VectorXd z(n), g(n), weights(n), range(n), least_z(n);
  for (Index k = 0; k < n; ++k) {
    const std::size_t c = static_cast<std::size_t>(face[static_cast<std::size_t>(k)]);
    weights(k) = is_row(c) ? 0.0 : 1.0;
    least_z(k) = lower(phase, c);
    range(k) = upper(phase, c) - least_z(k);
    z(k) = dissipation.witness[c].phase_one - least_z(k);
    g(k) = is_row(c) ? 0.0 : std::max(0.0, slack(static_cast<Index>(c)));
  }
  const MatrixXd A = space_.delassus(face)(slots, slots);
  g -= A * z;
  const LeastSumSolution least = least_sum_solution({A, g}, z, weights, range);
  if (least.is_sum_unique || least.status != SolveStatus::Converged) return;
  // The new y counts only if it satisfies phase I nearly as well.
  const VectorXd left = A * least.y + g;
  for (Index k = 0; k < n; ++k) {
    const int c = face[static_cast<std::size_t>(k)];
    const double own = weights(k) > 0.0
                           ? std::min(scaling_.scales.inverse_mass(c) * least.y(k), left(k))
                           : left(k);
    if (std::abs(own) > kMinSumMargin * settings_.tolerance * scaling_.scales.speed(c)) return;
  }
  for (Index k = 0; k < n; ++k) {
    DissipationWitness& own =
        dissipation.witness[static_cast<std::size_t>(face[static_cast<std::size_t>(k)])];
    own.phase_one = std::min(least.y(k), range(k)) + least_z(k);
  }
  dissipation.iterations += least.pivots;
  dissipation.attempts.push_back(
      {"least sum of phase I", SolveStatus::Converged, least.pivots, 0.0, {}});
}

}  // namespace amontons
