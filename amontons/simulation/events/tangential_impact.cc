#include "amontons/simulation/events/tangential_impact.h"

#include "amontons/models/acceleration/force_modes.h"
#include "amontons/models/islands/islandwise_solver.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::VectorXd;

constexpr double kApproach = 1e-3;   // approach added, as a share of the slip
constexpr double kUnloaded = 1e-12;  // impulses below this share of the largest are zero

/// Returns the mode of each contact in a solution: open, sticking or sliding with its direction.
std::vector<ForceMode> modes_of(const ContactProblem& problem, const ContactSolution& solution,
                                const std::vector<char>& is_concerned, double slip_speed) {
  const VectorXd u = problem.contact_velocities(solution.velocity);
  const double unloaded = kUnloaded * solution.impulses.lpNorm<Eigen::Infinity>();
  std::vector<ForceMode> modes(problem.num_contacts());
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const Eigen::Index row = ContactProblem::row(c);
    if (!is_concerned[c] || !(solution.impulses(row + 2) > unloaded)) continue;
    const Eigen::Vector2d slip = u.segment<2>(row);
    const bool slides = slip.norm() > slip_speed;
    modes[c] = {slides ? ContactMode::Slide : ContactMode::Stick, true,
                slides ? Eigen::Vector2d(slip.normalized()) : Eigen::Vector2d::Zero()};
  }
  return modes;
}

}  // namespace

std::vector<PrescribedImpulseModel::Entry> tangential_impulses(
    const ContactProblem& impact, const VectorXd& v, const std::vector<ContactKey>& contacts,
    double slip_speed) {
  std::vector<char> is_concerned;
  const VectorXd u = impact.contact_velocities(v);
  // With a small approach zero impulses do not satisfy the law, so that the solution has a load.
  ContactProblem approaching = impact;
  for (std::size_t c = 0; c < impact.num_contacts(); ++c) {
    const Eigen::Index row = ContactProblem::row(c);
    is_concerned.push_back(
        std::binary_search(contacts.begin(), contacts.end(), impact.contacts[c].key));
    approaching.contacts[c].restitution = 0.0;
    if (!is_concerned[c]) continue;
    approaching.contact_bias(row + 2) -= kApproach * u.segment<2>(row).norm();
  }
  // The modes come from the approaching problem, the impulses from the given one.
  const CertifiedSolution found =
      solve_islands(approaching, *make_model("coulomb", {}), VectorXd(), 1e-8);
  std::vector<PrescribedImpulseModel::Entry> result;
  if (found.solution.status != SolveStatus::Converged) return result;
  const std::vector<ForceMode> modes =
      modes_of(approaching, found.solution, is_concerned, slip_speed);
  const VectorXd impulses = ForcesInModes(impact).solve(modes, u);
  for (std::size_t c = 0; c < impact.num_contacts(); ++c) {
    if (modes[c].mode == ContactMode::Open) continue;
    const Eigen::Vector3d impulse = impulses.segment<3>(ContactProblem::row(c));
    // A pulling contact means that the modes do not fit the problem without approach.
    if (!(impulse.z() > 0.0)) return {};
    result.push_back({impact.contacts[c].key, impulse});
  }
  return result;
}

}  // namespace amontons
