#include "amontons/contact/certificate/law_distance.h"

#include "amontons/contact/activation.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns the worst residual of the laws and of the rows of J; its place is that of a contact, or
/// -1.
Residual worst_of_laws(const Certificate& certificate) {
  Residual worst = certificate.normal;
  worst.merge_worst(certificate.friction);
  for (Residual rows : {certificate.limit, certificate.joint_friction, certificate.joint}) {
    rows.where = -1;
    worst.merge_worst(rows);
  }
  return worst;
}

}  // namespace

std::vector<ContactMode> loaded_as_sticking(const ContactProblem& problem,
                                            const ProblemScaling& scaling,
                                            const ContactSolution& solution, double tolerance) {
  std::vector<ContactMode> modes(problem.num_contacts(), ContactMode::Open);
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const Index i = static_cast<Index>(c);
    const bool loaded = scaling.scales.inverse_mass(i) * solution.impulses(3 * i + 2) >
                        tolerance * scaling.scales.speed(i);
    if (loaded && may_stick(problem.contacts[c])) modes[c] = ContactMode::Stick;
  }
  return modes;
}

Residual law_distance(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactSolution& solution, const Certificate& certificate,
                      const ContactLaw& asked, double tolerance) {
  if (solution.law.kind == asked.kind) return worst_of_laws(certificate);
  // The solution as if it claimed the law that was asked.
  ContactSolution as_asked = solution;
  as_asked.law = asked;
  as_asked.contact_laws.clear();
  switch (law_traits(asked.kind).residual) {
    case LawResidualKind::NaturalMaps:
      break;
    case LawResidualKind::StickingList:
      as_asked.modes = loaded_as_sticking(problem, scaling, solution, tolerance);
      break;
    case LawResidualKind::Dissipation:
      if (!dissipates_most(solution.law.kind)) as_asked.law.kind = LawKind::Coulomb;
      break;
    case LawResidualKind::Collisions: {
      const Certificate impact = certify(problem, scaling, as_asked, tolerance);
      Residual worst = worst_of_laws(impact);
      worst.merge_worst(impact.coulomb);
      return worst;
    }
  }
  return worst_of_laws(certify(problem, scaling, as_asked, tolerance));
}

Residual law_distance(const ContactSpaceProblem& problem, const ContactSpaceIslands& islands,
                      std::size_t island, const Eigen::VectorXd& impulses, const ContactLaw& asked,
                      double tolerance) {
  ContactLaw law = asked;
  if (!is_single_contact_law(law.kind)) law.kind = LawKind::Coulomb;
  return worst_of_laws(certify(problem, islands, island, law, impulses, tolerance));
}

}  // namespace amontons
