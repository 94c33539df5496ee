#include "amontons/contact/certificate/contact_space_islands.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/problem/fclib_global.h"
#include "amontons/models/reactions/contact_rank.h"
#include "tools/amontons/info/info.h"
#include "tools/amontons/support/solve_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The contacts of each island.
std::vector<std::size_t> island_sizes(const ContactProblem& problem) {
  std::vector<std::size_t> sizes;
  for (const Island& island : find_islands(problem)) sizes.push_back(island.contacts.size());
  return sizes;
}

std::vector<std::size_t> island_sizes(const ContactSpaceProblem& problem) {
  const ContactSpaceIslands islands(problem);
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; k < islands.size(); ++k) sizes.push_back(islands.contacts(k).size());
  return sizes;
}

/// Adds islands, rows as the file has them, the rank and how many rows there are besides.
template <typename Problem>
void describe_rank(const Problem& problem, Eigen::Index rows, Json& result) {
  // Rank costs the cube of an island's rows: a description should not take minutes.
  constexpr std::size_t kMaxContacts = 700;
  const std::vector<std::size_t> sizes = island_sizes(problem);
  const std::size_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  result["islands"] = sizes.size();
  result["rows"] = rows;
  if (largest > kMaxContacts) {
    result["rank"] = "not computed: an island of " + std::to_string(largest) +
                     " contacts; solve --intervals does";
    return;
  }
  const Eigen::Index rank = compute_contact_rank(problem).rank;
  result["rank"] = rank;
  result["redundancy"] = rows - rank;
}

Json describe(const std::string& file, const io::FclibLocalProblem& local) {
  const ContactSpaceProblem& problem = local.problem;
  Json result = {{"file", file},
                 {"kind", "contact problem without bodies"},
                 {"contacts", problem.num_contacts()},
                 {"blocks", problem.blocks.size()}};
  describe_rank(problem, Eigen::Index{local.spacedim} * problem.num_contacts(), result);
  if (problem.num_contacts() > 0) {
    result["friction"] = {problem.friction.minCoeff(), problem.friction.maxCoeff()};
  }
  return result;
}

Json describe(const std::string& file, const GlobalProblem& global) {
  const ContactProblem& problem = global.problem;

  // Ranges over the contacts.
  double least_gap = 0.0, least_friction = 0.0, most_friction = 0.0;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Contact& contact = problem.contacts[i];
    least_gap = i == 0 ? contact.gap : std::min(least_gap, contact.gap);
    least_friction = i == 0 ? contact.friction : std::min(least_friction, contact.friction);
    most_friction = std::max(most_friction, contact.friction);
  }
  Json result = {{"file", file},
                 {"kind", "contact problem"},
                 {"contacts", problem.num_contacts()},
                 {"velocities", problem.mass_matrix.size()},
                 {"blocks", problem.mass_matrix.blocks().size()},
                 {"joint_rows", problem.joint_jacobian.rows()}};

  // The rank counts rows as the file has them: two per contact in the plane.
  const Eigen::Index contacts = static_cast<Eigen::Index>(problem.num_contacts());
  describe_rank(problem, global.rows_per_contact * contacts, result);
  result["bounded_rows"] = problem.bounded_rows.size();

  // Parts that FCLIB has no place for, and the settings of the step.
  const std::string missing = io::missing_in_fclib(problem);
  result["fclib"] = missing.empty() ? "complete" : "not written: it has no place for " + missing;
  result["step_s"] = problem.step;
  result["gamma"] = problem.gamma;
  result["least_gap_m"] = least_gap;
  result["friction"] = {least_friction, most_friction};

  // The solution, where the file has one.
  const std::optional<ContactSolution> solution = io::load_contact_solution(file);
  if (solution) {
    result["solution"] = {{"status", to_string(solution->status)},
                          {"law", to_string(solution->law.kind)},
                          {"iterations", solution->iterations}};
  }
  return result;
}

Json describe(const std::string& file, const LinearComplementarityProblem& problem) {
  return {
      {"file", file}, {"kind", "linear complementarity problem"}, {"unknowns", problem.q.size()}};
}

Json describe(const std::string& file, const MixedComplementarityProblem& problem) {
  return {{"file", file},
          {"kind", "mixed linear complementarity problem"},
          {"unknowns", problem.q.size()}};
}

Json describe(const std::string& file, const BoxQuadraticProgram& problem) {
  return {{"file", file}, {"kind", "box QP"}, {"unknowns", problem.g.size()}};
}

}  // namespace

nlohmann::ordered_json describe_problem(const std::string& file) {
  return std::visit([&](const auto& problem) { return describe(file, problem); },
                    load_solvable(file));
}

}  // namespace amontons::cli
