#include "amontons/models/formulation/least_violation.h"

#include <cmath>

namespace amontons {
namespace {

/// Softness of the normal conditions [-]: small enough that the violation is least, large enough
/// for a solution.
constexpr double kRidge = 1e-10;
constexpr double kExtraRelaxation =
    1e-7;  // share by which s is raised further, for bounded impulses [-]

}  // namespace

Relaxation relax_least(const PolyhedralProblem& problem) {
  // The ridge makes the problem strictly convex, so that a solution exists.
  PolyhedralProblem ridged = problem;
  ridged.ridge = kRidge;
  const PolyhedralSolution polyhedral = solve_by_working_set(ridged, {});

  Relaxation result{problem.gap_speeds, {}, 0.0};
  double effort = 0.0, scale = 0.0;
  for (Eigen::Index i = 0; i < problem.gap_speeds.size(); ++i) {
    const double w = problem.scales->inverse_mass(i), V = problem.scales->speed(i);
    if (!problem.active[static_cast<std::size_t>(i)]) continue;
    // The ridge's share of the condition is the violation, d = r w p_n.
    const double violation = kRidge * w * polyhedral.impulses(3 * i + 2);
    scale += V * V / w;
    if (violation <= 0.0) continue;
    effort += violation * violation / (kRidge * w);
    if (violation <= problem.tolerance * V) continue;
    result.gap_speeds(i) += (1.0 + kExtraRelaxation) * violation;
    result.contacts.push_back(static_cast<int>(i));
  }
  // Effort relative to the impulse scale, sqrt(sum d^2/(r w) / sum V^2/w).
  if (effort > 0.0) result.least_effort = std::sqrt(effort / scale);
  return result;
}

std::string name_squeeze(const ContactProblem& problem, const std::vector<int>& contacts) {
  std::string text = "no velocity keeps apart all of";
  std::string separator = " ";
  for (const int i : contacts) {
    const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
    text += separator;
    // A limit has no bodies of its own: its key names the joint coordinate.
    if (contact.is_joint_row) {
      text += "the limit of joint coordinate " + std::to_string(contact.key.shape_b);
    } else {
      text += "contact " + std::to_string(i) + " (bodies " + std::to_string(contact.body_a) + ", " +
              std::to_string(contact.body_b) + ")";
    }
    separator = ", ";
  }
  return text;
}

}  // namespace amontons
