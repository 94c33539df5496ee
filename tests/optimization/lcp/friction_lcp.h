#pragma once

#include "amontons/optimization/lcp/linear_complementarity.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace amontons::test {

/// Describes one point contact of the Anitescu-Potra LCP: rows of the contact Jacobian over all
/// bodies.
struct FrictionContact {
  Eigen::VectorXd normal;      ///< [m]
  Eigen::MatrixXd directions;  ///< [m_C x m], balanced tangents
  double friction_coefficient = 0.0;
  double gap_speed = 0.0;  ///< s = Phi / h [m/s]
};

/// Makes [A_nn A_nD 0; A_Dn A_DD E; mu -E' 0], variables (c_n, beta, lambda); q = (N v + s, D v,
/// 0).
inline LinearComplementarityProblem make_friction_lcp(const std::vector<FrictionContact>& contacts,
                                                      const Eigen::MatrixXd& inverse_mass,
                                                      const Eigen::VectorXd& free_velocity) {
  const Eigen::Index n = static_cast<Eigen::Index>(contacts.size());
  const Eigen::Index facets = contacts.front().directions.rows();
  const Eigen::Index m = free_velocity.size();
  Eigen::MatrixXd rows(n * (1 + facets), m);
  Eigen::VectorXd gap = Eigen::VectorXd::Zero(rows.rows());
  LinearComplementarityProblem problem;
  problem.M = Eigen::MatrixXd::Zero(n * (2 + facets), n * (2 + facets));
  problem.q = Eigen::VectorXd::Zero(n * (2 + facets));
  for (Eigen::Index i = 0; i < n; ++i) {
    const FrictionContact& contact = contacts[static_cast<std::size_t>(i)];
    const Eigen::Index beta = n + i * facets;
    const Eigen::Index lambda = n * (1 + facets) + i;
    rows.row(i) = contact.normal.transpose();
    rows.middleRows(beta, facets) = contact.directions;
    gap(i) = contact.gap_speed;
    problem.M(lambda, i) = contact.friction_coefficient;
    problem.M.block(lambda, beta, 1, facets).setConstant(-1.0);
    problem.M.block(beta, lambda, facets, 1).setConstant(1.0);
  }
  problem.M.topLeftCorner(rows.rows(), rows.rows()) = rows * inverse_mass * rows.transpose();
  problem.q.head(rows.rows()) = rows * free_velocity + gap;
  return problem;
}

/// Makes a contact at p on body `b` (against body `a`, or the ground if a < 0), normal n from a
/// into b.
inline FrictionContact make_contact(int num_bodies, const std::vector<Eigen::Vector3d>& centers,
                                    int a, int b, const Eigen::Vector3d& p,
                                    const Eigen::Vector3d& n, int facets) {
  const auto row = [&](const Eigen::Vector3d& axis) {
    Eigen::VectorXd r = Eigen::VectorXd::Zero(6 * num_bodies);
    r.segment<3>(6 * b) = (p - centers[static_cast<std::size_t>(b)]).cross(axis);
    r.segment<3>(6 * b + 3) = axis;
    if (a >= 0) {
      r.segment<3>(6 * a) = -(p - centers[static_cast<std::size_t>(a)]).cross(axis);
      r.segment<3>(6 * a + 3) = -axis;
    }
    return r;
  };
  const Eigen::Vector3d t1 = n.unitOrthogonal();
  const Eigen::Vector3d t2 = n.cross(t1);
  FrictionContact contact;
  contact.normal = row(n);
  contact.directions.resize(facets, 6 * num_bodies);
  for (int k = 0; k < facets; ++k) {
    const double angle = 2.0 * M_PI * k / facets;
    contact.directions.row(k) = row(std::cos(angle) * t1 + std::sin(angle) * t2).transpose();
  }
  return contact;
}

/// Returns the inverse mass of a solid cube of given mass and edge, angular part first.
inline Eigen::Matrix<double, 6, 1> inverse_inertia_of_cube(double mass, double edge) {
  Eigen::Matrix<double, 6, 1> inverse;
  inverse.head<3>().setConstant(6.0 / (mass * edge * edge));
  inverse.tail<3>().setConstant(1.0 / mass);
  return inverse;
}

/// Makes random bodies, 1 to 20 contacts, 4 to 8 directions, duplicates and coplanar patches, mass
/// ratio up to 1e3, mu in [0, 2]. Gaps are not negative, so a solution exists [Anitescu, Potra
/// 1997].
inline LinearComplementarityProblem make_random_friction_lcp(std::mt19937_64& random) {
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  const auto pick = [&](int a, int b) { return std::uniform_int_distribution<int>(a, b)(random); };
  const auto unit = [&] {
    Eigen::Vector3d v(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
    return v.norm() < 0.1 ? Eigen::Vector3d(Eigen::Vector3d::UnitZ())
                          : Eigen::Vector3d(v.normalized());
  };
  const int num_bodies = pick(1, 5);
  const int num_contacts = pick(1, 20);
  const int facets = 2 * pick(2, 4);
  const double common_mu = uniform(0.0, 2.0);
  std::vector<Eigen::Vector3d> centers;
  Eigen::VectorXd inverse_mass(6 * num_bodies), velocity(6 * num_bodies);
  for (int b = 0; b < num_bodies; ++b) {
    centers.push_back({uniform(-1, 1), uniform(-1, 1), uniform(0, 2)});
    inverse_mass.segment<6>(6 * b) =
        inverse_inertia_of_cube(std::pow(10.0, uniform(-1.5, 1.5)), uniform(0.2, 1.0));
    const bool is_resting = pick(0, 1) == 0;
    for (int k = 0; k < 6; ++k) velocity(6 * b + k) = is_resting ? 0.0 : uniform(-1, 1);
    velocity(6 * b + 5) -= 0.0981;
  }
  std::vector<FrictionContact> contacts;
  while (static_cast<int>(contacts.size()) < num_contacts) {
    const int b = pick(0, num_bodies - 1);
    const int a = pick(-1, b - 1);
    const double mu = pick(0, 4) == 0 ? 0.0 : pick(0, 1) == 0 ? common_mu : uniform(0.0, 2.0);
    const Eigen::Vector3d n = a < 0 ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : unit();
    const int kind = pick(0, 3);
    const int points = kind == 0 ? 4 : 1;
    const Eigen::Vector3d center = centers[static_cast<std::size_t>(b)] - 0.3 * n;
    for (int k = 0; k < points && static_cast<int>(contacts.size()) < num_contacts; ++k) {
      if (kind == 1 && !contacts.empty()) {
        contacts.push_back(
            contacts[static_cast<std::size_t>(pick(0, static_cast<int>(contacts.size()) - 1))]);
        continue;
      }
      const Eigen::Vector3d t1 = n.unitOrthogonal(), t2 = n.cross(t1);
      const Eigen::Vector3d offset =
          points == 4 ? Eigen::Vector3d(0.3 * (k % 2 ? 1 : -1) * t1 + 0.3 * (k / 2 ? 1 : -1) * t2)
                      : Eigen::Vector3d(0.4 * unit());
      FrictionContact contact = make_contact(num_bodies, centers, a, b, center + offset, n, facets);
      contact.friction_coefficient = mu;
      contact.gap_speed = pick(0, 3) == 0 ? uniform(0.0, 0.5) : 0.0;
      contacts.push_back(contact);
    }
  }
  return make_friction_lcp(contacts, inverse_mass.asDiagonal(), velocity);
}

/// Makes cubes of edge 1 stacked on the ground, falling at `speed`, the cube k of mass masses[k].
/// Each square patch has `points` contacts per side.
inline LinearComplementarityProblem make_stack_lcp(const std::vector<double>& masses, double mu,
                                                   int facets, const Eigen::Vector3d& velocity,
                                                   int points = 2) {
  const int num_bodies = static_cast<int>(masses.size());
  std::vector<Eigen::Vector3d> centers;
  Eigen::VectorXd inverse_mass(6 * num_bodies);
  Eigen::VectorXd free_velocity = Eigen::VectorXd::Zero(6 * num_bodies);
  for (int b = 0; b < num_bodies; ++b) {
    centers.push_back({0.0, 0.0, b + 0.5});
    inverse_mass.segment<6>(6 * b) =
        inverse_inertia_of_cube(masses[static_cast<std::size_t>(b)], 1.0);
    free_velocity.segment<3>(6 * b + 3) = velocity;
  }
  std::vector<FrictionContact> contacts;
  for (int b = 0; b < num_bodies; ++b) {
    for (int k = 0; k < points * points; ++k) {
      const double x = (k % points) / (points - 1.0) - 0.5, y = (k / points) / (points - 1.0) - 0.5;
      contacts.push_back(make_contact(num_bodies, centers, b - 1, b, {x, y, static_cast<double>(b)},
                                      Eigen::Vector3d::UnitZ(), facets));
      contacts.back().friction_coefficient = mu;
    }
  }
  return make_friction_lcp(contacts, inverse_mass.asDiagonal(), free_velocity);
}

}  // namespace amontons::test
