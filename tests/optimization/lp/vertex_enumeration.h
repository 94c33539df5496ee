#pragma once

#include <Eigen/Dense>

#include <vector>

namespace amontons::test {

/// Returns all vertices of { y >= 0 : A y = b }, for tiny sizes only. It tries every set of columns
/// that is independent and carries b (rows may depend on each other).
inline std::vector<Eigen::VectorXd> enumerate_vertices(const Eigen::MatrixXd& A,
                                                       const Eigen::VectorXd& b,
                                                       double tolerance = 1e-9) {
  const Eigen::Index n = A.cols();
  std::vector<Eigen::VectorXd> vertices;
  for (unsigned set = 0; set < (1u << n); ++set) {
    std::vector<Eigen::Index> chosen;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (set & (1u << j)) chosen.push_back(j);
    }
    Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
    if (!chosen.empty()) {
      const Eigen::MatrixXd columns = A(Eigen::all, chosen);
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
      if (qr.rank() < columns.cols()) continue;
      const Eigen::VectorXd values = qr.solve(b);
      y(chosen) = values;
    }
    if (y.minCoeff() < -tolerance) continue;
    if (b.size() > 0 && (A * y - b).cwiseAbs().maxCoeff() > tolerance) continue;
    vertices.push_back(y);
  }
  return vertices;
}

}  // namespace amontons::test
