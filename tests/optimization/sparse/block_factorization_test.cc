#include "amontons/optimization/sparse/block_factorization.h"

#include "amontons/math/stop.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>
#include <vector>

namespace amontons {
namespace {

struct BlockGraph {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> pairs;
  std::vector<Eigen::Index> offsets;
  Eigen::Index rows = 0;
};

BlockGraph random_graph(std::mt19937_64& random, int nodes, int edges) {
  BlockGraph graph;
  for (int i = 0; i < nodes; ++i) {
    graph.sizes.push_back(1 + static_cast<int>(random() % 7));
    graph.offsets.push_back(graph.rows);
    graph.rows += graph.sizes.back();
  }
  for (int e = 0; e < edges; ++e) {
    const int i = static_cast<int>(random() % static_cast<unsigned>(nodes));
    const int j = static_cast<int>(random() % static_cast<unsigned>(nodes));
    if (i != j) graph.pairs.emplace_back(std::min(i, j), std::max(i, j));
  }
  std::sort(graph.pairs.begin(), graph.pairs.end());
  graph.pairs.erase(std::unique(graph.pairs.begin(), graph.pairs.end()), graph.pairs.end());
  return graph;
}

/// Makes a random matrix of the graph's pattern, definite by a heavy diagonal.
Eigen::MatrixXd fill(std::mt19937_64& random, const BlockGraph& graph, bool symmetric,
                     BlockFactorization& factorization, double diagonal = 30.0) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(graph.rows, graph.rows);
  const auto part = [&](int i, int j) {
    const std::size_t a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    return A.block(graph.offsets[a], graph.offsets[b], graph.sizes[a], graph.sizes[b]);
  };
  const auto randomize = [&](int i, int j) {
    Eigen::MatrixXd values = part(i, j);
    part(i, j) = values.unaryExpr([&](double) { return uniform(random); });
  };
  for (const auto& [i, j] : graph.pairs) {
    randomize(i, j);
    randomize(j, i);
  }
  for (int i = 0; i < static_cast<int>(graph.sizes.size()); ++i) randomize(i, i);
  if (symmetric) A = 0.5 * (A + A.transpose()).eval();
  A.diagonal().array() += diagonal;
  factorization.clear();
  for (int i = 0; i < static_cast<int>(graph.sizes.size()); ++i) {
    factorization.block(i, i) = part(i, i);
  }
  for (const auto& [i, j] : graph.pairs) {
    if (!symmetric || factorization.is_stored(i, j)) factorization.block(i, j) = part(i, j);
    if (!symmetric || factorization.is_stored(j, i)) factorization.block(j, i) = part(j, i);
  }
  return A;
}

}  // namespace

TEST_CASE("A stop ends a factorization within itself, and the next one has the same bits") {
  std::mt19937_64 random(5);
  const BlockGraph graph = random_graph(random, 60, 240);
  for (const bool symmetric : {true, false}) {
    CAPTURE(symmetric);
    BlockFactorization whole, stopped;
    for (BlockFactorization* factorization : {&whole, &stopped}) {
      std::mt19937_64 same(6);
      factorization->set_pattern(graph.sizes, graph.pairs);
      fill(same, graph, symmetric, *factorization);
    }
    {
      const std::atomic<bool> stop = true;
      const StopScope scope(&stop);
      CHECK_THROWS_AS(stopped.factor(symmetric), Stopped);
    }
    REQUIRE(whole.factor(symmetric));
    REQUIRE(stopped.factor(symmetric));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(graph.rows, -1.0, 2.0);
    Eigen::VectorXd x = b, y = b;
    whole.solve(x);
    stopped.solve(y);
    CHECK(x == y);
  }
}

TEST_CASE("Block factors solve what dense factors solve, symmetric or not, pattern after pattern") {
  std::mt19937_64 random(2);
  BlockFactorization factorization;
  for (int k = 0; k < 60; ++k) {
    const int nodes = 1 + k % 20;
    const BlockGraph graph = random_graph(random, nodes, 2 * nodes);
    factorization.set_pattern(graph.sizes, graph.pairs);
    for (const bool symmetric : {true, false, true}) {
      const Eigen::MatrixXd A = fill(random, graph, symmetric, factorization);
      REQUIRE(factorization.factor(symmetric));
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(graph.rows, -1.0, 2.0);
      Eigen::VectorXd x = b;
      factorization.solve(x);
      CAPTURE(k, symmetric);
      CHECK((A * x - b).norm() <= 1e-13 * b.norm());
    }
  }
}

TEST_CASE("Panels of several nodes, wide and narrow, solve what dense factors solve") {
  std::mt19937_64 random(4);
  BlockFactorization factorization;
  for (const int nodes : {2, 9, 25, 40}) {
    BlockGraph graph = random_graph(random, nodes, nodes * nodes);  // nearly full
    factorization.set_pattern(graph.sizes, graph.pairs);
    for (const bool symmetric : {true, false}) {
      const Eigen::MatrixXd A = fill(random, graph, symmetric, factorization, 60.0);
      REQUIRE(factorization.factor(symmetric));
      Eigen::VectorXd x = Eigen::VectorXd::Ones(graph.rows);
      factorization.solve(x);
      CAPTURE(nodes, symmetric);
      CHECK((A * x).isOnes(1e-12));
    }
  }
}

TEST_CASE("Rows of a node that are multiplied by a large number cost no digits") {
  // D W with D = 1e8 for some contacts, next to 1: the rows of a kernel in contact space.
  std::mt19937_64 random(5);
  BlockFactorization factorization;
  for (int k = 0; k < 20; ++k) {
    const BlockGraph graph = random_graph(random, 15, 30);
    factorization.set_pattern(graph.sizes, graph.pairs);
    const Eigen::MatrixXd A = fill(random, graph, false, factorization, 1.0);
    Eigen::VectorXd factors = Eigen::VectorXd::Ones(graph.rows);
    for (std::size_t i = 0; i < graph.sizes.size(); i += 2) {
      factors.segment(graph.offsets[i], graph.sizes[i]).setConstant(1e8);
      const auto scale = [&](int j) { factorization.block(static_cast<int>(i), j) *= 1e8; };
      scale(static_cast<int>(i));
      for (const auto& [a, b] : graph.pairs) {
        if (a == static_cast<int>(i)) scale(b);
        if (b == static_cast<int>(i)) scale(a);
      }
    }
    REQUIRE(factorization.factor(false));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(graph.rows, -1.0, 2.0);
    Eigen::VectorXd x = factors.cwiseProduct(b);
    factorization.solve(x);
    CAPTURE(k);
    CHECK((A * x - b).norm() <= 1e-9 * b.norm());
  }
}

TEST_CASE(
    "A quasidefinite matrix is factored without exchanges, and its determinant's sign is "
    "known") {
  // Every node has rows of either sign: A = S B, B positive definite for large diagonals, made
  // symmetric.
  std::mt19937_64 random(11);
  BlockFactorization factorization;
  for (const int nodes : {1, 2, 9, 60}) {
    const BlockGraph graph = random_graph(random, nodes, 3 * nodes);
    factorization.set_pattern(graph.sizes, graph.pairs);
    Eigen::MatrixXd A = fill(random, graph, true, factorization, 0.0);
    Eigen::VectorXd diagonal(graph.rows);
    int negative = 0;
    for (Eigen::Index i = 0; i < graph.rows; ++i) {
      diagonal(i) = i % 3 == 0 ? -40.0 : 40.0;
      negative += diagonal(i) < 0.0 ? 1 : 0;
    }
    A.diagonal() += diagonal;
    for (std::size_t i = 0; i < graph.sizes.size(); ++i) {
      const int node = static_cast<int>(i);
      factorization.block(node, node).diagonal() +=
          diagonal.segment(graph.offsets[i], graph.sizes[i]);
    }
    CAPTURE(nodes);
    REQUIRE(factorization.factor_quasidefinite());
    CHECK_FALSE(factorization.factor(true));
    REQUIRE(factorization.factor_quasidefinite());
    CHECK(factorization.determinant_sign() == (negative % 2 == 0 ? 1 : -1));
    Eigen::VectorXd x = A * Eigen::VectorXd::LinSpaced(graph.rows, -1.0, 2.0);
    factorization.solve(x);
    CHECK((x - Eigen::VectorXd::LinSpaced(graph.rows, -1.0, 2.0)).norm() <= 1e-11 * x.norm());
  }
}

TEST_CASE("A chain of bodies fills nothing in, in whatever order it is numbered") {
  std::mt19937_64 random(3);
  std::vector<int> names(200);
  for (int i = 0; i < 200; ++i) names[static_cast<std::size_t>(i)] = i;
  std::shuffle(names.begin(), names.end(), random);
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    pairs.emplace_back(std::min(names[i], names[i + 1]), std::max(names[i], names[i + 1]));
  }
  std::sort(pairs.begin(), pairs.end());
  BlockFactorization factorization;
  factorization.set_pattern(std::vector<int>(200, 6), pairs);
  // 200 diagonal blocks and two for each of 199 pairs.
  CHECK(factorization.num_entries() == (200 + 2 * 199) * 36);
}

TEST_CASE("A singular matrix is refused, and so is an indefinite one where definite was promised") {
  BlockFactorization factorization;
  const std::vector<int> sizes = {2, 3};
  const std::vector<std::pair<int, int>> pairs = {{0, 1}};
  factorization.set_pattern(sizes, pairs);
  factorization.clear();
  factorization.block(0, 0).setIdentity();
  CHECK_FALSE(factorization.factor(false));
  factorization.clear();
  factorization.block(0, 0).setIdentity();
  factorization.block(1, 1).setIdentity();
  factorization.block(1, 1)(2, 2) = -1.0;
  CHECK_FALSE(factorization.factor(true));
}

}  // namespace amontons
