#include "experiments/checks.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

// An upward force on the upper of two stacked blocks.

namespace amontons::experiments {
namespace {

constexpr double kWeight = 9.81, kStep = 0.005;

// v_N + s at each contact [m/s], positive where it opens.
Eigen::VectorXd opening_speeds(const StepReport& report) {
  const ContactProblem& problem = report.problem;
  const Eigen::VectorXd u = problem.contact_velocities(report.solution.velocity);
  Eigen::VectorXd opening = problem.stabilized_gaps();
  for (Eigen::Index i = 0; i < opening.size(); ++i) opening[i] += u[3 * i + 2];
  return opening;
}

// Largest impulse at a contact that opens (u_n + s > 0) [N s]: exactly zero under complementarity.
double impulse_at_opening_contacts(const StepReport& report) {
  double worst = 0.0;
  const Eigen::VectorXd opening = opening_speeds(report);
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    if (opening[static_cast<Eigen::Index>(i)] <= 1e-9) continue;
    worst = std::max(worst, report.solution.impulses.segment<3>(row).norm());
  }
  return worst;
}

double normal_force_between(const StepReport& report, int body_a, int body_b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Contact& contact = report.problem.contacts[i];
    if (std::min(contact.body_a, contact.body_b) != std::min(body_a, body_b) ||
        std::max(contact.body_a, contact.body_b) != std::max(body_a, body_b)) {
      continue;
    }
    sum += report.solution.impulses[ContactProblem::row(i) + 2] / kStep;
  }
  return sum;
}

// The largest product of normal impulse and separating speed, which complementarity makes zero [J].
double work_of_opening_contacts(const StepReport& report) {
  double worst = 0.0;
  const Eigen::VectorXd opening = opening_speeds(report);
  for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    worst =
        std::max(worst, report.solution.impulses[row + 2] * opening[static_cast<Eigen::Index>(i)]);
  }
  return worst;
}

// The convex model does not claim x_N v_N = 0: the products are reported, contact by contact.
void check_maximum_dissipation(const Context& context, Findings& findings) {
  Table table{"maximum-dissipation after the first step: x_N v_N at each contact",
              {"wind [N]", "contact", "x_N [N s]", "v_N + s [m/s]", "x_N v_N [J]"},
              {}};
  double worst = 0.0;
  int missed = 0;
  for (const double wind : {8.0, 12.0, 25.0}) {
    const Scene scene =
        context.load("blocks.yaml", {{"simulation.model", "maximum-dissipation"},
                                     {"actuators.0.force", fmt::format("[0, 0, {}]", wind)}});

    // The largest product over the run, and its parts after the first step.
    missed += context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
      worst = std::max(worst, work_of_opening_contacts(report));
      if (simulator.state().step_count != 1) return;
      const ContactProblem& problem = report.problem;
      const Eigen::VectorXd opening = opening_speeds(report);
      for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
        const double x = report.solution.impulses[ContactProblem::row(i) + 2];
        const double speed = opening[static_cast<Eigen::Index>(i)];
        table.rows.push_back(
            {fmt::format("{}", wind),
             fmt::format("{} on {}", problem.contacts[i].body_b, problem.contacts[i].body_a),
             fmt::format("{:.6e}", x), fmt::format("{:.6e}", speed),
             fmt::format("{:.1e}", x * speed)});
      }
    });
  }
  findings.expect_at_most("maximum-dissipation: largest x_N (v_N + s) here [J]", worst, 1e-9);
  findings.expect_true("maximum-dissipation: every step certified", missed == 0);
  findings.tables.push_back(std::move(table));
}

}  // namespace

namespace {

// A way to compute the contact, and the settings of its scene.
struct Method {
  std::string name;
  Overrides overrides;
};

// The models as impulses of steps, and Coulomb's law between forces and accelerations.
std::vector<Method> methods() {
  std::vector<Method> result;
  for (const char* model :
       {"coulomb", "convex-relaxation", "anitescu-potra", "anitescu-hart", "stewart-trinkle"}) {
    result.push_back({model, {{"simulation.model", model}}});
  }
  result.push_back({"coulomb by forces",
                    {{"simulation.model", "coulomb"},
                     {"simulation.method", "event-driven"},
                     {"simulation.sustained_contact", "coulomb-acceleration"}}});
  return result;
}

}  // namespace

void check_wind(Context& context, Findings& findings) {
  Figure figure{"Height of the upper block", "time [s]", "z [m]", false, {}};
  Table table{"Forces after the first step",
              {"contact", "wind [N]", "between blocks [N]", "on ground [N]"},
              {}};
  for (const auto& [name, own] : methods()) {
    // Winds below and above the weight of the block.
    double opening_impulse = 0.0, force_error = 0.0, acceleration_error = 0.0;
    int missed = 0;
    for (const double wind : {8.0, 12.0, 25.0}) {
      Overrides overrides = own;
      overrides.emplace_back("actuators.0.force", fmt::format("[0, 0, {}]", wind));
      const Scene scene = context.load("blocks.yaml", overrides);
      const bool lifts = wind > kWeight;
      Curve curve{fmt::format("{} N", wind), {}, {}};
      missed += context.simulate(scene, [&](const Simulator& simulator, const StepReport& report) {
        opening_impulse = std::max(opening_impulse, impulse_at_opening_contacts(report));
        const double between = normal_force_between(report, 0, 1);
        const double on_ground = normal_force_between(report, 0, 2);
        if (simulator.state().step_count == 1) {
          table.rows.push_back({name, fmt::format("{}", wind), fmt::format("{:.9f}", between),
                                fmt::format("{:.9f}", on_ground)});
        }

        // Statics gives the forces, until the upper block rises.
        const double expected_between = lifts ? 0.0 : kWeight - wind;
        force_error = std::max({force_error, std::abs(between - expected_between),
                                std::abs(on_ground - kWeight - expected_between)});

        // A block that rises accelerates uniformly.
        const double expected_speed = lifts ? (wind - kWeight) * simulator.time() : 0.0;
        acceleration_error =
            std::max(acceleration_error, std::abs(simulator.state().v[6 + 5] - expected_speed));
        curve.x.push_back(simulator.time());
        curve.y.push_back(simulator.state().q[7 + 6]);
      });
      if (name == "coulomb by forces") figure.curves.push_back(std::move(curve));
    }

    // Each criterion holds for all winds together.
    findings.expect_at_most(name + ": impulse at a contact that opens [N s]", opening_impulse, 0.0);
    findings.expect_at_most(name + ": forces against statics [N]", force_error, 1e-8);
    findings.expect_at_most(name + ": speed of the upper block against (wind - weight) t/m [m/s]",
                            acceleration_error, 1e-9);
    findings.expect_true(name + ": every step certified", missed == 0);
  }
  findings.figures.push_back(std::move(figure));
  findings.tables.push_back(std::move(table));
  check_maximum_dissipation(context, findings);
}

}  // namespace amontons::experiments
