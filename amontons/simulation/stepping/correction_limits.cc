#include "amontons/simulation/stepping/correction_limits.h"

#include "amontons/contact/operators/allowed_correction.h"
#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/opening_limits.h"
#include "amontons/simulation/stepping/point_speeds.h"
#include "amontons/simulation/system/articulation_groups.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Largest speed without a setting [m/s], and the radii that a body travels at it in a second [1/s].
constexpr double kLargestSpeed = 3.0, kRadiiPerSecond = 10.0;

// Share of overlap_speed for loops [-]. A body that is pulled off its center swings about the point
// where it is pulled, and may reach twice the speed of that point.
constexpr double kClosingShare = 0.5;

// Share of overlap_speed below which errors need no limit. Rows of J meet at sines above it
// (independent_joint_rows.h), so that they cannot ask for a higher speed.
constexpr double kSmallCorrection = 1e-5;

// Pivots of least squares below this share of the largest are rounding [-].
constexpr double kRankTolerance = 1e-10;

/// Returns the groups of articulations that rows of J connect.
ArticulationGroups groups_of_linkages(const System& system, const BlockSparseMatrix& jacobian) {
  ArticulationGroups groups(system);
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) groups.join(jacobian, r);
  return groups;
}

/// Returns the group of each row of J; -1 for a row without entries.
std::vector<int> groups_of_rows(const BlockSparseMatrix& jacobian,
                                const ArticulationGroups& groups) {
  std::vector<int> result(static_cast<std::size_t>(jacobian.rows()), -1);
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    for (Index k = 0; k < jacobian.num_rows(r); ++k) {
      result[static_cast<std::size_t>(jacobian.first_row(r) + k)] = groups.of_row(jacobian, r);
    }
  }
  return result;
}

/// Holds a correction of all rows of J, with the velocity that makes it.
struct Correction {
  VectorXd rate;               // J v_c [nj]
  VectorXd velocity;           // v_c [nv]
  bool is_wanted_rate = true;  // true: rate is -gamma Theta/h itself
};

/// Returns the correction nearest to the rate wanted [nj].
Correction nearest_correction(const ContactProblem& problem, const VectorXd& wanted) {
  const BlockDiagonalFactor factor(problem.mass_matrix);
  const IndependentJointRows kept =
      independent_joint_rows(problem.joint_jacobian, problem.joint_error, factor);
  Correction result{wanted, {}, true};
  const Index num_kept = static_cast<Index>(kept.indices.size());
  VectorXd along_basis = wanted(kept.indices);
  if (num_kept == wanted.size()) {
    kept.factor.solve_factor(along_basis);
  } else {
    // Rows as combinations A of the basis, at unit length: min |D (A y - wanted)|.
    const Eigen::MatrixXd A = kept.whitened.transpose() * kept.factor.basis();
    VectorXd weights = problem.joint_jacobian.to_dense().rowwise().norm();
    for (double& weight : weights) weight = weight > 0.0 ? 1.0 / weight : 0.0;
    along_basis =
        least_norm_solution(weights.asDiagonal() * A, weights.cwiseProduct(wanted), kRankTolerance);
    result.rate = A * along_basis;
    result.is_wanted_rate = false;
  }
  result.velocity = VectorXd::Zero(problem.mass_matrix.size());
  kept.factor.add_combination(along_basis, result.velocity);
  factor.unwhiten_in_place(result.velocity);
  return result;
}

/// Returns the errors of the rows that the motion at v has made in the step before [nj]: Theta(q) -
/// Theta(q (-) h v) - h J v, with J at the start and the world at rest.
VectorXd errors_of_motion(const System& system, const SystemKinematics& start,
                          const ContactProblem& problem) {
  const VectorXd before = integrate_positions(system, start.q, problem.velocity, -problem.step);
  SystemKinematics kinematics;
  compute_kinematics(system, before, problem.velocity, start.time, kinematics);
  BlockSparseMatrix jacobian;
  VectorXd error_before, error;
  assemble_joints(system, start, jacobian, error);
  assemble_joints(system, kinematics, jacobian, error_before);
  return error - error_before - problem.step * (jacobian * problem.velocity);
}

/// Returns the shares by which the velocity of each group is slowed [articulations], so that no
/// point moves faster than a limit [m/s].
/// @param fastest  speed of the fastest point of each group [m/s].
std::vector<double> slowing_shares(const std::vector<double>& fastest, double limit) {
  std::vector<double> shares(fastest.size(), 1.0);
  for (std::size_t g = 0; g < shares.size(); ++g) {
    if (fastest[g] > limit) shares[g] = limit / fastest[g];
  }
  return shares;
}

/// Raises the shares of slowed groups: that share of the errors that the motion has made in one
/// step may be closed in one step.
void raise_to_made_errors(const System& system, const SystemKinematics& start,
                          const ContactProblem& problem, const ArticulationGroups& groups,
                          std::vector<double>& shares) {
  const VectorXd made = errors_of_motion(system, start, problem);
  const std::vector<int> group_of_row = groups_of_rows(problem.joint_jacobian, groups);
  std::vector<double> largest_made(shares.size(), 0.0);
  std::vector<double> largest(shares.size(), 0.0);
  for (std::size_t r = 0; r < group_of_row.size(); ++r) {
    if (group_of_row[r] < 0) continue;
    const auto g = static_cast<std::size_t>(group_of_row[r]);
    const auto row = static_cast<Index>(r);
    largest_made[g] = std::max(largest_made[g], std::abs(made[row]));
    largest[g] = std::max(largest[g], std::abs(problem.joint_error[row]));
  }
  for (std::size_t g = 0; g < shares.size(); ++g) {
    if (shares[g] < 1.0)
      shares[g] = std::min(1.0, std::max(shares[g], largest_made[g] / largest[g]));
  }
}

/// Slows the correction of each group, and its velocity, by the group's share.
void slow_down(const System& system, const ArticulationGroups& groups,
               const std::vector<double>& shares, ContactProblem& problem, VectorXd& velocity) {
  const std::vector<int> group_of_row = groups_of_rows(problem.joint_jacobian, groups);
  for (std::size_t r = 0; r < group_of_row.size(); ++r) {
    if (group_of_row[r] < 0) continue;
    problem.joint_correction[static_cast<Index>(r)] *=
        shares[static_cast<std::size_t>(group_of_row[r])];
  }
  for (int a = 0; a < static_cast<int>(shares.size()); ++a) {
    velocity.segment(system.v_offset(a),
                     system.articulations()[static_cast<std::size_t>(a)].num_velocities()) *=
        shares[static_cast<std::size_t>(groups.of(a))];
  }
}

/// Returns true if a limit is passed by more than rounding.
bool has_passed_limits(const ContactProblem& problem) {
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    if (problem.bounded_rows[i].kind != BoundedRowKind::Limit) continue;
    if (-problem.bounded_offset(i) > kSmallOpening * problem.overlap_speed) return true;
  }
  return false;
}

/// Sets joint_correction where the errors are wide, where rows depend on others, and where limits
/// do not allow it; returns the velocity that makes it [nv], empty where it is not set.
VectorXd limit_joints(const System& system, const SystemKinematics& start,
                      ContactProblem& problem) {
  const VectorXd none;
  problem.joint_correction.resize(0);
  if (problem.joint_error.size() == 0 || problem.step == 0.0) return none;
  const VectorXd wanted = -(problem.gamma / problem.step) * problem.joint_error;
  const double limit = kClosingShare * problem.overlap_speed;
  const bool is_wide = wanted.lpNorm<Eigen::Infinity>() > kSmallCorrection * limit;
  if (!is_wide && !has_passed_limits(problem)) return none;

  Correction correction = nearest_correction(problem, wanted);
  const ArticulationGroups groups = groups_of_linkages(system, problem.joint_jacobian);
  const PointSpeeds speeds(system, start);
  const auto shares = [&] {
    return slowing_shares(speeds.fastest_of(groups, correction.velocity), limit);
  };
  std::vector<double> slowing = shares();
  const bool is_slowed =
      std::any_of(slowing.begin(), slowing.end(), [](double share) { return share < 1.0; });
  problem.joint_correction = correction.rate;
  if (is_slowed) {
    raise_to_made_errors(system, start, problem, groups, slowing);
    slow_down(system, groups, slowing, problem, correction.velocity);
  }
  // What limits do not allow is not corrected.
  if (allow_correction(problem, correction.velocity)) {
    slow_down(system, groups, shares(), problem, correction.velocity);
  } else if (!is_wide || (!is_slowed && correction.is_wanted_rate)) {
    problem.joint_correction.resize(0);
    return none;
  }
  return correction.velocity;
}

}  // namespace

double default_overlap_speed(const System& system) {
  double radius = 0.0;
  for (const CollisionShape& shape : system.shapes()) {
    const double own = bounding_radius(shape.shape);
    const bool moves = system.bodies()[static_cast<std::size_t>(shape.body)].articulation >= 0;
    if (moves && std::isfinite(own)) radius = std::max(radius, own);
  }
  return radius > 0.0 ? std::min(kLargestSpeed, kRadiiPerSecond * radius) : kLargestSpeed;
}

bool is_thrown_by_correction(const System& system, const SystemKinematics& start,
                             const ContactProblem& problem, const VectorXd& velocity) {
  constexpr double kNoFaster = 1.1;  // speeds that are no faster than others [-]
  if (problem.joint_error.size() == 0 || problem.step == 0.0 ||
      !std::isfinite(problem.overlap_speed))
    return false;
  if ((problem.joint_target() + problem.joint_bias).isZero(0.0)) return false;
  const auto energy = [&](const VectorXd& v) { return 0.5 * v.dot(problem.mass_matrix * v); };
  const double free = energy(problem.free_velocity);
  if (energy(velocity) <= std::max(energy(problem.velocity), free)) return false;
  const PointSpeeds speeds(system, start);
  const auto fastest = [&](const VectorXd& v) {
    double largest = 0.0;
    for (std::size_t tree = 0; tree < system.articulations().size(); ++tree) {
      largest = std::max(largest, speeds.fastest_of(static_cast<int>(tree), v));
    }
    return largest;
  };
  const double slowest =
      std::max({fastest(problem.velocity), fastest(problem.free_velocity), problem.overlap_speed});
  return fastest(velocity) > kNoFaster * slowest;
}

void limit_corrections(const System& system, const SystemKinematics& start,
                       ContactProblem& problem) {
  const VectorXd loop_velocity = limit_joints(system, start, problem);
  limit_openings(system, start, loop_velocity, problem);
}

}  // namespace amontons
