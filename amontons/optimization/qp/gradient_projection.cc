#include "amontons/math/effort.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/qp/box_qp.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using internal::ScaledBoxQp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Minimizes the scaled problem; names follow [More, Toraldo 1991].
class GradientProjection {
 public:
  GradientProjection(const ScaledBoxQp& qp, VectorXd start, double tolerance, int max_products)
      : qp_(qp), tolerance_(tolerance), max_products_(max_products), z_(std::move(start)) {
    refresh_gradient();
    remember_best();
  }

  /// Alternates between finding a face and minimizing on it.
  SolveStatus run() {
    constexpr int kPatience = 100;  // rounds without halving the least residual
    double milestone = best_residual_;
    // Bound: products, effort, or rounds without progress end it.
    for (int round = 0, since_milestone = 0;; ++round) {
      if (best_residual_ <= tolerance_) return SolveStatus::Converged;
      if (!std::isfinite(residual_)) return SolveStatus::NumericalFailure;
      if (is_out_of_products()) return SolveStatus::IterationLimit;
      const VectorXd before = z_;
      // One round: gradient projection chooses the face, conjugate gradients minimize on it.
      search_face();
      if (!ray_) minimize_on_face();
      if (ray_ || has_run_off(z_ - before)) return SolveStatus::Infeasible;
      // The gradient is recomputed: updates along the way collect rounding errors.
      refresh_gradient();
      remember_best();
      // Progress is counted in halvings of the least residual.
      since_milestone = best_residual_ <= 0.5 * milestone ? 0 : since_milestone + 1;
      if (since_milestone == 0) milestone = best_residual_;
      const bool is_stuck = z_ == before || since_milestone > kPatience;
      if (is_stuck && best_residual_ > tolerance_) return SolveStatus::Stalled;
    }
  }

  const VectorXd& best() const { return best_; }
  int products() const { return products_; }
  const std::optional<VectorXd>& ray() const { return ray_; }

 private:
  /// Returns H v, and counts the product.
  VectorXd multiply(const VectorXd& v) {
    ++products_;
    count_sweeps(1);
    return qp_.multiply(v);
  }
  bool is_out_of_products() const { return products_ >= max_products_ || !has_effort(); }

  /// Recomputes gradient and residual at the present point.
  void refresh_gradient() {
    gradient_ = qp_.multiply(z_) + qp_.g;
    residual_ = qp_.residual(z_, gradient_);
  }

  /// Keeps the point of least residual.
  void remember_best() {
    ResidualTrace::note(residual_);
    // The first point counts even where nothing is finite.
    if (residual_ < best_residual_ || best_.size() != z_.size()) {
      best_ = z_;
      best_residual_ = residual_;
    }
  }

  bool is_free(Index i) const { return z_(i) > qp_.lower(i) && z_(i) < qp_.upper(i); }

  // Returns true at a bound that the gradient holds; the other bounds of the face are to be left.
  bool is_binding(Index i) const {
    return (z_(i) <= qp_.lower(i) && gradient_(i) >= 0.0) ||
           (z_(i) >= qp_.upper(i) && gradient_(i) <= 0.0);
  }

  /// Returns the free variables, which name the face.
  std::vector<char> face() const {
    std::vector<char> free(static_cast<std::size_t>(z_.size()));
    for (Index i = 0; i < z_.size(); ++i) free[static_cast<std::size_t>(i)] = is_free(i);
    return free;
  }

  /// Sets the entries at bounds to zero.
  void restrict_to_free(VectorXd& v) const {
    for (Index i = 0; i < v.size(); ++i) {
      if (!is_free(i)) v(i) = 0.0;
    }
  }

  // Returns the step to the first bound along d; infinite if there is none.
  double first_breakpoint(const VectorXd& d) const {
    double t = kInfinity;
    for (Index i = 0; i < d.size(); ++i) {
      if (d(i) < 0.0) t = std::min(t, (qp_.lower(i) - z_(i)) / d(i));
      if (d(i) > 0.0) t = std::min(t, (qp_.upper(i) - z_(i)) / d(i));
    }
    return t;
  }

  // Returns z + t d for t up to the first breakpoint; variables that reach a bound get it exactly.
  VectorXd point_before_bounds(const VectorXd& d, double t) const {
    VectorXd point = qp_.clamp(z_ + t * d);
    for (Index i = 0; i < d.size(); ++i) {
      if (d(i) < 0.0 && (qp_.lower(i) - z_(i)) / d(i) <= t) point(i) = qp_.lower(i);
      if (d(i) > 0.0 && (qp_.upper(i) - z_(i)) / d(i) <= t) point(i) = qp_.upper(i);
    }
    return point;
  }

  /// Moves to a point if f falls by a share of the slope's promise.
  bool move_if_lower(const VectorXd& point, double sufficient) {
    const VectorXd step = point - z_;
    // f(z + s) - f(z) = g's + 1/2 s'H s, exact for a quadratic function.
    const VectorXd H_step = multiply(step);
    const double slope = gradient_.dot(step);
    const double change = slope + 0.5 * step.dot(H_step);
    if (!(change < 0.0 && change <= sufficient * slope)) return false;
    z_ = point;
    gradient_ += H_step;
    last_decrease_ = -change;
    return true;
  }

  // Backtracks from z + alpha d, projected, to sufficient decrease, but not before the first bound:
  // up to there f falls, since alpha is at most the minimum along d. Returns the decrease.
  double projected_search(const VectorXd& d, double alpha) {
    constexpr double kSufficient = 0.1;  // share of the slope's promise
    const double safe = std::min(alpha, first_breakpoint(d));
    for (; alpha > safe; alpha *= 0.5) {
      if (move_if_lower(qp_.clamp(z_ + alpha * d), kSufficient)) return last_decrease_;
    }
    return move_if_lower(point_before_bounds(d, safe), kSufficient) ? last_decrease_ : 0.0;
  }

  // Projects gradient steps until the face stays or a step brings little.
  void search_face() {
    constexpr int kMaxSteps = 20;  // steps per round
    constexpr double kProgress =
        0.25;  // share of the best decrease below which a step brings little
    double best_decrease = 0.0;
    for (int step = 0; step < kMaxSteps && !is_out_of_products(); ++step) {
      // Steepest descent among the directions that the box allows.
      VectorXd d = -gradient_;
      for (Index i = 0; i < d.size(); ++i) {
        if (is_binding(i)) d(i) = 0.0;
      }
      if (d.isZero(0.0)) return;
      // The minimum along d is at |d|^2 / d'Hd, unless d has no curvature.
      const double curvature = d.dot(multiply(d));
      if (is_flat(d, curvature)) {
        follow_flat(d);
        return;
      }
      const std::vector<char> old_face = face();
      const double decrease = projected_search(d, d.squaredNorm() / curvature);
      if (!(decrease > kProgress * best_decrease) || face() == old_face) return;
      best_decrease = std::max(best_decrease, decrease);
    }
  }

  /// Returns true if d has no curvature beyond rounding.
  static bool is_flat(const VectorXd& d, double curvature) {
    constexpr double kFlat = 1e-15;  // share of |d|^2 per variable
    return !(curvature > kFlat * static_cast<double>(d.size()) * d.squaredNorm());
  }

  /// Minimizes on the present face, until it changes in a way that the gradient does not hold.
  void minimize_on_face() {
    double eta = 0.1;
    while (!is_out_of_products() && !ray_) {
      const std::vector<char> old_face = face();
      if (!descend_on_face(eta)) return;
      const std::vector<char> new_face = face();
      // A bound that the gradient would leave: the face is wrong.
      for (Index i = 0; i < z_.size(); ++i) {
        if (!is_free(i) && !is_binding(i)) return;
      }
      if (qp_.residual(z_, gradient_) <= 0.5 * tolerance_) return;
      // The same face again: minimize on it without stopping early.
      eta = new_face == old_face ? 0.0 : 0.5 * eta;
    }
  }

  // Runs conjugate gradients on the free variables, then a projected search along their sum.
  // Returns false if nothing was gained.
  bool descend_on_face(double eta) {
    constexpr double kTight = 0.1;  // share of the tolerance, so that bounds do not spoil it
    const std::vector<char> old_face = face();
    VectorXd w = VectorXd::Zero(z_.size());
    VectorXd r = -gradient_;
    restrict_to_free(r);
    const double goal = kTight * tolerance_ * qp_.scale;
    if (r.size() == 0 || r.cwiseAbs().maxCoeff() <= goal) return false;
    // Conjugate gradients from w = 0: r = -(gradient + H w), f falls by alpha rr / 2 in each step.
    VectorXd p = r;
    double rr = r.squaredNorm(), best_decrease = 0.0;
    std::optional<VectorXd> flat;
    for (Index k = 0; k < 2 * z_.size() + 20 && !is_out_of_products(); ++k) {
      VectorXd Hp = multiply(p);
      restrict_to_free(Hp);
      // Without curvature f falls along p without end on this face.
      const double curvature = p.dot(Hp);
      if (is_flat(p, curvature)) {
        flat = p;
        break;
      }
      const double alpha = rr / curvature, decrease = 0.5 * alpha * rr;
      w += alpha * p;
      r -= alpha * Hp;
      best_decrease = std::max(best_decrease, decrease);
      const double rr_new = r.squaredNorm();
      if (r.cwiseAbs().maxCoeff() <= goal || decrease <= eta * best_decrease) break;
      // The next direction is conjugate to all before: beta = rr_new / rr.
      p = r + rr_new / rr * p;
      rr = rr_new;
    }
    // The sum of the steps may leave the box: it is searched along the projected path.
    const double decrease = w.isZero(0.0) ? 0.0 : projected_search(w, 1.0);
    if (flat && face() == old_face && follow_flat(*flat)) return true;
    return decrease > 0.0;
  }

  // Follows a descent direction without curvature to the first bound, which is then met exactly, or
  // to infinity. Returns false if it does not descend.
  bool follow_flat(const VectorXd& d) {
    if (!(gradient_.dot(d) < 0.0)) return false;
    const double t = first_breakpoint(d);
    if (!std::isfinite(t)) return try_ray(d);
    return move_if_lower(point_before_bounds(d, t), 0.1);
  }

  // Returns true if a long step points to infinity. It is tested each time it is ten times longer.
  bool has_run_off(const VectorXd& displacement) {
    const double length = displacement.cwiseAbs().maxCoeff();
    if (!(length > 10.0 * longest_)) return false;
    longest_ = length;
    return try_ray(displacement);
  }

  // Removes the curvature that d still has, by conjugate gradients on H u = H d, and tests d - u.
  bool try_ray(const VectorXd& d) {
    constexpr int kPasses = 3;  // each removes the curvature that clipping has added
    VectorXd ray = qp_.clip_to_recession(d);
    if (ray.isZero(0.0)) return false;
    ray /= ray.cwiseAbs().sum();
    // The ray must stay in the box; what remains must lie in the null space of H.
    for (int pass = 0; pass < kPasses; ++pass) {
      const VectorXd clipped = qp_.clip_to_recession(ray);
      if (qp_.is_ray(clipped, VectorXd::Constant(d.size(), 2.0))) {
        ray_ = clipped;
        return true;
      }
      // Conjugate gradients from u = 0 with residual H d.
      VectorXd r = multiply(clipped);
      VectorXd u = VectorXd::Zero(d.size()), p = r;
      double rr = r.squaredNorm();
      const double goal = 1e-34 * rr;  // seventeen digits of the residual's length
      for (Index k = 0; k < d.size() + 10 && rr > goal && !is_out_of_products(); ++k) {
        const VectorXd Hp = multiply(p);
        const double curvature = p.dot(Hp);
        if (!(curvature > 0.0)) break;
        u += rr / curvature * p;
        r -= rr / curvature * Hp;
        const double rr_new = r.squaredNorm();
        p = r + rr_new / rr * p;
        rr = rr_new;
      }
      ray = clipped - u;
    }
    return false;
  }

  const ScaledBoxQp& qp_;
  double tolerance_;
  int max_products_;
  VectorXd z_, gradient_, best_;
  double residual_ = kInfinity, best_residual_ = kInfinity;
  double last_decrease_ = 0.0;
  double longest_ = 100.0;  // longest step of a round so far [-]; shorter ones are not tested
  int products_ = 0;
  std::optional<VectorXd> ray_;
};

}  // namespace

BoxQpSolution solve_gpcg(const MatrixFreeBoxQp& problem, const BoxQpSettings& settings,
                         const std::optional<VectorXd>& start) {
  validate(problem);
  validate(settings);
  // Scaled units, the method, and back into the box.
  const ScaledBoxQp qp = internal::scale_problem(problem);
  const int n = static_cast<int>(problem.g.size());
  const int max_products = settings.max_products > 0 ? settings.max_products : 20 * n + 2000;
  GradientProjection method(qp, internal::scale_start(qp, start), settings.tolerance, max_products);
  BoxQpSolution solution;
  solution.status = method.run();
  solution.x = qp.to_original(method.best()).cwiseMax(problem.lower).cwiseMin(problem.upper);
  solution.residual = measure_residual(problem, solution.x);
  solution.products = method.products();
  if (solution.products > 0) solution.method = BoxQpMethod::GradientProjection;
  if (method.ray()) solution.ray = qp.to_original(*method.ray());
  return solution;
}

BoxQpSolution solve_gpcg(const BoxQuadraticProgram& problem, const BoxQpSettings& settings,
                         const std::optional<VectorXd>& start) {
  validate(problem);
  return solve_gpcg(internal::as_matrix_free(problem), settings, start);
}

}  // namespace amontons
