#include "amontons/models/formulation/least_violation.h"

#include "amontons/contact/contact_name.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

// Softness of the normal conditions [-], tried in this order. The first leaves the least violation;
// its impulses may be too large for the residual of Lemke's method, which then takes the next.
constexpr double kRidges[] = {1e-10, 1e-9, 1e-8};

// Load in units of V / w below which a soft contact's violation is the load's alone [-].
constexpr double kLoadShare = 100.0;
constexpr double kExtraRelaxation =
    1e-7;  // share by which s is raised further, for bounded impulses [-]

/// Returns a lower bound of |v - v_free| in the norm of M, over all v that satisfy every normal
/// condition [sqrt(J)]: -(b_n + s)'y / sqrt(y'A y) for any y >= 0, here the ridged impulses
/// [docs/theory.md, section 3]. The rounding of y'A y counts as motion.
double effort_bound(const PolyhedralProblem& problem, const Eigen::VectorXd& impulses) {
  std::vector<int> loaded;
  double drive = 0.0, rounding = 0.0;
  for (Eigen::Index i = 0; i < problem.gap_speeds.size(); ++i) {
    const double y = impulses(3 * i + 2);
    if (!(y > 0.0)) continue;
    loaded.push_back(static_cast<int>(i));
    drive -= y * (problem.space->free_contact_velocity()(3 * i + 2) + problem.gap_speeds(i));
    rounding += y * std::sqrt(problem.scales->inverse_mass(i));
  }
  const Eigen::MatrixXd A = problem.space->delassus(loaded);
  double square = 0.0;
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    for (std::size_t j = 0; j < loaded.size(); ++j) {
      square += A(3 * static_cast<Eigen::Index>(i) + 2, 3 * static_cast<Eigen::Index>(j) + 2) *
                impulses(3 * loaded[i] + 2) * impulses(3 * loaded[j] + 2);
    }
  }
  const double motion =
      std::max(square, 0.0) + std::numeric_limits<double>::epsilon() * rounding * rounding;
  return drive > 0.0 ? drive / std::sqrt(motion) : 0.0;
}

}  // namespace

Relaxation relax_least(const PolyhedralProblem& problem) {
  // The ridge makes the problem strictly convex, so that a solution exists.
  PolyhedralProblem ridged = problem;
  PolyhedralSolution polyhedral;
  for (const double ridge : kRidges) {
    ridged.ridge = ridge;
    polyhedral = solve_by_working_set(ridged, {});
    if (polyhedral.status == SolveStatus::Converged) break;
  }

  Relaxation result{problem.gap_speeds, {}, 0.0};
  double scale = 0.0;
  for (Eigen::Index i = 0; i < problem.gap_speeds.size(); ++i) {
    const double w = problem.scales->inverse_mass(i), V = problem.scales->speed(i);
    if (!problem.active[static_cast<std::size_t>(i)]) continue;
    // The ridge's share of the condition is the violation, d = r w p_n.
    const double violation = ridged.ridge * w * polyhedral.impulses(3 * i + 2);
    scale += V * V / w;
    if (violation <= problem.tolerance * V) continue;
    result.gap_speeds(i) += (1.0 + kExtraRelaxation) * violation;
    // A softness of 1e-8 gives way under any load: that is no contradiction.
    if (violation > kLoadShare * ridged.ridge * V) result.contacts.push_back(static_cast<int>(i));
  }
  // Effort relative to the impulse scale, sqrt(sum V^2/w).
  if (!result.contacts.empty()) {
    result.least_effort = effort_bound(problem, polyhedral.impulses) / std::sqrt(scale);
  }
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
      text += contact_name(problem, static_cast<std::size_t>(i));
    }
    separator = ", ";
  }
  return text;
}

}  // namespace amontons
