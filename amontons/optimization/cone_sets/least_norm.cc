#include "amontons/optimization/cone_sets/least_norm.h"

#include "amontons/math/effort.h"

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int kMaxHalvings = 40;              // halvings of a step: 1e-12 of it remains
constexpr int kMaxIdleSteps = 5;              // steps within the tolerance that gain nothing
constexpr double kSufficient = 1e-4;          // share of the slope's promise
constexpr double kObjectiveRounding = 1e-15;  // share of the concave function that is rounding
constexpr double kRidge = 1e-2;               // share of the gradient: vanishes at the solution
constexpr double kMinRidge = 1e-13;           // keeps X J X' regular where rows are redundant

/// Maximizes the concave function of the multipliers.
class LeastNorm {
 public:
  LeastNorm(const Sparse& X, const std::vector<GeneratedCone>& cones, const VectorXd& r_0,
            const LeastNormSettings& settings)
      : X_(X), cones_(cones), settings_(settings) {
    // Reactions are divided by the largest of r_0, so that tolerances have no unit.
    size_ = r_0.size() > 0 ? r_0.lpNorm<Eigen::Infinity>() : 0.0;
    b_ = size_ > 0.0 ? VectorXd(X * r_0 / size_) : VectorXd(VectorXd::Zero(X.rows()));
    y_ = VectorXd::Zero(X.rows());
    // The pattern of J, 3 x 3 blocks on the diagonal, is set once.
    J_.resize(X.cols(), X.cols());
    J_.reserve(Eigen::VectorXi::Constant(X.cols(), 3));
    for (Index j = 0; j < X.cols(); ++j) {
      for (Index i = 0; i < 3; ++i) J_.insert(3 * (j / 3) + i, j) = 0.0;
    }
    J_.makeCompressed();
  }

  LeastNormSolution run() {
    LeastNormSolution best;
    best.residual = std::numeric_limits<double>::infinity();
    best.status = SolveStatus::Stalled;
    int idle = 0;
    for (int& k = best.iterations; k < settings_.max_iterations && idle < kMaxIdleSteps; ++k) {
      count_factorization();
      // The gradient is the residual of the rows: X r_0 - X P_K(X'y).
      project(y_, true);
      gradient_ = b_ - X_ * r_;
      const double residual = gradient_.size() > 0 ? gradient_.lpNorm<Eigen::Infinity>() : 0.0;
      // Within the tolerance, steps that gain nothing are counted: rounding is reached.
      idle = residual < best.residual || best.residual > settings_.tolerance ? 0 : idle + 1;
      if (residual < best.residual) {
        best.residual = residual;
        best.r = size_ * r_;
      }
      if (residual <= settings_.target_residual) break;
      if (!step()) break;
    }
    if (best.residual <= settings_.tolerance) best.status = SolveStatus::Converged;
    if (best.r.size() == 0 && X_.cols() > 0) best.status = SolveStatus::NumericalFailure;
    return best;
  }

 private:
  /// Computes r = P_K(X'y), and on request its derivative.
  void project(const VectorXd& y, bool derivative) {
    r_ = X_.transpose() * y;
    for (std::size_t k = 0; k < cones_.size(); ++k) {
      const Index i = 3 * static_cast<Index>(k);
      const ConeProjection nearest = cones_[k].project(r_.segment<3>(i));
      r_.segment<3>(i) = nearest.r;
      if (!derivative) continue;
      Eigen::Map<Eigen::Matrix3d>(J_.valuePtr() + 3 * i) = nearest.J;
    }
  }

  /// Returns the concave function y'b - |P_K(X'y)|^2 / 2.
  double value(const VectorXd& y) {
    project(y, false);
    return y.dot(b_) - 0.5 * r_.squaredNorm();
  }

  /// Takes one Newton step with line search; returns false where none increases the function.
  bool step() {
    // H = X J X' + ridge I, positive definite by the ridge.
    Sparse H = X_ * (J_ * X_.transpose());
    const double ridge = std::max(kRidge * gradient_.norm(), kMinRidge);
    Sparse unit(H.rows(), H.cols());
    unit.setIdentity();
    H += ridge * unit;
    Eigen::SimplicialLLT<Sparse> factor(H);
    if (factor.info() != Eigen::Success) return false;
    const VectorXd along = factor.solve(gradient_);
    if (!along.allFinite()) return false;
    // Backtracking until the increase is a share of the slope's promise, less rounding.
    const double start = value(y_), slope = gradient_.dot(along);
    double length = 1.0;
    for (int k = 0; k < kMaxHalvings; ++k, length *= 0.5) {
      const VectorXd trial = y_ + length * along;
      if (value(trial) <
          start + kSufficient * length * slope - kObjectiveRounding * std::abs(start)) {
        continue;
      }
      y_ = trial;
      return true;
    }
    return false;
  }

  const Sparse& X_;
  const std::vector<GeneratedCone>& cones_;
  const LeastNormSettings settings_;
  double size_ = 0.0;
  VectorXd b_, y_, r_, gradient_;
  Sparse J_;  // derivative of P_K, 3 x 3 blocks on the diagonal
};

}  // namespace

LeastNormSolution solve_least_norm(const Sparse& X, const std::vector<GeneratedCone>& cones,
                                   const VectorXd& r_0, const LeastNormSettings& settings) {
  // Sizes and settings must fit.
  const Index rows = 3 * static_cast<Index>(cones.size());
  if (X.cols() != rows || r_0.size() != rows) {
    throw std::invalid_argument("least norm: " + std::to_string(cones.size()) + " cones, " +
                                std::to_string(X.cols()) + " columns and a point of " +
                                std::to_string(r_0.size()) + " entries");
  }
  if (!(settings.tolerance > 0.0) || settings.max_iterations < 1) {
    throw std::invalid_argument("least norm: tolerance is " + std::to_string(settings.tolerance) +
                                ", must be positive; max_iterations is " +
                                std::to_string(settings.max_iterations) + ", must be at least 1");
  }
  return LeastNorm(X, cones, r_0, settings).run();
}

}  // namespace amontons
