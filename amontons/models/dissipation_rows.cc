#include "amontons/models/dissipation_rows.h"

#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/formulation/working_set.h"

#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of the tolerance by which a row may miss its law before it changes sides [-].
constexpr double kRowMargin = 1e-2;

// Rounds in which all rows that miss their law change sides, and rounds for each row in which one
// does.
constexpr int kRoundsOfAll = 8, kRoundsPerRow = 4;

/// Returns the largest number of rounds.
int max_rounds(const HeldRows& rows) {
  return kRoundsOfAll + kRoundsPerRow * static_cast<int>(rows.num_rows());
}

/// Returns x with entries of another vector behind it.
VectorXd joined(const VectorXd& x, const VectorXd& more) {
  VectorXd result(x.size() + more.size());
  result << x, more;
  return result;
}

/// Returns the entries of the contacts that represent rows with a kept sign.
VectorXd at_rows(const HeldRows& rows, const VectorXd& values) {
  const std::vector<Index> bounded = rows.rows_with_kept_sign();
  VectorXd result(static_cast<Index>(bounded.size()));
  for (Index k = 0; k < result.size(); ++k) {
    result(k) = values(rows.slot(bounded[static_cast<std::size_t>(k)]) / 3);
  }
  return result;
}

/// Returns y of a witness as impulses [3 nc].
VectorXd normals_of(const std::vector<DissipationWitness>& witness) {
  VectorXd result = VectorXd::Zero(3 * static_cast<Index>(witness.size()));
  for (std::size_t c = 0; c < witness.size(); ++c) {
    result(ContactProblem::row(c) + 2) = witness[c].phase_one;
  }
  return result;
}

}  // namespace

/// Holds the contacts alone, where rows of joints are rows of J or part of the free motion.
struct DissipationRows::Part {
  Part(ContactProblem contacts, const ContactScales& scales, const ModelSettings& settings,
       const FreeContactMotion& free)
      : problem(std::move(contacts)), scaling(problem), space(problem, scaling) {
    // The units are those of the certificate, which knows no split.
    scaling.scales = scales;
    phases.emplace(problem, scaling, space, settings, free);
  }

  const ContactProblem problem;
  ProblemScaling scaling;
  const ContactSpace space;
  std::optional<DissipationPhases> phases;
};

DissipationRows::DissipationRows(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactSpace& space, const ModelSettings& settings)
    : problem_(problem),
      scaling_(scaling),
      space_(space),
      response_(problem, scaling, &space),
      settings_(settings),
      free_(free_contact_motion(problem, scaling)) {}

DissipationRows::~DissipationRows() = default;

DissipationSolution DissipationRows::solve(const ContactPhase& phase, bool first) {
  // Phase I, then phase II from the split that it ends with.
  DissipationSolution dissipation;
  rows_.emplace(problem_, scaling_.scales, phase.gap_speeds, phase.friction_offset);
  start_split(phase, dissipation);
  DissipationCap cap;
  if (!solve_phase_one(phase, cap, dissipation)) return without_impulses(dissipation);
  const VectorXd first_phase = with_rows(phase, normals_of(dissipation.witness));
  const HeldRows split = *rows_;
  if (!solve_phase_two(phase, cap, first, false, dissipation)) {
    // Again from the start, with signs at the bounds that are kept.
    *rows_ = split;
    solve_phase_two(phase, cap, first, true, dissipation);
  }
  if (dissipation.status == SolveStatus::IterationLimit) return without_impulses(dissipation);
  write_witness(phase, first_phase, dissipation);
  return dissipation;
}

/// Returns a solution that failed, with impulses of zero for contacts and rows.
DissipationSolution DissipationRows::without_impulses(DissipationSolution dissipation) const {
  dissipation.impulses = VectorXd::Zero(problem_.contact_jacobian.rows());
  dissipation.witness.assign(problem_.num_contacts(), {});
  return dissipation;
}

/// Splits the rows as the frictionless problem leaves them.
void DissipationRows::start_split(const ContactPhase& phase, DissipationSolution& dissipation) {
  const Stopwatch watch;
  const VectorXd none = VectorXd::Zero(phase.gap_speeds.size());
  PolyhedralProblem normals{&problem_,
                            &space_,
                            &scaling_.scales,
                            polygon_directions(4),
                            false,
                            {},
                            none,
                            phase.gap_speeds,
                            phase.given_impulses,
                            none,
                            phase.friction_offset,
                            settings_.tolerance};
  for (Index i = 0; i < none.size(); ++i) {
    normals.active.push_back(scaling_.scales.inverse_mass(i) > 0.0);
  }
  const PolyhedralSolution found = solve_by_working_set(normals, {});
  dissipation.iterations += found.pivots;
  dissipation.attempts.push_back(
      {"phase I with rows", found.status, found.pivots, watch.seconds(), {}});
  rows_->split(found.impulses, response_.contact_velocities(phase.given_impulses + found.impulses));
}

/// Forms the problem of the contacts alone by the present split.
void DissipationRows::separate(const ContactPhase& phase) {
  const Index n = static_cast<Index>(rows_->num_contacts());
  const ContactScales& scales = scaling_.scales;
  const ContactScales own{joined(scales.inverse_mass.head(n), at_rows(*rows_, scales.inverse_mass)),
                          joined(scales.speed.head(n), at_rows(*rows_, scales.speed))};
  const VectorXd none = VectorXd::Zero(3 * (own.speed.size() - n));
  const FreeContactMotion free{joined(free_.velocity.head(3 * n), none),
                               joined(free_.correction.head(3 * n), none)};
  part_.reset();
  part_ = std::make_unique<Part>(rows_->contacts_alone(phase.given_impulses), own, settings_, free);
}

/// Returns the part of a phase that belongs to the contacts of the separate problem.
ContactPhase DissipationRows::separate_phase(const ContactPhase& phase) const {
  const Index n = static_cast<Index>(rows_->num_contacts());
  const VectorXd none = VectorXd::Zero(static_cast<Index>(part_->problem.num_contacts()) - n);
  return {joined(phase.gap_speeds.head(n), none),
          joined(phase.given_impulses.head(3 * n), none.replicate(3, 1)),
          joined(phase.given_load.head(n), none),
          joined(phase.friction_offset.head(n), none),
          {}};
}

/// Returns impulses of the contacts with those of the rows that belong to them [3 nc].
/// @param contacts  those of the separate problem.
VectorXd DissipationRows::with_rows(const ContactPhase& phase, const VectorXd& contacts) const {
  VectorXd velocity, joint_impulses;
  part_->space.apply(separate_phase(phase).given_impulses + contacts, velocity, joint_impulses);
  VectorXd result = VectorXd::Zero(phase.given_impulses.size());
  const Index n = 3 * static_cast<Index>(rows_->num_contacts());
  result.head(n) = contacts.head(n);
  rows_->write_rows(joint_impulses, result);
  return result;
}

/// Returns the multipliers of nonpenetration with the answers of the rows [3 nc] [N s].
VectorXd DissipationRows::multipliers_with_rows(const ContactPhase& phase,
                                                const DissipationSolution& dissipation) const {
  VectorXd multipliers = VectorXd::Zero(dissipation.impulses.size());
  for (std::size_t c = 0; c < dissipation.witness.size(); ++c) {
    multipliers(ContactProblem::row(c) + 2) = dissipation.witness[c].multiplier;
  }
  // Rows that hold answer by their impulse, those at a bound by the multiplier of their sign.
  VectorXd result =
      with_rows(phase, dissipation.impulses + multipliers) - with_rows(phase, dissipation.impulses);
  std::size_t contact = rows_->num_contacts();
  for (const Index row : rows_->rows_with_kept_sign()) {
    result(rows_->slot(row)) =
        rows_->sign_at_bound(row) * dissipation.witness[contact++].multiplier;
  }
  return result;
}

/// Lets rows that miss their law change sides.
/// @returns true if any does.
bool DissipationRows::improve_split(const ContactPhase& phase, const VectorXd& impulses, int round,
                                    bool keep) {
  const VectorXd u = response_.contact_velocities(phase.given_impulses + impulses);
  return rows_->improve(impulses, u, kRowMargin * settings_.tolerance, round < kRoundsOfAll, keep);
}

/// Solves phase I for the contacts alone, with the rows' law kept.
/// @returns false if it was not solved.
bool DissipationRows::solve_phase_one(const ContactPhase& phase, DissipationCap& cap,
                                      DissipationSolution& dissipation) {
  for (int round = 0; round < max_rounds(*rows_); ++round) {
    separate(phase);
    if (!part_->phases->solve_phase_one(separate_phase(phase), cap, dissipation)) return false;
    const VectorXd impulses = with_rows(phase, normals_of(dissipation.witness));
    if (!improve_split(phase, impulses, round, false)) return true;
  }
  dissipation.status = SolveStatus::IterationLimit;
  return false;
}

/// Solves phase II for the contacts alone, with the rows' law kept.
/// @param keep  as in HeldRows::improve().
/// @returns false if it was not solved.
bool DissipationRows::solve_phase_two(const ContactPhase& phase, const DissipationCap& cap,
                                      bool first, bool keep, DissipationSolution& dissipation) {
  const std::vector<DissipationWitness> phase_one(
      dissipation.witness.begin(),
      dissipation.witness.begin() + static_cast<std::ptrdiff_t>(rows_->num_contacts()));
  for (int round = 0; round < max_rounds(*rows_); ++round) {
    // Rows with a kept sign carry nothing as contacts.
    separate(phase);
    DissipationCap own = cap;
    own.stays_open.resize(part_->problem.num_contacts(), 1);
    own.loaded.resize(part_->problem.num_contacts(), 0);
    dissipation.witness = phase_one;
    dissipation.witness.resize(part_->problem.num_contacts());
    dissipation.impulses = VectorXd::Zero(part_->problem.contact_jacobian.rows());
    part_->phases->solve_phase_two(separate_phase(phase), own, first, dissipation);
    if (dissipation.status != SolveStatus::Converged) return false;
    // Rows change sides by their law, and those with a kept sign by their answer to multipliers.
    const VectorXd impulses = with_rows(phase, dissipation.impulses);
    if (improve_split(phase, impulses, round, keep)) continue;
    if (!keep) return true;
    const VectorXd answers = multipliers_with_rows(phase, dissipation);
    const VectorXd response =
        response_.contact_velocities(answers) - response_.contact_velocities(0.0 * answers);
    if (!rows_->release(answers, response, kRowMargin * settings_.tolerance)) return true;
  }
  dissipation.status = SolveStatus::IterationLimit;
  return false;
}

/// Adds the rows to impulses and witness: those of phase I and phase II, and their answers to the
/// multipliers of nonpenetration.
void DissipationRows::write_witness(const ContactPhase& phase, const VectorXd& first_phase,
                                    DissipationSolution& dissipation) const {
  const VectorXd answers = multipliers_with_rows(phase, dissipation);
  dissipation.impulses = with_rows(phase, dissipation.impulses);
  const double price = dissipation.witness.empty() ? 0.0 : dissipation.witness.front().price;
  dissipation.witness.resize(rows_->num_contacts());
  dissipation.witness.resize(problem_.num_contacts());
  for (Index row = 0; row < rows_->num_rows(); ++row) {
    const Index slot = rows_->slot(row);
    dissipation.witness[static_cast<std::size_t>(slot / 3)] = {first_phase(slot), answers(slot),
                                                               price};
  }
}

}  // namespace amontons
