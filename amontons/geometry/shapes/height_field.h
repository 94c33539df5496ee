#pragma once

#include <Eigen/Core>

namespace amontons {

/// Holds a terrain: heights on a regular grid, centered at the origin of its frame, solid below.
/// Cell (i, j) is split into two triangles along the diagonal from (i, j) to (i+1, j+1).
class HeightField {
 public:
  /// Takes the heights of the grid and its size.
  /// @param heights  [nx x ny] heights along z [m]; row index runs along x, column index along y.
  /// @param size_x, size_y  full extent along x and y [m], > 0.
  /// @throws std::invalid_argument for fewer than 2 x 2 heights, a size <= 0, or values not finite.
  HeightField(Eigen::MatrixXd heights, double size_x, double size_y);

  /// Returns the heights [m], rows along x, columns along y.
  const Eigen::MatrixXd& heights() const { return heights_; }
  double size_x() const { return size_x_; }  ///< full extent [m]
  double size_y() const { return size_y_; }  ///< full extent [m]
  /// Returns the distance of two rows [m].
  double spacing_x() const { return size_x_ / static_cast<double>(heights_.rows() - 1); }
  /// Returns the distance of two columns [m].
  double spacing_y() const { return size_y_ / static_cast<double>(heights_.cols() - 1); }

  /// Returns grid vertex (i, j) in the field's frame [m].
  Eigen::Vector3d vertex(Eigen::Index i, Eigen::Index j) const;

  /// Returns the height of the triangulated surface at (x, y) [m]; clamped to the border outside.
  double height_at(double x, double y) const;

  double lowest() const { return lowest_; }    ///< least height [m]
  double highest() const { return highest_; }  ///< greatest height [m]

 private:
  Eigen::MatrixXd heights_;
  double size_x_, size_y_;
  double lowest_, highest_;
};

}  // namespace amontons
