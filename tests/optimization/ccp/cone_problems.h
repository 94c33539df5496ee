#pragma once

#include "amontons/optimization/ccp/body_space_operator.h"
#include "amontons/optimization/ccp/cone_problem.h"
#include "amontons/optimization/ccp/contact_space_operator.h"

#include <Eigen/Core>

#include <random>
#include <vector>

namespace amontons::test {

/// Holds random contacts between free bodies and the ground, the same problem in both spaces. It is
/// scaled so that each block of W has trace 3.
struct ConePair {
  BodySpaceOperator bodies;
  ContactSpaceOperator contacts;
  ConeProblem problem;  ///< W is the body-space operator
  Eigen::MatrixXd W;    ///< dense
};

/// Makes such a problem.
/// @param redundant  repeats every contact on the same bodies, so that W is singular.
inline void make_cone_pair(std::mt19937_64& random, int num_bodies, int num_contacts, double mu,
                           bool redundant, ConePair& pair) {
  std::normal_distribution<double> normal;
  pair.bodies.reset(std::vector<int>(static_cast<std::size_t>(num_bodies), 6));
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(3 * num_contacts, 6 * num_bodies);
  const auto pick = [&] { return static_cast<int>(random() % static_cast<unsigned>(num_bodies)); };
  for (int i = 0; i < num_contacts; ++i) {
    int a = pick(), b = random() % 2 == 0 ? pick() : -1;
    if (a > b && b >= 0) std::swap(a, b);
    Eigen::Matrix<double, 3, 6> part = Eigen::Matrix<double, 3, 6>::NullaryExpr(
        [&](Eigen::Index, Eigen::Index) { return normal(random); });
    if (redundant && i % 2 == 1) {
      G.middleRows(3 * i, 3) = G.middleRows(3 * i - 3, 3);
    } else {
      G.block<3, 6>(3 * i, 6 * a) = part;
      if (b > a) G.block<3, 6>(3 * i, 6 * b) = -part;
    }
    G.middleRows(3 * i, 3) *= std::sqrt(3.0) / G.middleRows(3 * i, 3).norm();
    pair.bodies.add_block();
    for (int body = 0; body < num_bodies; ++body) {
      const auto own = G.block<3, 6>(3 * i, 6 * body);
      if (!own.isZero(0.0)) {
        Eigen::Map<Eigen::Matrix<double, 3, 6>>(pair.bodies.add_part(body)) = own;
      }
    }
  }
  pair.bodies.finish();
  pair.W = G * G.transpose();
  pair.contacts.reset(num_contacts);
  for (int i = 0; i < num_contacts; ++i) {
    for (int j = 0; j < num_contacts; ++j) {
      const Eigen::Matrix3d block = pair.W.block<3, 3>(3 * i, 3 * j);
      if (!block.isZero(0.0)) pair.contacts.add_entry(i, j, block);
    }
  }
  pair.contacts.finish();
  // q = G v: without overlap, so that every law has a solution.
  const Eigen::VectorXd v =
      Eigen::VectorXd::NullaryExpr(6 * num_bodies, [&](Eigen::Index) { return normal(random); });
  pair.problem = {};
  pair.problem.W = &pair.bodies;
  pair.problem.q = G * v;
  pair.problem.cones.assign(static_cast<std::size_t>(num_contacts),
                            Cone{ConeKind::Friction, mu, 0.0});
  pair.problem.residual_scale = Eigen::VectorXd::Ones(num_contacts);
}

}  // namespace amontons::test
