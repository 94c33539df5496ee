#pragma once

#include "amontons/contact/contact_problem.h"
#include "tests/support/random_matrix.h"

#include <Eigen/Core>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace amontons::test {

/// Makes an articulation of n joints with inertia M and nothing on it yet; h = 0.01 s.
inline ContactProblem joints_alone(const Eigen::MatrixXd& M, const Eigen::VectorXd& v_free) {
  ContactProblem problem;
  problem.step = 0.01;
  problem.mass_matrix.add_block(M);
  problem.velocity = Eigen::VectorXd::Zero(M.rows());
  problem.free_velocity = v_free;
  problem.contact_jacobian.reset(M.rows());
  problem.contact_bias.resize(0);
  problem.joint_jacobian.reset(M.rows());
  problem.joint_error.resize(0);
  problem.joint_bias.resize(0);
  problem.bounded_jacobian.reset(M.rows());
  return problem;
}

inline void add_row(ContactProblem& problem, const BoundedRow& row, Eigen::Index coordinate,
                    double sign) {
  problem.bounded_rows.push_back(row);
  problem.bounded_jacobian.add_block_row(1);
  problem.bounded_jacobian.block_at(coordinate, 1)(0, 0) = sign;
}

inline void add_friction(ContactProblem& problem, int coordinate, double bound) {
  BoundedRow row;
  row.kind = BoundedRowKind::Friction;
  row.index = coordinate;
  row.upper = bound;
  row.lower = -bound;
  add_row(problem, row, coordinate, 1.0);
}

inline void add_limit(ContactProblem& problem, int coordinate, bool is_upper, double gap,
                      double restitution = 0.0) {
  BoundedRow row;
  row.index = coordinate;
  row.is_upper = is_upper;
  row.gap = gap;
  row.restitution = restitution;
  add_row(problem, row, coordinate, is_upper ? -1.0 : 1.0);
}

/// Adds a servo of one coordinate with gains kp, kd, `error` away from its target.
inline void add_servo(ContactProblem& problem, int coordinate, double kp, double kd, double error,
                      double effort) {
  const double h = problem.step, gain = h * kd + h * h * kp;
  BoundedRow row;
  row.kind = BoundedRowKind::Servo;
  row.index = coordinate;
  row.upper = h * effort;
  row.lower = -row.upper;
  row.compliance = 1.0 / gain;
  row.offset = -h * kp * error / gain;
  add_row(problem, row, coordinate, 1.0);
}

/// Sorts the rows by their keys, as a problem has them; each row has one block.
inline void sort_rows(ContactProblem& problem) {
  const std::size_t nb = problem.bounded_rows.size();
  std::vector<std::size_t> order(nb);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return key_of(problem.bounded_rows[a]) < key_of(problem.bounded_rows[b]);
  });
  ContactProblem sorted = problem;
  sorted.bounded_rows.clear();
  sorted.bounded_jacobian.reset(problem.mass_matrix.size());
  for (const std::size_t i : order) {
    const BlockSparseMatrix::Block block = problem.bounded_jacobian.block_row(i)[0];
    add_row(sorted, problem.bounded_rows[i], block.col,
            problem.bounded_jacobian.values(block)(0, 0));
  }
  problem = sorted;
}

/// Adds contacts of the arm with the world at random points: rows of a random Jacobian.
inline void add_random_contacts(ContactProblem& problem, int count, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Eigen::Index n = problem.mass_matrix.size();
  for (int i = 0; i < count; ++i) {
    Contact contact;
    contact.key = {0, 1, static_cast<std::uint32_t>(i)};
    contact.friction = uniform(engine);
    contact.gap = 1e-3 * uniform(engine);
    problem.contacts.push_back(contact);
    problem.contact_jacobian.add_block_row(3);
    auto block = problem.contact_jacobian.block_at(0, n);
    for (Eigen::Index c = 0; c < n; ++c) {
      for (Eigen::Index r = 0; r < 3; ++r) block(r, c) = normal(engine);
    }
  }
  problem.contact_bias = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
}

/// Makes an arm of n joints, friction on all, limits and a servo on some, and contacts with the
/// world.
inline ContactProblem random_arm(int n, int num_contacts, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Eigen::MatrixXd B(n, n);
  Eigen::VectorXd v_free(n);
  for (int i = 0; i < n; ++i) {
    v_free(i) = normal(engine);
    for (int j = 0; j < n; ++j) B(i, j) = normal(engine);
  }
  const Eigen::MatrixXd M = B * B.transpose() + 0.2 * Eigen::MatrixXd::Identity(n, n);
  ContactProblem problem = joints_alone(M, v_free);
  for (int i = 0; i < n; ++i) {
    if (uniform(engine) < 0.4) add_limit(problem, i, false, 0.01 * uniform(engine));
    if (uniform(engine) < 0.2) add_limit(problem, i, true, 0.01 * uniform(engine));
    add_friction(problem, i, std::pow(10.0, normal(engine)));
    if (i == 0) add_servo(problem, i, 100.0, 1.0, normal(engine), 50.0 * uniform(engine));
  }
  add_random_contacts(problem, num_contacts, engine);
  return problem;
}

/// Makes an arm of n joints as random_arm() does, with a drive on every joint that has none, some
/// of them far beyond their effort, and contacts with the world.
inline ContactProblem random_driven_arm(int n, int num_contacts, std::mt19937_64& engine) {
  ContactProblem problem = random_arm(n, 0, engine);
  std::normal_distribution<double> normal;
  for (int joint = 1; joint < n; ++joint) {
    add_servo(problem, joint, std::pow(10.0, 2.0 + normal(engine)), 1.0, normal(engine),
              std::pow(10.0, 1.0 + normal(engine)));
  }
  sort_rows(problem);
  add_random_contacts(problem, num_contacts, engine);
  return problem;
}

}  // namespace amontons::test
