#include "amontons/models/formulation/acceptable_answer.h"

#include "amontons/contact/certificate/law_distance.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/math/effort.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/common/solution_assembly.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

// Effort that is left to the impulses that keep the contacts apart [equivalent factorizations].
constexpr double kPartingEffort = 100.0;

}  // namespace

using Eigen::Index;
using Eigen::VectorXd;

bool claim_law_if_met(const ContactProblem& problem, const ProblemScaling& scaling,
                      const ContactLaw& law, double tolerance, ContactSolution& solution,
                      Certificate& certificate) {
  const bool is_claimed = solution.law.kind == law.kind && solution.law.within == law.within;
  if (!certificate.holds || is_claimed) return false;
  const ContactLaw claimed = std::exchange(solution.law, law);
  std::vector<ContactMode> modes = solution.modes;
  if (law_traits(law.kind).residual == LawResidualKind::StickingList) {
    solution.modes = loaded_as_sticking(problem, scaling, solution, tolerance);
  }
  const Certificate as_asked = certify(problem, scaling, solution, tolerance);
  if (!as_asked.holds) {
    solution.law = claimed;
    solution.modes = std::move(modes);
    return false;
  }
  solution.status = law.within > tolerance ? SolveStatus::Acceptable : SolveStatus::Converged;
  certificate = as_asked;
  return true;
}

/// Returns impulses [3 nc] that push and lie in their friction sets [N s]. Those of maximum
/// dissipation do, in discs of their own.
VectorXd AcceptableAnswer::inside_friction_sets(const VectorXd& impulses) const {
  if (dissipates_most(law_.kind)) return impulses;
  const Eigen::Matrix2Xd directions = directions_of(law_);
  VectorXd result = impulses;
  for (std::size_t c = 0; c < problem_.num_contacts(); ++c) {
    const Contact& contact = problem_.contacts[c];
    auto p = result.segment<3>(ContactProblem::row(c));
    p.z() = std::max(0.0, p.z());
    // The tangential part loses what exceeds its bound; the normal part stays.
    const double mu = has_coulomb_friction(law_.kind) ? contact.friction : 0.0;
    const double radius = mu * p.z() + contact.friction_offset;
    const Eigen::Vector2d p_t = p.head<2>();
    if (has_polygon(law_.kind)) {
      p.head<2>() = nearest_on_polygon(p_t, radius, directions).point;
    } else if (p_t.norm() > radius) {
      p.head<2>() = p_t * (radius / p_t.norm());
    }
  }
  return result;
}

/// Returns the least normal impulses [3 nc] that keep the contacts apart after those of an iterate.
VectorXd AcceptableAnswer::normals_that_part(const RestitutionSolution& iterate,
                                             const ContactSpace* space) {
  // Contacts that bounce leave at their rebound, by Newton's law.
  VectorXd gap_speeds = scaling_.gap_speeds;
  for (std::size_t c = 0; c < iterate.bounces.size(); ++c) {
    const Index i = static_cast<Index>(c);
    if (iterate.bounces[c]) gap_speeds(i) = std::min(gap_speeds(i), -scaling_.rebound.speed(i));
  }
  const EffortReserve reserve(kPartingEffort);
  if (!memory_) memory_ = std::make_unique<ConeMemory>();
  return solve_normals_after(problem_, scaling_, settings_, law_.activation_gap,
                             iterate.total.impulses, gap_speeds, space, *memory_);
}

/// Writes an iterate as a solution that claims the law within the acceptable tolerance.
Certificate AcceptableAnswer::certify_as_acceptable(const RestitutionSolution& iterate,
                                                    const ContactSpace* space,
                                                    ContactSolution& solution) const {
  solution.law = nearly();
  solution.status = SolveStatus::Acceptable;
  if (!witness_.empty()) solution.witnesses = {witness_};
  write_solution(problem_, scaling_, space, iterate, solution);
  return certify(problem_, scaling_, solution, settings_.tolerance);
}

/// Returns the law within the acceptable tolerance.
ContactLaw AcceptableAnswer::nearly() const {
  ContactLaw law = law_;
  law.within = settings_.acceptable_tolerance;
  return law;
}

/// Returns true if the law has acceptable answers.
bool AcceptableAnswer::is_possible() const {
  const LawResidualKind measure = law_traits(law_.kind).residual;
  return settings_.acceptable_tolerance > settings_.tolerance &&
         (measure == LawResidualKind::NaturalMaps || measure == LawResidualKind::Dissipation);
}

void AcceptableAnswer::consider(const RestitutionSolution& iterate, const Certificate& certificate,
                                const ContactSpace* space) {
  if (!is_possible() || iterate.compression.size() > 0 ||
      !(certificate.worst_of_laws() <= settings_.acceptable_tolerance)) {
    return;
  }
  CertifiedSolution own = made_to_obey(iterate, space);
  const bool is_worse = found_ && !(own.certificate.worst_of_laws() < certificate_.worst_of_laws());
  if (!own.certificate.holds || is_worse) return;
  found_ = true;
  solution_ = std::move(own.solution);
  certificate_ = own.certificate;
}

CertifiedSolution AcceptableAnswer::made_to_obey(const RestitutionSolution& iterate,
                                                 const ContactSpace* space) {
  // The iterate inside its friction sets; then, where bodies still overlap, pushed apart.
  RestitutionSolution inside = iterate;
  inside.total.impulses = inside_friction_sets(iterate.total.impulses);
  CertifiedSolution result;
  result.certificate = certify_as_acceptable(inside, space, result.solution);
  if (!result.certificate.holds && result.certificate.inequality.value > settings_.tolerance) {
    inside.total.impulses += normals_that_part(inside, space);
    result.certificate = certify_as_acceptable(inside, space, result.solution);
  }
  return result;
}

bool AcceptableAnswer::is_better_than(const ContactSolution& other,
                                      const Certificate& certificate) const {
  if (!found_) return false;
  if (!certificate.holds) return true;
  const double distance =
      law_distance(problem_, scaling_, other, certificate, law_, settings_.tolerance).value;
  return !(distance <= certificate_.worst_of_laws());
}

void AcceptableAnswer::replace(ContactSolution& solution, Certificate& certificate) {
  solution_.iterations = solution.iterations;
  solution_.attempts = std::move(solution.attempts);
  const std::string within = "the law within " + scientific(certificate_.worst_of_laws());
  // Made to obey the inequalities, an iterate may meet the law itself, and its bound on the energy.
  if (certificate_.worst_of_laws() <= settings_.tolerance) {
    claim_law_if_met(problem_, scaling_, law_, settings_.tolerance, solution_, certificate_);
  }
  solution_.attempts.push_back({"best iterate", solution_.status, 0, 0.0, within});
  solution = std::move(solution_);
  certificate = certificate_;
  found_ = false;
}

/// Lets a solution of a weaker law claim the law asked within the acceptable tolerance.
void AcceptableAnswer::claim_nearly(ContactSolution& solution, Certificate& certificate) const {
  if (!is_possible() || solution.has_two_phases() ||
      !claim_law_if_met(problem_, scaling_, nearly(), settings_.tolerance, solution, certificate)) {
    return;
  }
  solution.attempts.push_back({"answer of the weaker law", solution.status, 0, 0.0,
                               "the law within " + scientific(certificate.worst_of_laws())});
}

void AcceptableAnswer::choose(ContactSolution& solution, Certificate& certificate) {
  if (claim_law_if_met(problem_, scaling_, law_, settings_.tolerance, solution, certificate)) {
    return;
  }
  if (is_better_than(solution, certificate)) {
    replace(solution, certificate);
  } else {
    claim_nearly(solution, certificate);
  }
}

}  // namespace amontons
