#pragma once

#include <Eigen/SparseCore>

#include <memory>
#include <vector>

namespace amontons {

/// A square matrix B whose columns are replaced one after another: a sparse factor of the matrix as
/// it once was, and the product form of the inverse for what has changed since [Dantzig,
/// Orchard-Hays 1954]. At first the identity.
class UpdatedBasis {
 public:
  explicit UpdatedBasis(Eigen::Index size);
  ~UpdatedBasis();
  UpdatedBasis& operator=(UpdatedBasis&&) noexcept;

  /// Starts over. @returns false where the matrix is singular; then it must not be used.
  bool factor(const std::vector<Eigen::Triplet<double>>& entries);

  /// Replaces column `place` by B * direction; direction(place) != 0.
  void exchange(Eigen::Index place, const Eigen::VectorXd& direction);

  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;                 ///< B^-1 b
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& c) const;      ///< B^-T c
  int num_updates() const { return static_cast<int>(updates_.size()); }  ///< since factor()

 private:
  struct Factor;
  struct Update {
    Eigen::Index place;
    Eigen::SparseVector<double> direction;
  };

  Eigen::Index size_;
  std::unique_ptr<Factor> factor_;  // null: the identity
  std::vector<Update> updates_;
};

}  // namespace amontons
