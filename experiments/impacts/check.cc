#include "experiments/checks.h"
#include "experiments/context.h"

#include <Eigen/LU>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

// One collision of Mirtich's model against an integration of its equation in the normal impulse.

namespace amontons::experiments {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// Where an impact is: velocity and impulse of the contact, and the work of the normal impulse.
struct Impact {
  Vector3d u, p = Vector3d::Zero();
  double work = 0.0;
};

/// The path of one contact's velocity over its normal impulse.
class ImpactPath {
 public:
  ImpactPath(const Matrix3d& K, double mu, const Vector3d& u) : K_(K), mu_(mu), at_{u} {
    scale_ = u.norm();
  }

  /// Goes on until value(at) >= target, found by bisection within a part.
  template <typename Value>
  void run_until(const Value& value, double target) {
    while (value(at_) < target) {
      if (!held_ && mu_ > 0.0 && at_.u.head<2>().norm() < kEnd * scale_) hold();
      double h = part();
      Impact next = after(h);
      if (value(next) >= target) {
        double low = 0.0;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + h);
          (value(after(middle)) >= target ? h : low) = middle;
        }
        next = after(h);
      }
      at_ = next;
    }
  }

  const Impact& at() const { return at_; }
  bool held() const { return held_; }            ///< slip has ended
  bool slides_again() const { return slides_; }  ///< and begins again

 private:
  static constexpr double kEnd = 1e-9;  // share of the speed at which slip has ended

  Vector3d push(const Vector3d& u) const {
    if (held_) return push_;
    if (mu_ == 0.0) return Vector3d::UnitZ();
    const Vector2d d = u.head<2>().normalized();
    return {-mu_ * d.x(), -mu_ * d.y(), 1.0};
  }

  double part() const {
    const double fastest = K_.norm() * (1.0 + mu_), slip = at_.u.head<2>().norm();
    const double coarse = 1e-3 * scale_ / fastest;
    return held_ || mu_ == 0.0 ? coarse : std::min(coarse, slip / fastest / 200.0);
  }

  Impact after(double h) const {
    const Vector3d f1 = push(at_.u), f2 = push(at_.u + 0.5 * h * K_ * f1),
                   f3 = push(at_.u + 0.5 * h * K_ * f2), f4 = push(at_.u + h * K_ * f3);
    const Vector3d f = (f1 + 2.0 * f2 + 2.0 * f3 + f4) / 6.0;
    return {at_.u + h * K_ * f, at_.p + h * f, at_.work + h * (at_.u.z() + 0.5 * h * (K_ * f).z())};
  }

  /// Sticks where friction can, else slides on in the direction that it keeps.
  void hold() {
    held_ = true;
    const Matrix2d K_tt = K_.topLeftCorner<2, 2>();
    const Vector2d K_tn = K_.topRightCorner<2, 1>();
    const Vector2d sticking = -K_tt.inverse() * K_tn;
    push_ << sticking, 1.0;
    slides_ = sticking.norm() > mu_;
    if (!slides_) return;
    // Directions along which a slip would grow: a flow on the circle leads to the stable one.
    Vector2d d = K_tn.normalized();
    for (int i = 0; i < 100000; ++i) {
      d = (d + 1e-3 / K_.norm() * (K_tn - mu_ * K_tt * d)).normalized();
    }
    push_ << -mu_ * d, 1.0;
  }

  Matrix3d K_;
  double mu_, scale_;
  Impact at_;
  bool held_ = false, slides_ = false;
  Vector3d push_ = Vector3d::Zero();
};

struct Reference {
  Vector3d impulse;
  bool sticks, reverses;
};

Reference integrate(const Matrix3d& K, double mu, double e, const Vector3d& u,
                    const std::string& law) {
  ImpactPath path(K, mu, u);
  const auto speed = [](const Impact& at) { return at.u.z(); };
  path.run_until(speed, 0.0);
  const Impact top = path.at();
  if (law == "newton") {
    path.run_until(speed, -e * u.z());
  } else if (law == "poisson") {
    path.run_until([](const Impact& at) { return at.p.z(); }, (1.0 + e) * top.p.z());
  } else {
    path.run_until([](const Impact& at) { return at.work; }, (1.0 - e * e) * top.work);
  }
  return {path.at().p, path.held() && !path.slides_again(), path.slides_again()};
}

struct Compared {
  double difference = 0.0;  // difference of velocities after, relative to the approach
  double gained = 0.0;      // kinetic energy [J]
  bool sticks = false, reverses = false, holds = false;
};

/// Compares a scene's first impact.
Compared compare(const Context& context, const Scene& scene, double mu, double e,
                 const std::string& law, const Vector3d* velocity) {
  Simulator simulator = context.simulator(scene);
  if (velocity) {
    Eigen::VectorXd v = simulator.state().v;
    v.tail<3>() = *velocity;
    simulator.set_state(simulator.state().q, v);
  }
  Compared result;
  const StepReport* last = &context.step(simulator);
  while (!last->events.impact && !simulator.finished()) last = &context.step(simulator);
  const StepReport& report = *last;
  if (!report.events.impact || report.problem.num_contacts() != 1) return result;
  const Eigen::MatrixXd J = report.problem.contact_jacobian.to_dense(),
                        M = report.problem.mass_matrix.to_dense();
  const Matrix3d K = J * M.inverse() * J.transpose();
  const Vector3d u = J * report.problem.velocity;
  const Reference exact = integrate(K, mu, e, u, law);
  const Vector3d p = report.solution.impulses;
  result.difference = (K * (p - exact.impulse)).norm() / u.norm();
  result.gained = p.dot(u) + 0.5 * p.dot(K * p);
  result.sticks = exact.sticks;
  result.reverses = exact.reverses;
  result.holds = report.certificate.holds;
  return result;
}

void check_one_body(const Context& context, Findings& findings) {
  double worst = 0.0, gained = 0.0;
  int sticking = 0, reversing = 0, missed = 0, count = 0;
  for (const char* file : {"ball.yaml", "rod.yaml"}) {
    for (const double mu : {0.0, 0.2, 0.5, 1.0}) {
      for (const double slip : {0.0, 0.5, 2.0}) {
        for (const double turned : {0.0, 0.5, 1.0}) {
          for (const std::string law : {"stronge", "poisson", "newton"}) {
            const Scene scene =
                context.load(file, {{"materials.default.friction", fmt::format("{}", mu)},
                                    {"simulation.restitution_law", law}});
            // Either way in the rod's own plane, where slip may reverse, and across it.
            const double way = 0.4 + turned * std::numbers::pi;
            const Vector3d velocity(slip * std::cos(way), slip * std::sin(way), -1.0);
            const Compared found = compare(context, scene, mu, 0.5, law, &velocity);
            worst = std::max(worst, found.difference);
            if (law == "stronge") gained = std::max(gained, found.gained);
            sticking += found.sticks ? 1 : 0;
            reversing += found.reverses ? 1 : 0;
            missed += found.holds ? 0 : 1;
            ++count;
          }
        }
      }
    }
  }
  findings.expect_at_most(
      fmt::format("H2: velocity after {} impacts against the integration in p, relative", count),
      worst, 1e-6);
  findings.expect_at_most("H2: impacts without certificate", missed, 0.0);
  findings.expect_at_most("H2: kinetic energy gained under Stronge's law [J]", gained, 1e-12);
  findings.expect_at_least("H2: impacts among them that end sticking", sticking, 10);
  findings.expect_at_least("H2: impacts among them whose slip ends and begins again", reversing, 3);
}

void check_oblique(const Context& context, Findings& findings) {
  double worst = 0.0;
  int missed = 0;
  for (const std::string law : {"stronge", "poisson", "newton"}) {
    const Compared found =
        compare(context, context.load("oblique.yaml", {{"simulation.restitution_law", law}}), 0.3,
                0.5, law, nullptr);
    worst = std::max(worst, found.difference);
    missed += found.holds ? 0 : 1;
  }
  findings.expect_at_most(
      "R16: ball on rod, oblique, e 0.5, three laws, against the integration in p, relative", worst,
      1e-6);
  findings.expect_at_most("R16: impacts without certificate", missed, 0.0);
}

}  // namespace

void check_impacts(Context& context, Findings& findings) {
  check_one_body(context, findings);
  check_oblique(context, findings);
}

}  // namespace amontons::experiments
