#include "amontons/models/planar_contacts.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace amontons {
namespace {

PlanarContacts random_contacts(std::mt19937_64& random, int n, int bodies) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd G =
      Eigen::MatrixXd::NullaryExpr(2 * n, 3 * bodies, [&] { return normal(random); });
  const Eigen::MatrixXd W = G * G.transpose();
  PlanarContacts problem;
  problem.num_contacts = n;
  for (int i = 0; i < 2 * n; ++i) {
    for (int j = 0; j < 2 * n; ++j) problem.W[i][j] = W(i, j);
    problem.q[i] = normal(random);
  }
  for (int i = 0; i < n; ++i) problem.friction[i] = 0.8 * std::abs(normal(random));
  return problem;
}

/// Largest violation of Signorini's and Coulomb's laws, in speeds and impulses.
double violation(const PlanarContacts& problem, const double* p) {
  double worst = 0.0;
  for (int i = 0; i < problem.num_contacts; ++i) {
    double u[2];
    for (const int row : {0, 1}) {
      u[row] = problem.q[2 * i + row];
      for (int c = 0; c < 2 * problem.num_contacts; ++c) u[row] += problem.W[2 * i + row][c] * p[c];
    }
    const double p_t = p[2 * i], p_n = p[2 * i + 1], most = problem.friction[i] * p_n;
    worst = std::max({worst, -p_n, -u[1], p_n * u[1], std::abs(p_t) - most});
    if (std::abs(u[0]) > 1e-9) worst = std::max(worst, std::abs(p_t + std::copysign(most, u[0])));
  }
  return worst;
}

}  // namespace

TEST_CASE("What planar modes answer keeps Signorini's and Coulomb's laws at every contact") {
  std::mt19937_64 random(8);
  int answered = 0, asked = 0;
  for (int k = 0; k < 4000; ++k) {
    const int n = 1 + k % kMostPlanarContacts;
    const PlanarContacts problem = random_contacts(random, n, n);
    double p[2 * kMostPlanarContacts];
    ++asked;
    if (!solve_planar_contacts(problem, p)) continue;
    ++answered;
    CAPTURE(k, n);
    CHECK(violation(problem, p) <= 1e-9);
  }
  // Newton's method may go round; then the ladder is asked.
  CHECK(answered >= 0.9 * asked);
}

TEST_CASE("Planar modes with redundant contacts have an answer that keeps the laws, or none") {
  std::mt19937_64 random(9);
  for (int k = 0; k < 1000; ++k) {
    const PlanarContacts problem = random_contacts(random, 4, 1);
    double p[2 * kMostPlanarContacts];
    if (!solve_planar_contacts(problem, p)) continue;
    CAPTURE(k);
    CHECK(violation(problem, p) <= 1e-6);
  }
}

}  // namespace amontons
