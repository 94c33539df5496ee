#include "amontons/simulation/stepping/projection.h"

#include "amontons/math/block_diagonal_factor.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/simulation/stepping/assembly.h"
#include "amontons/simulation/system/kinematics.h"

namespace amontons {
namespace {

constexpr double kJointTolerance = 1e-12;  // largest |Theta| accepted [m or rad]
constexpr int kMaxIterations = 50;         // ends an iteration that does not converge

}  // namespace

double project_on_joints(const System& system, State& state) {
  SystemKinematics kinematics;
  BlockSparseMatrix jacobian;
  Eigen::VectorXd error;
  // Bound: kMaxIterations.
  for (int iteration = 0;; ++iteration) {
    compute_kinematics(system, state.q, state.v, state.time, kinematics);
    assemble_joints(system, kinematics, jacobian, error);
    const double worst = error.size() == 0 ? 0.0 : error.lpNorm<Eigen::Infinity>();
    if (worst <= kJointTolerance || iteration == kMaxIterations) return worst;
    // response = M^-1 J'.
    const BlockDiagonalFactor factor(compute_mass_matrix(system, kinematics));
    const Eigen::MatrixXd J = jacobian.to_dense();
    Eigen::MatrixXd response = J.transpose();
    factor.solve_in_place(response);
    // Relative pivot below which a row of J depends on the others.
    constexpr double kRankTolerance = 1e-13;
    // J response m = -Theta. The least-norm multiplier exists whatever the rank of J.
    const Eigen::VectorXd multiplier = least_norm_solution(J * response, -error, kRankTolerance);
    state.q = integrate_positions(system, state.q, response * multiplier, 1.0);
  }
}

}  // namespace amontons
