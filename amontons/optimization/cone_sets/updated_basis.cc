#include "amontons/optimization/cone_sets/updated_basis.h"

#include <Eigen/SparseLU>

namespace amontons {

using Eigen::Index;
using Eigen::VectorXd;

/// Hides Eigen's sparse factorization, which takes a compiler seconds.
struct UpdatedBasis::Factor {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};

UpdatedBasis::UpdatedBasis(Index size) : size_(size) {}

UpdatedBasis::~UpdatedBasis() = default;
UpdatedBasis& UpdatedBasis::operator=(UpdatedBasis&&) noexcept = default;

bool UpdatedBasis::factor(const std::vector<Eigen::Triplet<double>>& entries) {
  // The product form starts over with the new factor.
  updates_.clear();
  if (size_ == 0) return true;
  Eigen::SparseMatrix<double> B(size_, size_);
  B.setFromTriplets(entries.begin(), entries.end());
  factor_ = std::make_unique<Factor>();
  factor_->lu.compute(B);
  return factor_->lu.info() == Eigen::Success;
}

void UpdatedBasis::exchange(Index place, const VectorXd& direction) {
  // B_new = B E, E the identity with `direction` as one column.
  updates_.push_back({place, direction.sparseView()});
}

VectorXd UpdatedBasis::solve(const VectorXd& b) const {
  // B^-1 = E_k^-1 ... E_1^-1 (LU)^-1: the oldest update acts first.
  VectorXd x = b;
  if (factor_) x = factor_->lu.solve(b);
  for (const Update& update : updates_) {
    const double value = x(update.place) / update.direction.coeff(update.place);
    if (value == 0.0) continue;
    x -= value * update.direction;
    x(update.place) = value;
  }
  return x;
}

VectorXd UpdatedBasis::solve_transposed(const VectorXd& c) const {
  // B^-T = (LU)^-T E_1^-T ... E_k^-T: the newest update acts first.
  VectorXd x = c;
  for (auto update = updates_.rbegin(); update != updates_.rend(); ++update) {
    const double pivot = update->direction.coeff(update->place), own = x(update->place);
    x(update->place) = own + (own - update->direction.dot(x)) / pivot;
  }
  if (factor_) return factor_->lu.transpose().solve(x);
  return x;
}

}  // namespace amontons
