#pragma once

#include <Eigen/Core>

namespace amontons {

/// A terrain: heights on a regular grid, centered at the origin of its frame, solid below.
/// Cell (i, j) is split into two triangles along the diagonal from (i, j) to (i+1, j+1).
class HeightField {
 public:
  /// @param heights  [nx x ny] heights along z [m]; row index runs along x, column index along y.
  /// @param size_x, size_y  full extent along x and y [m], > 0.
  /// @throws std::invalid_argument for fewer than 2 x 2 heights, a size <= 0, or values not finite.
  HeightField(Eigen::MatrixXd heights, double size_x, double size_y);

  /// [m], rows along x, columns along y.
  const Eigen::MatrixXd& heights() const { return heights_; }
  double size_x() const { return size_x_; }  ///< full extent [m]
  double size_y() const { return size_y_; }  ///< full extent [m]
  /// Between rows [m].
  double spacing_x() const { return size_x_ / static_cast<double>(heights_.rows() - 1); }
  /// Between columns [m].
  double spacing_y() const { return size_y_ / static_cast<double>(heights_.cols() - 1); }

  /// Grid vertex (i, j) in the field's frame [m].
  Eigen::Vector3d vertex(Eigen::Index i, Eigen::Index j) const;

  /// Height of the triangulated surface at (x, y) [m]; clamped to the border outside.
  double height_at(double x, double y) const;

  double lowest() const { return lowest_; }    ///< [m]
  double highest() const { return highest_; }  ///< [m]

 private:
  Eigen::MatrixXd heights_;
  double size_x_, size_y_;
  double lowest_, highest_;
};

}  // namespace amontons
