#include "experiments/context.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

// A cube of 1 m starts 1 mm above a slope whose tangent is 0.5, for seven coefficients of friction.

namespace amontons::experiments {
namespace {

constexpr double kGravity = 9.81, kTangent = 0.5, kStep = 1.0 / 60.0, kGap = 0.001, kHalf = 0.5;
constexpr int kSteps = 120;
const double kCosine = 1.0 / std::sqrt(1.0 + kTangent * kTangent), kSine = kTangent * kCosine;

/// Distances after 120 steps [m] that the authors' programs printed: the FBF method, MuJoCo and
/// Kamino.
struct Published {
  double friction, fbf, mujoco, kamino;
};
constexpr std::array<Published, 7> kPublished = {{
    {0.3, 3.53928, 3.57943, 3.53928},
    {0.4, 1.76989, 2.11182, 1.76989},
    {0.45, 0.885198, 1.83500, 0.885198},
    {0.5, 5.01893e-4, 0.359299, 5.00906e-4},
    {0.55, 4.28149e-4, 1.81353, 4.28149e-4},
    {0.6, 3.56271e-4, 1.25245, 3.56324e-4},
    {0.8, 6.88391e-5, 0.181098, 6.88791e-5},
}};

}  // namespace

// While the gap closes, in the first step, the load is smaller by what is left of the approach.
double incline_distance(double mu, double gap) {
  const double weight = kGravity * kCosine * kStep, pull = kGravity * kSine * kStep;
  const double first = std::max(0.0, pull - mu * (weight - gap / kStep));
  double speed = first, distance = speed * kStep;
  for (int l = 2; l <= kSteps; ++l) {
    // From the second step on the approach has ended, and its friction takes its share back.
    const double load = weight + (l == 2 ? gap / kStep : 0.0);
    speed = std::max(0.0, speed + pull - mu * load);
    distance += speed * kStep;
  }
  return distance;
}

Scene incline_scene(double mu, double gap) {
  Scene scene = scene_of(kStep, kSteps * kStep, mu);
  scene.gravity = {0.0, 0.0, -kGravity};
  const Eigen::Vector3d normal(kSine, 0.0, kCosine);
  const double angle = std::atan(kTangent);
  scene.bodies.push_back(solid("cube", Box{Eigen::Vector3d::Constant(2.0 * kHalf)}, 1000.0,
                               turned((kHalf + gap) * normal, angle)));
  scene.bodies.push_back(fixed("slope", HalfSpace{normal, 0.0}));
  return scene;
}

namespace {

struct Slide {
  std::vector<double> time, distance;
  double sideways = 0.0;  // largest distance from the fall line [m]
};

Slide slide(const Context& context, double mu, double gap, Findings* findings = nullptr) {
  const Scene scene = incline_scene(mu, gap);
  const Eigen::Vector3d start = scene.bodies[0].pose.translation;
  const Eigen::Vector3d fall_line(kCosine, 0.0, -kSine);
  Slide result;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport&) {
        const Eigen::Vector3d moved = pose_of(simulator, 0).translation - start;
        result.time.push_back(simulator.time());
        result.distance.push_back(moved.dot(fall_line));
        result.sideways = std::max(result.sideways, std::abs(moved.y()));
      },
      findings, findings == nullptr ? "" : "threshold");
  return result;
}

}  // namespace

void check_incline(Context& context, Findings& findings) {
  Figure figure{"Distance along the slope", "time [s]", "distance [m]", false, {}};
  double worst = 0.0, off_line = 0.0, from_fbf = 0.0;
  for (const Published& row : kPublished) {
    // With the authors' gap, against the closed form and their figure.
    Findings* record = row.friction == 0.5 ? &findings : nullptr;
    Slide found = slide(context, row.friction, kGap, record);
    const double exact = incline_distance(row.friction, kGap), ours = found.distance.back();
    worst = std::max(worst, std::abs(ours - exact));
    off_line = std::max(off_line, found.sideways);
    from_fbf = std::max(from_fbf, std::abs(ours - row.fbf));
    findings.compare(
        fmt::format("mu {}: distance after 120 steps [m]", row.friction),
        fmt::format("FBF {:.6g}, Kamino {:.6g}, MuJoCo {:.6g}", row.fbf, row.kamino, row.mujoco),
        fmt::format("discrete motion {:.8g}", exact), fmt::format("{:.8g}", ours));
    figure.curves.push_back(
        {fmt::format("mu {}", row.friction), std::move(found.time), std::move(found.distance)});
  }
  findings.expect_at_most("distance against the discrete motion of the exact law [m]", worst, 1e-9);
  findings.expect_at_most("distance against the published one of FBF [m]", from_fbf, 1e-4);
  findings.expect_at_most("distance from the fall line [m]", off_line, 1e-9);

  // Without the gap nothing moves from the threshold on.
  for (const double mu : {0.5, 0.55, 0.6, 0.8}) {
    const double ours = slide(context, mu, 0.0).distance.back();
    findings.expect_at_most(fmt::format("mu {}, started in contact: distance [m]", mu),
                            std::abs(ours), 1e-9);
    if (mu == 0.5) {
      findings.compare("mu 0.5, started in contact: distance [m]", "", "0 at the threshold",
                       fmt::format("{:.1e}", std::abs(ours)));
    }
  }
  findings.expect_at_least("control: distance with friction just below the threshold, 0.499 [m]",
                           slide(context, 0.499, 0.0).distance.back(), 0.01);
  findings.figures.push_back(std::move(figure));
}

}  // namespace amontons::experiments
