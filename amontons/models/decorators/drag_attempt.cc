#include "amontons/models/decorators/drag_attempt.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/contact/certificate/missed_condition.h"
#include "amontons/contact/viscous_drag.h"
#include "amontons/math/effort.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/restitution.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/decorators/viscous_damping.h"
#include "amontons/models/formulation/cone_assembly.h"
#include "amontons/models/formulation/drag_continuation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

// Lists of contacts with the whole drag that are tried.
constexpr int kMaxLists = 15;

/// Returns the problem in the units of its assembly.
DragProblem drag_problem(const ContactProblem& problem, const ProblemScaling& scaling,
                         const ConeProblem& cones, const ConeAssembly& assembly) {
  DragProblem result;
  result.W = cones.W;
  result.q = cones.q;
  const std::vector<int>& members = assembly.members();
  const Index n = static_cast<Index>(members.size());
  result.drag_numbers.resize(n);
  result.speeds.resize(n);
  for (Index k = 0; k < n; ++k) {
    const int i = members[static_cast<std::size_t>(k)];
    const double root = assembly.root(k);
    result.drag_numbers(k) = root * root * viscous_drag(problem, static_cast<std::size_t>(i));
    result.speeds(k) = scaling.scales.speed(i) / root;
  }
  result.size = std::sqrt(std::max(0.0, problem.free_velocity.dot(scaling.free_momentum)));
  if (n > 0) result.size = std::max(result.size, result.q.lpNorm<Eigen::Infinity>());
  return result;
}

/// Runs one continuation and certifies what it finds.
class DragAttempt {
 public:
  DragAttempt(const ContactProblem& problem, const ProblemScaling& scaling, const ContactLaw& law,
              double tolerance)
      : problem_(problem), scaling_(scaling), tolerance_(tolerance) {
    // The cones are those of normal impulses; drag is not part of them.
    ContactLaw normals = law;
    normals.kind = LawKind::Frictionless;
    assembly_.reset(problem, scaling, nullptr, normals);
    const ConeProblem& cones = assembly_.phase(plain_phase(problem, scaling), tolerance, 0.0);
    drag_ = drag_problem(problem, scaling, cones, assembly_);
    certified_.solution.law = law;
  }

  CertifiedSolution solve() {
    const Stopwatch watch;
    DragContinuation continuation(drag_);
    std::vector<char> whole(assembly_.members().size(), 0);
    found_ = continuation.solve(whole);
    SolveStatus status = certify_found();
    for (int k = 0; k < kMaxLists && status == SolveStatus::Stalled && has_effort(); ++k) {
      if (found_.status != SolveStatus::Converged || !change_list(whole)) break;
      found_ = continuation.solve(whole);
      status = certify_found();
    }
    ContactSolution& solution = certified_.solution;
    solution.status = status;
    solution.iterations = found_.iterations;
    std::string remark;
    if (status != SolveStatus::Converged && found_.status == SolveStatus::Converged) {
      remark = missed_condition(certified_.certificate, tolerance_).text;
    }
    solution.attempts.push_back(
        {"continuation", status, found_.iterations, watch.seconds(), std::move(remark)});
    return std::move(certified_);
  }

 private:
  /// Writes and certifies what was found; returns Converged where the certificate holds.
  SolveStatus certify_found() {
    if (found_.status != SolveStatus::Converged) return found_.status;
    RestitutionSolution whole_step;
    whole_step.total.impulses = assembly_.to_impulses(found_.r);
    whole_step.bounces.assign(problem_.num_contacts(), 0);
    ContactSolution& solution = certified_.solution;
    write_solution(problem_, scaling_, nullptr, whole_step, solution);
    solution.status = SolveStatus::Converged;
    certified_.certificate = certify(problem_, scaling_, solution, tolerance_);
    return certified_.certificate.holds ? SolveStatus::Converged : SolveStatus::Stalled;
  }

  /// Adds contacts to the list of those with the whole drag that touch without a load where another
  /// solution with the same velocity loads them, and drops those that are open.
  /// @returns true if the list has changed.
  bool change_list(std::vector<char>& whole) const {
    const ContactDrag drag = contact_drag(problem_, scaling_, certified_.solution, tolerance_);
    bool changed = false;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      const double load = drag.loads(assembly_.members()[k]);
      const bool has_load = found_.r(3 * static_cast<Index>(k) + 2) > 0.0;
      if (whole[k] != 0 ? load < 0.0 : load > 0.0 && !has_load) {
        whole[k] = whole[k] == 0;
        changed = true;
      }
    }
    return changed;
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const double tolerance_;
  ConeAssembly assembly_;
  DragProblem drag_;
  DragSolution found_;
  CertifiedSolution certified_;
};

}  // namespace

bool prefers_continuation(const ContactProblem& problem, const ProblemScaling& scaling,
                          const ContactLaw& law) {
  const bool has_normals_alone = law.kind == LawKind::Frictionless || law.kind == LawKind::Viscous;
  const auto has_bounded_friction = [](const Contact& contact) {
    return contact.friction_offset > 0.0;
  };
  const std::vector<char>& bounce = scaling.may_bounce;
  return has_normals_alone && problem.mass_matrix.size() >= kMinVelocitiesForContinuation &&
         problem.bounded_rows.empty() && problem.joint_jacobian.rows() == 0 &&
         std::none_of(problem.contacts.begin(), problem.contacts.end(), has_bounded_friction) &&
         std::none_of(bounce.begin(), bounce.end(), [](char may) { return may != 0; }) &&
         drag_couples(problem);
}

CertifiedSolution solve_drag(const ContactProblem& problem, const ProblemScaling& scaling,
                             const ContactLaw& law, double tolerance) {
  return DragAttempt(problem, scaling, law, tolerance).solve();
}

}  // namespace amontons
