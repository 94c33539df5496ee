#include "amontons/models/closed_form/single_contact_solver.h"

#include "amontons/contact/certificate/law_residual.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

// Files hold W as it was computed, out of symmetry by up to some 1e-3.
TEST_CASE("One contact's impulse keeps Coulomb's law with W as it is, out of symmetry or not") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto any = [&](Eigen::Index, Eigen::Index) { return normal(random); };
  const Eigen::Matrix2Xd directions = directions_of({LawKind::Coulomb, 4});
  int loaded = 0;
  for (int k = 0; k < 2000; ++k) {
    const Eigen::Matrix<double, 3, 6> G = Eigen::Matrix<double, 3, 6>::NullaryExpr(any);
    Eigen::Matrix3d W = G * G.transpose();
    const double share = k % 4 == 0 ? 0.0 : std::pow(10.0, -2.0 - k % 4 * 2.0);
    W += share * W.norm() * Eigen::Matrix3d::NullaryExpr(any);
    const double mass = std::pow(10.0, 4.0 * unit(random) - 2.0);
    W /= mass;
    const Eigen::Vector3d q = Eigen::Vector3d::NullaryExpr([&] { return normal(random); });
    ContactState point;
    point.friction = 0.5 * unit(random);
    point.impulse = coulomb_impulse(W, q, point.friction);
    point.velocity = W * point.impulse + q;
    point.inverse_mass = W.trace() / 3.0;
    if (!point.impulse.isZero(0.0)) ++loaded;
    const LawResidual residual = law_residual(LawKind::Coulomb, directions, point);
    CAPTURE(k, share, point.friction);
    CHECK(residual.normal <= 1e-12 * q.norm());
    CHECK(residual.friction <= 1e-12 * q.norm());
  }
  CHECK(loaded > 500);
}

}  // namespace
}  // namespace amontons
