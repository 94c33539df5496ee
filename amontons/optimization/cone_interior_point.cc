#include "amontons/optimization/cone_interior_point.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kEqualitySoftness = 1e-9;  // u = -this dr on the rows of equalities
constexpr double kToBoundary = 0.99;

// A friction cone in the order (n, t1, t2) of the second-order cone L = {x_0 >= |x_1|}:
// x = (mu r_n, r_t) in L for r in K, z = (y_n / mu, y_t) in L for y in K*, x . z = r . y.
Vector3d to_primal(const Vector3d& r, double mu) { return {mu * r.z(), r.x(), r.y()}; }
Vector3d to_dual(const Vector3d& y, double mu) { return {y.z() / mu, y.x(), y.y()}; }
Vector3d from_primal(const Vector3d& x, double mu) { return {x(1), x(2), x(0) / mu}; }

double reflected_norm(const Vector3d& x) {
  const double tangential = x.tail<2>().norm();
  return std::sqrt((x(0) - tangential) * (x(0) + tangential));
}

/// lambda \ d in the Jordan algebra of L.
Vector3d divide(const Vector3d& lambda, const Vector3d& d) {
  const double det = lambda(0) * lambda(0) - lambda.tail<2>().squaredNorm();
  Vector3d result;
  result(0) = (lambda(0) * d(0) - lambda.tail<2>().dot(d.tail<2>())) / det;
  result.tail<2>() = (d.tail<2>() - result(0) * lambda.tail<2>()) / lambda(0);
  return result;
}

Vector3d multiply(const Vector3d& a, const Vector3d& b) {
  Vector3d result;
  result(0) = a.dot(b);
  result.tail<2>() = a(0) * b.tail<2>() + b(0) * a.tail<2>();
  return result;
}

/// Largest step with x + step d in L.
double step_to_boundary(const Vector3d& x, const Vector3d& d) {
  const double a = d(0) * d(0) - d.tail<2>().squaredNorm();
  const double b = x(0) * d(0) - x.tail<2>().dot(d.tail<2>());
  const double c = x(0) * x(0) - x.tail<2>().squaredNorm();
  const double discriminant = b * b - a * c;
  double step = 1e30;
  if (d(0) < 0.0) step = -x(0) / d(0);
  if (discriminant < 0.0) return step;
  const double root = std::sqrt(discriminant);
  // The smallest positive root of c + 2 b s + a s^2, without cancellation.
  const double q = -(b + (b >= 0.0 ? root : -root));
  for (const double s : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0}) {
    if (s > 0.0) step = std::min(step, s);
  }
  return step;
}

struct Scaling {
  Matrix3d W, inverse;  // W z = W^-1 x = lambda
  Vector3d lambda;
};

Scaling nesterov_todd(const Vector3d& x, const Vector3d& z) {
  const double norm_x = reflected_norm(x), norm_z = reflected_norm(z);
  const Vector3d xb = x / norm_x, zb = z / norm_z;
  const double gamma = std::sqrt(0.5 * (1.0 + xb.dot(zb)));
  Vector3d w = xb;
  w(0) += zb(0);
  w.tail<2>() -= zb.tail<2>();
  w /= 2.0 * gamma;
  const double eta = std::sqrt(norm_x / norm_z);
  Scaling result;
  Matrix3d& W = result.W;
  W(0, 0) = w(0);
  W.block<1, 2>(0, 1) = w.tail<2>().transpose();
  W.block<2, 1>(1, 0) = w.tail<2>();
  W.block<2, 2>(1, 1) =
      Eigen::Matrix2d::Identity() + w.tail<2>() * w.tail<2>().transpose() / (1.0 + w(0));
  result.inverse = W;
  result.inverse.block<1, 2>(0, 1) *= -1.0;
  result.inverse.block<2, 1>(1, 0) *= -1.0;
  result.inverse /= eta;
  W *= eta;
  result.lambda = W * z;
  return result;
}

class InteriorPoint {
 public:
  InteriorPoint(const ConeProblem& problem, const InteriorPointSettings& settings,
                ConeWorkspace& work, ConeIterate& best)
      : problem_(problem), settings_(settings), work_(work), best_(best) {}

  ConeResult run() {
    ConeResult result;
    for (const Cone& cone : problem_.cones) {
      if (cone.offset > 0.0) return result;
    }
    start();
    double last_step = 1.0;
    for (; result.iterations < settings_.max_iterations; ++result.iterations) {
      consider();
      if (best_.figure <= settings_.tolerance) break;
      measure_gap();
      if (!(gap_ > 1e-18)) break;
      linearize();
      if (!problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated)) {
        result.status = SolveStatus::NumericalFailure;
        return result;
      }
      last_step = advance(last_step);
      if (!(last_step > 1e-6)) {
        result.status = SolveStatus::Stalled;
        return result;
      }
    }
    result.status =
        best_.figure <= settings_.tolerance ? SolveStatus::Converged : SolveStatus::IterationLimit;
    return result;
  }

 private:
  const Cone& cone(int i) const { return problem_.cones[static_cast<std::size_t>(i)]; }
  int size() const { return problem_.num_blocks(); }
  bool is_friction(int i) const { return cone(i).kind == ConeKind::Friction && cone(i).mu > 0.0; }
  bool is_halfline(int i) const { return cone(i).kind == ConeKind::Friction && cone(i).mu == 0.0; }

  /// Everything below is in units where the largest |q_i| is 1.
  void start() {
    scale_ = 0.0;
    for (int i = 0; i < size(); ++i) scale_ = std::max(scale_, problem_.q.segment<3>(3 * i).norm());
    if (!(scale_ > 0.0)) scale_ = 1.0;
    r_.setZero(3 * size());
    y_.setZero(3 * size());
    for (int i = 0; i < size(); ++i) {
      if (cone(i).kind == ConeKind::Equality) continue;
      const double mu = is_friction(i) ? cone(i).mu : 1.0;
      r_(3 * i + 2) = 1.0 / mu;
      y_(3 * i + 2) = mu;
    }
    update_velocity();
    scalings_.resize(static_cast<std::size_t>(size()));
    work_.D.resize(static_cast<std::size_t>(size()));
    base_.resize(static_cast<std::size_t>(size()));
  }

  void update_velocity() {
    problem_.W->apply(r_, u_);
    u_ += problem_.q / scale_;
  }

  /// Projects the present point and keeps it where it is the best.
  void consider() {
    candidate_.r = scale_ * r_;
    project_on_cones(problem_, candidate_.r);
    evaluate(problem_, work_, candidate_);
    keep_best(candidate_, best_);
  }

  void measure_gap() {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < size(); ++i) {
      if (cone(i).kind == ConeKind::Equality) continue;
      sum += is_halfline(i) ? r_(3 * i + 2) * y_(3 * i + 2)
                            : r_.segment<3>(3 * i).dot(y_.segment<3>(3 * i));
      ++count;
    }
    gap_ = count > 0 ? sum / count : 0.0;
    smoothing_ = std::min(0.3 * std::sqrt(gap_), 30.0 * gap_);
    residual_ = 0.0;
    for (int i = 0; i < size(); ++i) residual_ = std::max(residual_, dual_residual(i).norm());
  }

  double slip(const Vector3d& u) const {
    return std::sqrt(u.head<2>().squaredNorm() + smoothing_ * smoothing_);
  }

  /// u + mu g(u_t) n - y.
  Vector3d dual_residual(int i) const {
    Vector3d result = u_.segment<3>(3 * i);
    if (cone(i).kind == ConeKind::Equality) return result;
    if (is_friction(i) && problem_.law == ConeLaw::Coulomb) {
      result.z() += cone(i).mu * slip(result);
    }
    result -= y_.segment<3>(3 * i);
    if (is_halfline(i)) result.head<2>().setZero();
    return result;
  }

  /// D_i = D0 B with dr = T^-1 W d - D0 dy, dy = B du + residual.
  void linearize() {
    for (int i = 0; i < size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      Matrix3d& D0 = base_[k];
      D0.setZero();
      if (cone(i).kind == ConeKind::Equality) {
        D0.diagonal().setConstant(1.0 / kEqualitySoftness);
        work_.D[k] = D0;
        continue;
      }
      if (is_halfline(i)) {
        D0(2, 2) = r_(3 * i + 2) / y_(3 * i + 2);
        work_.D[k] = D0;
        continue;
      }
      const double mu = cone(i).mu;
      scalings_[k] =
          nesterov_todd(to_primal(r_.segment<3>(3 * i), mu), to_dual(y_.segment<3>(3 * i), mu));
      const Matrix3d squared = scalings_[k].W * scalings_[k].W;
      // Back to the order (t1, t2, n) and the units of r and y.
      D0.topLeftCorner<2, 2>() = squared.bottomRightCorner<2, 2>();
      D0.block<2, 1>(0, 2) = squared.block<2, 1>(1, 0) / mu;
      D0.block<1, 2>(2, 0) = squared.block<1, 2>(0, 1) / mu;
      D0(2, 2) = squared(0, 0) / (mu * mu);
      work_.D[k] = D0;
      if (problem_.law == ConeLaw::Associated) continue;
      const Vector3d u = u_.segment<3>(3 * i);
      const Vector2d gradient = mu * u.head<2>() / slip(u);
      work_.D[k].leftCols<2>() += D0.col(2) * gradient.transpose();
    }
  }

  /// Newton's direction towards the central path at sigma gap, with the second-order term of the
  /// affine direction (dr_, dy_) where asked.
  void solve_direction(double sigma, bool corrected) {
    work_.c.resize(3 * size());
    for (int i = 0; i < size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const Vector3d residual = dual_residual(i);
      Vector3d to_path = Vector3d::Zero();
      if (is_halfline(i)) {
        const double r = r_(3 * i + 2), y = y_(3 * i + 2);
        const double second = corrected ? dr_(3 * i + 2) * dy_(3 * i + 2) : 0.0;
        to_path.z() = (sigma * gap_ - r * y - second) / y;
      } else if (is_friction(i)) {
        const double mu = cone(i).mu;
        const Scaling& scaling = scalings_[k];
        Vector3d d = -multiply(scaling.lambda, scaling.lambda);
        d(0) += sigma * gap_;
        if (corrected) {
          d -= multiply(scaling.inverse * to_primal(dr_.segment<3>(3 * i), mu),
                        scaling.W * to_dual(dy_.segment<3>(3 * i), mu));
        }
        to_path = from_primal(scaling.W * divide(scaling.lambda, d), mu);
      }
      work_.c.segment<3>(3 * i) = base_[k] * residual - to_path;
    }
    problem_.W->solve(work_.c, dr_, work_.du);
    dy_.setZero(3 * size());
    for (int i = 0; i < size(); ++i) {
      const Vector3d du = work_.du.segment<3>(3 * i);
      if (cone(i).kind == ConeKind::Equality) continue;
      Vector3d dy = du + dual_residual(i);
      if (is_friction(i) && problem_.law == ConeLaw::Coulomb) {
        const Vector3d u = u_.segment<3>(3 * i);
        dy.z() += cone(i).mu * u.head<2>().dot(du.head<2>()) / slip(u);
      }
      if (is_halfline(i)) dy.head<2>().setZero();
      dy_.segment<3>(3 * i) = dy;
    }
  }

  double longest_step() const {
    double step = 1e30;
    for (int i = 0; i < size(); ++i) {
      if (is_halfline(i)) {
        const Eigen::Index k = 3 * i + 2;
        if (dr_(k) < 0.0) step = std::min(step, -r_(k) / dr_(k));
        if (dy_(k) < 0.0) step = std::min(step, -y_(k) / dy_(k));
      } else if (is_friction(i)) {
        const double mu = cone(i).mu;
        step = std::min(step, step_to_boundary(to_primal(r_.segment<3>(3 * i), mu),
                                               to_primal(dr_.segment<3>(3 * i), mu)));
        step = std::min(step, step_to_boundary(to_dual(y_.segment<3>(3 * i), mu),
                                               to_dual(dy_.segment<3>(3 * i), mu)));
      }
    }
    return std::min(1.0, kToBoundary * step);
  }

  double gap_after(double step) const {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < size(); ++i) {
      if (cone(i).kind == ConeKind::Equality) continue;
      sum += (r_.segment<3>(3 * i) + step * dr_.segment<3>(3 * i))
                 .dot(y_.segment<3>(3 * i) + step * dy_.segment<3>(3 * i));
      ++count;
    }
    return count > 0 ? sum / count : 0.0;
  }

  double advance(double last_step) {
    double sigma = 0.8;
    bool corrected = false;
    if (last_step >= 0.1) {
      solve_direction(0.0, false);
      const double affine = longest_step();
      const double share = std::clamp(gap_after(affine) / gap_, 0.0, 1.0);
      sigma = std::clamp(share * share * share, 1e-6, 1.0);
      if (residual_ > 100.0 * gap_) sigma = std::max(sigma, 0.3);
      corrected = true;
    }
    solve_direction(sigma, corrected);
    const double step = longest_step();
    if (!dr_.allFinite() || !dy_.allFinite()) return 0.0;
    r_ += step * dr_;
    y_ += step * dy_;
    update_velocity();
    return step;
  }

  const ConeProblem& problem_;
  const InteriorPointSettings& settings_;
  ConeWorkspace& work_;
  ConeIterate& best_;
  ConeIterate candidate_;
  Eigen::VectorXd r_, y_, u_, dr_, dy_;
  std::vector<Scaling> scalings_;
  std::vector<Matrix3d> base_;
  double scale_ = 1.0, gap_ = 0.0, smoothing_ = 0.0, residual_ = 0.0;
};

}  // namespace

ConeResult solve_interior_point(const ConeProblem& problem, const InteriorPointSettings& settings,
                                ConeWorkspace& work, ConeIterate& iterate) {
  return InteriorPoint(problem, settings, work, iterate).run();
}

}  // namespace amontons
