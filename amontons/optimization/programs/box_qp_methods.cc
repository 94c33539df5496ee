#include "amontons/optimization/programs/box_qp_methods.h"

#include "amontons/math/named_index.h"
#include "amontons/math/nearest_name.h"

#include <utility>

namespace amontons {

const std::vector<std::string>& box_qp_method_names() {
  static const std::vector<std::string> names = {"block-pivoting", "gradient-projection"};
  return names;
}

ProgramAnswer solve_box_qp_by(const BoxQuadraticProgram& problem, const std::string& method,
                              double tolerance) {
  BoxQpSettings settings;
  settings.tolerance = tolerance;
  const auto answer = [](BoxQpSolution found) -> ProgramAnswer {
    return {found.status, std::move(found.x), found.residual, found.iterations()};
  };
  if (method == "block-pivoting") return answer(solve_block_pivoting(problem, settings));
  if (method == "gradient-projection") return answer(solve_gpcg(problem, settings));
  throw UnknownNameError("there is no method '" + method + "'" +
                         name_advice(method, box_qp_method_names()));
}

}  // namespace amontons
