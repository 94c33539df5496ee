#include "amontons/models/least_violation.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

constexpr int kMostProofs = 100;
constexpr double kBeyond = 1e-9;  // share by which a refutation overshoots, so that it is one

Eigen::VectorXd normal_velocities(const PolyhedralProblem& problem) {
  Eigen::VectorXd velocity, joint_impulses;
  problem.space->apply(problem.given_impulses, velocity, joint_impulses);
  const Eigen::VectorXd u =
      problem.problem->contact_jacobian * velocity + problem.problem->contact_bias;
  Eigen::VectorXd normal(problem.gap_speeds.size());
  for (Index i = 0; i < normal.size(); ++i) normal(i) = u(3 * i + 2);
  return normal;
}

}  // namespace

Relaxation relax_least(const PolyhedralProblem& problem, const Eigen::VectorXd& proof) {
  const Eigen::VectorXd b = normal_velocities(problem);
  PolyhedralProblem relaxed = problem;
  Eigen::VectorXd y = proof;
  for (int round = 0;; ++round) {
    const double deficit = -y.dot(b + relaxed.gap_speeds);
    if (round == kMostProofs || !(deficit > 0.0)) {
      relaxed.gap_speeds = relaxed.gap_speeds.cwiseMax(-b);
      break;
    }
    relaxed.gap_speeds += ((1.0 + kBeyond) * deficit / y.squaredNorm()) * y;
    const PolyhedralAnswer answer = solve_by_working_set(relaxed, {});
    if (!answer.proof) {
      if (answer.status != SolveStatus::Converged) {
        relaxed.gap_speeds = relaxed.gap_speeds.cwiseMax(-b);
      }
      break;
    }
    y = *answer.proof;
  }
  Relaxation result{relaxed.gap_speeds, {}};
  for (Index i = 0; i < relaxed.gap_speeds.size(); ++i) {
    if (relaxed.gap_speeds(i) > problem.gap_speeds(i))
      result.contacts.push_back(static_cast<int>(i));
  }
  return result;
}

std::string name_squeeze(const ContactProblem& problem, const std::vector<int>& contacts) {
  std::string text = "no velocity keeps apart all of";
  std::string separator = " ";
  for (const int i : contacts) {
    const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
    text += separator + "contact " + std::to_string(i) + " (bodies " +
            std::to_string(contact.body_a) + ", " + std::to_string(contact.body_b) + ")";
    separator = ", ";
  }
  return text;
}

}  // namespace amontons
