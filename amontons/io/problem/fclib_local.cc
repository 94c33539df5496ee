#include "amontons/io/problem/fclib_local.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/sparse_matrix_file.h"
#include "amontons/io/problem/symmetry.h"

#include <Eigen/SparseCore>

#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

using Eigen::Index;

/// Returns the component of (t1, t2, n) that a row of the file means. The file's order is
/// (n, t1, t2), or (n, t1) in the plane.
Index component(Index row, Index spacedim) { return row % spacedim == 0 ? 2 : row % spacedim - 1; }

}  // namespace

FclibLocalProblem load_fclib_local(const std::string& path) {
  const Hdf5Handle file = open_hdf5_file(path);
  const Hdf5Handle group = open_group(file, "fclib_local");
  const auto fail = [&path](const std::string& message) {
    throw ParseError(path, 0, 0, "/fclib_local: " + message);
  };
  FclibLocalProblem result;
  // A header that this reader can use: two or three rows per contact, and contacts alone.
  const std::vector<std::int32_t> spacedim = read_ints(group, "spacedim");
  if (spacedim.size() != 1 || (spacedim[0] != 2 && spacedim[0] != 3)) {
    fail("spacedim must be 2 or 3");
  }
  if (has_object(group, "V") || has_object(group, "R")) {
    fail("has bilateral rows (V, R); give the problem in the global form instead");
  }
  result.spacedim = spacedim[0];
  // u = W r + q with nc contacts; their number follows from mu.
  const std::vector<double> q = read_doubles(group, "vectors/q");
  const std::vector<double> mu = read_doubles(group, "vectors/mu");
  const Index dim = result.spacedim, nc = static_cast<Index>(mu.size());
  const Eigen::SparseMatrix<double> W = read_sparse_matrix(group, "W", dim * nc, dim * nc);
  if (static_cast<Index>(q.size()) != dim * nc) fail("q does not fit mu and spacedim");

  // The laws are between p and u = W p + q with W = J M^-1 J'.
  const Eigen::Map<const Eigen::VectorXd> values(W.valuePtr(), W.nonZeros());
  if (!values.allFinite()) fail("W is not finite");
  if (const std::string fault = describe_asymmetry(W, "W"); !fault.empty()) {
    fail(fault + "; give J M^-1 J'");
  }
  result.asymmetry = largest_asymmetry(W);
  // In the plane t2 has no row: its entries of q and W stay 0.
  Eigen::VectorXd rows = Eigen::VectorXd::Zero(3 * nc);
  const auto place = [dim](Index row) { return 3 * (row / dim) + component(row, dim); };
  for (Index row = 0; row < dim * nc; ++row) {
    rows(place(row)) = q[static_cast<std::size_t>(row)];
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (Index column = 0; column < W.outerSize(); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(W, column); entry; ++entry) {
      entries.emplace_back(static_cast<int>(place(entry.row())), static_cast<int>(place(column)),
                           entry.value());
    }
  }
  Eigen::SparseMatrix<double> ordered(3 * nc, 3 * nc);
  ordered.setFromTriplets(entries.begin(), entries.end());
  try {
    result.problem =
        contact_space_problem(ordered, rows, Eigen::Map<const Eigen::VectorXd>(mu.data(), nc));
  } catch (const std::invalid_argument& error) {
    fail(error.what());
  }
  return result;
}

Eigen::VectorXd to_file_rows(const Eigen::VectorXd& rows, int spacedim) {
  const Index nc = rows.size() / 3;
  Eigen::VectorXd result(spacedim * nc);
  for (Index row = 0; row < result.size(); ++row) {
    result(row) = rows(3 * (row / spacedim) + component(row, spacedim));
  }
  return result;
}

Eigen::VectorXd from_file_rows(const Eigen::VectorXd& file_rows, int spacedim) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(3 * (file_rows.size() / spacedim));
  for (Index row = 0; row < file_rows.size(); ++row) {
    result(3 * (row / spacedim) + component(row, spacedim)) = file_rows(row);
  }
  return result;
}

}  // namespace amontons::io
