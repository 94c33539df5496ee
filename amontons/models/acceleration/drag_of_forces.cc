#include "amontons/models/acceleration/drag_of_forces.h"

#include "amontons/contact/certificate/contact_drag.h"
#include "amontons/models/common/drag_share_search.h"

#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Number of a drag that does not follow the acceleration it makes (drag_share_search.h) [-].
constexpr double kGivenDrag = std::numeric_limits<double>::min();

}  // namespace

bool find_shares_of_forces(const ContactProblem& problem, const InstantSolver& solve,
                           VectorXd& shares) {
  const Index n = static_cast<Index>(problem.num_contacts());
  VectorXd numbers = VectorXd::Zero(n);
  shares.setOnes(n);
  for (Index i = 0; i < n; ++i) {
    if (problem.contacts[static_cast<std::size_t>(i)].viscous_friction > 0.0) {
      numbers(i) = kGivenDrag;
    } else {
      shares(i) = 0.0;
    }
  }
  return find_drag_shares(shares, numbers,
                          [&](const VectorXd& of, bool /*accurate*/) { return solve(of); });
}

VectorXd loads_of_instant(const ContactProblem& problem, const AccelerationProblem& posed,
                          const ProblemScaling& scaling, const VectorXd& shares,
                          const VectorXd& forces, const VectorXd& rates, double tolerance) {
  const std::size_t nc = problem.num_contacts();
  const Index n = static_cast<Index>(nc);
  const VectorXd u = problem.contact_velocities(problem.velocity);
  DragQuestion question{
      {forces, VectorXd(n), std::vector<char>(nc, 0)}, VectorXd(n), VectorXd::Zero(n), shares};
  for (Index i = 0; i < n; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    question.face.slack(i) =
        posed.touching[c] ? rates(3 * i + 2) : std::numeric_limits<double>::infinity();
    question.whole(i) = scaling.scales.inverse_mass(i) * problem.contacts[c].viscous_friction *
                        u.segment<2>(3 * i).norm();
  }
  question.slack = question.face.slack;
  return loads_of_drag(posed.instant, scaling, question, tolerance).loads;
}

}  // namespace amontons
