#include "tests/dynamics/forward_dynamics.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

constexpr double kG = 9.81;
const Eigen::Vector3d kGravity(0.0, 0.0, -kG);

// Makes point masses on massless rods of the given lengths, hanging from the origin. Hinges are
// about -y, so that a positive angle lifts the mass towards +x. Angles count from the rod above.
Articulation pendulum(const std::vector<double>& masses, const std::vector<double>& lengths) {
  std::vector<Link> links;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    Link link;
    link.parent = static_cast<int>(i) - 1;
    link.joint = JointType::Revolute;
    link.axis = -Eigen::Vector3d::UnitY();
    if (i > 0) link.X_PF.translation = Eigen::Vector3d(0.0, 0.0, -lengths[i - 1]);
    link.inertia = {masses[i], Eigen::Vector3d(0.0, 0.0, -lengths[i]), Eigen::Matrix3d::Zero()};
    links.push_back(link);
  }
  return Articulation(links);
}

// Computes Jacobi's sn(u, k) by descending Landen transformations [DLMF 22.7.1].
double jacobi_sn(double u, double k) {
  if (k < 1e-9) return std::sin(u);
  const double k_prime = std::sqrt(1.0 - k * k);
  const double k1 = (1.0 - k_prime) / (1.0 + k_prime);
  const double sn = jacobi_sn(u / (1.0 + k1), k1);
  return (1.0 + k1) * sn / (1.0 + k1 * sn * sn);
}

// Returns the angle of a simple pendulum released at rest from theta_0.
double exact_pendulum_angle(double theta_0, double length, double t) {
  const double k = std::sin(0.5 * theta_0);
  const double phase = std::comp_ellint_1(k) - std::sqrt(kG / length) * t;
  return 2.0 * std::asin(k * jacobi_sn(phase, k));
}

struct State {
  Eigen::VectorXd q, v;
};

// Integrates trees whose v is the derivative of q by the classical Runge-Kutta method.
template <typename Acceleration>
State runge_kutta(const Acceleration& acceleration, State x, double duration, int num_steps) {
  const double h = duration / num_steps;
  for (int i = 0; i < num_steps; ++i) {
    const Eigen::VectorXd v1 = x.v, a1 = acceleration(x.q, v1);
    const Eigen::VectorXd v2 = x.v + 0.5 * h * a1, a2 = acceleration(x.q + 0.5 * h * v1, v2);
    const Eigen::VectorXd v3 = x.v + 0.5 * h * a2, a3 = acceleration(x.q + 0.5 * h * v2, v3);
    const Eigen::VectorXd v4 = x.v + h * a3, a4 = acceleration(x.q + h * v3, v4);
    x.q += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    x.v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return x;
}

State semi_implicit_euler(const Articulation& tree, State x, double duration, int num_steps) {
  const double h = duration / num_steps;
  for (int i = 0; i < num_steps; ++i) {
    x.v += h * free_acceleration(tree, x.q, x.v, kGravity);
    x.q = tree.integrate(x.q, x.v, h);
  }
  return x;
}

// Returns the accelerations of the double pendulum in absolute angles a, b from the vertical:
//   (m1 + m2) l1 a'' + m2 l2 cos(a-b) b'' = -m2 l2 b'^2 sin(a-b) - (m1 + m2) g sin a
//   l1 cos(a-b) a'' + l2 b''              =  l1 a'^2 sin(a-b) - g sin b
Eigen::VectorXd double_pendulum(double m1, double m2, double l1, double l2,
                                const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const double s = std::sin(q[0] - q[1]), c = std::cos(q[0] - q[1]);
  Eigen::Matrix2d matrix;
  matrix << (m1 + m2) * l1, m2 * l2 * c, l1 * c, l2;
  const Eigen::Vector2d right(-m2 * l2 * v[1] * v[1] * s - (m1 + m2) * kG * std::sin(q[0]),
                              l1 * v[0] * v[0] * s - kG * std::sin(q[1]));
  return matrix.partialPivLu().solve(right);
}

}  // namespace

TEST_CASE("A simple pendulum follows the elliptic function for 10 s to the integrator's order") {
  const double length = 0.8, theta_0 = 0.5 * std::acos(-1.0), duration = 10.0;
  const Articulation tree = pendulum({1.7}, {length});
  const State start{Eigen::VectorXd::Constant(1, theta_0), Eigen::VectorXd::Zero(1)};
  const double exact = exact_pendulum_angle(theta_0, length, duration);
  const auto acceleration = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    return free_acceleration(tree, q, v, kGravity);
  };
  const double coarse = std::abs(runge_kutta(acceleration, start, duration, 1000).q[0] - exact);
  const double fine = std::abs(runge_kutta(acceleration, start, duration, 2000).q[0] - exact);
  const double finest = std::abs(runge_kutta(acceleration, start, duration, 16000).q[0] - exact);
  CAPTURE(coarse, fine, finest);
  CHECK(std::log2(coarse / fine) == Approx(4.0).margin(0.3));
  CHECK(finest <= 1e-11);  // coarse / 16^4, and 16000 roundings

  const double step_10ms = std::abs(semi_implicit_euler(tree, start, duration, 1000).q[0] - exact);
  const double step_5ms = std::abs(semi_implicit_euler(tree, start, duration, 2000).q[0] - exact);
  CAPTURE(step_10ms, step_5ms);
  CHECK(step_10ms <= 0.1);
  CHECK(step_5ms <= 0.6 * step_10ms);
}

TEST_CASE("A double pendulum obeys its textbook equations, at any state and for 10 s") {
  const double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 0.6;
  const Articulation tree = pendulum({m1, m2}, {l1, l2});
  const auto closed = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    return double_pendulum(m1, m2, l1, l2, q, v);
  };
  // The tree's second angle counts from the first rod: a = q0, b = q0 + q1.
  Eigen::Matrix2d to_absolute;
  to_absolute << 1.0, 0.0, 1.0, 1.0;
  Engine engine(81);
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::Vector2d q = 3.0 * random_vector(engine, 2);
    const Eigen::Vector2d v = 5.0 * random_vector(engine, 2);
    const Eigen::VectorXd expected = closed(to_absolute * q, to_absolute * v);
    const Eigen::VectorXd actual = to_absolute * free_acceleration(tree, q, v, kGravity);
    CHECK((actual - expected).norm() <= 1e-12 * (1.0 + expected.norm()));
  }

  // Regular motion (small energy), so that errors do not grow exponentially.
  const State start{Eigen::Vector2d(0.3, -0.1), Eigen::Vector2d::Zero()};
  const State start_absolute{to_absolute * start.q, to_absolute * start.v};
  const State exact = runge_kutta(closed, start_absolute, 10.0, 40000);
  double previous = 0.0;
  for (const int num_steps : {4000, 8000, 16000}) {
    const State x = semi_implicit_euler(tree, start, 10.0, num_steps);
    const double error = (to_absolute * x.q - exact.q).norm();
    CAPTURE(num_steps, error);
    CHECK(error <= 0.05);
    if (previous > 0.0) CHECK(std::log2(previous / error) >= 0.9);
    previous = error;
  }
}

}  // namespace amontons::test
