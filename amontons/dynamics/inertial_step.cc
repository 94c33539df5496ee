#include "amontons/dynamics/inertial_step.h"

#include "amontons/dynamics/divided_step.h"
#include "amontons/dynamics/energy_factor.h"
#include "amontons/dynamics/linear_momentum.h"
#include "amontons/math/tree_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace amontons {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Changes below this share of the velocity count as rounding where they stop to shrink, or below
// some units of rounding times the condition number of M.
constexpr double kTolerance = 1e-13, kUnitsOfRounding = 10.0;

/// Holds the equation M (x - v) + h C((v + x)/2) (v + x)/2 = 0 at one configuration.
class InertialEquation {
 public:
  InertialEquation(const Articulation& tree, const ArticulationKinematics& at,
                   const Eigen::Ref<const Eigen::MatrixXd>& M, InertialWorkspace& work)
      : tree_(tree), at_(at), M_(M), work_(work), parents_{tree.dof_parents()} {
    const Eigen::Index n = tree.num_velocities();
    work.bias.resize(n);
    work.middle.resize(n);
    work.trial.resize(n);
    work.step.resize(n);
    work.other.resize(n);
    work.factor = M;
    const int bad = factor_tree(work.factor, parents_);
    if (bad >= 0) {
      throw std::domain_error("mass matrix of '" + tree.links()[0].name +
                              "' is not positive definite (row " + std::to_string(bad) + ")");
    }
    // Elimination leaves a share of each diagonal entry: 1e-7 of it in a rope of 300 links.
    const double condition =
        (M.diagonal().array() / work.factor.diagonal().array().square()).maxCoeff();
    tolerance_ = std::max(kTolerance, kUnitsOfRounding * kEpsilon * condition);
  }

  /// Solves the equation for x; returns false if it does not converge.
  bool solve(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
    return iterate(v, h, x) || newton(v, h, x);
  }

 private:
  /// Returns the norm of a velocity in the diagonal of M, which has one unit [sqrt(J)].
  double norm(const Eigen::VectorXd& x) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) sum += M_(i, i) * x[i] * x[i];
    return std::sqrt(sum);
  }
  const Eigen::VectorXd& bias(const Eigen::VectorXd& u) {
    tree_.bias_forces(at_, u, Eigen::Vector3d::Zero(), work_.newton, work_.bias);
    return work_.bias;
  }
  void divide_by_mass(Eigen::VectorXd& x) const {
    solve_transposed_tree(work_.factor, parents_, x);
    solve_tree(work_.factor, parents_, x);
  }

  /// Iterates x <- v - h M^-1 C(u) u while each change is a small share of the last one.
  bool iterate(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
    constexpr int kMaxIterations = 12;
    constexpr double kContraction = 0.1;  // slower ones are left to Newton's method
    const double size = norm(v);
    x = v;
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      work_.middle = 0.5 * (v + x);
      work_.trial = -h * bias(work_.middle);
      divide_by_mass(work_.trial);
      work_.trial += v;
      work_.step = work_.trial - x;
      const double change = norm(work_.step);
      x = work_.trial;
      // The next change is this one times the contraction.
      if (change <= kEpsilon * size || (iteration > 0 && change * change <= kEpsilon * size * last))
        return true;
      if (iteration > 0 && !(change <= kContraction * last)) return change <= tolerance_ * size;
      last = change;
    }
    return last <= tolerance_ * size;
  }

  /// Fills step with M (x - v) + h C(u) u; returns its norm as a velocity.
  double residual(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x) {
    work_.middle = 0.5 * (v + x);
    work_.step.noalias() = M_ * (x - v);
    work_.step += h * bias(work_.middle);
    work_.other = work_.step;
    divide_by_mass(work_.other);
    return norm(work_.other);
  }

  /// Fills the derivative M + h B(u, .), where B is the symmetric bilinear form with C(u) u = B(u,
  /// u). Differences of a quadratic function are exact: B(u, e) = (b(u + e) - b(u - e))/4.
  void differentiate(const Eigen::VectorXd& v, double h, const Eigen::VectorXd& x) {
    work_.slope = M_;
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

  /// Solves by Newton's method from x = v; steps that do not reduce the residual are halved.
  bool newton(const Eigen::VectorXd& v, double h, Eigen::VectorXd& x) {
    // Convergence is quadratic; both limits only end a search without a solution.
    constexpr int kMaxIterations = 30;
    constexpr int kMaxHalvings = 10;
    const double size = norm(v);
    x = v;
    double error = residual(v, h, x);
    for (int iteration = 0; iteration < kMaxIterations && error > kEpsilon * size; ++iteration) {
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
      const bool is_rounding = trial_error <= tolerance_ * size && trial_error > 0.5 * error;
      x = trial;
      error = trial_error;
      if (is_rounding) break;
    }
    return error <= tolerance_ * size;
  }

  const Articulation& tree_;
  const ArticulationKinematics& at_;
  const Eigen::Ref<const Eigen::MatrixXd>& M_;
  InertialWorkspace& work_;
  TreeParents parents_;
  double tolerance_;  // share of the velocity that counts as rounding [-]
};

}  // namespace

SolveStatus inertial_step(const Articulation& tree, const ArticulationKinematics& kinematics,
                          const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          const Eigen::Ref<const Eigen::MatrixXd>& M, double h,
                          InertialWorkspace& work, Eigen::Ref<Eigen::VectorXd> v_end) {
  // A single coordinate has a constant mass, and nothing changes at rest or in an impact.
  v_end = v;
  if (tree.num_velocities() == 1 || h == 0.0 || v.isZero(0.0)) return SolveStatus::Converged;

  // Velocities relative to the center of mass, whose own velocity no inertial force changes.
  const LinearCoordinates linear = linear_coordinates(tree);
  const auto own = [&linear](Eigen::VectorXd& x) { return x.segment(linear.first, linear.count); };
  Eigen::VectorXd center_velocity;
  work.start = v;
  if (linear.count > 0) {
    const double mass = M(linear.first, linear.first);
    center_velocity = M.middleRows(linear.first, linear.count) * v / mass;
    own(work.start) -= center_velocity;
  }
  // Inertial forces at the mean velocity.
  InertialEquation equation(tree, kinematics, M, work);
  Eigen::VectorXd x;
  const SolveStatus status = solve_in_parts(equation, work.start, h, x);

  // The factor s keeps the energy, and the center of mass is at rest at the end, too.
  Eigen::VectorXd momentum;
  work.middle.noalias() = M * work.start;
  const double energy = 0.5 * work.start.dot(work.middle);
  work.q_end.resize(q.size());
  const double s = energy_factor(energy, [&](double factor) {
    tree.integrate(q, x, h * factor, work.q_end);
    tree.compute_motion(work.q_end, x, work.at_end);
    double energy_of_x = tree.kinetic_energy(work.at_end);
    if (linear.count > 0) {
      momentum = linear_momentum(tree, work.at_end, linear);
      energy_of_x -= 0.5 * momentum.squaredNorm() / M(linear.first, linear.first);
    }
    return energy_of_x;
  });
  if (linear.count > 0) own(x) -= momentum / M(linear.first, linear.first);
  x *= s;
  if (linear.count > 0) own(x) += center_velocity;
  v_end = x;
  return status;
}

}  // namespace amontons
