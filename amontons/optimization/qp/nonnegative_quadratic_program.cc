#include "amontons/optimization/qp/nonnegative_quadratic_program.h"

#include <limits>

namespace amontons {

BoxQuadraticProgram as_box_qp(const NonnegativeQuadraticProgram& problem) {
  const Eigen::Index n = problem.g.size();
  return {problem.H, problem.g, Eigen::VectorXd::Zero(n),
          Eigen::VectorXd::Constant(n, std::numeric_limits<double>::infinity())};
}

}  // namespace amontons
