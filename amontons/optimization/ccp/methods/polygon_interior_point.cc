#include "amontons/optimization/ccp/methods/polygon_interior_point.h"

#include "amontons/optimization/ccp/methods/mehrotra.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Holds z, w > 0 per contact: (r_n, beta_1..k, lambda) and their complements. Where a contact
/// carries no friction only r_n takes part. Units in which the largest |q_i| is 1.
class PyramidPoint {
 public:
  // Its path passes points whose residual is far above their gap.
  static constexpr double kGapOfRounding = 0.0;

  PyramidPoint(const ConeProblem& problem, ConeWorkspace& work, const Eigen::Matrix2Xd& directions,
               double start)
      : problem_(problem), work_(work), d_(directions), stride_(directions.cols() + 2) {
    scale_ = std::max(problem.q.cwiseAbs().maxCoeff(), 1e-300);
    const Index size = stride_ * problem.num_blocks();
    z_.setOnes(size);
    w_.setOnes(size);
    dz_.setZero(size);
    dw_.setZero(size);
    residual_.setZero(size);
    equality_.setZero(3 * problem.num_blocks());
    for (int i = 0; i < problem.num_blocks(); ++i) {
      // Inside the pyramid: the corners' weights together carry half of the largest friction.
      if (!has_friction(i)) continue;
      const double radius = cone(i).mu + friction_offset(i);
      z_.segment(first(i) + 1, d_.cols())
          .setConstant(0.5 * radius / static_cast<double>(d_.cols()));
      w_(last(i)) = 0.5 * radius;
    }
    z_ *= start;
    w_ *= start;
    update_velocity();
  }

  /// Returns the mean of z w after a step along the direction.
  double mean_gap(double step) const {
    double sum = 0.0;
    Index count = 0;
    for_each_unknown([&](Index k) {
      sum += (z_(k) + step * dz_(k)) * (w_(k) + step * dw_(k));
      ++count;
    });
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
  }

  /// Returns the largest residual of the equations for w at the last solve().
  double largest_residual() const { return residual_.cwiseAbs().maxCoeff(); }

  /// Returns the largest step that keeps z and w positive.
  double longest_step() const {
    double step = 1e30;
    for_each_unknown([&](Index k) {
      if (dz_(k) < 0.0) step = std::min(step, -z_(k) / dz_(k));
      if (dw_(k) < 0.0) step = std::min(step, -w_(k) / dw_(k));
    });
    return step;
  }

  /// Eliminates the unknowns of all contacts and factors the kernel.
  bool prepare(double /*gap*/) {
    const int n = problem_.num_blocks();
    work_.D.resize(static_cast<std::size_t>(n));
    work_.c.resize(problem_.q.size());
    gains_.resize(static_cast<std::size_t>(n));
    ratio_ = z_.cwiseQuotient(w_);
    for (int i = 0; i < n; ++i) reduce(i);
    return problem_.W->factor(work_.D, problem_.law == ConeLaw::Associated);
  }

  /// Finds Newton's direction to z w = target, with the second-order term of the last direction.
  bool solve(double target, bool corrected) {
    // steps_ is dz at du = 0: (target - z (w + residual) - dz dw) / w.
    for (int i = 0; i < problem_.num_blocks(); ++i) find_residual(i);
    steps_ = -z_.cwiseProduct(w_ + residual_).array() + target;
    if (corrected) steps_ -= dz_.cwiseProduct(dw_);
    steps_ = steps_.cwiseQuotient(w_);
    // The kernel in (dr, du), then each contact's own unknowns.
    for (int i = 0; i < problem_.num_blocks(); ++i) work_.c.segment<3>(3 * i) = constant(i);
    problem_.W->solve(work_.c, work_.dr, work_.du);
    if (!work_.dr.allFinite() || !work_.du.allFinite()) return false;
    for (int i = 0; i < problem_.num_blocks(); ++i) recover(i);
    return true;
  }

  /// Moves along the direction.
  void move(double step) {
    z_ += step * dz_;
    w_ += step * dw_;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      if (!is_friction(i)) equality_.segment<3>(3 * i) += step * work_.dr.segment<3>(3 * i);
    }
    update_velocity();
  }

  /// Writes the point in the problem's units, projected on the cones and evaluated.
  void to_iterate(ConeIterate& iterate) const {
    iterate.r = scale_ * reactions();
    project_on_cones(problem_, iterate.r);
    evaluate(problem_, iterate);
  }

 private:
  /// Gives the response of a contact's lambda: d lambda = fixed + gradient . du.
  struct Gain {
    double pivot = 0.0, fixed = 0.0;
    Vector3d gradient = Vector3d::Zero();
    Vector2d sum = Vector2d::Zero();  // sum of the corners, each weighted by beta / w
  };

  Index first(int i) const { return stride_ * i; }
  Index last(int i) const { return stride_ * (i + 1) - 1; }
  auto corners(const VectorXd& x, int i) const { return x.segment(first(i) + 1, d_.cols()); }
  const Cone& cone(int i) const { return problem_.cones[static_cast<std::size_t>(i)]; }
  double friction_offset(int i) const { return cone(i).friction_offset / scale_; }
  bool is_friction(int i) const { return cone(i).kind == ConeKind::Friction; }
  bool has_friction(int i) const {
    return is_friction(i) && (cone(i).mu > 0.0 || cone(i).friction_offset > 0.0);
  }
  double lift(int i) const { return problem_.law == ConeLaw::Associated ? cone(i).mu : 0.0; }

  /// Visits every unknown that takes part.
  template <typename Visit>
  void for_each_unknown(const Visit& visit) const {
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      const Index count = has_friction(i) ? stride_ : is_friction(i) ? 1 : 0;
      for (Index k = 0; k < count; ++k) visit(first(i) + k);
    }
  }

  /// Returns r: r_t = sum_k beta_k d_k at contacts.
  VectorXd reactions() const {
    VectorXd r = equality_;
    for (int i = 0; i < problem_.num_blocks(); ++i) {
      if (!is_friction(i)) continue;
      r(3 * i + 2) = z_(first(i));
      if (has_friction(i)) r.segment<2>(3 * i) = d_ * corners(z_, i);
    }
    return r;
  }

  /// Recomputes u = W r + q.
  void update_velocity() {
    problem_.W->apply(reactions(), u_);
    u_ += problem_.q / scale_;
  }

  /// Computes the complements of z at a contact, minus w.
  void find_residual(int i) {
    if (!is_friction(i)) return;
    residual_(first(i)) = u_(3 * i + 2) - w_(first(i));
    if (!has_friction(i)) return;
    const double lambda = z_(last(i));
    residual_(first(i)) -= lift(i) * lambda;
    residual_.segment(first(i) + 1, d_.cols()).noalias() = d_.transpose() * u_.segment<2>(3 * i);
    residual_.segment(first(i) + 1, d_.cols()).array() += lambda - corners(w_, i).array();
    residual_(last(i)) =
        cone(i).mu * z_(first(i)) + friction_offset(i) - corners(z_, i).sum() - w_(last(i));
  }

  /// Computes D of dr = -c - D du: the linearized conditions of one contact, solved for its
  /// unknowns.
  void reduce(int i) {
    Matrix3d& D = work_.D[static_cast<std::size_t>(i)];
    D.setZero();
    if (!is_friction(i)) {
      D.diagonal().setConstant(1.0 / kEqualitySoftness);
      return;
    }
    // r_n alone: dr_n = steps - (z / w) du_n.
    const double a_n = ratio_(first(i));
    D(2, 2) = a_n;
    if (!has_friction(i)) return;
    Gain& gain = gains_[static_cast<std::size_t>(i)];
    // Each corner: d beta_k = steps_k - (beta_k / w_k) (d_k . du_t + d lambda).
    const auto a = corners(ratio_, i);
    const double mu = cone(i).mu, lambda = z_(last(i));
    gain.sum.noalias() = d_ * a;
    // The row of lambda closes the system: pivot d lambda = ... with d r_n and d beta inserted.
    gain.pivot = w_(last(i)) + lambda * (mu * lift(i) * a_n + a.sum());
    gain.gradient << -lambda / gain.pivot * gain.sum, lambda * mu * a_n / gain.pivot;
    for (Index k = 0; k < d_.cols(); ++k) {
      D.topLeftCorner<2, 2>() += a(k) * d_.col(k) * d_.col(k).transpose();
    }
    D.topRows<2>() += gain.sum * gain.gradient.transpose();
    D.row(2) -= a_n * lift(i) * gain.gradient.transpose();
  }

  /// Computes c of the same equation, from the steps at du = 0.
  Vector3d constant(int i) {
    if (!is_friction(i)) return u_.segment<3>(3 * i) / kEqualitySoftness;
    Vector3d c(0.0, 0.0, -steps_(first(i)));
    if (!has_friction(i)) return c;
    Gain& gain = gains_[static_cast<std::size_t>(i)];
    gain.fixed = (w_(last(i)) * steps_(last(i)) +
                  z_(last(i)) * (corners(steps_, i).sum() - cone(i).mu * steps_(first(i)))) /
                 gain.pivot;
    c.head<2>() = gain.sum * gain.fixed;
    c.head<2>().noalias() -= d_ * corners(steps_, i);
    c.z() -= ratio_(first(i)) * lift(i) * gain.fixed;
    return c;
  }

  /// Recovers dz and dw of a contact from du.
  void recover(int i) {
    if (!is_friction(i)) return;
    const Vector3d du = work_.du.segment<3>(3 * i);
    dz_(first(i)) = work_.dr(3 * i + 2);
    dw_(first(i)) = du.z() + residual_(first(i));
    if (!has_friction(i)) return;
    const Gain& gain = gains_[static_cast<std::size_t>(i)];
    const double d_lambda = gain.fixed + gain.gradient.dot(du);
    dw_(first(i)) -= lift(i) * d_lambda;
    for (Index k = 0; k < d_.cols(); ++k) {
      const Index at = first(i) + 1 + k;
      const double rate = d_.col(k).dot(du.head<2>()) + d_lambda;
      dw_(at) = rate + residual_(at);
      dz_(at) = steps_(at) - ratio_(at) * rate;
    }
    dz_(last(i)) = d_lambda;
    dw_(last(i)) = cone(i).mu * dz_(first(i)) - corners(dz_, i).sum() + residual_(last(i));
  }

  const ConeProblem& problem_;
  ConeWorkspace& work_;
  const Eigen::Matrix2Xd& d_;
  const Index stride_;
  double scale_ = 1.0;
  VectorXd z_, w_, dz_, dw_;  // [stride n]; places that take no part stay as they are
  VectorXd ratio_, residual_, steps_;
  VectorXd equality_, u_;  // [3 n]
  std::vector<Gain> gains_;
};

/// Returns the polygon of the friction cones, or null where one has none.
const Eigen::Matrix2Xd* common_polygon(const ConeProblem& problem) {
  const Eigen::Matrix2Xd* polygon = nullptr;
  for (const Cone& cone : problem.cones) {
    if (cone.kind != ConeKind::Friction) continue;
    if (cone.polygon == nullptr) return nullptr;
    polygon = cone.polygon;
  }
  return polygon;
}

}  // namespace

ConeResult solve_polygon_interior_point(const ConeProblem& problem,
                                        const InteriorPointSettings& settings, double start,
                                        ConeWorkspace& work, ConeIterate& iterate) {
  const Eigen::Matrix2Xd* directions = common_polygon(problem);
  if (directions == nullptr) return {};
  PyramidPoint point(problem, work, *directions, start);
  return run_mehrotra(settings, point, iterate);
}

}  // namespace amontons
