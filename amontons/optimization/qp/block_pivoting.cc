#include "amontons/math/effort.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/dense/dense_cholesky.h"
#include "amontons/optimization/qp/box_qp.h"
#include "amontons/optimization/qp/scaled_box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::ScaledBoxQp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Says where a variable is held.
enum class Place : char { Free, Lower, Upper };

/// Names the right place of a variable, by its value (if free) or its multiplier (if at a bound).
struct Exchange {
  Index variable;
  Place place;
};

/// Runs principal pivoting on min 1/2 z'(H + ridge I) z + (g - ridge center)'z in the box, scaled
/// units.
class PrincipalPivoting {
 public:
  PrincipalPivoting(const ScaledBoxQp& qp, const MatrixXd& H, const VectorXd& start, int budget)
      : qp_(qp), H_(H), budget_(budget), place_(static_cast<std::size_t>(start.size())) {
    for (Index i = 0; i < start.size(); ++i) {
      Place& place = place_[static_cast<std::size_t>(i)];
      place = Place::Free;
      if (start(i) >= qp.upper(i)) place = Place::Upper;
      if (start(i) <= qp.lower(i)) place = Place::Lower;
    }
  }

  /// Returns Converged, IterationLimit or NumericalFailure; the minimizer is in z().
  SolveStatus minimize(const VectorXd& center) {
    // Block exchanges without fewer infeasibilities: a front of contacts may move layer by layer.
    const int enough = 10 + static_cast<int>(place_.size() / 4);
    std::size_t fewest = place_.size() + 1;
    int patience = enough;
    std::set<std::vector<Place>> seen;
    // Bound: budget_ factorizations, and the effort.
    while (true) {
      const SolveStatus status = compute_point(center);
      if (status != SolveStatus::Converged) return status;
      note_residual();
      // A variable is wrong if it leaves its bounds or its multiplier has the wrong sign.
      std::vector<Exchange> wrong = find_wrong_places(center);
      if (wrong.empty()) return SolveStatus::Converged;
      if (wrong.size() < fewest) {
        fewest = wrong.size();
        patience = enough;
        seen.clear();
      } else {
        patience = patience > 0 && seen.insert(place_).second ? patience - 1 : 0;
      }
      // Single pivots of the largest index are finite [Murty 1974]; block exchanges may cycle.
      if (patience == 0) wrong.erase(wrong.begin(), wrong.end() - 1);
      for (const Exchange& exchange : wrong) {
        place_[static_cast<std::size_t>(exchange.variable)] = exchange.place;
      }
    }
  }

  const VectorXd& z() const { return z_; }
  int factorizations() const { return factorizations_; }

 private:
  Place place(Index i) const { return place_[static_cast<std::size_t>(i)]; }

  // Factors the free block unless it is factored already. Rounding, or an H that is slightly
  // indefinite, may require a larger ridge: the proximal iteration is then slower, not wrong.
  SolveStatus factor(const std::vector<Index>& free) {
    constexpr double kLargestRidge = 1e-2;  // [-] in scaled units; more would hide H itself
    if (is_factored_ && free == factored_) return SolveStatus::Converged;
    is_factored_ = false;
    while (ridge_ <= kLargestRidge) {
      if (factorizations_ >= budget_ || !has_effort()) return SolveStatus::IterationLimit;
      ++factorizations_;
      count_factorization();
      MatrixXd block = H_(free, free);
      block.diagonal().array() += ridge_;
      if (factor_.factor(block)) {
        factored_ = free;
        is_factored_ = true;
        return SolveStatus::Converged;
      }
      ridge_ *= 100.0;
    }
    return SolveStatus::NumericalFailure;
  }

  /// Computes the point of the present places: bounds, and the minimizer on the free variables.
  SolveStatus compute_point(const VectorXd& center) {
    std::vector<Index> free;
    z_ = VectorXd::Zero(center.size());
    for (Index i = 0; i < z_.size(); ++i) {
      if (place(i) == Place::Lower) z_(i) = qp_.lower(i);
      if (place(i) == Place::Upper) z_(i) = qp_.upper(i);
      if (place(i) == Place::Free) free.push_back(i);
    }
    if (free.empty()) return SolveStatus::Converged;
    const SolveStatus status = factor(free);
    if (status != SolveStatus::Converged) return status;
    // (H_FF + ridge I) z_F = ridge center_F - g_F - H_FB z_B.
    const VectorXd pull = ridge_ * center - qp_.g - H_ * z_;
    const VectorXd free_pull = pull(free);
    const VectorXd free_z = factor_.solve(free_pull);
    z_(free) = free_z;
    return z_.allFinite() ? SolveStatus::Converged : SolveStatus::NumericalFailure;
  }

  /// Notes the residual of the point of the present places, in the box.
  void note_residual() const {
    if (!ResidualTrace::is_on()) return;
    const VectorXd point = qp_.clamp(z_);
    ResidualTrace::note(qp_.residual(point, H_ * point + qp_.g));
  }

  /// Returns the variables at the wrong place, in ascending order.
  std::vector<Exchange> find_wrong_places(const VectorXd& center) const {
    constexpr double kMultiplierRounding = 1e-14;  // share of the largest |z|
    std::vector<Exchange> wrong;
    if (z_.size() == 0) return wrong;
    const VectorXd multiplier = H_ * z_ + qp_.g + ridge_ * (z_ - center);
    const double noise = kMultiplierRounding * std::max(1.0, z_.cwiseAbs().maxCoeff());
    for (Index i = 0; i < z_.size(); ++i) {
      // A fixed variable has no wrong sign.
      if (qp_.lower(i) == qp_.upper(i)) continue;
      if (place(i) == Place::Free && z_(i) < qp_.lower(i) - noise)
        wrong.push_back({i, Place::Lower});
      if (place(i) == Place::Free && z_(i) > qp_.upper(i) + noise)
        wrong.push_back({i, Place::Upper});
      if (place(i) == Place::Lower && multiplier(i) < -noise) wrong.push_back({i, Place::Free});
      if (place(i) == Place::Upper && multiplier(i) > noise) wrong.push_back({i, Place::Free});
    }
    return wrong;
  }

  const ScaledBoxQp& qp_;
  const MatrixXd& H_;
  int budget_;
  std::vector<Place> place_;
  double ridge_ = 1e-10;  // [-] in scaled units: small against H' and large against rounding
  std::vector<Index> factored_;
  bool is_factored_ = false;
  DenseCholesky factor_;
  int factorizations_ = 0;
  VectorXd z_;
};

/// Runs the proximal point iteration around principal pivoting.
class ProximalPivoting {
 public:
  ProximalPivoting(const ScaledBoxQp& qp, const MatrixXd& H, VectorXd start, int budget)
      : qp_(qp), H_(H), z_(std::move(start)), pivoting_(qp, H, z_, budget) {
    keep_best();
  }

  /// Iterates until the residual is within the tolerance, or no step helps.
  SolveStatus run(double tolerance) {
    constexpr int kMaxSteps = 200;  // two are usual
    constexpr int kPatience = 5;    // steps without a tenth less residual
    if (best_residual_ <= tolerance) return SolveStatus::Converged;
    for (int step = 0, patience = kPatience; step < kMaxSteps; ++step) {
      // z_k+1 minimizes f(z) + ridge/2 |z - z_k|^2 in the box.
      const VectorXd before = z_;
      const SolveStatus status = pivoting_.minimize(before);
      const double old_residual = best_residual_;
      z_ = qp_.clamp(pivoting_.z());
      if (z_.allFinite()) keep_best();
      // Ends: solved, exact to rounding, unbounded, failed, or without progress.
      if (best_residual_ <= tolerance) return SolveStatus::Converged;
      if (internal::is_rounding(qp_, H_, best_, best_residual_)) return SolveStatus::Stalled;
      if (z_.allFinite() && find_ray(z_ - before)) return SolveStatus::Infeasible;
      if (status != SolveStatus::Converged) return status;
      patience = best_residual_ < 0.9 * old_residual ? kPatience : patience - 1;
      if (patience < 0 || z_ == before) return SolveStatus::Stalled;
    }
    return SolveStatus::Stalled;
  }

  const VectorXd& best() const { return best_; }
  int factorizations() const { return pivoting_.factorizations(); }
  const std::optional<VectorXd>& ray() const { return ray_; }

 private:
  /// Measures the present point, and keeps the best one.
  void keep_best() {
    const double residual = qp_.residual(z_, H_ * z_ + qp_.g);
    if (residual < best_residual_ || best_.size() != z_.size()) {
      best_ = z_;
      best_residual_ = residual;
    }
  }

  // Returns true if a long step points to infinity. On its support, ridge (H + ridge I)^-1 removes
  // nearly all components outside the null space of H; entries that vanish leave the support.
  bool find_ray(const VectorXd& displacement) {
    constexpr double kFar = 1e4;       // scaled length of a step that may be on a ray
    constexpr double kNothing = 1e-9;  // share of the largest entry that counts as zero
    constexpr double kRidge = 1e-8;    // [-] scaled; keeps the singular block definite
    constexpr int kPasses = 6;         // each removes about eight digits of the rest
    if (!(displacement.cwiseAbs().maxCoeff() > kFar)) return false;
    VectorXd d = displacement;
    for (int pass = 0; pass < kPasses; ++pass) {
      d = qp_.clip_to_recession(d);
      const double largest = d.cwiseAbs().maxCoeff();
      if (!(largest > 0.0)) return false;
      std::vector<Index> support;
      for (Index i = 0; i < d.size(); ++i) {
        if (std::abs(d(i)) > kNothing * largest) support.push_back(i);
      }
      MatrixXd block = H_(support, support);
      block.diagonal().array() += kRidge;
      const VectorXd restricted = d(support) / largest;
      DenseCholesky factor;
      if (!factor.factor(block)) return false;
      const VectorXd projected = kRidge * factor.solve(restricted);
      d.setZero();
      d(support) = projected;
      const VectorXd clipped = qp_.clip_to_recession(d);
      if (qp_.is_ray(clipped, H_.cwiseAbs() * clipped.cwiseAbs() / clipped.lpNorm<1>())) {
        ray_ = clipped;
        return true;
      }
    }
    return false;
  }

  const ScaledBoxQp& qp_;
  const MatrixXd& H_;
  VectorXd z_, best_;
  double best_residual_ = kInfinity;
  PrincipalPivoting pivoting_;
  std::optional<VectorXd> ray_;
};

}  // namespace

BoxQpSolution solve_block_pivoting(const BoxQuadraticProgram& problem,
                                   const BoxQpSettings& settings,
                                   const std::optional<VectorXd>& start) {
  validate(problem);
  validate(settings);
  // Units in which H has a diagonal near 1, then the method, then back and into the box.
  const MatrixFreeBoxQp products = internal::as_matrix_free(problem);
  const ScaledBoxQp qp = internal::scale_problem(products);
  const MatrixXd H = qp.D.asDiagonal() * problem.H * qp.D.asDiagonal();
  const int n = static_cast<int>(problem.g.size());
  const int budget = settings.max_factorizations > 0 ? settings.max_factorizations : 20 * n + 200;
  ProximalPivoting method(qp, H, internal::scale_start(qp, start), budget);
  BoxQpSolution solution;
  solution.status = method.run(settings.tolerance);
  solution.x = qp.to_original(method.best()).cwiseMax(problem.lower).cwiseMin(problem.upper);
  solution.residual = measure_residual(products, solution.x);
  solution.factorizations = method.factorizations();
  if (solution.factorizations > 0) solution.method = BoxQpMethod::BlockPivoting;
  if (method.ray()) solution.ray = qp.to_original(*method.ray());
  return solution;
}

}  // namespace amontons
