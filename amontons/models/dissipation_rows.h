#pragma once

#include "amontons/models/dissipation_phases.h"
#include "amontons/models/formulation/held_rows.h"

#include <Eigen/Core>

#include <memory>
#include <optional>

namespace amontons {

/// Solves phases I and II of maximum dissipation with bounded rows of joints, in the form of
/// contacts (rows_as_contacts.h). The rows keep their own law (bounded_row.h) in both phases: an
/// effort or the friction of a joint is not spent as friction of a contact.
///
/// While each row either holds or stays at a bound, the rows that hold are rows of J and the
/// impulses of the others belong to the free motion (held_rows.h): what is left is the problem of
/// dissipation_phases.h. Rows that miss their law in its solution change sides, and it is solved
/// again. Phase I begins with a solution by Lemke's method. Phase II begins with the rows as phase
/// I leaves them, for which phase I's solution is feasible.
///
/// The least energy can lie where a row is just about to slip, at its bound and at rest. Neither
/// side has it as a minimum of its own then. Where the rounds do not end, the sign that u + s + R f
/// has at a bound becomes a condition of phase II there, and its multiplier says if the row holds.
class DissipationRows {
 public:
  /// The arguments must outlive the object.
  DissipationRows(const ContactProblem& problem, const ProblemScaling& scaling,
                  const ContactSpace& space, const ModelSettings& settings);
  ~DissipationRows();

  /// Solves both phases; the witness includes the rows.
  /// @param first  true if viscous friction acts: not in the second phase of a bounce.
  DissipationSolution solve(const ContactPhase& phase, bool first);

 private:
  struct Part;
  void start_split(const ContactPhase& phase, DissipationSolution& dissipation);
  bool solve_phase_one(const ContactPhase& phase, DissipationCap& cap,
                       DissipationSolution& dissipation);
  bool solve_phase_two(const ContactPhase& phase, const DissipationCap& cap, bool first, bool keep,
                       DissipationSolution& dissipation);
  bool improve_split(const ContactPhase& phase, const Eigen::VectorXd& impulses, int round,
                     bool keep);
  void separate(const ContactPhase& phase);
  ContactPhase separate_phase(const ContactPhase& phase) const;
  Eigen::VectorXd with_rows(const ContactPhase& phase, const Eigen::VectorXd& contacts) const;
  Eigen::VectorXd multipliers_with_rows(const ContactPhase& phase,
                                        const DissipationSolution& dissipation) const;
  DissipationSolution without_impulses(DissipationSolution dissipation) const;
  void write_witness(const ContactPhase& phase, const Eigen::VectorXd& first_phase,
                     DissipationSolution& dissipation) const;

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactSpace& space_;
  const ImpulseResponse response_;
  const ModelSettings& settings_;
  const FreeContactMotion free_;
  std::optional<HeldRows> rows_;
  std::unique_ptr<Part> part_;  // contacts alone, by the present split of the rows
};

}  // namespace amontons
