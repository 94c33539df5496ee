#include "amontons/io/verify/hanging_contacts.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/models/formulation/normal_impulses.h"

#include <algorithm>

namespace amontons::io {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

bool any(const std::vector<char>& list) {
  return std::find(list.begin(), list.end(), 1) != list.end();
}

/// Lets contacts of one island go and finds what presses them.
class ReleasedContacts {
 public:
  ReleasedContacts(const ContactProblem& problem, const ContactSolution& solution, double tolerance)
      : problem_(problem),
        solution_(solution),
        tolerance_(tolerance),
        scaling_(problem),
        phase_(plain_phase(problem, scaling_)) {
    normals_.begin(problem, scaling_, std::vector<char>(problem.num_contacts(), 1), tolerance);
    // Friction and servos of joints act as they do.
    for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
      if (!problem.contacts[c].is_joint_row) continue;
      const Index row = ContactProblem::row(c);
      phase_.given_impulses.segment<2>(row) = solution.impulses.segment<2>(row);
    }
  }

  /// Returns the contacts that carry friction, although no impulses of the solution's velocity load
  /// them; finds the contacts that are held on the way.
  std::vector<char> unloaded_contacts() {
    const std::size_t nc = problem_.num_contacts();
    const VectorXd u = problem_.contact_velocities(solution_.velocity);
    held_.assign(nc, 0);
    std::vector<char> unloaded(nc, 0);
    for (std::size_t c = 0; c < nc; ++c) {
      const Index i = static_cast<Index>(c);
      const double w = scaling_.scales.inverse_mass(i);
      if (!may_stick(problem_.contacts[c]) || !(w > 0.0)) continue;
      // Friction and slip, both as velocities.
      const double negligible = tolerance_ * scaling_.scales.speed(i);
      const bool rubs = w * solution_.impulses.segment<2>(3 * i).norm() > negligible;
      const bool bears = bears_load(scaling_, i, solution_.impulses, tolerance_);
      held_[c] = (bears || rubs) && u.segment<2>(3 * i).norm() <= negligible;
      unloaded[c] = rubs && !bears;
    }
    if (!any(unloaded)) return unloaded;
    // Another distribution of the same motion may load them.
    VectorXd slack = scaling_.gap_speeds;
    for (Index i = 0; i < slack.size(); ++i) slack(i) += u(3 * i + 2);
    const std::vector<char> loaded =
        loaded_contacts(problem_, scaling_, {solution_.impulses, slack, held_}, unloaded,
                        SelfStress::IsLoad, tolerance_);
    for (std::size_t c = 0; c < nc; ++c) unloaded[c] = unloaded[c] && !loaded[c];
    return unloaded;
  }

  /// Returns those of the released contacts that bear a load once their tangents are free. All
  /// count as loaded where the normal problem has no solution.
  std::vector<char> pressed(const std::vector<char>& released) {
    std::vector<char> held = held_;
    for (std::size_t c = 0; c < held.size(); ++c) held[c] = held[c] && !released[c];
    normals_.hold(held);
    const PhaseSolution free = normals_.solve(phase_);
    if (free.status != SolveStatus::Converged) return released;
    VectorXd slack;
    normals_.slack(slack);
    std::vector<char> result = loaded_contacts(problem_, scaling_, {free.impulses, slack, held},
                                               released, SelfStress::IsNoLoad, tolerance_);
    for (std::size_t c = 0; c < result.size(); ++c) {
      const bool bears = bears_load(scaling_, static_cast<Index>(c), free.impulses, tolerance_);
      result[c] = released[c] && (result[c] || bears);
    }
    return result;
  }

  bool may_bounce() const { return any(scaling_.may_bounce); }

 private:
  const ContactProblem& problem_;
  const ContactSolution& solution_;
  const double tolerance_;
  const ProblemScaling scaling_;
  ContactPhase phase_;  // the normal problem without tangents
  NormalImpulses normals_;
  std::vector<char> held_;  // contacts that the solution holds [nc]
};

}  // namespace

std::vector<char> hanging_contacts(const ContactProblem& problem, const ContactSolution& solution,
                                   double tolerance) {
  const std::size_t nc = problem.num_contacts();
  // Limits of joints press, too: they take part in the form of contacts.
  if (!problem.bounded_rows.empty()) {
    std::vector<char> result =
        hanging_contacts(rows_as_contacts(problem), rows_as_contacts(problem, solution), tolerance);
    result.resize(nc);
    return result;
  }
  ReleasedContacts contacts(problem, solution, tolerance);
  if (contacts.may_bounce()) return std::vector<char>(nc, 0);
  const std::vector<char> unloaded = contacts.unloaded_contacts();
  if (!any(unloaded)) return unloaded;
  // Together: two walls that hold a body share what no load of theirs explains.
  const std::vector<char> pressed_together = contacts.pressed(unloaded);
  std::vector<char> result(nc, 0);
  for (std::size_t c = 0; c < nc; ++c) {
    if (!unloaded[c] || pressed_together[c]) continue;
    std::vector<char> alone(nc, 0);
    alone[c] = 1;
    result[c] = !contacts.pressed(alone)[c];
  }
  return result;
}

}  // namespace amontons::io
