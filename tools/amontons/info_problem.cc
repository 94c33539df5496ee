#include "amontons/contact/islands.h"
#include "amontons/io/contact_problem_file.h"
#include "tools/amontons/info.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>

namespace amontons::cli {

nlohmann::ordered_json describe_problem(const std::string& file) {
  const ContactProblem problem = io::load_contact_problem(file);
  double least_gap = 0.0, least_friction = 0.0, most_friction = 0.0;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Contact& contact = problem.contacts[i];
    least_gap = i == 0 ? contact.gap : std::min(least_gap, contact.gap);
    least_friction = i == 0 ? contact.friction : std::min(least_friction, contact.friction);
    most_friction = std::max(most_friction, contact.friction);
  }
  nlohmann::ordered_json result = {{"file", file},
                                   {"kind", "contact problem"},
                                   {"contacts", problem.num_contacts()},
                                   {"velocities", problem.mass_matrix.size()},
                                   {"blocks", problem.mass_matrix.blocks().size()},
                                   {"joint_rows", problem.joint_jacobian.rows()},
                                   {"islands", find_islands(problem).size()},
                                   {"step_s", problem.step},
                                   {"gamma", problem.gamma},
                                   {"least_gap_m", least_gap},
                                   {"friction", {least_friction, most_friction}}};
  const std::optional<ContactSolution> solution = io::load_contact_solution(file);
  if (solution) {
    result["solution"] = {{"status", to_string(solution->status)},
                          {"law", to_string(solution->law.kind)},
                          {"iterations", solution->iterations}};
  }
  return result;
}

}  // namespace amontons::cli
