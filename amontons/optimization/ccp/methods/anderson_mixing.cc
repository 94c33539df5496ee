#include "amontons/optimization/ccp/methods/anderson_mixing.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

constexpr double kRidge = 1e-10;  // of the normal equations, relative

}  // namespace

Eigen::VectorXd AndersonMixing::next(const Eigen::VectorXd& x, const Eigen::VectorXd& g) {
  const Eigen::VectorXd f = g - x;
  residual_ = f.norm();
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
  if (known == 0) return g;
  const auto differences = df_.leftCols(known);
  Eigen::MatrixXd normal = products_.topLeftCorner(known, known);
  normal.diagonal().array() += kRidge * normal.diagonal().maxCoeff() + 1e-300;
  const Eigen::VectorXd share = normal.ldlt().solve(differences.transpose() * f);
  const Eigen::VectorXd result = g - dg_.leftCols(known) * share;
  return result.allFinite() ? result : g;
}

}  // namespace amontons
