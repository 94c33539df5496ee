#include "amontons/models/formulation/hanging_contacts.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/marks.h"
#include "amontons/contact/rows_as_contacts.h"
#include "amontons/models/formulation/normal_impulses.h"
#include "amontons/models/formulation/sticking_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Returns true if a contact carries friction, w |p_t| > tolerance V, without a normal impulse.
bool rubs_without_load(const ContactProblem& problem, const ProblemScaling& scaling,
                       const ContactSolution& solution, std::size_t contact, double tolerance) {
  const Index i = static_cast<Index>(contact);
  const double w = scaling.scales.inverse_mass(i);
  return may_stick(problem.contacts[contact]) && w > 0.0 &&
         w * solution.impulses.segment<2>(3 * i).norm() > tolerance * scaling.scales.speed(i) &&
         !bears_load(scaling, i, solution.impulses, tolerance);
}

/// Finds what bears a load in one island while the tangents of some contacts are held.
class NormalLoads {
 public:
  NormalLoads(const ContactProblem& problem, const ProblemScaling& scaling, double tolerance)
      : problem_(problem),
        scaling_(scaling),
        tolerance_(tolerance),
        phase_(plain_phase(problem, scaling)) {
    normals_.begin(problem, scaling, std::vector<char>(problem.num_contacts(), 1), tolerance);
    const bool has_bounded_friction =
        std::any_of(problem.contacts.begin(), problem.contacts.end(),
                    [](const Contact& contact) { return contact.friction_offset > 0.0; });
    if (!has_bounded_friction) return;
    ModelSettings settings;
    settings.tolerance = tolerance;
    frictionless_ = make_model("frictionless", settings);
  }

  /// Returns the contacts that bear a load while the tangents of `held` contacts are held; all
  /// where the normal problem has no solution.
  std::vector<char> loaded_under(const std::vector<char>& held) {
    const std::size_t nc = problem_.num_contacts();
    VectorXd impulses, slack;
    if (!solve_normals(held, impulses, slack)) return std::vector<char>(nc, 1);
    std::vector<char> bears(nc, 0), candidates(nc, 0);
    for (std::size_t c = 0; c < nc; ++c) {
      bears[c] = bears_load(scaling_, static_cast<Index>(c), impulses, tolerance_);
      candidates[c] = !bears[c] && may_stick(problem_.contacts[c]);
    }
    const std::vector<char> loaded = loaded_contacts(problem_, scaling_, {impulses, slack, held},
                                                     candidates, SelfStress::IsNoLoad, tolerance_);
    for (std::size_t c = 0; c < nc; ++c) bears[c] = bears[c] || loaded[c];
    return bears;
  }

  /// Returns the contacts that join a list that starts empty, one load after the other.
  std::vector<char> contacts_that_join() {
    std::vector<char> list(problem_.num_contacts(), 0);
    // Bound: each pass adds a contact.
    for (std::size_t pass = 0; pass <= list.size(); ++pass) {
      const std::vector<char> loaded = loaded_under(list);
      bool joined = false;
      for (std::size_t c = 0; c < list.size(); ++c) {
        if (list[c] || !loaded[c] || !may_stick(problem_.contacts[c])) continue;
        list[c] = 1;
        joined = true;
      }
      if (!joined) break;
    }
    return list;
  }

 private:
  /// Solves the normal problem with the tangents of `held` contacts held. Friction and servos of
  /// joints act as the motion asks.
  bool solve_normals(const std::vector<char>& held, VectorXd& impulses, VectorXd& slack) {
    normals_.hold(held);
    if (frictionless_ == nullptr) {
      PhaseSolution found = normals_.solve(phase_);
      normals_.slack(slack);
      impulses = std::move(found.impulses);
      return found.status == SolveStatus::Converged;
    }
    ContactSolution found = solve_with_sticking_rows(problem_, scaling_.gap_speeds,
                                                     normals_.equality_tangents(), *frictionless_);
    slack = slack_at(problem_, scaling_.gap_speeds, found.velocity);
    impulses = std::move(found.impulses);
    return found.status == SolveStatus::Converged;
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const double tolerance_;
  ContactPhase phase_;  // the normal problem without tangents
  NormalImpulses normals_;
  std::unique_ptr<ContactModel> frictionless_;  // where friction or servos of joints act; or null
};

/// Holds which contacts of one island a solution holds, and which of them rub without a load.
class HeldContacts {
 public:
  HeldContacts(const ContactProblem& problem, const ProblemScaling& scaling,
               const ContactSolution& solution, double tolerance)
      : problem_(problem), scaling_(scaling), solution_(solution), tolerance_(tolerance) {
    const std::size_t nc = problem.num_contacts();
    const VectorXd u = problem.contact_velocities(solution.velocity);
    slack_ = slack_at(problem, scaling.gap_speeds, solution.velocity);
    held_.assign(nc, 0);
    rubbing_.assign(nc, 0);
    for (std::size_t c = 0; c < nc; ++c) {
      const Index i = static_cast<Index>(c);
      if (!may_stick(problem.contacts[c]) || !(scaling.scales.inverse_mass(i) > 0.0)) continue;
      rubbing_[c] = rubs_without_load(problem, scaling, solution, c, tolerance);
      held_[c] = (rubbing_[c] || bears_load(scaling, i, solution.impulses, tolerance)) &&
                 u.segment<2>(3 * i).norm() <= tolerance * scaling.scales.speed(i);
    }
  }

  /// Returns the contacts that carry friction without a normal impulse and that no other impulses
  /// of the same motion load.
  std::vector<char> unloaded_contacts(SelfStress self_stress) const {
    const std::vector<char> loaded = loaded_contacts(
        problem_, scaling_, {solution_.impulses, slack_, held_}, rubbing_, self_stress, tolerance_);
    std::vector<char> unloaded = rubbing_;
    for (std::size_t c = 0; c < unloaded.size(); ++c) unloaded[c] = unloaded[c] && !loaded[c];
    return unloaded;
  }

  /// Returns the contacts that stay held once some are let go.
  std::vector<char> without(const std::vector<char>& released) const {
    std::vector<char> held = held_;
    for (std::size_t c = 0; c < held.size(); ++c) held[c] = held[c] && !released[c];
    return held;
  }

 private:
  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const ContactSolution& solution_;
  const double tolerance_;
  VectorXd slack_;             // u_n + s of the solution [nc] [m/s]
  std::vector<char> held_;     // contacts that the solution holds [nc]
  std::vector<char> rubbing_;  // contacts that carry friction without a normal impulse [nc]
};

/// Returns what `find` says of an island [nc] whose bounded rows have the form of contacts: limits
/// of joints press, too.
template <typename Find>
std::vector<char> with_rows_as_contacts(const ContactProblem& problem,
                                        const ProblemScaling& scaling, const Find& find) {
  const ContactProblem contacts = rows_as_contacts(problem);
  ProblemScaling own;
  own.compute(contacts, problem, scaling);
  std::vector<char> result = find(contacts, own);
  result.resize(problem.num_contacts());
  return result;
}

}  // namespace

std::vector<char> hanging_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                   const ContactSolution& solution, double tolerance) {
  const std::size_t nc = problem.num_contacts();
  std::vector<char> result(nc, 0);
  bool any_rubs = false;
  for (std::size_t c = 0; c < nc && !any_rubs; ++c)
    any_rubs = rubs_without_load(problem, scaling, solution, c, tolerance);
  if (!any_rubs || any_marked(scaling.may_bounce)) return result;
  if (!problem.bounded_rows.empty()) {
    return with_rows_as_contacts(
        problem, scaling, [&](const ContactProblem& contacts, const ProblemScaling& own) {
          return hanging_contacts(contacts, own, rows_as_contacts(problem, solution), tolerance);
        });
  }
  const HeldContacts contacts(problem, scaling, solution, tolerance);
  std::vector<char> unloaded = contacts.unloaded_contacts(SelfStress::IsNoLoad);
  if (!any_marked(unloaded)) return result;
  // Where nothing joins as the loads grow from nothing, nothing may be held.
  NormalLoads loads(problem, scaling, tolerance);
  const std::vector<char> joining = loads.contacts_that_join();
  if (!any_marked(joining)) return unloaded;
  // Beside loads a self-stress may be what is left of one, and counts. What joins, or is pressed
  // once let go, does not hang.
  unloaded = contacts.unloaded_contacts(SelfStress::IsLoad);
  const std::vector<char> pressed_together = loads.loaded_under(contacts.without(unloaded));
  for (std::size_t c = 0; c < nc; ++c) {
    if (!unloaded[c] || joining[c] || pressed_together[c]) continue;
    std::vector<char> alone(nc, 0);
    alone[c] = 1;
    result[c] = !loads.loaded_under(contacts.without(alone))[c];
  }
  return result;
}

std::vector<char> joining_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                   double tolerance) {
  if (problem.bounded_rows.empty()) {
    return NormalLoads(problem, scaling, tolerance).contacts_that_join();
  }
  return with_rows_as_contacts(problem, scaling,
                               [&](const ContactProblem& contacts, const ProblemScaling& own) {
                                 return joining_contacts(contacts, own, tolerance);
                               });
}

}  // namespace amontons
