#include "amontons/simulation/stepping/correction_limits.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/contact/operators/whitened_jacobian.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/stepping/contact_detector.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// Returns an upper bound of the speed of the points of each articulation at velocities v [m/s].
/// Shapes count with their bounding balls, and every link with its center of mass and its radius of
/// gyration.
std::vector<double> largest_speeds(const System& system, const SystemKinematics& at,
                                   const VectorXd& v) {
  std::vector<double> speeds(system.articulations().size(), 0.0);
  for (std::size_t a = 0; a < speeds.size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const auto own = v.segment(system.v_offset(static_cast<int>(a)), tree.num_velocities());
    for (int link = 0; link < tree.num_links(); ++link) {
      const SpatialInertia& inertia = tree.links()[static_cast<std::size_t>(link)].inertia;
      if (!(inertia.mass > 0.0)) continue;
      const Pose& X_WB = at.trees[a].X_WB[static_cast<std::size_t>(link)];
      const Vector6d V = tree.frame_velocity(
          at.trees[a], link, X_WB.rotation * inertia.center_of_mass + X_WB.translation, own);
      const double gyration = std::sqrt(inertia.inertia.trace() / (2.0 * inertia.mass));
      speeds[a] = std::max(speeds[a], V.tail<3>().norm() + gyration * V.head<3>().norm());
    }
  }
  for (std::size_t s = 0; s < system.shapes().size(); ++s) {
    const CollisionShape& shape = system.shapes()[s];
    const auto body = static_cast<std::size_t>(shape.body);
    const int a = system.bodies()[body].articulation;
    if (a < 0 || !std::isfinite(bounding_radius(shape.shape))) continue;
    double& speed = speeds[static_cast<std::size_t>(a)];
    speed = std::max(speed,
                     shape_speed(system, at, static_cast<int>(s), at.X_WB[body] * shape.X_BG, v));
  }
  return speeds;
}

/// Returns the articulations that each block row of J connects, as the least index of their group.
std::vector<int> groups_of_articulations(const System& system, const BlockSparseMatrix& jacobian) {
  std::vector<int> group(system.articulations().size());
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&group](int a) {
    while (group[static_cast<std::size_t>(a)] != a) a = group[static_cast<std::size_t>(a)];
    return a;
  };
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    int first = -1;
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      const int own = root(system.articulation_of(static_cast<int>(block.col)));
      if (first < 0) first = own;
      const int least = std::min(first, own), other = std::max(first, own);
      group[static_cast<std::size_t>(other)] = least;
      first = least;
    }
  }
  for (std::size_t a = 0; a < group.size(); ++a) group[a] = root(static_cast<int>(a));
  return group;
}

/// Returns the group of each row of J; -1 for a row without entries.
std::vector<int> groups_of_rows(const System& system, const BlockSparseMatrix& jacobian,
                                const std::vector<int>& groups) {
  std::vector<int> result(static_cast<std::size_t>(jacobian.rows()), -1);
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    if (jacobian.block_row(r).empty()) continue;
    const int a = system.articulation_of(static_cast<int>(jacobian.block_row(r).front().col));
    for (Index k = 0; k < jacobian.num_rows(r); ++k) {
      result[static_cast<std::size_t>(jacobian.first_row(r) + k)] =
          groups[static_cast<std::size_t>(a)];
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

/// Sets joint_correction where the errors are wide, or rows depend on others.
void limit_joints(const System& system, const SystemKinematics& start, ContactProblem& problem) {
  problem.joint_correction.resize(0);
  if (problem.joint_error.size() == 0 || problem.step == 0.0) return;
  const VectorXd wanted = -(problem.gamma / problem.step) * problem.joint_error;
  const double limit = kClosingShare * problem.overlap_speed;
  if (!(wanted.lpNorm<Eigen::Infinity>() > kSmallCorrection * limit)) return;

  const Correction correction = nearest_correction(problem, wanted);
  const std::vector<int> groups = groups_of_articulations(system, problem.joint_jacobian);
  // The fastest point of each group.
  const std::vector<double> speeds = largest_speeds(system, start, correction.velocity);
  std::vector<double> fastest(groups.size(), 0.0);
  for (std::size_t a = 0; a < groups.size(); ++a) {
    double& own = fastest[static_cast<std::size_t>(groups[a])];
    own = std::max(own, speeds[a]);
  }
  const bool is_fast =
      std::any_of(fastest.begin(), fastest.end(), [limit](double speed) { return speed > limit; });
  if (!is_fast && correction.is_wanted_rate) return;
  problem.joint_correction = correction.rate;
  if (!is_fast) return;

  // The share of the errors that the motion has made in one step may be closed in one step.
  const VectorXd made = errors_of_motion(system, start, problem);
  const std::vector<int> group_of_row = groups_of_rows(system, problem.joint_jacobian, groups);
  std::vector<double> largest_made(groups.size(), 0.0), largest(groups.size(), 0.0);
  for (std::size_t r = 0; r < group_of_row.size(); ++r) {
    if (group_of_row[r] < 0) continue;
    const auto g = static_cast<std::size_t>(group_of_row[r]);
    const auto row = static_cast<Index>(r);
    largest_made[g] = std::max(largest_made[g], std::abs(made[row]));
    largest[g] = std::max(largest[g], std::abs(problem.joint_error[row]));
  }
  for (std::size_t r = 0; r < group_of_row.size(); ++r) {
    if (group_of_row[r] < 0) continue;
    const auto g = static_cast<std::size_t>(group_of_row[r]);
    if (!(fastest[g] > limit)) continue;
    const double share = std::max(limit / fastest[g], largest_made[g] / largest[g]);
    problem.joint_correction[static_cast<Index>(r)] *= std::min(1.0, share);
  }
}

/// Holds a row that opens an overlap, or a row of J that stays closed.
struct OpeningRow {
  const BlockSparseMatrix* whitened;  // J L^-1, M = L'L
  std::size_t block_row;
  Index row;                  // in the block row
  bool opens;                 // false: a row of J
  double inverse_mass = 0.0;  // J M^-1 J'
  double impulse = 0.0;       // sum of all changes
};

/// Returns the rows of deep overlaps at contacts and limits, and all rows of J, without those along
/// which nothing moves.
std::vector<OpeningRow> opening_rows(const ContactProblem& problem, double speed,
                                     const BlockSparseMatrix& contacts,
                                     const BlockSparseMatrix& limits,
                                     const BlockSparseMatrix& joints) {
  std::vector<OpeningRow> rows;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.stabilized_gap(i) <= -speed) rows.push_back({&contacts, i, 2, true});
  }
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    if (problem.bounded_rows[i].kind != BoundedRowKind::Limit) continue;
    if (problem.bounded_offset(i) <= -speed) rows.push_back({&limits, i, 0, true});
  }
  for (std::size_t r = 0; r < joints.num_block_rows(); ++r) {
    for (Index k = 0; k < joints.num_rows(r); ++k) rows.push_back({&joints, r, k, false});
  }
  for (OpeningRow& own : rows) {
    for (const BlockSparseMatrix::Block& block : own.whitened->block_row(own.block_row)) {
      own.inverse_mass += own.whitened->values(block).row(own.row).squaredNorm();
    }
  }
  std::erase_if(rows, [](const OpeningRow& own) { return !(own.inverse_mass > 0.0); });
  return rows;
}

/// Returns nearly the velocity of least kinetic energy at which every deep overlap opens at a speed
/// and no loop opens [nv], by projected Gauss-Seidel. Overlaps of one pair share a motion, and
/// overlaps that contradict each other add none.
VectorXd opening_motion(const ContactProblem& problem, double speed) {
  constexpr int kSweeps = 50;  // ends a relaxation that need not converge
  const BlockDiagonalFactor factor(problem.mass_matrix);
  BlockSparseMatrix contacts, limits, joints;
  whiten_jacobian(problem.contact_jacobian, factor, contacts);
  whiten_jacobian(problem.bounded_jacobian, factor, limits);
  whiten_jacobian(problem.joint_jacobian, factor, joints);
  std::vector<OpeningRow> rows = opening_rows(problem, speed, contacts, limits, joints);

  VectorXd velocity = VectorXd::Zero(problem.mass_matrix.size());  // whitened, L v
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (OpeningRow& own : rows) {
      double missing = own.opens ? speed : 0.0;
      for (const BlockSparseMatrix::Block& block : own.whitened->block_row(own.block_row)) {
        missing -= own.whitened->values(block).row(own.row).dot(
            velocity.segment(block.col, block.num_cols));
      }
      // Overlaps only push.
      double change = missing / own.inverse_mass;
      if (own.opens) change = std::max(change, -own.impulse);
      own.impulse += change;
      for (const BlockSparseMatrix::Block& block : own.whitened->block_row(own.block_row)) {
        velocity.segment(block.col, block.num_cols) +=
            change * own.whitened->values(block).row(own.row).transpose();
      }
    }
  }
  factor.unwhiten_in_place(velocity);
  return velocity;
}

/// Lowers overlap_speed where deep overlaps would move a point of a body faster.
void limit_overlaps(const System& system, const SystemKinematics& start, ContactProblem& problem) {
  if (problem.num_deferred_overlaps() == 0) return;
  const double limit = problem.overlap_speed;
  const std::vector<double> speeds = largest_speeds(system, start, opening_motion(problem, limit));
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  if (fastest > limit) problem.overlap_speed *= limit / fastest;
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

void limit_corrections(const System& system, const SystemKinematics& start,
                       ContactProblem& problem) {
  limit_joints(system, start, problem);
  limit_overlaps(system, start, problem);
}

}  // namespace amontons
