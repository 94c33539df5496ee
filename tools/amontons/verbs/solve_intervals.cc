#include "tools/amontons/verbs/solve_intervals.h"

#include "amontons/math/stopwatch.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the reason why a solution has no intervals, or nothing.
std::string objection(const SolveReport& report) {
  if (!report.holds) return "the solution is not certified";
  const LawKind law = report.solution.law.kind;
  if (is_collision_law(law)) {
    return report.law + " is a law of collisions in sequence";
  }
  if (!is_single_contact_law(law)) {
    return report.law + " is a law of whole islands, not of single contacts";
  }
  if (!law_traits(law).has_reaction_cone) {
    return "the reactions that " + report.law + " allows are not known as a cone";
  }
  if (report.solution.compression_impulses.size() > 0) {
    return "Poisson restitution is a law of two phases";
  }
  return "";
}

const Contact* contact_of(const SolvableProblem& problem, std::size_t contact) {
  const GlobalProblem* global = std::get_if<GlobalProblem>(&problem);
  return global == nullptr ? nullptr : &global->problem.contacts[contact];
}

/// Returns the row of a normal, which comes first in the rows of a file.
double normal_impulse(const SolveReport& report, std::size_t contact) {
  return report.impulses(static_cast<Eigen::Index>(contact) * report.rows_per_contact);
}

Json end(double value) {
  if (std::isinf(value)) return "inf";
  return std::isnan(value) ? Json() : Json(value);
}

std::string plain(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

std::string bodies(const Contact* contact) {
  return contact == nullptr ? "-" : fmt::format("{}, {}", contact->body_a, contact->body_b);
}

/// Returns true if both ends agree to the tolerance of the linear programs.
bool is_open(const NormalInterval& interval) {
  constexpr double kEndRounding = 1e-8;
  return interval.largest - interval.least > kEndRounding * (1.0 + std::abs(interval.largest)) ||
         std::isinf(interval.largest);
}

}  // namespace

Indeterminacy analyse_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                                    double tolerance, const IntervalProgress& progress) {
  const Stopwatch watch;
  const io::FclibLocalProblem* local = std::get_if<io::FclibLocalProblem>(&problem);
  const GlobalProblem* global = std::get_if<GlobalProblem>(&problem);
  Indeterminacy found;
  found.rank = local != nullptr ? compute_contact_rank(local->problem)
                                : compute_contact_rank(global->problem);
  found.rank.rows = report.impulses.size();
  found.remark = objection(report);
  if (!found.remark.empty()) return found;
  const ContactSolution& solution = report.solution;
  found.intervals =
      local != nullptr
          ? normal_intervals(local->problem, solution.law, solution.impulses, tolerance, progress)
          : normal_intervals(global->problem, solution, tolerance, progress);
  found.is_whole =
      std::none_of(found.intervals.begin(), found.intervals.end(),
                   [](const NormalInterval& one) { return one.status == SolveStatus::NotRun; });
  found.time_s = watch.seconds();
  return found;
}

void add_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                       const Indeterminacy& found, Json& result) {
  result["rows"] = found.rank.rows;
  result["rank"] = found.rank.rank;
  if (!found.remark.empty()) {
    result["intervals_remark"] = found.remark;
    return;
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < found.intervals.size(); ++i) {
    const NormalInterval& one = found.intervals[i];
    Json item = {{"contact", i}};
    if (const Contact* contact = contact_of(problem, i); contact != nullptr) {
      item["bodies"] = {contact->body_a, contact->body_b};
    }
    item.update({{"impulse", normal_impulse(report, i)},
                 {"status", to_string(one.status)},
                 {"least", end(one.least)},
                 {"largest", end(one.largest)}});
    list.push_back(std::move(item));
  }
  result["intervals"] = std::move(list);
  result["intervals_time_s"] = found.time_s;
  result["interrupted"] = !found.is_whole;
}

void print_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                         const Indeterminacy& found) {
  std::cout << fmt::format(
      "  rank         {} of {} rows: {}\n", found.rank.rank, found.rank.rows,
      found.rank.nullity() > 0
          ? fmt::format("{} more than the motion determines", found.rank.nullity())
          : "the motion determines every impulse");
  if (!found.remark.empty()) {
    std::cout << fmt::format("  intervals    none: {}\n", found.remark);
    return;
  }
  std::cout << fmt::format(
                   "  intervals    {} of {} normal impulses not determined, found in {:.3g} s\n",
                   std::count_if(found.intervals.begin(), found.intervals.end(), is_open),
                   found.intervals.size(), found.time_s)
            << fmt::format("{:>9} {:>11} {:>13} {:>13} {:>13}   normal impulse, N s\n", "contact",
                           "bodies", "impulse", "least", "largest");
  for (std::size_t i = 0; i < found.intervals.size(); ++i) {
    const NormalInterval& one = found.intervals[i];
    std::cout << fmt::format(
        "{:>9} {:>11} {:>13.6g} {:>13} {:>13}{}\n", i, bodies(contact_of(problem, i)),
        normal_impulse(report, i), plain(one.least), plain(one.largest),
        one.status == SolveStatus::Converged ? std::string()
                                             : fmt::format("  {}", to_string(one.status)));
  }
  if (!found.is_whole) std::cout << "interrupted\n";
}

}  // namespace amontons::cli
