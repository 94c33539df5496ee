#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

// A stick bounces on its tip with a little friction.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 10.0, kLength = 1.0, kMass = 1.0, kFriction = 0.01, kDuration = 0.2;
constexpr double kInertia = kMass * kLength * kLength / 12.0;

/// Holds the motion of the stick in its plane: x, z, angle from the vertical, and their rates.
struct Stick {
  double x = 0.5 * kLength * std::sin(std::numbers::pi / 4.0);
  double z = 0.5 * kLength * std::cos(std::numbers::pi / 4.0) + 0.01;
  double angle = std::numbers::pi / 4.0;
  double vx = -0.5, vz = 0.1, rate = 0.1;

  void fly(double time) {
    x += time * vx;
    z += time * (vz - 0.5 * kGravity * time);
    vz -= kGravity * time;
    angle += time * rate;
  }
  double energy() const {
    return 0.5 * kMass * (vx * vx + vz * vz) + 0.5 * kInertia * rate * rate + kMass * kGravity * z;
  }
  double tip() const { return z - 0.5 * kLength * std::cos(angle); }

  /// Turns the approach of the tip around. Friction opposes the slip that is left, which the impact
  /// may have turned around.
  void bounce(double friction) {
    const double sine = 0.5 * kLength * std::sin(angle), cosine = 0.5 * kLength * std::cos(angle);
    const double approach = vz + sine * rate;
    for (const double side : {-friction, friction}) {
      const double turn = (sine + side * cosine) / kInertia;  // per impulse
      const double impulse = -2.0 * approach / (1.0 / kMass + sine * turn);
      const double slip = vx + side * impulse / kMass + cosine * (rate + turn * impulse);
      if (slip * side > 0.0) continue;
      vx += side * impulse / kMass;
      vz += impulse / kMass;
      rate += turn * impulse;
      return;
    }
  }
};

/// Returns the time after which the tip touches [s], at most `limit`; by bisection of the first
/// interval in which it passes the ground.
double time_to_touch(const Stick& stick, double limit) {
  constexpr int kIntervals = 2000;
  const auto tip = [&stick](double time) {
    Stick later = stick;
    later.fly(time);
    return later.tip();
  };
  for (int k = 1; k <= kIntervals; ++k) {
    double low = limit * (k - 1) / kIntervals, high = limit * k / kIntervals;
    if (tip(high) > 0.0 || (k == 1 && tip(low) <= 0.0)) continue;
    for (int bisection = 0; bisection < 60; ++bisection) {
      const double middle = 0.5 * (low + high);
      (tip(middle) > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  return limit;
}

/// Returns the end of the motion under Newton's law of restitution.
Stick exact_end(double friction) {
  Stick stick;
  double left = kDuration;
  for (int impact = 0; impact < 10; ++impact) {
    const double time = time_to_touch(stick, left);
    stick.fly(time);
    left -= time;
    if (left <= 0.0) break;
    stick.bounce(friction);
  }
  return stick;
}

Stick simulate(const Context& context, double friction, Findings* findings = nullptr) {
  const Stick start;
  Scene scene = scene_of(0.001, kDuration, friction, 1.0);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.simulation.method = "event-driven";
  scene.simulation.restitution_law = RestitutionLaw::Newton;
  SceneBody body;
  body.name = "stick";
  body.base = BaseType::Planar;
  body.inertia = {kMass, Eigen::Vector3d::Zero(), Eigen::Vector3d::Constant(kInertia).asDiagonal()};
  body.shapes.push_back({Sphere{1e-9}, at(0.0, 0.0, -0.5 * kLength)});
  // The stick itself is shown and touches nothing.
  body.shapes.push_back({Capsule{0.01 * kLength, 0.98 * kLength}, Pose{}});
  body.shapes.back().filter = CollisionFilter::none();
  // The angle turns from z to -x: about -y.
  body.pose = turned({start.x, 0.0, start.z}, -start.angle);
  body.linear_velocity = {start.vx, 0.0, start.vz};
  body.angular_velocity = {0.0, -start.rate, 0.0};
  scene.bodies.push_back(body);
  scene.bodies.push_back(fixed("ground", HalfSpace{}));
  Stick end;
  context.simulate(
      scene,
      [&end](const Simulator& simulator, const StepReport&) {
        const Eigen::VectorXd &q = simulator.state().q, &v = simulator.state().v;
        end = {q[0], q[1], -q[2], v[0], v[1], -v[2]};
      },
      findings, "stick");
  return end;
}

std::string text(const Stick& s) {
  return fmt::format("{:.6f}, {:.6f}, {:.6f}, {:.5f}, {:.5f}, {:.5f}", s.x, s.z, s.angle, s.vx,
                     s.vz, s.rate);
}

}  // namespace

void check_impacting_stick(Context& context, Findings& findings) {
  const Stick start, exact = exact_end(kFriction), smooth = exact_end(0.0);
  const Stick siconos{0.2529172, 0.2471693, 1.0818915, -0.5068673, -1.2132739, 3.2120706};
  const Stick found = simulate(context, kFriction, &findings), slides = simulate(context, 0.0);

  // With friction Newton's law of restitution adds energy at the first impact, which turns the slip
  // around; the engine gives less speed then.
  findings.compare("x, z, angle and their rates after 0.2 s [m, rad, s]",
                   "Siconos, h 0.1 ms: " + text(siconos), "Newton's law: " + text(exact),
                   text(found));
  findings.compare(
      "energy in the end less that at the start [J]",
      fmt::format("Siconos {:+.1e}", siconos.energy() - start.energy()),
      fmt::format("Newton's law {:+.1e}; none may be added", exact.energy() - start.energy()),
      fmt::format("{:+.1e}", found.energy() - start.energy()));
  findings.expect_at_most("energy added [J]", found.energy() - start.energy(), 1e-9);
  findings.expect_at_least("control: energy that Newton's law adds [J]",
                           exact.energy() - start.energy(), 5e-5);
  findings.expect_at_most("angle in the end against Siconos at h 0.1 ms [rad]",
                          std::abs(found.angle - siconos.angle), 1e-3);

  // Without friction all laws agree.
  const double error =
      std::max({std::abs(slides.x - smooth.x), std::abs(slides.z - smooth.z),
                std::abs(slides.angle - smooth.angle), std::abs(slides.vx - smooth.vx),
                std::abs(slides.vz - smooth.vz), std::abs(slides.rate - smooth.rate)});
  findings.compare("the same without friction", "", text(smooth), text(slides));
  findings.expect_at_most("without friction: end state against the exact one [m, rad, s]", error,
                          1e-6);
}

}  // namespace amontons::experiments
