#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// 21 disks of radius 3 in a cannonball pile of rows 6, 5, 4, 3, 2, 1.

namespace amontons::experiments {
namespace {

constexpr double kRadius = 3.0;
constexpr int kRows = 6;

SceneBody fixed_half_space(const std::string& name, const Eigen::Vector3d& normal, double offset) {
  SceneBody body;
  body.name = name;
  body.base = BaseType::Fixed;
  body.shapes.push_back({HalfSpace{normal, offset}, Pose{}, "default"});
  return body;
}

// Disks row by row from the bottom, left to right; `stops` hold the bottom row from outside.
Scene pile(const Context& context, double friction, const std::string& model, bool stops) {
  Scene scene = context.load("disk.yaml", {{"simulation.model", model},
                                           {"materials.0.friction", fmt::format("{}", friction)}});
  const SceneBody disk = scene.bodies[0], plank = scene.bodies[1];
  scene.bodies.clear();
  for (int row = 0; row < kRows; ++row) {
    const int count = kRows - row;
    for (int i = 0; i < count; ++i) {
      SceneBody body = disk;
      body.name = fmt::format("disk-{}-{}", row, i);
      body.pose.translation = {kRadius * (2 * i - count + 1), 0.0,
                               kRadius * (1.0 + row * std::sqrt(3.0))};
      scene.bodies.push_back(body);
    }
  }
  scene.bodies.push_back(plank);
  if (stops) {
    const double end = kRadius * kRows;
    scene.bodies.push_back(fixed_half_space("left", Eigen::Vector3d::UnitX(), -end));
    scene.bodies.push_back(fixed_half_space("right", -Eigen::Vector3d::UnitX(), -end));
  }
  return scene;
}

struct Pile {
  std::vector<double> time, infeasibility;
  double largest_displacement = 0.0, kinetic_after_one_step = 0.0;
  double slowest_solve_s = 0.0, asymmetry = 0.0, energy_gained = 0.0;
  int missed = 0;

  double largest() const { return *std::max_element(infeasibility.begin(), infeasibility.end()); }
};

// Largest distance of any disk from the mirror image of its partner in the same row.
double mirror_error(const Eigen::VectorXd& q) {
  double worst = 0.0;
  int first = 0;
  for (int row = 0; row < kRows; ++row) {
    const int count = kRows - row;
    for (int i = 0; i < count; ++i) {
      const auto a = 3 * (first + i), b = 3 * (first + count - 1 - i);
      worst = std::max({worst, std::abs(q[a] + q[b]), std::abs(q[a + 1] - q[b + 1])});
    }
    first += count;
  }
  return worst;
}

Pile simulate(const Context& context, const Scene& scene, double mirror_until = 0.0,
              Findings* findings = nullptr, const std::string& run = "") {
  Pile pile;
  const Eigen::VectorXd start = Simulator(scene).state().q;
  pile.missed = context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        const State& state = simulator.state();
        pile.time.push_back(state.time);
        pile.infeasibility.push_back(report.certificate.infeasibility);
        pile.slowest_solve_s = std::max(pile.slowest_solve_s, report.solve_time_s);
        pile.energy_gained = std::max(pile.energy_gained, report.certificate.energy_gained);
        pile.largest_displacement =
            std::max(pile.largest_displacement, (state.q - start).lpNorm<Eigen::Infinity>());
        if (state.step_count == 1) pile.kinetic_after_one_step = report.energy.kinetic;
        if (state.time <= mirror_until) {
          pile.asymmetry = std::max(pile.asymmetry, mirror_error(state.q));
        }
      },
      findings, run);
  return pile;
}

// At mu = 0.6 the pile can rest: v = 0 must be certified under the exact polygon law. The
// impulses come from the relaxation, whose only solution is the state of least kinetic energy.
void check_standing(const Context& context, Findings& findings) {
  // The relaxation solves the same first step with all disks at rest.
  Simulator simulator = context.simulator(pile(context, 0.6, "anitescu-hart", false));
  const StepReport& report = context.step(simulator);
  const double lemke_speed = report.solution.velocity.lpNorm<Eigen::Infinity>();
  ContactSolution at_rest =
      make_model("convex-relaxation", {})->solve(report.problem, Eigen::VectorXd());
  const double speed = at_rest.velocity.lpNorm<Eigen::Infinity>();

  // Its solution is certified under the exact law of the polygon.
  at_rest.law.kind = LawKind::Pyramid;
  const Certificate certificate = certify(report.problem, at_rest, 1e-8);
  findings.expect_at_most("(c) mu 0.6, the relaxation at rest: largest velocity", speed, 1e-9);
  findings.expect_true("(c) mu 0.6: the certificate holds at rest under the exact polygon law",
                       certificate.holds,
                       fmt::format("normal {:.2e}, friction {:.2e}", certificate.normal.value,
                                   certificate.friction.value));
  findings.notes.push_back(fmt::format(
      "mu 0.6, first step: Lemke's solution has a largest velocity of {:.3e} and is {}; "
      "the law has more than "
      "one solution, and both are certified where both are listed.",
      lemke_speed, report.certificate.holds ? "certified too" : "not certified"));

  // Coulomb's law keeps the pile at rest for the whole run, the relaxation for half of it.
  Scene exact = pile(context, 0.6, "coulomb", false);
  const Pile coulomb = simulate(context, exact);
  findings.expect_at_most(
      "(c) mu 0.6, coulomb from a cold start over 10 s: largest displacement [m]",
      coulomb.largest_displacement, 1e-9);
  Scene standing = pile(context, 0.6, "convex-relaxation", false);
  standing.simulation.duration = 5.0;
  const Pile convex = simulate(context, standing);
  findings.expect_at_most("(c) mu 0.6, convex relaxation over 5 s: largest displacement [m]",
                          convex.largest_displacement, 1e-6);
  findings.notes.push_back(
      "mu 0.6, convex relaxation: the pile has more sticking conditions than degrees of freedom, "
      "so a gap of "
      "rounding makes some contact slip, and the relaxation opens a slipping contact by h mu "
      "|v_t|; such errors can "
      "grow by about 1.6 a step once they begin to (here after 6.5 s).");
}

/// What separates the two schemes is when contacts are listed: gamma makes no difference.
void compare_gammas(const Context& context, Findings& findings) {
  Table table{
      "Largest infeasibility in 10 s [m]", {"contacts", "gamma 0", "gamma 0.2", "gamma 1"}, {}};
  double listed_ahead = 0.0, smallest_late = 1e9;
  for (const bool ahead : {true, false}) {
    std::vector<std::string> row = {ahead ? "listed ahead, with Phi/h" : "listed once they touch"};
    for (const double gamma : {0.0, 0.2, 1.0}) {
      Scene scene = pile(context, 0.3, ahead ? "anitescu-hart" : "anitescu-potra", false);
      scene.simulation.gamma = gamma;
      const double largest = simulate(context, scene).largest();
      row.push_back(fmt::format("{:.1e}", largest));
      if (ahead) {
        listed_ahead = std::max(listed_ahead, largest);
      } else if (gamma == 0.0) {
        smallest_late = std::min(smallest_late, largest);
      }
    }
    table.rows.push_back(std::move(row));
  }
  findings.expect_at_most("contacts listed ahead: largest infeasibility at gamma 0, 0.2, 1 [m]",
                          listed_ahead, 1e-6);
  findings.expect_at_least("contacts listed once they touch, gamma 0: largest infeasibility [m]",
                           smallest_late, 0.05);
  findings.tables.push_back(std::move(table));
}

}  // namespace

void check_disks(Context& context, Findings& findings) {
  // (a), (b) The pile with and without stabilization.
  const Pile stabilized =
      simulate(context, pile(context, 0.3, "anitescu-hart", false), 0.0, &findings, "stabilized");
  const Pile plain = simulate(context, pile(context, 0.3, "anitescu-potra", false), 0.0, &findings,
                              "unstabilized");
  findings.expect_at_most("(a) stabilized: largest infeasibility [m]", stabilized.largest(), 1e-6);
  findings.expect_at_least("(a) unstabilized: infeasibility at 10 s [m]",
                           plain.infeasibility.back(), 0.05);
  findings.compare("21 disks: largest infeasibility, stabilized and not [m]", "a much lower curve",
                   "", fmt::format("{:.1e} and {:.1e}", stabilized.largest(), plain.largest()));
  findings.expect_true("every stabilized step certified", stabilized.missed == 0,
                       fmt::format("{} missed", stabilized.missed));
  findings.timing_at_most("(b) slowest solve", stabilized.slowest_solve_s, 0.030);
  findings.expect_at_least("mu 0.3, free ends: the pile collapses; largest displacement [m]",
                           stabilized.largest_displacement, 1.0);

  // With stops the same pile remains at rest.
  const Pile braced =
      simulate(context, pile(context, 0.3, "anitescu-hart", true), 0.0, &findings, "braced");
  findings.expect_at_most("mu 0.3, with stops: the pile stands; largest displacement [m]",
                          braced.largest_displacement, 1e-6);
  check_standing(context, findings);
  compare_gammas(context, findings);

  // (c), (d) Below the critical friction the pile collapses, symmetrically.
  for (const double mu : {0.1, 0.3, 0.5}) {
    Scene scene = pile(context, mu, "anitescu-hart", false);
    scene.simulation.duration = 0.05;
    findings.expect_at_least(
        fmt::format("(c) mu {} < 0.51271: kinetic energy after one step [J]", mu),
        simulate(context, scene).kinetic_after_one_step, 1e-6);
  }
  Scene slippery = pile(context, 0.1, "anitescu-hart", false);
  slippery.simulation.duration = 3.0;
  const Pile collapse = simulate(context, slippery, 3.0);
  findings.notes.push_back(fmt::format(
      "(d) mu 0.1, 3 s: largest departure from mirror symmetry {:.3e} m.", collapse.asymmetry));

  // T03: smaller steps keep the infeasibility below its bound.
  for (const char* step : {"0.025", "0.0125"}) {
    Scene fine = pile(context, 0.3, "anitescu-hart", false);
    fine.simulation.steps = {std::stod(step)};
    findings.expect_at_most(std::string("T03: h ") + step + " s: largest infeasibility [m]",
                            simulate(context, fine).largest(), 1e-6);
  }
  findings.figures.push_back({"Infeasibility of the pile, h 50 ms",
                              "time [s]",
                              "I(q) [m]",
                              true,
                              {{"stabilized", stabilized.time, stabilized.infeasibility},
                               {"unstabilized", plain.time, plain.infeasibility}}});
}

}  // namespace amontons::experiments
