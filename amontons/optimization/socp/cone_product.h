#pragma once

#include "amontons/optimization/socp/second_order_cone.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Represents the product of l halflines and k second-order cones of dimension 3, with the
/// operations of an interior point method [Vandenberghe 2010, sec. 4, 5]. Vectors are [l + 3 k],
/// halflines first.
class ConeProduct {
 public:
  ConeProduct(Eigen::Index num_halflines, Eigen::Index size);

  Eigen::Index num_halflines() const { return halflines_; }
  Eigen::Index size() const { return size_; }
  /// Returns the degree l + k of the product: e'e in the Jordan algebra.
  double degree() const { return static_cast<double>(halflines_ + (size_ - halflines_) / 3); }

  /// Returns the unit e of the Jordan product.
  Eigen::VectorXd identity() const;
  /// Returns the Jordan product a o b.
  Eigen::VectorXd product(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;
  /// Returns c with a o c = b; a inside.
  Eigen::VectorXd quotient(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;
  /// Returns the least t with a + t e on the boundary or inside; negative where a is inside.
  double distance(const Eigen::VectorXd& a) const;
  /// Returns the largest t <= 1 with a + t d inside; a inside.
  double longest_step(const Eigen::VectorXd& a, const Eigen::VectorXd& d) const;

 private:
  Eigen::Index halflines_, size_;
};

/// Holds the scaling point of s and z: the symmetric W with W z = W^-1 s.
class ConeProductScaling {
 public:
  /// @param s, z  inside the cones.
  ConeProductScaling(const ConeProduct& cones, const Eigen::VectorXd& s, const Eigen::VectorXd& z);

  Eigen::VectorXd times(const Eigen::VectorXd& a) const;          ///< W a
  Eigen::VectorXd inverse_times(const Eigen::VectorXd& a) const;  ///< W^-1 a
  /// Returns W^-1 rows.
  Eigen::MatrixXd inverse_times_rows(const Eigen::MatrixXd& rows) const;

 private:
  Eigen::Index halflines_;
  Eigen::VectorXd diagonal_;                 // scaling of the halflines
  std::vector<NesterovToddScaling> blocks_;  // scaling of the second-order cones
};

}  // namespace amontons
