#include "amontons/io/problem/optimization_problem_file.h"

#include "amontons/contact/number_limits.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;

/// Reads a dataset [n] as a vector.
Eigen::VectorXd read_vector(const Hdf5Handle& group, const std::string& name) {
  const std::vector<double> values = read_doubles(group, name);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()));
}

/// Reads a dataset [n x n], stored by rows as HDF5 does. Throws ParseError if it is not square.
Eigen::MatrixXd read_square_matrix(const std::string& path, const Hdf5Handle& group,
                                   const std::string& name) {
  const std::vector<std::int64_t> shape = dataset_shape(group, name);
  if (shape.size() != 2 || shape[0] != shape[1]) {
    throw ParseError(path, 0, 0, name + " must be a square matrix");
  }
  const std::vector<double> values = read_doubles(group, name);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data(), shape[0], shape[1]);
}

/// Returns the largest magnitude of an array, infinite bounds aside.
template <typename Array>
double largest_finite(const Array& values) {
  const auto finite = [](double x) { return std::isinf(x) ? 0.0 : std::abs(x); };
  return values.size() == 0 ? 0.0 : values.unaryExpr(finite).maxCoeff();
}

void check(const LinearComplementarityProblem& problem) {
  validate(problem);
  require_magnitude("linear complementarity: M", largest_finite(problem.M));
  require_magnitude("linear complementarity: q", largest_finite(problem.q));
}

void check(const BoxQuadraticProgram& problem) {
  validate(problem);
  require_magnitude("box QP: H", largest_finite(problem.H));
  require_magnitude("box QP: g", largest_finite(problem.g));
  require_magnitude("box QP: lower", largest_finite(problem.lower));
  require_magnitude("box QP: upper", largest_finite(problem.upper));
  require_convex(problem);
}

/// Returns the problem if it makes sense; else throws the reason as a ParseError.
template <typename Problem>
Problem validated(const std::string& path, Problem problem) {
  try {
    check(problem);
  } catch (const std::invalid_argument& error) {
    throw ParseError(path, 0, 0, error.what());
  }
  return problem;
}

}  // namespace

LinearComplementarityProblem load_lcp(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "lcp");
  return validated(path, LinearComplementarityProblem{read_square_matrix(path, group, "M"),
                                                      read_vector(group, "q")});
}

BoxQuadraticProgram load_box_qp(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "qp");
  return validated(
      path, BoxQuadraticProgram{read_square_matrix(path, group, "H"), read_vector(group, "g"),
                                read_vector(group, "lower"), read_vector(group, "upper")});
}

}  // namespace amontons::io
