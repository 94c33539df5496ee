#include "tools/amontons/support/step_failures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace amontons::cli {
namespace {

using Eigen::Index;

// Share of the worst violation below which another is rounding [-].
constexpr double kRoundingShare = 1e-6;

// Rounding of a missed step below which it is not the cause [-].
constexpr double kVisibleRounding = 1e-10;

/// Holds a condition that the solution violates.
struct Violation {
  std::string name;
  double speed = 0.0;  ///< [m/s, of joints' rows also rad/s]
};

std::string pair_name(const System& system, int body_a, int body_b) {
  if (body_a < 0 || body_b < 0) return "";
  return system.bodies()[static_cast<std::size_t>(body_a)].name + " and " +
         system.bodies()[static_cast<std::size_t>(body_b)].name;
}

std::string joint_name(const System& system, Index row) {
  for (const JointCoordinate& joint : system.joints()) {
    if (row >= joint.first_row && row < joint.first_row + joint.num_rows) {
      return "joint " + joint.name;
    }
  }
  return "row " + std::to_string(row) + " of J";
}

/// Returns the violations of nonpenetration and of the joints' rows.
std::vector<Violation> violations(const System& system, const StepReport& report) {
  const ContactProblem& problem = report.problem;
  std::vector<Violation> result;
  const Eigen::VectorXd u = problem.contact_velocities(report.solution.velocity);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const double closing = -(u(ContactProblem::row(i) + 2) + problem.stabilized_gap(i));
    const Contact& contact = problem.contacts[i];
    if (closing > 0.0)
      result.push_back({pair_name(system, contact.body_a, contact.body_b), closing});
  }
  if (problem.joint_jacobian.rows() == 0) return result;
  const Eigen::VectorXd missing =
      problem.joint_jacobian * report.solution.velocity - problem.joint_target();
  for (Index row = 0; row < missing.size(); ++row) {
    if (missing(row) != 0.0) result.push_back({joint_name(system, row), std::abs(missing(row))});
  }
  return result;
}

}  // namespace

std::vector<std::string> contradicting_parts(const System& system, const StepReport& report) {
  const std::vector<Violation> all = violations(system, report);
  const auto slower = [](const Violation& x, const Violation& y) { return x.speed < y.speed; };
  const auto worst = std::max_element(all.begin(), all.end(), slower);
  std::vector<std::string> names;
  if (worst == all.end()) return names;
  names.push_back(worst->name);
  for (const Violation& own : all) {
    if (own.speed <= kRoundingShare * worst->speed) continue;
    if (std::find(names.begin(), names.end(), own.name) == names.end()) names.push_back(own.name);
  }
  return names;
}

void StepFailures::observe(const System& system, const StepReport& report) {
  const Certificate& certificate = report.certificate;
  const double time = report.end->time;
  // Contradictions: the first names its parts.
  if (report.solution.status == SolveStatus::Infeasible && num_infeasible_++ == 0) {
    infeasible_time_ = time;
    contradiction_ = contradicting_parts(system, report);
  }
  // Contacts met out of sight: the deepest counts.
  if (certificate.missed_contacts > 0) {
    ++num_unseen_;
    if (certificate.missed_overlap > unseen_overlap_) {
      unseen_overlap_ = certificate.missed_overlap;
      unseen_time_ = time;
      unseen_pair_ = pair_name(system, certificate.missed_body_a, certificate.missed_body_b);
    }
  }
  // Impulses that cancel.
  if (!certificate.holds && certificate.rounding.value > std::max(rounding_, kVisibleRounding)) {
    rounding_ = certificate.rounding.value;
    rounding_time_ = time;
  }
}

std::string StepFailures::text() const {
  std::string out;
  if (num_infeasible_ > 0) {
    out += fmt::format(
        "infeasible: no velocity keeps all conditions in {} steps, the first at t = {:.6g} s: {}\n",
        num_infeasible_, infeasible_time_, fmt::join(contradiction_, ", "));
  }
  if (num_unseen_ > 0) {
    out += fmt::format(
        "unseen: {} steps met a contact beyond their horizon, the deepest {:.2e} m between {} at "
        "t = {:.6g} s\n",
        num_unseen_, unseen_overlap_, unseen_pair_, unseen_time_);
  }
  if (rounding_ > 0.0) {
    out += fmt::format(
        "rounding: impulses cancel and leave a rounding of {:.2e} at t = {:.6g} s, so that nothing "
        "can be certified\n",
        rounding_, rounding_time_);
  }
  return out;
}

nlohmann::ordered_json StepFailures::json() const {
  return {{"infeasible",
           {{"steps", num_infeasible_},
            {"time", infeasible_time_},
            {"between", fmt::format("{}", fmt::join(contradiction_, ", "))}}},
          {"unseen",
           {{"steps", num_unseen_},
            {"overlap", unseen_overlap_},
            {"time", unseen_time_},
            {"between", unseen_pair_}}},
          {"rounding", {{"value", rounding_}, {"time", rounding_time_}}}};
}

}  // namespace amontons::cli
