#include "amontons/models/closed_form/planar_contacts.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace amontons {
namespace {

constexpr int kMaxContacts = 8;

PlanarContacts random_contacts(std::mt19937_64& random, int n, int bodies) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd G =
      Eigen::MatrixXd::NullaryExpr(2 * n, 3 * bodies, [&] { return normal(random); });
  const Eigen::MatrixXd W = G * G.transpose();
  PlanarContacts problem;
  problem.clear();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Eigen::Matrix2d own = W.block<2, 2>(2 * i, 2 * j);
      problem.blocks.push_back({j, {{own(0, 0), own(0, 1)}, {own(1, 0), own(1, 1)}}});
    }
    problem.end_row();
    for (int row = 0; row < 2; ++row) problem.q.push_back(normal(random));
    problem.friction.push_back(0.8 * std::abs(normal(random)));
  }
  return problem;
}

/// Makes many contacts, each of which acts on few others.
PlanarContacts chain(std::mt19937_64& random, int n) {
  std::normal_distribution<double> normal;
  std::vector<Eigen::Matrix<double, 2, 3>> ahead, behind;  // J of each contact's two bodies
  for (int i = 0; i < n; ++i) {
    const auto any = [&] { return normal(random); };
    ahead.push_back(Eigen::Matrix<double, 2, 3>::NullaryExpr(any));
    behind.push_back(Eigen::Matrix<double, 2, 3>::NullaryExpr(any));
  }
  PlanarContacts problem;
  problem.clear();
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      const std::size_t a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const Eigen::Matrix2d own =
          i == j
              ? Eigen::Matrix2d(ahead[a] * ahead[a].transpose() + behind[a] * behind[a].transpose())
          : j > i ? Eigen::Matrix2d(ahead[a] * behind[b].transpose())
                  : Eigen::Matrix2d(behind[a] * ahead[b].transpose());
      problem.blocks.push_back({j, {{own(0, 0), own(0, 1)}, {own(1, 0), own(1, 1)}}});
    }
    problem.end_row();
    problem.q.insert(problem.q.end(), {normal(random), normal(random) + 1.0});
    problem.friction.push_back(0.3);
  }
  return problem;
}

/// Returns the largest violation of Signorini's and Coulomb's laws, in speeds and impulses.
double violation(const PlanarContacts& problem, const std::vector<double>& p) {
  double worst = 0.0;
  for (int contact = 0; contact < problem.num_contacts(); ++contact) {
    const std::size_t i = static_cast<std::size_t>(contact);
    double u[2] = {problem.q[2 * i], problem.q[2 * i + 1]};
    for (std::size_t b = problem.starts[i]; b < problem.starts[i + 1]; ++b) {
      const std::size_t other = static_cast<std::size_t>(problem.blocks[b].column);
      for (const int row : {0, 1}) {
        u[row] += problem.blocks[b].W[row][0] * p[2 * other] +
                  problem.blocks[b].W[row][1] * p[2 * other + 1];
      }
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
  PlanarModes modes;
  std::vector<double> p;
  int solved = 0, asked = 0;
  for (int k = 0; k < 4000; ++k) {
    const int n = 1 + k % kMaxContacts;
    const PlanarContacts problem = random_contacts(random, n, n);
    ++asked;
    if (!modes.solve(problem, p)) continue;
    ++solved;
    CAPTURE(k, n);
    CHECK(violation(problem, p) <= 1e-9);
  }
  // Newton's method may cycle; then the general cone problem solver takes over.
  CHECK(solved >= 0.9 * asked);
}

TEST_CASE("Planar modes with redundant contacts have an answer that keeps the laws, or none") {
  std::mt19937_64 random(9);
  PlanarModes modes;
  std::vector<double> p;
  for (int k = 0; k < 1000; ++k) {
    const PlanarContacts problem = random_contacts(random, 4, 1);
    if (!modes.solve(problem, p)) continue;
    CAPTURE(k);
    CHECK(violation(problem, p) <= 1e-6);
  }
}

TEST_CASE("Planar modes of many contacts, most of them open, keep the laws at every one") {
  std::mt19937_64 random(10);
  PlanarModes modes;
  std::vector<double> p;
  int solved = 0;
  for (int k = 0; k < 100; ++k) {
    const PlanarContacts problem = chain(random, 40);
    if (!modes.solve(problem, p)) continue;
    ++solved;
    CAPTURE(k);
    CHECK(violation(problem, p) <= 1e-9);
  }
  CHECK(solved >= 60);
}

TEST_CASE("More planar contacts that bear a load than are worth dense elimination are refused") {
  PlanarContacts problem;
  problem.clear();
  for (int i = 0; i < 100; ++i) {
    problem.blocks.push_back({i, {{1.0, 0.0}, {0.0, 1.0}}});
    problem.end_row();
    problem.q.insert(problem.q.end(), {0.0, -1.0});
    problem.friction.push_back(0.5);
  }
  std::vector<double> p;
  CHECK_FALSE(PlanarModes().solve(problem, p));
}

}  // namespace amontons
