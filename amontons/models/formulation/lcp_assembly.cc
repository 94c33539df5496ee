#include "amontons/models/formulation/lcp_assembly.h"

#include "amontons/math/elementary.h"
#include "amontons/math/stop.h"

#include <Eigen/LU>

#include <algorithm>
#include <numbers>

namespace amontons {
namespace {

using Eigen::Index;

// Distance to the polygon's edge, as a share of its size, at which an impulse counts as sliding
// [-]. Only a guess depends on it.
constexpr double kOnEdge = 1e-9;

// Square of the share of a contact's longest row below which another of its rows is rounding [-].
// Rows along which a contact cannot move keep such a length, where frames are turned.
constexpr double kRoundingRow = 1e-28;

/// Returns A without the rows and columns that are rounding of their contact's others. Scaling for
/// the pivots would turn them into rows of chance.
Eigen::MatrixXd without_rounding_rows(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd result = A;
  for (Index row = 0; row < A.rows(); ++row) {
    const double longest = A.diagonal().segment<3>(row - row % 3).maxCoeff();
    if (A(row, row) > kRoundingRow * longest) continue;
    result.row(row).setZero();
    result.col(row).setZero();
  }
  return result;
}

/// Holds the two polygon directions between which p_t lies, and its weights on them.
struct SectorWeights {
  Index first = 0, second = 0;
  Eigen::Vector2d weights = Eigen::Vector2d::Zero();
};

/// Returns the sector of the polygon that contains a tangential impulse.
SectorWeights sector_weights(const Eigen::Vector2d& p_t, const Eigen::Matrix2Xd& directions) {
  const Index m = directions.cols();
  double angle = elementary::atan2(p_t.y(), p_t.x());
  if (angle < 0.0) angle += 2.0 * std::numbers::pi;
  SectorWeights result;
  result.first = std::min(
      m - 1, static_cast<Index>(angle * static_cast<double>(m) / (2.0 * std::numbers::pi)));
  result.second = (result.first + 1) % m;
  // p_t = weights(0) d_first + weights(1) d_second.
  Eigen::Matrix2d edges;
  edges << directions.col(result.first), directions.col(result.second);
  result.weights = edges.inverse() * p_t;
  return result;
}

/// Returns the number of unknowns of a contact: p_n, the beta_k, and lambda.
Index num_unknowns(bool has_friction, const Eigen::Matrix2Xd& directions) {
  return has_friction ? directions.cols() + 2 : 1;
}

/// Returns the unit impulses of a contact's unknowns: the first `count` of the columns n, d_1, ...,
/// d_m.
Eigen::Matrix3Xd unit_impulses(const Eigen::Matrix2Xd& directions, Index count) {
  Eigen::Matrix3Xd result = Eigen::Matrix3Xd::Zero(3, directions.cols() + 1);
  result(2, 0) = 1.0;
  result.topRightCorner(2, directions.cols()) = directions;
  return result.leftCols(count);
}

}  // namespace

FrictionLcp assemble_lcp(const ContactSubset& subset, const Eigen::Matrix2Xd& directions,
                         bool convex) {
  // A contact without friction has one unknown, p_n; others m + 2.
  const Index k = subset.gap_speeds.size();
  FrictionLcp problem;
  problem.first.push_back(0);
  for (Index i = 0; i < k; ++i) {
    problem.first.push_back(problem.first.back() +
                            num_unknowns(subset.has_friction(i), directions));
  }
  const Index size = problem.first.back();
  const Eigen::MatrixXd A = without_rounding_rows(subset.A);
  Eigen::MatrixXd& M = problem.lcp.M;
  Eigen::VectorXd& q = problem.lcp.q;
  M.setZero(size, size);
  q.setZero(size);

  const auto first = [&](Index i) { return problem.first[static_cast<std::size_t>(i)]; };
  const auto units = [&](Index i) {
    return unit_impulses(directions, subset.has_friction(i) ? directions.cols() + 1 : 1);
  };
  for (Index i = 0; i < k; ++i) {
    check_stop();
    // Velocities along n and d_k: M = E' A E, q = E' b + s, E the unit impulses.
    const Eigen::Matrix3Xd units_i = units(i);
    for (Index j = 0; j < k; ++j) {
      const Eigen::Matrix3Xd units_j = units(j);
      M.block(first(i), first(j), units_i.cols(), units_j.cols()) =
          units_i.transpose() * A.block<3, 3>(3 * i, 3 * j) * units_j;
    }
    q.segment(first(i), units_i.cols()) = units_i.transpose() * subset.b.segment<3>(3 * i);
    q(first(i)) += subset.gap_speeds(i);

    if (units_i.cols() == 1) continue;
    // The rows of lambda: d_k . u_t + lambda, and mu p_n - sum beta; the relaxation lifts u_n by
    // -mu lambda.
    const Index lambda = first(i) + units_i.cols();
    M.col(lambda).segment(first(i) + 1, directions.cols()).setOnes();
    M.row(lambda).segment(first(i) + 1, directions.cols()).setConstant(-1.0);
    M(lambda, first(i)) = subset.friction(i);
    if (convex) M(first(i), lambda) = -subset.friction(i);
    q(lambda) = subset.friction(i) * subset.given_load(i) + subset.friction_offset(i);
  }
  return problem;
}

Eigen::VectorXd impulses_from(const FrictionLcp& problem, const Eigen::Matrix2Xd& directions,
                              const Eigen::Ref<const Eigen::VectorXd>& z) {
  const Index k = static_cast<Index>(problem.first.size()) - 1;
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(3 * k);
  for (Index i = 0; i < k; ++i) {
    const Index begin = problem.first[static_cast<std::size_t>(i)];
    impulses(3 * i + 2) = z(begin);
    if (problem.first[static_cast<std::size_t>(i) + 1] == begin + 1) continue;
    // p_t = sum_k beta_k d_k.
    impulses.segment<2>(3 * i) = directions * z.segment(begin + 1, directions.cols());
  }
  return impulses;
}

std::vector<char> basis_from(const FrictionLcp& problem, const ContactSubset& subset,
                             const Eigen::Matrix2Xd& directions,
                             const Eigen::Ref<const Eigen::VectorXd>& impulses) {
  std::vector<char> basis(static_cast<std::size_t>(problem.first.back()), 0);
  const auto enter = [&basis](Index unknown) { basis[static_cast<std::size_t>(unknown)] = 1; };
  for (Index i = 0; i < subset.gap_speeds.size(); ++i) {
    const Index begin = problem.first[static_cast<std::size_t>(i)];
    const Eigen::Vector3d p = impulses.segment<3>(3 * i);
    // A loaded contact has p_n in the basis.
    if (p.z() > 0.0) enter(begin);
    const double limit =
        subset.friction(i) * (p.z() + subset.given_load(i)) + subset.friction_offset(i);
    if (!(limit > 0.0)) continue;
    // Sliding has lambda and the directions that carry friction, sticking both edges of the sector.
    const SectorWeights sector = sector_weights(p.head<2>(), directions);
    const bool slides = sector.weights.sum() >= limit * (1.0 - kOnEdge);
    if (slides) enter(begin + 1 + directions.cols());
    if (!slides || sector.weights(0) > kOnEdge * limit) enter(begin + 1 + sector.first);
    if (!slides || sector.weights(1) > kOnEdge * limit) enter(begin + 1 + sector.second);
  }
  return basis;
}

}  // namespace amontons
