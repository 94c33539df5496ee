#include "amontons/io/problem/optimization_problem_file.h"

#include "amontons/contact/number_limits.h"
#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/replacement_file.h"
#include "amontons/io/hdf5/hdf5_handle.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <span>
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

/// Reads a dataset [rows x columns], stored by rows as HDF5 does.
/// @throws ParseError if it has another rank.
Eigen::MatrixXd read_matrix(const std::string& path, const Hdf5Handle& group,
                            const std::string& name) {
  const std::vector<std::int64_t> shape = dataset_shape(group, name);
  if (shape.size() != 2) throw ParseError(path, 0, 0, name + " must be a matrix");
  const std::vector<double> values = read_doubles(group, name);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data(), shape[0], shape[1]);
}

/// Reads a dataset [n x n]. @throws ParseError if it is not square.
Eigen::MatrixXd read_square_matrix(const std::string& path, const Hdf5Handle& group,
                                   const std::string& name) {
  Eigen::MatrixXd matrix = read_matrix(path, group, name);
  if (matrix.rows() != matrix.cols()) {
    throw ParseError(path, 0, 0, name + " must be a square matrix");
  }
  return matrix;
}

/// Returns the problem of the normals N of bodies with the mass matrix M and the impulses f.
/// @throws std::invalid_argument where there is none.
LinearComplementarityProblem problem_of_normals(const Eigen::MatrixXd& N, const Eigen::MatrixXd& M,
                                                const Eigen::VectorXd& f) {
  if (N.cols() != M.rows() || f.size() != M.rows()) {
    throw std::invalid_argument("N must have as many columns, and f as many entries, as M rows");
  }
  if (!N.allFinite() || !M.allFinite() || !f.allFinite()) {
    throw std::invalid_argument("N, M and f must be finite");
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(M);
  if (!M.isApprox(M.transpose(), 1e-12) || factor.info() != Eigen::Success) {
    throw std::invalid_argument("beside N, M is a mass matrix: symmetric and positive definite");
  }
  const Eigen::MatrixXd rows = factor.matrixL().solve(N.transpose());
  const Eigen::MatrixXd product = rows.transpose() * rows;
  // Products of matrices are symmetric up to rounding alone.
  return {0.5 * (product + product.transpose()), rows.transpose() * factor.matrixL().solve(f)};
}

/// Returns the largest magnitude of an array, infinite bounds aside.
template <typename Array>
double largest_finite(const Array& values) {
  const auto finite = [](double x) { return std::isinf(x) ? 0.0 : std::abs(x); };
  return values.size() == 0 ? 0.0 : values.unaryExpr(finite).maxCoeff();
}

/// Returns the problem if it makes sense; else throws the reason as a ParseError.
template <typename Problem>
Problem validated(const std::string& path, Problem problem) {
  try {
    require_valid(problem);
  } catch (const std::invalid_argument& error) {
    throw ParseError(path, 0, 0, error.what());
  }
  return problem;
}

/// Writes a dataset [rows x columns] by rows.
void write_matrix(const Hdf5Handle& group, const std::string& name, const Eigen::MatrixXd& matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor rows = matrix;
  const hsize_t extents[] = {static_cast<hsize_t>(rows.rows()), static_cast<hsize_t>(rows.cols())};
  const Hdf5Quiet quiet;
  const Hdf5Handle space(H5Screate_simple(2, extents, nullptr));
  const Hdf5Handle dataset(H5Dcreate2(group.id(), name.c_str(), H5T_IEEE_F64LE, space.id(),
                                      H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const bool is_written = dataset.valid() && H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL,
                                                      H5S_ALL, H5P_DEFAULT, rows.data()) >= 0;
  if (!is_written) throw OutputError(file_name(group), name + ": " + hdf5_error_message());
}

}  // namespace

void require_valid(const LinearComplementarityProblem& problem) {
  validate(problem);
  require_magnitude("linear complementarity: M", largest_finite(problem.M));
  require_magnitude("linear complementarity: q", largest_finite(problem.q));
}

void require_valid(const MixedComplementarityProblem& problem) {
  require_valid(LinearComplementarityProblem{problem.M, problem.q});
  validate(problem);
}

void require_valid(const BoxQuadraticProgram& problem) {
  validate(problem);
  require_magnitude("box QP: H", largest_finite(problem.H));
  require_magnitude("box QP: g", largest_finite(problem.g));
  require_magnitude("box QP: lower", largest_finite(problem.lower));
  require_magnitude("box QP: upper", largest_finite(problem.upper));
  require_convex(problem);
}

LinearComplementarityProblem load_lcp(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "lcp");
  if (has_object(group, "N")) {
    try {
      return validated(
          path, problem_of_normals(read_matrix(path, group, "N"),
                                   read_square_matrix(path, group, "M"), read_vector(group, "f")));
    } catch (const std::invalid_argument& error) {
      throw ParseError(path, 0, 0, error.what());
    }
  }
  return validated(path, LinearComplementarityProblem{read_square_matrix(path, group, "M"),
                                                      read_vector(group, "q")});
}

MixedComplementarityProblem load_mixed_lcp(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "lcp");
  const std::vector<std::int32_t> free = read_ints(group, "free");
  return validated(path, MixedComplementarityProblem{read_square_matrix(path, group, "M"),
                                                     read_vector(group, "q"),
                                                     {free.begin(), free.end()}});
}

void save_lcp(const std::string& path, const LinearComplementarityProblem& problem,
              const std::vector<std::string>& row_names) {
  validate(problem);
  ReplacementFile replacement(path);
  Hdf5Handle file = create_hdf5_file(replacement.aside(), path);
  // The group is closed before the file: an open handle would keep the file open.
  {
    const Hdf5Handle group = create_group(file, "lcp");
    write_matrix(group, "M", problem.M);
    write_vector(
        group, "q",
        std::span<const double>(problem.q.data(), static_cast<std::size_t>(problem.q.size())));
    if (!row_names.empty()) write_strings(group, "rows", row_names);
  }
  file.close();
  replacement.place();
}

bool is_lcp_file(const std::string& path) {
  return is_hdf5_file(path) && has_object(open_hdf5_file(path), "lcp");
}

BoxQuadraticProgram load_box_qp(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "qp");
  return validated(
      path, BoxQuadraticProgram{read_square_matrix(path, group, "H"), read_vector(group, "g"),
                                read_vector(group, "lower"), read_vector(group, "upper")});
}

}  // namespace amontons::io
