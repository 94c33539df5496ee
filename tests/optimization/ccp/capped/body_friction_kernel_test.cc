#include "amontons/optimization/ccp/capped/body_friction_kernel.h"

#include "tests/optimization/ccp/cone_problems.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace amontons {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::VectorXd;

TEST_CASE(
    "The kernel of phase II satisfies its equations in all its forms, with and without a price") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  // Dense, with unknown multipliers, and on bodies, which have many contacts in the last.
  for (const auto& [bodies, contacts] : {std::pair(1, 4), {2, 7}, {9, 28}, {25, 76}, {25, 150}}) {
    const Index n = contacts;
    CAPTURE(bodies, contacts);
    test::ConePair pair;
    test::make_cone_pair(random, bodies, static_cast<int>(n), 0.5, true, pair);
    const VectorXd a = VectorXd::NullaryExpr(n, [&](Index) { return uniform(random); });
    std::vector<SymmetricBlock> D;
    VectorXd slopes(n);
    for (Index i = 0; i < n; ++i) {
      const Matrix3d root = Matrix3d::NullaryExpr([&](Index, Index) { return normal(random); });
      // Closed contacts have none of both.
      D.push_back(i % 4 == 0 ? SymmetricBlock() : SymmetricBlock::of(root * root.transpose()));
      slopes(i) = i % 3 == 0 ? 0.0 : 10.0 * uniform(random);
    }
    BodyFrictionKernel kernel;
    kernel.reset(pair.bodies, a);
    for (const double price_slope : {0.0, 0.7}) {
      for (const double price : {0.0, -0.4}) {
        CAPTURE(price_slope, price);
        BodyFrictionKernel::Constants constants{
            VectorXd::NullaryExpr(3 * n, [&](Index) { return normal(random); }),
            VectorXd::NullaryExpr(n, [&](Index) { return normal(random); }), price};
        BodyFrictionKernel::Direction found;
        REQUIRE(kernel.factor(D, slopes, price_slope));
        kernel.solve(constants, 0, found);
        // The equations of the header, with W dense.
        VectorXd without = found.x;
        double spent = 0.0;
        for (Index i = 0; i < n; ++i) {
          without(3 * i + 2) -= found.multipliers(i);
          spent += a(i) * found.x(3 * i + 2);
        }
        VectorXd gamma = pair.W * without;
        const VectorXd u = pair.W * found.x;
        for (Index i = 0; i < n; ++i) gamma(3 * i + 2) += a(i) * found.price;
        CHECK((gamma - found.gamma).norm() <= 1e-10 * (1.0 + gamma.norm()));
        CHECK(found.price == Approx(price + price_slope * spent).margin(1e-10));
        for (Index i = 0; i < n; ++i) {
          const SymmetricBlock& own = D[static_cast<std::size_t>(i)];
          CHECK((found.x.segment<3>(3 * i) + constants.reactions.segment<3>(3 * i) +
                 own * Eigen::Vector3d(gamma.segment<3>(3 * i)))
                    .norm() <= 1e-9 * (1.0 + found.x.norm()));
          CHECK(found.slack(i) == Approx(u(3 * i + 2)).margin(1e-9));
          CHECK(found.multipliers(i) ==
                Approx(-constants.multipliers(i) - slopes(i) * u(3 * i + 2)).margin(1e-9));
        }
      }
    }
  }
}

TEST_CASE("The kernel of phase II keeps its digits where slopes differ by 10^16") {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> exponent(-8.0, 8.0);
  for (const auto& [bodies, contacts] : {std::pair(9, 28), {25, 76}, {25, 150}}) {
    const Index n = contacts;
    test::ConePair pair;
    test::make_cone_pair(random, bodies, contacts, 0.5, false, pair);
    const VectorXd a = VectorXd::Ones(n);
    std::vector<SymmetricBlock> D;
    VectorXd slopes(n);
    for (Index i = 0; i < n; ++i) {
      const Matrix3d root = Matrix3d::NullaryExpr([&](Index, Index) { return normal(random); });
      D.push_back(i % 5 == 0 ? SymmetricBlock() : SymmetricBlock::of(root * root.transpose()));
      slopes(i) = std::pow(10.0, exponent(random));
    }
    BodyFrictionKernel kernel;
    kernel.reset(pair.bodies, a);
    const BodyFrictionKernel::Constants constants{
        VectorXd::NullaryExpr(3 * n, [&](Index) { return normal(random); }),
        VectorXd::NullaryExpr(n, [&](Index) { return normal(random); }), 0.0};
    BodyFrictionKernel::Direction found;
    REQUIRE(kernel.factor(D, slopes, 0.0));
    kernel.solve(constants, 1, found);
    const VectorXd u = pair.W * found.x;
    const double size = 1.0 + found.x.norm() + found.multipliers.norm();
    for (Index i = 0; i < n; ++i) {
      CAPTURE(bodies, contacts, i, slopes(i));
      // dlambda = -e - Lambda u_n, in the larger of its two units.
      const double missed =
          found.multipliers(i) + constants.multipliers(i) + slopes(i) * u(3 * i + 2);
      CHECK(std::abs(missed) <= 1e-9 * size * std::max(1.0, slopes(i)));
    }
  }
}

}  // namespace amontons
