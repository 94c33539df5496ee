#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/formulation/cone_phases.h"

#include <Eigen/Core>

#include <memory>
#include <utility>
#include <vector>

namespace amontons {

/// Lets a solution of a weaker law, or of a wider bound on the law, claim the law that was asked
/// where it satisfies that law to the tolerance, as the relaxation does where nothing slides. Its
/// status is then Converged, or Acceptable within a bound above the tolerance.
/// @returns true if the solution and its certificate were changed.
bool claim_law_if_met(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactLaw& law, double tolerance, ContactSolution& solution,
                      Certificate& certificate);

/// Keeps the best iterate of a law that no method has solved to the tolerance, as Ipopt does
/// [Wächter, Biegler 2006]. It must obey every inequality, and miss the law by at most the
/// acceptable tolerance (SolveStatus::Acceptable).
///
/// An iterate is made to obey: each impulse is projected on its friction set, and the least normal
/// impulses c_n that keep the bodies apart are added, 0 <= c_n perp u_n + s >= 0. The certificate
/// decides if that is enough. Laws of collisions and steps with Poisson's two phases have no
/// acceptable answer; `NoSlip` has no friction set, and keeps its own (no_slip_model.h).
class AcceptableAnswer {
 public:
  /// The references must outlive the object.
  /// @param law  the law that was asked.
  AcceptableAnswer(const ContactProblem& problem, const ProblemScaling& scaling,
                   const ContactLaw& law, const ModelSettings& settings)
      : problem_(problem), scaling_(scaling), law_(law), settings_(settings) {}

  /// Sets the witness of each contact [nc] that proves the iterates which follow, under maximum
  /// dissipation.
  void set_witness(std::vector<DissipationWitness> witness) { witness_ = std::move(witness); }

  /// Considers an iterate of the law asked, and keeps it if it is acceptable and the nearest so
  /// far.
  /// @param certificate  certificate of the iterate.
  /// @param space        space of the problem, see write_solution(); may be null.
  void consider(const RestitutionSolution& iterate, const Certificate& certificate,
                const ContactSpace* space);

  bool found() const { return found_; }

  /// Returns the solution of an iterate after it was made to obey, with the certificate of the law
  /// within the acceptable tolerance, which need not hold. Its status is Acceptable.
  CertifiedSolution made_to_obey(const RestitutionSolution& iterate, const ContactSpace* space);

  /// Replaces a solution, which keeps its attempts, and its certificate.
  void replace(ContactSolution& solution, Certificate& certificate);

  /// Lets a solution of a weaker law claim the law asked: to the tolerance, else as Acceptable
  /// where it is near enough, unless an iterate that is nearer replaces it.
  void choose(ContactSolution& solution, Certificate& certificate);

 private:
  ContactLaw nearly() const;
  bool is_possible() const;
  /// Returns true if there is an acceptable answer, and the other misses its certificate or is
  /// farther from the law asked.
  bool is_better_than(const ContactSolution& other, const Certificate& certificate) const;
  void claim_nearly(ContactSolution& solution, Certificate& certificate) const;
  Eigen::VectorXd inside_friction_sets(const Eigen::VectorXd& impulses) const;
  Eigen::VectorXd normals_that_part(const RestitutionSolution& iterate, const ContactSpace* space);
  Certificate certify_as_acceptable(const RestitutionSolution& iterate, const ContactSpace* space,
                                    ContactSolution& solution) const;

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactLaw law_;
  const ModelSettings& settings_;
  std::vector<DissipationWitness> witness_;
  std::unique_ptr<ConeMemory> memory_;  // of normals_that_part()
  bool found_ = false;
  ContactSolution solution_;  // the nearest acceptable answer
  Certificate certificate_;   // its certificate
};

}  // namespace amontons
