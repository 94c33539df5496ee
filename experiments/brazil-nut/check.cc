#include "experiments/brazil-nut/molecular_dynamics.h"
#include "experiments/checks.h"
#include "experiments/context.h"
#include "experiments/median.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

// One large disk among small ones in a box that is shaken up and down.

namespace amontons::experiments {
namespace {

constexpr double kRadius = 0.5, kSpread = 0.05, kPeriod = 1.25;
constexpr double kMassOverRadiusSquared = 4.0;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr int kMostShakes = 120;

struct Size {
  int small_disks;
  double width, large_radius;
};
constexpr Size kWhole{269, 24.0, 2.5}, kReduced{40, 10.0, 1.25};

SceneBody disk(const SceneBody& like, const std::string& name, double radius, double x, double z) {
  SceneBody body = like;
  const double mass = kMassOverRadiusSquared * radius * radius;
  body.name = name;
  body.shapes[0].shape = Sphere{radius};
  body.inertia = {mass, Eigen::Vector3d::Zero(),
                  0.5 * mass * radius * radius * Eigen::Matrix3d::Identity()};
  body.pose.translation = {x, 0.0, z};
  return body;
}

// The box with the large disk on its floor and the small ones row by row around and above it.
Scene filled_box(const Context& context, const Size& size, std::uint64_t seed,
                 const Overrides& overrides) {
  Scene scene = context.load("box.yaml", overrides);
  for (std::size_t side : {1U, 2U}) {
    HalfSpace wall = std::get<HalfSpace>(scene.bodies[0].shapes[side].shape);
    wall.offset = -0.5 * size.width;
    scene.bodies[0].shapes[side].shape = wall;
  }
  SceneBody& large = scene.bodies[1];
  large = disk(large, "large", size.large_radius, 0.0, size.large_radius);
  constexpr double kSpacing = 2.2 * kRadius;  // the largest disks, and a gap
  const int columns = static_cast<int>((size.width - 0.2 * kRadius) / kSpacing);
  std::mt19937_64 generator(seed);
  for (int row = 0, placed = 0; placed < size.small_disks; ++row) {
    for (int column = 0; column < columns && placed < size.small_disks; ++column) {
      const double x = kSpacing * (column - 0.5 * (columns - 1));
      const double z = kSpacing * (row + 0.5);
      if (std::hypot(x, z - size.large_radius) < size.large_radius + 0.5 * kSpacing) continue;
      const double unit = std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0;
      scene.bodies.push_back(disk(scene.bodies[1], fmt::format("small-{}", placed++),
                                  kRadius * (1.0 + kSpread * unit), x, z));
    }
  }
  return scene;
}

struct Shaking {
  Tops tops;
  std::vector<double> time, effort;  // of each step [s] and [equivalent factorizations]
  double overlap = 0.0, rise = 0.0;  // largest [m]
  double step_time_s = 0.0;          // mean
  int steps = 0, missed = 0, not_converged = 0;
};

// Heights of the tops of the small disks [m]; bodies in q are (x, z, angle) each, the large disk
// first.
std::vector<double> tops_of_small(const Scene& scene, const Eigen::VectorXd& q) {
  std::vector<double> tops;
  for (std::size_t i = 2; i < scene.bodies.size(); ++i) {
    const auto row = 3 * static_cast<Eigen::Index>(i - 1);
    tops.push_back(q[row + 1] + std::get<Sphere>(scene.bodies[i].shapes[0].shape).radius);
  }
  return tops;
}

// Shakes until the scene's end, or after `least_s` as soon as the large disk has emerged.
Shaking shake(const Context& context, const Scene& scene, double least_s,
              Findings* findings = nullptr, const std::string& run = "") {
  Shaking result;
  const double radius = std::get<Sphere>(scene.bodies[1].shapes[0].shape).radius;
  double time = 0.0, next_end = kPeriod;
  result.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const Eigen::VectorXd& q = simulator.state().q;
        time = simulator.time();
        ++result.steps;
        result.step_time_s += report.step_time_s;
        result.time.push_back(time);
        result.effort.push_back(report.work.effort());
        if (report.solution.status != SolveStatus::Converged) ++result.not_converged;
        result.overlap = std::max(result.overlap, report.certificate.infeasibility);
        result.rise = std::max(result.rise, q[1] - radius);
        if (time < next_end - 1e-9) return;
        next_end += kPeriod;
        result.tops.add(std::round(time / kPeriod), q[1] + radius, tops_of_small(scene, q));
      },
      findings, run, [&] { return result.tops.emerged > 0.0 && time > least_s - 1e-9; });
  result.step_time_s /= result.steps;
  return result;
}

void expect_sound(Findings& findings, const std::string& what, const Shaking& run) {
  findings.expect_at_most(
      fmt::format("(d) {}: steps of {} that missed their certificate", what, run.steps), run.missed,
      0.0);
  findings.expect_at_most(
      fmt::format("(d) {}: steps whose one convex problem was not solved", what), run.not_converged,
      0.0);
  findings.expect_at_most(fmt::format("(e) {}: largest overlap [m]", what), run.overlap, 0.05);
}

std::string in_words(const std::vector<double>& shakes) {
  std::vector<std::string> texts;
  for (const double count : shakes) {
    texts.push_back(count < kNever ? fmt::format("{}", count)
                                   : fmt::format("more than {}", kMostShakes));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

double shakes_of(const Tops& tops) { return tops.emerged > 0.0 ? tops.emerged : kNever; }

/// Draws the paper's performance plot, and reports how much the effort of a step varies.
void report_effort(const Shaking& run, Findings& findings) {
  const double typical = median(run.effort);
  const double most = *std::max_element(run.effort.begin(), run.effort.end());
  findings.figures.push_back({"Performance: effort of each step, h 100 ms, seed 1",
                              "time [s]",
                              "equivalent factorizations",
                              false,
                              {{"one convex problem a step", run.time, run.effort}}});
  findings.compare("effort of a step, largest over median", "predictable", "",
                   fmt::format("{:.1f} ({:.1f} equivalent factorizations in the median)",
                               most / typical, typical));
}

/// Shakes until the disk emerges for each seed, which may take up to 150 s; returns the median.
double emergence(const Context& context, const Size& size, const std::string& step, int seeds,
                 double least_s, Figure& figure, Findings& findings) {
  std::vector<double> shakes;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::string what = fmt::format("h {} s, seed {}", step, seed);
    context.progress("brazil-nut: " + what);
    const Scene scene = filled_box(context, size, static_cast<std::uint64_t>(seed),
                                   {{"simulation.duration", "150.0"}, {"simulation.step", step}});
    const Shaking run =
        shake(context, scene, least_s, &findings, seed == 1 ? fmt::format("shaken-{}", step) : "");
    shakes.push_back(shakes_of(run.tops));
    expect_sound(findings, what, run);
    figure.curves.push_back({"large, " + what, run.tops.shakes, run.tops.large});
    if (seed == 1) figure.curves.push_back({"small, " + what, run.tops.shakes, run.tops.small});
    if (step != "0.1") continue;
    findings.timing_at_most(fmt::format("(g) {}: mean time of a step", what), run.step_time_s, 0.1);
    if (seed == 1) report_effort(run, findings);
  }
  findings.notes.push_back(
      fmt::format("Shakes until it emerges at h {} s: {}.", step, in_words(shakes)));
  return median(shakes);
}

/// The same boxes by a penalty method of our own at a step of 10 us; returns the median.
double emergence_by_penalty(const Context& context, const Size& size, int seeds, Figure& figure,
                            Findings& findings) {
  std::vector<double> shakes;
  for (int seed = 1; seed <= seeds; ++seed) {
    context.progress(fmt::format("brazil-nut: penalty, seed {}", seed));
    const Scene scene = filled_box(context, size, static_cast<std::uint64_t>(seed), {});
    const Tops tops = shake_by_penalty(scene, size.width, kPeriod, kMostShakes);
    shakes.push_back(shakes_of(tops));
    if (seed == 1) figure.curves.push_back({"large, penalty, seed 1", tops.shakes, tops.large});
  }
  findings.notes.push_back(
      fmt::format("Shakes until it emerges by the penalty method, h 10 us: {}.", in_words(shakes)));
  findings.expect_within("(b) penalty method: restitution of a disk on the floor",
                         restitution_of_penalty(), 0.49, 0.51);
  return median(shakes);
}

}  // namespace

void check_brazil_nut(Context& context, Findings& findings) {
  const Size size = context.full() ? kWhole : kReduced;
  constexpr double kDuration = 50.0;  // 40 shakes
  Figure figure{"Top of the large disk, and the 90 % quantile of the small tops",
                "shakes",
                "height [m]",
                false,
                {}};
  // The relaxation at the paper's step and at a fifth of it, and molecular dynamics.
  const int seeds = context.full() ? 7 : 3;
  const double coarse =
      emergence(context, size, "0.1", context.full() ? seeds : 1, kDuration, figure, findings);
  const double fine = emergence(context, size, "0.02", seeds, 0.0, figure, findings);
  const double penalty = emergence_by_penalty(context, size, seeds, figure, findings);
  findings.compare(
      "shakes until the large disk emerges", "about 40", "",
      fmt::format("{} at h 100 ms, {} at 20 ms, {} by the penalty method", coarse, fine, penalty));
  findings.expect_within("(b) h 20 ms: median of the shakes over that of the penalty method",
                         fine / penalty, 0.2, 5.0);
  findings.expect_within("(b) h 100 ms: median of the shakes over that of the penalty method",
                         coarse / penalty, 0.2, 5.0);
  if (context.full()) {
    findings.expect_within("(a) h 100 ms: median of the shakes until it emerges", coarse, 13.0,
                           120.0);
    findings.expect_within("(b) h 20 ms: that median over the one at 100 ms", fine / coarse,
                           1.0 / 3.0, 3.0);
  } else {
    findings.expect_within("(a) h 100 ms: shakes until it emerges", coarse, 1.0, 120.0);
    findings.expect_within("(b) h 20 ms: median of the shakes until it emerges", fine, 1.0, 120.0);
    findings.notes.push_back(fmt::format(
        "A smaller box: {} disks and one of radius {}, {} wide, one seed at h 100 ms; --full runs "
        "269, 2.5 and 24, seven seeds each, and compares their medians.",
        size.small_disks, size.large_radius, size.width));
  }
  // Not shaken, the disk stays where it is.
  Scene still = filled_box(context, size, 1, {});
  still.motions.clear();
  const Shaking control = shake(context, still, kDuration);
  findings.expect_at_most("(c) not shaken for 50 s: rise of the large disk [m]", control.rise, 0.1);
  findings.expect_at_most("(c) not shaken: steps that missed their certificate", control.missed, 0);
  findings.notes.push_back(
      fmt::format("Not shaken: {} of {} steps fell back from the relaxation to a weaker law.",
                  control.not_converged, control.steps));
  findings.figures.push_back(std::move(figure));
  const auto shakes = [](double count) {
    return count < kNever ? fmt::format("{:g}", count) : fmt::format("more than {}", kMostShakes);
  };
  findings.verdict = fmt::format(
      "not reproduced: it emerges after {} shakes at h 100 ms{}, {} at 20 ms and {} by a penalty "
      "method{}",
      shakes(coarse), context.full() ? " on the median" : "", shakes(fine), shakes(penalty),
      context.full() ? "" : ", in a smaller box");
}

}  // namespace amontons::experiments
