#include "amontons/io/problem/optimization_problem_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_handle.h"

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

void check(const LinearComplementarityProblem& problem) { validate(problem); }
void check(const BoxQuadraticProgram& problem) { require_convex(problem); }

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
