#include "tools/amontons/solve_intervals.h"

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
  if (!report.claimed) return "the solution is not certified";
  if (report.answer.law.kind == LawKind::Impact) {
    return report.law + " is a law of collisions in sequence";
  }
  if (!is_single_contact_law(report.answer.law.kind)) {
    return report.law + " is a law of whole islands, not of single contacts";
  }
  if (report.answer.compression_impulses.size() > 0) {
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
  constexpr double kRounding = 1e-8;
  return interval.largest - interval.least > kRounding * (1.0 + std::abs(interval.largest)) ||
         std::isinf(interval.largest);
}

}  // namespace

Indeterminacy tell_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                                 double tolerance, const IntervalProgress& progress) {
  const Stopwatch watch;
  const io::FclibLocalProblem* local = std::get_if<io::FclibLocalProblem>(&problem);
  const GlobalProblem* global = std::get_if<GlobalProblem>(&problem);
  Indeterminacy told;
  told.rank = local != nullptr ? compute_contact_rank(local->problem)
                               : compute_contact_rank(global->problem);
  told.rank.rows = report.impulses.size();
  told.remark = objection(report);
  if (!told.remark.empty()) return told;
  const ContactSolution& answer = report.answer;
  told.intervals =
      local != nullptr
          ? normal_intervals(local->problem, answer.law, answer.impulses, tolerance, progress)
          : normal_intervals(global->problem, answer, tolerance, progress);
  told.is_whole =
      std::none_of(told.intervals.begin(), told.intervals.end(),
                   [](const NormalInterval& one) { return one.status == SolveStatus::NotRun; });
  told.time_s = watch.seconds();
  return told;
}

void add_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                       const Indeterminacy& told, Json& result) {
  result["rows"] = told.rank.rows;
  result["rank"] = told.rank.rank;
  if (!told.remark.empty()) {
    result["intervals_remark"] = told.remark;
    return;
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < told.intervals.size(); ++i) {
    const NormalInterval& one = told.intervals[i];
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
  result["intervals_time_s"] = told.time_s;
  result["interrupted"] = !told.is_whole;
}

void print_indeterminacy(const SolvableProblem& problem, const SolveReport& report,
                         const Indeterminacy& told) {
  std::cout << fmt::format(
      "  rank         {} of {} rows: {}\n", told.rank.rank, told.rank.rows,
      told.rank.nullity() > 0
          ? fmt::format("{} more than the motion determines", told.rank.nullity())
          : "the motion determines every impulse");
  if (!told.remark.empty()) {
    std::cout << fmt::format("  intervals    none: {}\n", told.remark);
    return;
  }
  std::cout << fmt::format(
                   "  intervals    {} of {} normal impulses not determined, found in {:.3g} s\n",
                   std::count_if(told.intervals.begin(), told.intervals.end(), is_open),
                   told.intervals.size(), told.time_s)
            << fmt::format("{:>9} {:>11} {:>13} {:>13} {:>13}   normal impulse, N s\n", "contact",
                           "bodies", "impulse", "least", "largest");
  for (std::size_t i = 0; i < told.intervals.size(); ++i) {
    const NormalInterval& one = told.intervals[i];
    std::cout << fmt::format(
        "{:>9} {:>11} {:>13.6g} {:>13} {:>13}{}\n", i, bodies(contact_of(problem, i)),
        normal_impulse(report, i), plain(one.least), plain(one.largest),
        one.status == SolveStatus::Converged ? std::string()
                                             : fmt::format("  {}", to_string(one.status)));
  }
  if (!told.is_whole) std::cout << "interrupted\n";
}

}  // namespace amontons::cli
