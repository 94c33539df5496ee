#include "tools/amontons/support/step_failures.h"

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/models/islands/left_corrections.h"
#include "amontons/simulation/stepping/joint_row_assembly.h"
#include "amontons/simulation/system/law_tally.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace amontons::cli {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Share of the worst violation below which another is rounding [-].
constexpr double kRoundingShare = 1e-6;

// Cosine between a push and a condition, in the norm of M^-1, above which it stands against it [-].
constexpr double kOpposed = 0.1;

// Rounding of a missed step below which it is not the cause [-].
constexpr double kVisibleRounding = 1e-10;

/// Holds a condition that the solution violates.
struct Violation {
  std::string name;
  double speed = 0.0;  ///< [m/s, of joints' rows also rad/s]
};

std::string joint_name(const System& system, Index row) {
  for (const JointCoordinate& joint : system.joints()) {
    if (row >= joint.first_row && row < joint.first_row + joint.num_rows) {
      return "joint " + joint.name;
    }
  }
  return "row " + std::to_string(row) + " of J";
}

/// Returns the name of a limit, or of a contact by its bodies.
std::string condition_name(const System& system, const ContactProblem& problem, bool is_limit,
                           std::size_t i) {
  if (is_limit) return name_of(system, problem.bounded_rows[i]);
  return names_of_bodies(system, problem.contacts[i].body_a, problem.contacts[i].body_b);
}

/// Calls visit(is_limit, index, n, s) for contacts and limits, with n [nv] and s [m/s, rad/s] of
/// n v + s >= 0.
template <typename Visitor>
void visit_conditions(const ContactProblem& problem, Visitor visit) {
  VectorXd row(problem.mass_matrix.size());
  const auto read = [&row](const BlockSparseMatrix& jacobian, std::size_t i, Index k) {
    row.setZero();
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(i)) {
      row.segment(block.col, block.num_cols) += jacobian.values(block).row(k).transpose();
    }
  };
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    read(problem.contact_jacobian, i, 2);
    visit(false, i, row,
          problem.stabilized_gap(i) + problem.contact_bias(ContactProblem::row(i) + 2));
  }
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    if (problem.bounded_rows[i].kind != BoundedRowKind::Limit) continue;
    read(problem.bounded_jacobian, i, 0);
    visit(true, i, row, problem.bounded_offset(i));
  }
}

/// Returns the violations of contacts, limits and the joints' rows.
std::vector<Violation> violations(const System& system, const StepReport& report) {
  const ContactProblem& problem = report.problem;
  std::vector<Violation> result;
  visit_conditions(problem, [&](bool is_limit, std::size_t i, const VectorXd& n, double s) {
    const double closing = -(n.dot(report.solution.velocity) + s);
    if (closing > 0.0) result.push_back({condition_name(system, problem, is_limit, i), closing});
  });
  if (problem.joint_jacobian.rows() == 0) return result;
  const VectorXd missing =
      problem.joint_jacobian * report.solution.velocity - problem.joint_target();
  for (Index row = 0; row < missing.size(); ++row) {
    if (missing(row) != 0.0) result.push_back({joint_name(system, row), std::abs(missing(row))});
  }
  return result;
}

/// Returns the names of what stands against the opening of blocked overlaps, of the first
/// kMostParts: contacts, limits and rows of J that the push of such an overlap alone would press or
/// open.
std::vector<std::string> opponents(const System& system, const ContactProblem& problem) {
  std::vector<std::string> names;
  const BlockDiagonalFactor factor(problem.mass_matrix);
  std::vector<VectorXd> pushes;  // M^-1 n, at unit energy
  visit_conditions(problem, [&](bool is_limit, std::size_t i, const VectorXd& n, double) {
    const bool is_blocked = is_limit ? problem.is_blocked(problem.bounded_rows[i])
                                     : problem.is_blocked(problem.contacts[i]);
    if (!is_blocked || pushes.size() == kMostParts) return;
    const VectorXd push = factor.solve(n);
    const double square = n.dot(push);
    if (square > 0.0) pushes.push_back(push / std::sqrt(square));
  });
  if (pushes.empty()) return names;
  const auto is_pushed = [&](const VectorXd& n, double sign) {
    const double length = std::sqrt(n.dot(factor.solve(n)));
    return std::any_of(pushes.begin(), pushes.end(), [&](const VectorXd& push) {
      return sign * n.dot(push) > kOpposed * length;
    });
  };
  visit_conditions(problem, [&](bool is_limit, std::size_t i, const VectorXd& n, double s) {
    if (s <= 0.0 && names.size() < kMostParts && is_pushed(n, -1.0)) {
      names.push_back(condition_name(system, problem, is_limit, i));
    }
  });
  const Eigen::MatrixXd J = problem.joint_jacobian.to_dense();
  for (Index row = 0; row < J.rows(); ++row) {
    const VectorXd n = J.row(row).transpose();
    if (is_pushed(n, 1.0) || is_pushed(n, -1.0)) names.push_back(joint_name(system, row));
  }
  return names;
}

/// Returns true if a velocity keeps all conditions of an infeasible step, but a fast one.
bool opens_too_fast(const StepReport& report) {
  const std::vector<SolveAttempt>& attempts = report.solution.attempts;
  return !report.problem.has_blocked_overlaps() &&
         std::any_of(attempts.begin(), attempts.end(),
                     [](const SolveAttempt& attempt) { return attempt.solver == kOpeningTooFast; });
}

}  // namespace

std::vector<std::string> contradicting_parts(const System& system, const StepReport& report) {
  const std::vector<Violation> all = violations(system, report);
  const auto slower = [](const Violation& x, const Violation& y) { return x.speed < y.speed; };
  const auto worst = std::max_element(all.begin(), all.end(), slower);
  std::vector<std::string> names;
  if (worst == all.end()) return names;
  const auto add = [&names](const std::string& name) {
    if (names.size() == kMostParts) return;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  add(worst->name);
  for (const Violation& own : all) {
    if (own.speed > kRoundingShare * worst->speed) add(own.name);
  }
  for (const std::string& name : opponents(system, report.problem)) add(name);
  return names;
}

void StepFailures::observe(const System& system, const StepReport& report) {
  const Certificate& certificate = report.certificate;
  const double time = report.end->time;
  // Contradictions, and openings that are too fast: the first of each names its parts.
  if (report.solution.status == SolveStatus::Infeasible) {
    LeftConditions& own = opens_too_fast(report) ? too_fast_ : contradiction_;
    if (own.num_steps++ == 0) {
      own.time = time;
      own.parts = contradicting_parts(system, report);
    }
  }
  observe_held_overlap(system, report);
  // Contacts met out of sight: the deepest counts. A passage leaves no overlap.
  if (certificate.missed_contacts > 0 && certificate.missed_overlap == 0.0) {
    if (num_passed_++ == 0) {
      passed_time_ = time;
      passed_pair_ = names_of_bodies(system, certificate.missed_body_a, certificate.missed_body_b);
    }
  } else if (certificate.missed_contacts > 0) {
    ++num_unseen_;
    if (certificate.missed_overlap > unseen_overlap_) {
      unseen_overlap_ = certificate.missed_overlap;
      unseen_time_ = time;
      unseen_pair_ = names_of_bodies(system, certificate.missed_body_a, certificate.missed_body_b);
    }
  }
  // Impulses that cancel.
  if (!certificate.holds && certificate.rounding.value > std::max(rounding_, kVisibleRounding)) {
    rounding_ = certificate.rounding.value;
    rounding_time_ = time;
  }
}

void StepFailures::observe_held_overlap(const System& system, const StepReport& report) {
  const ContactProblem& problem = report.problem;
  const Contact* deepest = nullptr;
  if (report.solution.status == SolveStatus::Safe) {
    for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
      const Contact& own = problem.contacts[i];
      if (!(problem.stabilized_gap(i) < 0.0)) continue;
      if (deepest == nullptr || own.gap < deepest->gap) deepest = &own;
    }
  } else if (report.certificate.held_overlap.where >= 0) {
    deepest = &problem.contacts[static_cast<std::size_t>(report.certificate.held_overlap.where)];
  }
  if (deepest == nullptr) return;
  ++(report.solution.status == SolveStatus::Safe ? num_unopened_ : num_held_);
  if (-deepest->gap <= held_overlap_) return;
  held_overlap_ = -deepest->gap;
  held_time_ = report.end->time;
  held_pair_ = names_of_bodies(system, deepest->body_a, deepest->body_b);
}

std::string StepFailures::text() const {
  std::string out;
  const auto describe = [&out](const LeftConditions& left, const char* what) {
    if (left.num_steps == 0) return;
    out += fmt::format("infeasible: {} in {} steps, the first at t = {:.6g} s: {}{}\n", what,
                       left.num_steps, left.time, fmt::join(left.parts, ", "),
                       left.parts.size() == kMostParts ? ", ..." : "");
  };
  describe(contradiction_, "no velocity keeps all conditions");
  describe(too_fast_, "only a velocity above simulation.overlap_speed opens all overlaps");
  const std::string deepest = fmt::format("the deepest {:.2e} m between {} at t = {:.6g} s\n",
                                          held_overlap_, held_pair_, held_time_);
  if (num_held_ > 0) {
    out += fmt::format("overlap: sticking contacts held what had to open in {} steps, {}",
                       num_held_, deepest);
  }
  if (num_unopened_ > 0) {
    out +=
        fmt::format("overlap: friction may hold what had to open in {} steps without friction, {}",
                    num_unopened_, deepest);
  }
  if (num_unseen_ > 0) {
    out += fmt::format(
        "unseen: {} steps met a contact beyond their horizon, the deepest {:.2e} m between {} at "
        "t = {:.6g} s\n",
        num_unseen_, unseen_overlap_, unseen_pair_, unseen_time_);
  }
  if (num_passed_ > 0) {
    out += fmt::format(
        "passed: bodies turn through each other in {} steps, the first at t = {:.6g} s: {}; "
        "shorter steps or 'method: event-driven' keep them apart\n",
        num_passed_, passed_time_, passed_pair_);
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
  const auto left = [](const LeftConditions& own) {
    return nlohmann::ordered_json{{"steps", own.num_steps},
                                  {"time", own.time},
                                  {"between", fmt::format("{}", fmt::join(own.parts, ", "))}};
  };
  return {{"infeasible", left(contradiction_)},
          {"too_fast", left(too_fast_)},
          {"held",
           {{"steps", num_held_ + num_unopened_},
            {"overlap", held_overlap_},
            {"time", held_time_},
            {"between", held_pair_}}},
          {"unseen",
           {{"steps", num_unseen_},
            {"overlap", unseen_overlap_},
            {"time", unseen_time_},
            {"between", unseen_pair_}}},
          {"passed", {{"steps", num_passed_}, {"time", passed_time_}, {"between", passed_pair_}}},
          {"rounding", {{"value", rounding_}, {"time", rounding_time_}}}};
}

}  // namespace amontons::cli
