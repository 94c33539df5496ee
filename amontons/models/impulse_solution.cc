#include "amontons/models/impulse_solution.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/law_distance.h"
#include "amontons/math/named_index.h"
#include "amontons/math/nearest_name.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/common/solution_assembly.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

/// Throws unless a vector has a size and is finite.
void check(const Eigen::VectorXd& values, Eigen::Index size, const char* name) {
  if (values.size() != size) {
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(size) +
                                " entries, not " + std::to_string(values.size()));
  }
  if (!values.allFinite()) throw std::invalid_argument(std::string(name) + " must be finite");
}

}  // namespace

CertifiedSolution certify_impulses(const ContactProblem& problem, const Eigen::VectorXd& impulses,
                                   const Eigen::VectorXd& bounded, const ContactLaw& law,
                                   double tolerance) {
  if (law_traits(law.kind).residual != LawResidualKind::NaturalMaps) {
    throw std::invalid_argument(std::string("the law '") + to_string(law.kind) +
                                "' needs more than impulses to be certified");
  }
  if (!(tolerance > 0.0)) throw std::invalid_argument("a tolerance must be positive");
  const auto nb = static_cast<Eigen::Index>(problem.bounded_rows.size());
  const Eigen::VectorXd f = bounded.size() == 0 ? Eigen::VectorXd::Zero(nb).eval() : bounded;
  check(impulses, problem.contact_jacobian.rows(), "impulses");
  check(f, nb, "impulses of bounded rows");
  const ProblemScaling scaling(problem);

  // The free motion with f gives the velocity and the joints' impulses.
  ContactProblem moved = problem;
  if (nb > 0) {
    moved.free_velocity += scaling.mass_factor.solve(problem.bounded_jacobian.transpose_times(f));
  }
  const ProblemScaling scaling_of_moved(moved);
  RestitutionSolution given;
  given.total.impulses = impulses;
  given.bounces.assign(problem.num_contacts(), 0);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    given.bounces[i] =
        scaling.may_bounce[i] &&
        scaling.scales.inverse_mass(k) * impulses(3 * k + 2) > tolerance * scaling.scales.speed(k);
  }
  CertifiedSolution result;
  result.solution.law = law;
  write_solution(moved, scaling_of_moved, nullptr, given, result.solution);
  result.solution.bounded_impulses = f;
  result.solution.bounded_modes.assign(problem.bounded_rows.size(), ContactMode::Open);
  result.certificate = certify(problem, scaling, result.solution, tolerance);
  result.certificate.law_distance =
      law_distance(problem, scaling, result.solution, result.certificate, law, tolerance);
  result.solution.status =
      result.certificate.holds ? SolveStatus::Converged : SolveStatus::IterationLimit;
  return result;
}

ContactLaw law_on(const ModelTraits& model, const ContactProblem& problem) {
  ContactLaw law = model.law;
  if (model.touching_only) law.activation_gap = touching_gap(problem);
  return law;
}

ContactLaw law_on(std::string_view name, const ContactProblem& problem) {
  if (has_model(name)) return law_on(make_model(name, {})->traits(), problem);
  ContactLaw law;
  law.kind = law_named(name);
  return law;
}

LawKind law_named(std::string_view name) {
  std::vector<std::string> known;
  for (int k = 0; k <= static_cast<int>(kLastLaw); ++k) {
    known.emplace_back(to_string(static_cast<LawKind>(k)));
    if (known.back() == name) return static_cast<LawKind>(k);
  }
  if (has_model(name)) return make_model(name, {})->traits().law.kind;
  throw UnknownNameError("there is no law '" + std::string(name) + "'" + name_advice(name, known));
}

}  // namespace amontons
