#include "experiments/context.h"
#include "experiments/public/masonry-arch/arch.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

// Arches of 25 and 101 stones without mortar stand.

namespace amontons::experiments {
namespace {

constexpr double kStep = 1.0 / 240.0;

}  // namespace

Scene masonry_arch_scene(int stones, double duration, double friction) {
  Scene scene = scene_of(kStep, duration, friction);
  Arch arch;
  arch.stones = stones;
  add_stones(arch, scene);
  return scene;
}

namespace {

struct Standing {
  double moved = 0.0;  // largest distance of a stone from its start [m]
  int contacts = 0;    // in the last step
};

Standing stand(const Context& context, int stones, double friction, double duration,
               Findings* findings = nullptr) {
  const Scene scene = masonry_arch_scene(stones, duration, friction);
  Standing result;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        result.moved = std::max(result.moved, largest_displacement(simulator, scene));
        result.contacts = static_cast<int>(report.problem.contacts.size());
      },
      findings, fmt::format("{}-stones", stones), [&] { return result.moved > 0.5; });
  return result;
}

}  // namespace

void check_masonry_arch(Context& context, Findings& findings) {
  const double duration = context.full() ? 400.0 / 60.0 : 0.5;
  for (const int stones : {25, 101}) {
    for (const double friction : {0.8, 0.5}) {
      if (stones == 101 && friction == 0.5 && !context.full()) continue;
      const Standing found = stand(context, stones, friction, duration,
                                   stones == 25 && friction == 0.8 ? &findings : nullptr);
      findings.compare(fmt::format("{} stones, mu {}: largest motion of a stone in {:.3g} s [m]",
                                   stones, friction, duration),
                       friction != 0.8 ? ""
                       : stones == 25  ? "FBF and Kamino: stands; MuJoCo: collapses"
                                       : "FBF: stands; MuJoCo and Kamino: collapse",
                       "statics: stands, 0", fmt::format("stands, {:.2g}", found.moved));
      findings.expect_at_most(
          fmt::format("{} stones, mu {}: largest motion of a stone [m]", stones, friction),
          found.moved, 1e-6);
      findings.expect_at_least(fmt::format("{} stones, mu {}: contacts", stones, friction),
                               found.contacts, 4.0 * (stones - 1));
    }
  }
  findings.expect_at_least("control: 25 stones with mu 0.02 move [m]",
                           stand(context, 25, 0.02, 5.0).moved, 0.1);
}

}  // namespace amontons::experiments
