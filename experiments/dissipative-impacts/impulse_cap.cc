#include "experiments/dissipative-impacts/impulse_cap.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons::experiments {
namespace {

// rods.yaml: mu, speed down [m/s], and the responses of a tip to a normal impulse and, along the
// normal, to friction [1/kg]: 1/m + a^2/I and a^2/I with a = 0.35 m, m = 1 kg, I = 0.1 kg m^2.
constexpr double kMu = 0.4, kDown = 0.1, kTurn = 1.225, kNormal = 1.0 + kTurn;

// The impact of both rods.
struct Impact {
  double dragged = 0.0, pushed = 0.0;  // normal impulses [N s]
  double friction_of_dragged = 0.0;    // [N s]
  double energy = 0.0;                 // left, as a share of that before
  double coulomb_of_dragged = 0.0;     // friction over mu times the normal
  bool certified = false;
};

Impact impact(const Context& context, const std::string& cap) {
  const Scene scene = context.load("rods.yaml", {{"simulation.impulse_cap", cap}});
  Impact result;
  bool found = false;
  context.simulate(scene, [&](const Simulator&, const StepReport& report) {
    if (!report.events.impact || found) return;
    found = true;
    const ContactProblem& problem = report.problem;
    const Eigen::VectorXd& p = report.solution.impulses;
    if (problem.num_contacts() != 2) throw std::runtime_error("two tips strike the ground");
    // The contacts are in the order of the bodies.
    result.dragged = p[2];
    result.pushed = p[5];
    result.friction_of_dragged = p.head<2>().norm();
    result.coulomb_of_dragged = result.friction_of_dragged / (kMu * p[2]);
    const auto energy = [&](const Eigen::VectorXd& v) {
      return 0.5 * v.dot(problem.mass_matrix * v);
    };
    result.energy = energy(report.solution.velocity) / energy(problem.free_velocity);
    result.certified = report.certificate.holds;
  });
  if (!found) throw std::runtime_error("the motion begins without an impact");
  return result;
}

}  // namespace

void check_impulse_cap(const Context& context, Findings& findings) {
  // Without friction each tip needs `alone`, its share of kappa. The pushed one needs `eased` with
  // friction, and leaves the difference to the dragged one where they share kappa: there it gives
  // more friction.
  const double alone = kDown / kNormal, eased = kDown / (kNormal + kMu * kTurn);
  const double shared = 2.0 * alone - eased;
  const double friction = (kNormal * shared - kDown) / kTurn;
  const Impact own = impact(context, "island"), one = impact(context, "system");
  const auto difference = [](double found, double expected) {
    return std::abs(found / expected - 1.0);
  };
  const std::string each = "two rods, one kappa for each island: ",
                    all = "two rods, one kappa for the system: ";
  findings.expect_at_most(each + "friction of the dragged rod [N s]", own.friction_of_dragged,
                          1e-10);
  findings.expect_at_most(each + "its normal impulse, relative to the closed form",
                          difference(own.dragged, alone), 1e-8);
  findings.expect_at_most(all + "normal impulse of the dragged rod, relative to the closed form",
                          difference(one.dragged, shared), 1e-8);
  findings.expect_at_most(all + "normal impulse of the pushed rod, relative to the closed form",
                          difference(one.pushed, eased), 1e-8);
  findings.expect_at_most(all + "friction of the dragged rod, relative to the closed form",
                          difference(one.friction_of_dragged, friction), 1e-7);
  findings.expect_at_least(
      "two rods: energy taken by one kappa for the system over that by one "
      "for each island",
      (1.0 - one.energy) / (1.0 - own.energy), 1.01);
  findings.expect_true("two rods: every impact certified", own.certified && one.certified);
  Table table{
      "Two rods that do not touch",
      {"kappa", "normal impulse, dragged [N s]", "normal impulse, pushed [N s]",
       "friction of the dragged rod over mu times its normal impulse", "energy left, share"},
      {}};
  for (const auto& [name, found] : {std::pair{"of each island", own}, {"of the system", one}}) {
    table.rows.push_back(
        {name, fmt::format("{:.6f}", found.dragged), fmt::format("{:.6f}", found.pushed),
         fmt::format("{:.4f}", found.coulomb_of_dragged), fmt::format("{:.6f}", found.energy)});
  }
  findings.tables.push_back(std::move(table));
}

}  // namespace amontons::experiments
