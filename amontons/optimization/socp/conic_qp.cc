#include "amontons/optimization/socp/conic_qp.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/dense/dense_cholesky.h"
#include "amontons/optimization/socp/cone_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRidge = 1e-14;     // share of the diagonal, inside the factored matrix only
constexpr int kRefinements = 2;      // refinements of a solution, where rows have their own ridge
constexpr double kShorten = 0.99;    // share of the way to the boundary, so that points stay inside
constexpr int kMaxIdleSteps = 8;     // steps without progress after which the method has stalled
constexpr double kGain = 0.9;        // a residual below this share of the best one is progress
constexpr double kShortest = 1e-10;  // a step [-] below this changes no digit

/// Checks sizes and settings.
void validate(const ConicQuadraticProgram& problem, const ConicQpSettings& settings) {
  const Index n = problem.g.size(), rows = problem.f.size();
  const bool fits = problem.H.rows() == n && problem.H.cols() == n && problem.F.rows() == rows &&
                    problem.F.cols() == n && problem.num_halflines >= 0 &&
                    problem.num_halflines <= rows && (rows - problem.num_halflines) % 3 == 0;
  if (!fits) throw std::invalid_argument("conic QP: sizes disagree");
  if (!(settings.tolerance > 0.0) || settings.max_iterations < 1) {
    throw std::invalid_argument("conic QP: tolerance is " + std::to_string(settings.tolerance) +
                                ", must be positive; max_iterations is " +
                                std::to_string(settings.max_iterations) + ", must be at least 1");
  }
}

/// Says how the normal equations are kept regular. Redundant rows need a ridge of the size of the
/// largest entry. Where a few rows are nearly active, such a ridge hides the size of the others,
/// and each needs its own.
enum class Ridge { OfLargest, OfEach };

/// Runs the interior point method with one kind of ridge.
class InteriorPoint {
 public:
  InteriorPoint(const ConicQuadraticProgram& problem, const ConicQpSettings& settings, Ridge ridge)
      : problem_(problem),
        settings_(settings),
        ridge_(ridge),
        cones_(problem.num_halflines, problem.f.size()),
        scale_(std::max({problem.g.lpNorm<Eigen::Infinity>(),
                         problem.f.size() > 0 ? problem.f.lpNorm<Eigen::Infinity>() : 0.0,
                         std::numeric_limits<double>::min()})) {}

  ConicQpSolution run() {
    result_.residual = std::numeric_limits<double>::infinity();
    result_.status = SolveStatus::NumericalFailure;
    if (!start()) return result_;
    for (; result_.iterations < settings_.max_iterations && has_effort(); ++result_.iterations) {
      count_factorization();
      if (!measure()) return result_;
      if (result_.residual <= settings_.tolerance) {
        result_.status = SolveStatus::Converged;
        return result_;
      }
      if (++idle_ > kMaxIdleSteps) {
        result_.status = SolveStatus::Stalled;
        return result_;
      }
      if (!step()) return result_;
    }
    result_.status = SolveStatus::IterationLimit;
    return result_;
  }

 private:
  /// Factors the normal equations K = H + F'W^-2 F, with the ridge.
  bool factor(const MatrixXd& scaled_rows) {
    MatrixXd K = problem_.H;
    K.selfadjointView<Eigen::Lower>().rankUpdate(scaled_rows.transpose());
    if (ridge_ == Ridge::OfLargest) {
      K.diagonal().array() += kRidge * std::max(1.0, K.diagonal().maxCoeff());
    } else {
      K.diagonal() += kRidge * K.diagonal().cwiseMax(1.0);
    }
    return factor_.factor(K);
  }

  /// Starts from the least-squares point, moved inside the cones.
  bool start() {
    // x minimizes the objective with |F x + f|^2 / 2 in place of the cones.
    const MatrixXd& F = problem_.F;
    if (!factor(F)) return false;
    x_ = factor_.solve(-problem_.g - F.transpose() * problem_.f);
    s_ = F * x_ + problem_.f;
    z_ = -s_;
    for (VectorXd* point : {&s_, &z_}) {
      const double outside = cones_.distance(*point);
      // Not closer to the boundary than the data's own size.
      if (outside > -1e-3 * scale_) *point += (scale_ + outside) * cones_.identity();
    }
    return x_.allFinite() && s_.allFinite();
  }

  /// Measures the residuals at the present point, and keeps the best point.
  bool measure() {
    dual_ = problem_.H * x_ + problem_.g - problem_.F.transpose() * z_;
    primal_ = s_ - problem_.F * x_ - problem_.f;
    gap_ = s_.dot(z_) / cones_.degree();
    const double residual =
        std::max({dual_.lpNorm<Eigen::Infinity>() / scale_,
                  primal_.lpNorm<Eigen::Infinity>() / scale_, gap_ / (scale_ * scale_)});
    if (!std::isfinite(residual)) return false;
    if (residual < kGain * result_.residual) idle_ = 0;
    if (residual < result_.residual) {
      result_.residual = residual;
      result_.x = x_;
      result_.z = z_;
    }
    return true;
  }

  /// Takes a predictor-corrector step; returns false where none is possible.
  bool step() {
    const ConeProductScaling W(cones_, s_, z_);
    const VectorXd scaled = W.times(z_);
    const MatrixXd scaled_rows = W.inverse_times_rows(problem_.F);
    if (!scaled_rows.allFinite() || !factor(scaled_rows)) return false;

    // Predictor: the affine direction, lambda o (W dz + W^-1 ds) = -lambda o lambda.
    const VectorXd square = cones_.product(scaled, scaled);
    VectorXd dx, ds, dz;
    solve(W, scaled_rows, cones_.quotient(scaled, -square), 1.0, dx, ds, dz);
    // Centering sigma = (1 - step)^3, and Mehrotra's second-order correction.
    const double reach = std::min(cones_.longest_step(s_, ds), cones_.longest_step(z_, dz));
    const double rest = 1.0 - reach, centering = rest * rest * rest;
    const VectorXd correction = cones_.product(W.inverse_times(ds), W.times(dz));
    const VectorXd target = centering * gap_ * cones_.identity() - square - correction;
    solve(W, scaled_rows, cones_.quotient(scaled, target), 1.0 - centering, dx, ds, dz);
    if (!dx.allFinite() || !ds.allFinite() || !dz.allFinite()) return false;
    // Both points stay inside; a step without length means that digits are exhausted.
    const double length =
        kShorten * std::min(cones_.longest_step(s_, ds), cones_.longest_step(z_, dz));
    if (length < kShortest) return false;
    x_ += length * dx;
    s_ += length * ds;
    z_ += length * dz;
    return cones_.distance(s_) < 0.0 && cones_.distance(z_) < 0.0;
  }

  /// Solves H dx - F'dz = -t dual, ds - F dx = -t primal, W dz + W^-1 ds = c.
  void solve(const ConeProductScaling& W, const MatrixXd& scaled_rows, const VectorXd& c, double t,
             // dz and ds are eliminated: (H + F'W^-2 F) dx = right.
             VectorXd& dx, VectorXd& ds, VectorXd& dz) const {
    const VectorXd known = c + t * W.inverse_times(primal_);
    const VectorXd right = -t * dual_ + scaled_rows.transpose() * known;
    dx = factor_.solve(right);
    for (int k = 0; ridge_ == Ridge::OfEach && k < kRefinements; ++k) {
      dx += factor_.solve(right - problem_.H * dx - scaled_rows.transpose() * (scaled_rows * dx));
    }
    dz = W.inverse_times(known - scaled_rows * dx);
    ds = problem_.F * dx - t * primal_;
  }

  const ConicQuadraticProgram& problem_;
  const ConicQpSettings& settings_;
  const Ridge ridge_;
  const ConeProduct cones_;
  const double scale_;
  DenseCholesky factor_;
  VectorXd x_, s_, z_, dual_, primal_;
  double gap_ = 0.0;
  int idle_ = 0;  // steps since the residual last fell
  ConicQpSolution result_;
};

}  // namespace

ConicQpSolution solve_conic_qp(const ConicQuadraticProgram& problem,
                               const ConicQpSettings& settings) {
  validate(problem, settings);
  // The second kind of ridge is a fallback: its solution counts only if it converges.
  ConicQpSolution first = InteriorPoint(problem, settings, Ridge::OfLargest).run();
  if (first.status == SolveStatus::Converged) return first;
  ConicQpSolution second = InteriorPoint(problem, settings, Ridge::OfEach).run();
  second.iterations += first.iterations;
  first.iterations = second.iterations;
  return second.status == SolveStatus::Converged ? second : first;
}

}  // namespace amontons
