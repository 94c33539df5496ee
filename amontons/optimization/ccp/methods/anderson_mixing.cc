#include "amontons/optimization/ccp/methods/anderson_mixing.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kRidge = 1e-10;  // share of the largest diagonal entry of the normal equations

}  // namespace

Eigen::VectorXd AndersonMixing::next(const Eigen::VectorXd& x, const Eigen::VectorXd& g) {
  const Eigen::VectorXd f = g - x;
  residual_ = f.norm();
  // Differences of residuals f = g - x and of images g, the oldest replaced first.
  if (count_ == 0) {
    df_.resize(x.size(), memory_);
    dg_.resize(x.size(), memory_);
    products_.setZero(memory_, memory_);
  } else {
    const Index column = (count_ - 1) % memory_;
    df_.col(column) = f - f_;
    dg_.col(column) = g - g_;
    const Index known = std::min(count_, memory_);
    products_.col(column).head(known).noalias() = df_.leftCols(known).transpose() * df_.col(column);
    products_.row(column).head(known) = products_.col(column).head(known).transpose();
  }
  const Index known = std::min(count_, memory_);
  ++count_;
  f_ = f;
  g_ = g;
  // Least squares: min |f - df share|, by normal equations with a ridge.
  if (known == 0) return g;
  const auto differences = df_.leftCols(known);
  Eigen::MatrixXd normal = products_.topLeftCorner(known, known);
  normal.diagonal().array() += kRidge * normal.diagonal().maxCoeff() + 1e-300;
  const Eigen::VectorXd share = normal.ldlt().solve(differences.transpose() * f);
  // The same combination of the images is the next point.
  const Eigen::VectorXd result = g - dg_.leftCols(known) * share;
  return result.allFinite() ? result : g;
}

}  // namespace amontons
