#include "amontons/contact/certificate/contact_drag.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/marks.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/contact/viscous_drag.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;

// Least value of a load that another solution proves, in tolerances: it must count as one.
constexpr double kLeastLoad = 2.0;

/// Returns u_n + s - mu sigma at the end of the step [m/s], with Newton's rebound in s also where
/// the contact bears no load and leaves at that speed or faster.
double slack_after_bounce(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactSolution& solution, const CertifiedPhase& phase, Index i,
                          double slack, double tolerance) {
  const double at_rebound =
      slack + gap_speed_of_bounce(problem, scaling, solution, i) - phase.gap_speeds(i);
  return at_rebound >= -tolerance * scaling.scales.speed(i) ? std::min(slack, at_rebound) : slack;
}

/// Returns u_n + s - mu sigma at the end of a phase [m/s]; infinite where the law takes no part.
double slack_of(const ContactProblem& problem, const ContactLaw& law,
                const Eigen::Matrix2Xd& directions, const CertifiedPhase& phase, Index i) {
  const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
  if (!is_active(law, contact)) return std::numeric_limits<double>::infinity();
  const VectorXd& u = phase.contact_velocity;
  return u(3 * i + 2) + phase.gap_speeds(i) -
         contact.friction * slip_speed(law.kind, directions, u.segment<2>(3 * i));
}

}  // namespace

ContactDrag loads_of_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                          const DragQuestion& question, double tolerance) {
  const Index n = static_cast<Index>(problem.num_contacts());
  ContactDrag result{VectorXd::Zero(n), VectorXd::Zero(n), {}};
  std::vector<char> candidates(problem.num_contacts(), 0);
  const auto load_of = [&](Index i) {
    return scaling.scales.inverse_mass(i) * question.face.impulses(3 * i + 2) /
           scaling.scales.speed(i);
  };
  for (Index i = 0; i < n; ++i) {
    if (!(question.whole(i) > 0.0)) continue;
    const double V = scaling.scales.speed(i), slack = question.slack(i);
    if (bears_load(scaling, i, question.face.impulses, tolerance)) {
      result.loads(i) = load_of(i);
      result.shares(i) = 1.0;
    } else if (!is_closed(scaling, i, slack, tolerance)) {
      result.loads(i) = std::isfinite(slack) ? -slack / V : -1.0;
    } else {
      // The contact touches: it keeps its share, unless another solution loads it.
      result.shares(i) = question.shares(i);
      candidates[static_cast<std::size_t>(i)] =
          (1.0 - question.shares(i)) * question.whole(i) > tolerance * V;
    }
  }
  if (!any_marked(candidates)) return result;
  const std::vector<char> loaded =
      loaded_contacts(problem, scaling, question.face, candidates, SelfStress::IsNoLoad, tolerance);
  for (Index i = 0; i < n; ++i) {
    if (!loaded[static_cast<std::size_t>(i)]) continue;
    result.loads(i) = std::max(load_of(i), kLeastLoad * tolerance);
    result.shares(i) = 1.0;
  }
  return result;
}

void find_contact_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                       const ContactSolution& solution, std::span<const CertifiedPhase> phases,
                       double tolerance, ContactDrag& drag) {
  const std::size_t nc = problem.num_contacts();
  const Index n = static_cast<Index>(nc);
  bool any = false;
  for (std::size_t c = 0; c < nc; ++c) any = any || viscous_drag(problem, c) > 0.0;
  if (!any || law_traits(solution.law.kind).viscous != ViscousFriction::Drag) {
    drag.loads.setZero(n);
    drag.shares.setZero(n);
    drag.slack.setZero(n);
    return;
  }
  const Eigen::Matrix2Xd directions = directions_of(solution.law);
  const VectorXd& u = phases.back().contact_velocity;
  DragQuestion question{{solution.impulses, VectorXd(n), std::vector<char>(nc, 0)},
                        VectorXd(n),
                        VectorXd::Zero(n),
                        VectorXd::Ones(n)};
  VectorXd slack(n);
  for (Index i = 0; i < n; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    question.face.slack(i) = slack(i) =
        slack_of(problem, solution.law, directions, phases.back(), i);
    if (solution.law.restitution == RestitutionLaw::Newton) {
      question.face.slack(i) = slack_after_bounce(problem, scaling, solution, phases.back(), i,
                                                  question.face.slack(i), tolerance);
    }
    // Poisson's compression may touch where the end of the step does not.
    question.slack(i) = question.face.slack(i);
    for (const CertifiedPhase& phase : phases.first(phases.size() - 1)) {
      const double earlier = slack_of(problem, solution.law, directions, phase, i);
      question.slack(i) = std::min(question.slack(i), earlier);
      slack(i) = std::min(slack(i), earlier);
    }
    const double factor = viscous_drag(problem, c), w = scaling.scales.inverse_mass(i);
    const Vector2d u_t = u.segment<2>(3 * i), p_t = solution.impulses.segment<2>(3 * i);
    question.whole(i) = w * factor * u_t.norm();
    // A drag below the tolerance is worth no share.
    if (question.whole(i) > tolerance * scaling.scales.speed(i)) {
      question.shares(i) = std::clamp(-p_t.dot(u_t) / (factor * u_t.squaredNorm()), 0.0, 1.0);
    }
  }
  drag = loads_of_drag(problem, scaling, question, tolerance);
  drag.slack = std::move(slack);
}

ContactDrag contact_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ContactSolution& solution, double tolerance) {
  // Bounded rows carry loads, too: they take part in the form of contacts.
  if (!problem.bounded_rows.empty()) {
    const ContactProblem contacts = rows_as_contacts(problem);
    const ContactSolution as_contacts = rows_as_contacts(problem, solution);
    ContactDrag result = contact_drag(contacts, ProblemScaling(contacts), as_contacts, tolerance);
    const Index n = static_cast<Index>(problem.num_contacts());
    result.loads.conservativeResize(n);
    result.shares.conservativeResize(n);
    result.slack.conservativeResize(n);
    return result;
  }
  const VectorXd u = problem.contact_velocities(solution.velocity);
  std::vector<CertifiedPhase> phases;
  if (solution.compression_impulses.size() > 0) {
    phases.push_back(compression_phase(problem, scaling, solution,
                                       ImpulseResponse(problem, scaling), tolerance));
    phases.push_back(restitution_phase(scaling, solution, phases.front(), u, tolerance));
  } else {
    whole_step(problem, scaling, solution, u, tolerance, phases.emplace_back());
  }
  ContactDrag result;
  find_contact_drag(problem, scaling, solution, phases, tolerance, result);
  return result;
}

}  // namespace amontons
