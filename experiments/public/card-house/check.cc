#include "experiments/context.h"
#include "experiments/public/card-house/cards.h"
#include "experiments/public/public_checks.h"
#include "experiments/public/public_scenes.h"
#include "experiments/public/scene_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// A house of cards drops onto the floor and stands.

namespace amontons::experiments {
namespace {

constexpr double kStep = 1.0 / 240.0, kFriction = 0.8;

}  // namespace

Scene card_house_scene(int levels, double duration, double friction) {
  Scene scene = scene_of(kStep, duration, friction);
  add_cards(published_house(levels), scene);
  scene.bodies.push_back(fixed("floor", HalfSpace{}));
  return scene;
}

namespace {

struct Fall {
  double largest_turn = 0.0;  // of a card from its start, in the end [rad]
  double largest_drop = 0.0;  // of a card from its start, in the end [m]
  double creep = 0.0;         // largest motion of a card over the last half second [m]
  int contacts = 0;           // in the end
  LawTally tally;             // of its steps
};

/// Measures cards against their start, and against their places half a second before the end.
void measure(const Simulator& simulator, const Scene& scene, const std::vector<Pose>& before,
             Fall& fall) {
  for (std::size_t c = 0; c < before.size(); ++c) {
    const Pose pose = pose_of(simulator, static_cast<int>(c));
    const Pose& start = scene.bodies[c].pose;
    const double cosine = 0.5 * ((start.rotation.transpose() * pose.rotation).trace() - 1.0);
    fall.largest_turn = std::max(fall.largest_turn, std::acos(std::clamp(cosine, -1.0, 1.0)));
    fall.largest_drop = std::max(fall.largest_drop, start.translation.z() - pose.translation.z());
    fall.creep = std::max(fall.creep, (pose.translation - before[c].translation).norm());
  }
}

Fall stand(const Context& context, int levels, double duration, double friction,
           Findings* findings = nullptr) {
  const Scene scene = card_house_scene(levels, duration, friction);
  std::vector<Pose> before(static_cast<std::size_t>(num_cards(published_house(levels))));
  Fall fall;
  context.simulate(
      scene,
      [&](const Simulator& simulator, const StepReport& report) {
        fall.tally.add(answered_step(simulator.system(), report, fall.tally.tolerance()));
        if (simulator.time() < duration - 0.5) {
          for (std::size_t c = 0; c < before.size(); ++c) {
            before[c] = pose_of(simulator, static_cast<int>(c));
          }
        }
        if (!simulator.finished()) return;
        measure(simulator, scene, before, fall);
        fall.contacts = static_cast<int>(report.problem.contacts.size());
      },
      findings, fmt::format("{}-levels", levels));
  return fall;
}

void check_house(const Context& context, Findings& findings, int levels, double duration) {
  const Fall fall = stand(context, levels, duration, kFriction, &findings);
  const std::string name = fmt::format("{} levels", levels);
  findings.compare(
      fmt::format("{}, {} contacts: motion of a card over the last half of {:.3g} s [m]", name,
                  fall.contacts, duration),
      levels == 5 ? "FBF and Kamino: stands (479 and 4126 ms); MuJoCo: topples (37 ms)"
                  : "FBF and Kamino: stands (1513 and 4285 ms); MuJoCo: topples (621 ms)",
      "", fmt::format("stands, {:.1e}; {}", fall.creep, fall.tally.text()));
  findings.expect_at_most(name + ": motion of a card over the last half second [m]", fall.creep,
                          1e-6);
  findings.expect_at_most(name + ": turn of a card since the start [rad]", fall.largest_turn, 0.1);
  findings.expect_at_most(name + ": drop of a card, of 67 mm a level [m]", fall.largest_drop,
                          0.067 * levels + 0.01);
  if (levels == 5) {
    findings.expect_true(name + ": every step has the law asked", fall.tally.is_exact(),
                         fall.tally.text());
  }
}

}  // namespace

void check_card_house(Context& context, Findings& findings) {
  check_house(context, findings, 5, context.full() ? 400.0 / 60.0 : 1.2);
  if (context.full()) check_house(context, findings, 10, 2.0);
  findings.expect_at_least("control: 2 levels with mu 0.1: a card turns [rad]",
                           stand(context, 2, 1.2, 0.1).largest_turn, 0.5);
}

}  // namespace amontons::experiments
