#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons::python {

/// Copies numbers to a vector [n].
inline Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace amontons::python
