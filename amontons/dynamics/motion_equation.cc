#include "amontons/dynamics/motion_equation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Changes below this share of the velocity count as rounding where they stop to shrink, or below
// some units of rounding times the condition number of M.
constexpr double kTolerance = 1e-13, kUnitsOfRounding = 10.0;

}  // namespace

MotionEquation::MotionEquation(const Articulation& tree, const ArticulationKinematics& at,
                               const Eigen::Ref<const Eigen::MatrixXd>& M,
                               const Eigen::VectorXd& gain, InertialWorkspace& work)
    : tree_(tree), at_(at), M_(M), gain_(gain), work_(work), parents_{tree.dof_parents()} {
  const Eigen::Index n = tree.num_velocities();
  work.bias.resize(n);
  work.middle.resize(n);
  work.trial.resize(n);
  work.step.resize(n);
  work.other.resize(n);
  factor();
}

void MotionEquation::factor() {
  work_.factor = M_;
  if (gain_.size() > 0) work_.factor.diagonal() += gain_;
  const int bad = factor_tree(work_.factor, parents_);
  if (bad >= 0) {
    throw std::domain_error("mass matrix of '" + tree_.links()[0].name +
                            "' is not positive definite (row " + std::to_string(bad) + ")");
  }
  // Elimination leaves a share of each diagonal entry: 1e-7 of it in a rope of 300 links.
  const double condition =
      (M_.diagonal().array() / work_.factor.diagonal().array().square()).maxCoeff();
  tolerance_ = std::max(kTolerance, kUnitsOfRounding * kEpsilon * condition);
}

bool MotionEquation::solve(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
  has_forces_ = false;
  size_ = norm(v);
  start(v, x);
  return iterate(v, h, x) || newton(v, h, x);
}

bool MotionEquation::solve(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& impulse,
                           Eigen::VectorXd& x, bool near) {
  has_forces_ = true;
  work_.forces = impulse;
  if (gain_.size() > 0) work_.forces -= gain_.cwiseProduct(v);
  work_.other = work_.forces;
  divide_by_mass(work_.other);
  size_ = norm(v) + norm(work_.other);
  if (!near) start(v, x);
  return iterate(v, h, x) || newton(v, h, x);
}

/// Starts at the motion without inertial forces; with forces `other` is their velocity.
void MotionEquation::start(const Eigen::VectorXd& v, Eigen::VectorXd& x) const {
  x = v;
  if (has_forces_) x += work_.other;
}

/// Divides impulses by M + D, in place.
void MotionEquation::divide_by_mass(Eigen::VectorXd& x) const {
  solve_transposed_tree(work_.factor, parents_, x);
  solve_tree(work_.factor, parents_, x);
}

/// Returns the norm of a velocity in the diagonal of M, which has one unit [sqrt(J)].
double MotionEquation::norm(const Eigen::VectorXd& x) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) sum += M_(i, i) * x[i] * x[i];
  return std::sqrt(sum);
}

const Eigen::VectorXd& MotionEquation::bias(const Eigen::VectorXd& u) {
  tree_.bias_forces(at_, u, Eigen::Vector3d::Zero(), work_.newton, work_.bias);
  return work_.bias;
}

/// Iterates x <- v + (M + D)^-1 (p - D v - h C(u) u) from x while each change is a small share of
/// the last one.
bool MotionEquation::iterate(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
  constexpr int kMaxIterations = 12;
  constexpr double kContraction = 0.1;  // slower ones are left to Newton's method
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    work_.middle = 0.5 * (v + x);
    work_.trial = -h * bias(work_.middle);
    if (has_forces_) work_.trial += work_.forces;
    divide_by_mass(work_.trial);
    work_.trial += v;
    work_.step = work_.trial - x;
    const double change = norm(work_.step);
    x = work_.trial;
    // The next change is this one times the contraction.
    if (change <= accuracy_ * size_ ||
        (iteration > 0 && change * change <= accuracy_ * size_ * last)) {
      return true;
    }
    if (iteration > 0 && !(change <= kContraction * last)) return change <= tolerance_ * size_;
    last = change;
  }
  return last <= tolerance_ * size_;
}

/// Fills step with M (x - v) + D x - p + h C(u) u; returns its norm as a velocity.
double MotionEquation::residual(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x) {
  work_.middle = 0.5 * (v + x);
  work_.other = x - v;
  work_.step.noalias() = M_ * work_.other;
  if (has_forces_) {
    if (gain_.size() > 0) work_.step += gain_.cwiseProduct(work_.other);
    work_.step -= work_.forces;
  }
  work_.step += h * bias(work_.middle);
  work_.other = work_.step;
  divide_by_mass(work_.other);
  return norm(work_.other);
}

/// Fills the derivative M + D + h B(u, .), where B is the symmetric bilinear form with C(u) u =
/// B(u, u). Differences of a quadratic function are exact: B(u, e) = (b(u + e) - b(u - e))/4.
void MotionEquation::differentiate(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x) {
  work_.slope = M_;
  if (has_forces_ && gain_.size() > 0) work_.slope.diagonal() += gain_;
  const Eigen::VectorXd u = 0.5 * (v + x);
  const double size = norm(u);
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    // A change as large as u itself loses the fewest digits.
    const double length = size / std::sqrt(M_(k, k));
    work_.middle = u;
    work_.middle[k] = u[k] + length;
    work_.slope.col(k) += (0.25 * h / length) * bias(work_.middle);
    work_.middle[k] = u[k] - length;
    work_.slope.col(k) -= (0.25 * h / length) * bias(work_.middle);
  }
  work_.lu.compute(work_.slope);
}

/// Solves by Newton's method from the motion without inertial forces; steps that do not reduce the
/// residual are halved.
bool MotionEquation::newton(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
  // Convergence is quadratic; both limits only end a search without a solution.
  constexpr int kMaxIterations = 30;
  constexpr int kMaxHalvings = 10;
  if (has_forces_) {
    work_.other = work_.forces;
    divide_by_mass(work_.other);
  }
  start(v, x);
  double error = residual(v, h, x);
  for (int iteration = 0; iteration < kMaxIterations && error > kEpsilon * size_; ++iteration) {
    differentiate(v, h, x);
    residual(v, h, x);
    Eigen::VectorXd step = work_.lu.solve(work_.step);
    Eigen::VectorXd trial = x - step;
    double trial_error = residual(v, h, trial);
    for (int halving = 0; halving < kMaxHalvings && !(trial_error < error); ++halving) {
      step *= 0.5;
      trial = x - step;
      trial_error = residual(v, h, trial);
    }
    if (!(trial_error < error)) break;
    const bool is_rounding = trial_error <= tolerance_ * size_ && trial_error > 0.5 * error;
    x = trial;
    error = trial_error;
    if (is_rounding) break;
  }
  return error <= tolerance_ * size_;
}

}  // namespace amontons
