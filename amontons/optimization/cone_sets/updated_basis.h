#pragma once

#include <Eigen/SparseCore>

#include <memory>
#include <vector>

namespace amontons {

/// Keeps a square matrix B whose columns are replaced one after another: a sparse factor of an
/// earlier state, and the product form of the inverse for the columns replaced since [Dantzig,
/// Orchard-Hays 1954]. At first B is the identity.
class UpdatedBasis {
 public:
  explicit UpdatedBasis(Eigen::Index size);
  ~UpdatedBasis();
  UpdatedBasis& operator=(UpdatedBasis&&) noexcept;

  /// Factors a new matrix. @returns false where it is singular; then it must not be used.
  bool factor(const std::vector<Eigen::Triplet<double>>& entries);

  /// Replaces column `place` by B * direction; direction(place) != 0.
  void exchange(Eigen::Index place, const Eigen::VectorXd& direction);

  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;                 ///< B^-1 b
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& c) const;      ///< B^-T c
  int num_updates() const { return static_cast<int>(updates_.size()); }  ///< number since factor()

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
