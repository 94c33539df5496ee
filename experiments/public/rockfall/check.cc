#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

// Bodies fall onto a terrain and go down it.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kStep = 0.01, kFriction = 0.3;
constexpr double kExtent = 50.0, kRise = 50.0, kFoot = 50.0;    // of the slope, along y and z [m]
constexpr double kWave = 2.0, kWaveNumber = 0.3, kNoise = 1.0;  // [m], per index, [m]
constexpr int kPoints = 100;                                    // along x and y
constexpr double kBall = 2.0, kCube = 10.0, kRock = 10.0;       // radius and sizes [m]
constexpr double kDrop = 150.0, kDropAt = 18.0;                 // height and y at the start [m]

/// Returns a number in [0, 1), the same with every standard library.
double uniform(std::mt19937& engine) {
  return static_cast<double>(engine()) / (static_cast<double>(std::mt19937::max()) + 1.0);
}

/// Returns the slope z = 75 + y, with waves and random heights if it is rough.
Shape terrain(bool rough) {
  std::mt19937 engine(1);
  Eigen::MatrixXd heights(kPoints, kPoints);
  const double spacing = 100.0 / (kPoints - 1);  // of the argument of the waves
  for (int i = 0; i < kPoints; ++i) {
    for (int j = 0; j < kPoints; ++j) {
      heights(i, j) = kFoot + kRise * j / (kPoints - 1);
      if (!rough) continue;
      heights(i, j) +=
          kWave * (std::cos(kWaveNumber * spacing * i) + std::cos(kWaveNumber * spacing * j)) +
          kNoise * uniform(engine);
    }
  }
  return std::make_shared<const HeightField>(heights, kExtent, kExtent);
}

/// Returns a polyhedron of eight points, one in each octant, about its center of mass.
Shape rock() {
  std::mt19937 engine(2);
  std::vector<Eigen::Vector3d> points;
  for (int octant = 0; octant < 8; ++octant) {
    const Eigen::Vector3d sign((octant & 1) != 0 ? 1 : -1, (octant & 2) != 0 ? 1 : -1,
                               (octant & 4) != 0 ? 1 : -1);
    const Eigen::Vector3d part(0.2 + uniform(engine), 0.2 + uniform(engine), 0.2 + uniform(engine));
    points.push_back(sign.cwiseProduct(part.normalized()));
  }
  const SceneBody unscaled = solid(
      "", std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points)), 1.0, {});
  Eigen::AlignedBox3d box;
  for (Eigen::Vector3d& point : points) {
    point -= unscaled.inertia.center_of_mass;
    box.extend(point);
  }
  for (Eigen::Vector3d& point : points) point *= kRock / box.sizes().maxCoeff();
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

Scene on_terrain(SceneBody body, bool rough, double duration) {
  Scene scene = scene_of(kStep, duration, kFriction);
  scene.gravity = {0.0, 0.0, -kGravity};
  scene.bodies = {std::move(body), fixed("ground", terrain(rough))};
  return scene;
}

/// Holds the extremes of a fall, relative to sizes and energies of the body.
struct Fall {
  double off_free_fall = 0.0;  // before the first contact [m]
  double overlap = 0.0;        // deepest [m]
  double rise = 0.0;           // of the energy in a step, over the energy at the start [-]
  double unexplained = 0.0;    // energy without a cause, over the same [-]
  double touched_at = 0.0;     // [s]
  double descent = 0.0;        // of the center since the first touch [m]
};

Fall fall(const Context& context, const SceneBody& body, Findings* findings) {
  Fall result;
  double energy = 0.0, start = 0.0, touch = 0.0;
  bool touched = false;
  const double drop = body.pose.translation.z();
  double y = body.pose.translation.y();
  context.simulate(
      on_terrain(body, true, 10.0),
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::Vector3d center = pose_of(simulator, 0).translation;
        touched = touched || report.solution.impulses.cwiseAbs().sum() > 0.0;
        if (!touched) {
          const double n = std::round(simulator.time() / kStep);
          const double z = drop - 0.5 * kGravity * kStep * kStep * n * (n + 1.0);
          result.off_free_fall = std::max(result.off_free_fall, std::abs(center.z() - z));
          result.touched_at = simulator.time();
          touch = center.z();
        }
        // Energy counts from the foot of the slope.
        const double now = report.energy.kinetic + report.energy.potential;
        if (start == 0.0) start = now - body.inertia.mass * kGravity * kFoot;
        if (energy != 0.0) result.rise = std::max(result.rise, (now - energy) / start);
        energy = now;
        result.unexplained =
            std::max(result.unexplained, std::abs(report.energy.unexplained) / start);
        result.overlap = std::max(result.overlap, report.certificate.infeasibility);
        if (touched) result.descent = touch - center.z();
        y = center.y();
      },
      findings, body.name, [&] { return y < -20.0; });
  return result;
}

/// Returns the largest distance of a body on the bare slope from one that accelerates by `rate`
/// [m/s^2] down it [m].
double off_closed_form(const Context& context, SceneBody body, double height, double rate) {
  const double cosine = std::sqrt(0.5);
  const Eigen::Vector3d normal(0.0, -cosine, cosine), down(0.0, -cosine, -cosine);
  const Eigen::Vector3d start = Eigen::Vector3d(0.13, 10.0, 85.0) + height * normal;
  body.pose.translation = start;
  body.pose.rotation << 1.0, 0.0, 0.0, 0.0, cosine, -cosine, 0.0, cosine, cosine;
  double off = 0.0;
  context.simulate(on_terrain(std::move(body), false, 1.5),
                   [&](const Simulator& simulator, const StepReport&) {
                     const double n = std::round(simulator.time() / kStep);
                     const double way = 0.5 * rate * kStep * kStep * n * (n + 1.0);
                     const Eigen::Vector3d center = pose_of(simulator, 0).translation;
                     off = std::max(off, (center - start - way * down).norm());
                   });
  return off;
}

}  // namespace

void check_rockfall(Context& context, Findings& findings) {
  const Pose drop = at(0.0, kDropAt, kDrop);
  const SceneBody ball = solid_of_mass("ball", Sphere{kBall}, 1.0, drop);
  const SceneBody cube = solid_of_mass("cube", Box{Eigen::Vector3d::Constant(kCube)}, 1.0, drop);
  const SceneBody box = solid_of_mass("box", Box{{5.0, 3.0, 3.0}}, 1.0, at(-5.0, kDropAt, kDrop));
  const SceneBody stone =
      solid("rock", rock(), 2500.0, turned({5.0, kDropAt, kDrop}, 0.5 * std::numbers::pi));

  // The bare slope: a ball rolls, since 2/7 of the tangent 1 is below mu; a cube slides.
  const double sine = std::sqrt(0.5);
  const double rolling = off_closed_form(context, ball, kBall, 5.0 / 7.0 * kGravity * sine);
  const double sliding =
      off_closed_form(context, cube, 0.5 * kCube, kGravity * sine * (1.0 - kFriction));
  findings.compare("bare slope: a ball off its way in 1.5 s [m]", "",
                   "rolls: a = 5/7 g sin 45 degrees", fmt::format("{:.1e}", rolling));
  findings.compare("bare slope: a cube off its way in 1.5 s [m]", "",
                   "slides: a = g (sin - mu cos) of 45 degrees", fmt::format("{:.1e}", sliding));
  findings.expect_at_most("bare slope: a ball off the closed form of rolling [m]", rolling, 1e-8);
  findings.expect_at_most("bare slope: a cube off the closed form of sliding [m]", sliding, 1e-8);

  // The rough one.
  for (const SceneBody* body : {&ball, &cube, &box, &stone}) {
    const double size = body == &ball ? kBall : body == &box ? 3.0 : kCube;
    const Fall result = fall(context, *body, &findings);
    findings.compare(body->name + ": first touch [s]; descent from there [m]", "",
                     fmt::format("free fall; at most {:.3g}", kRise),
                     fmt::format("{:.3g}; {:.3g}", result.touched_at, result.descent));
    findings.expect_at_most(body->name + ": off free fall before the first touch [m]",
                            result.off_free_fall, 1e-9);
    findings.expect_at_least(body->name + ": descent since the first touch [m]", result.descent,
                             1.0);
    findings.expect_at_most(body->name + ": largest overlap over its size", result.overlap / size,
                            0.02);
    findings.expect_at_most(body->name + ": rise of its energy in a step, over that at the start",
                            result.rise, 1e-6);
    findings.expect_at_most(body->name + ": energy without a cause, over that at the start",
                            result.unexplained, 1e-9);
  }
}

}  // namespace amontons::experiments
