#include "experiments/barrett-hand/real_hand.h"

#include "amontons/simulation/system/kinematics.h"
#include "experiments/barrett-hand/measures.h"
#include "experiments/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace amontons::experiments {
namespace {

const std::array<std::string, 6> kFingerJoints = {"bh_j12_joint", "bh_j13_joint", "bh_j22_joint",
                                                  "bh_j23_joint", "bh_j32_joint", "bh_j33_joint"};
constexpr double kMimic = 0.3442622950819672;  // multiplier in the file

struct Closing {
  std::vector<double> time, joint;                // infeasibility of the joints [m or rad]
  double largest = 0.0;                           // largest infeasibility of all constraints
  double beyond_limits = 0.0, mimic_error = 0.0;  // [rad]
  std::array<double, 6> angles{};                 // at the end [rad]
  std::set<std::string> pressing;                 // on the glass in the last step
  int missed = 0, missed_contacts = 0;
};

std::array<double, 6> finger_angles(const Simulator& simulator) {
  const System& system = simulator.system();
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  std::array<double, 6> angles{};
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const int index = system.find_joint("hand/" + kFingerJoints[i]);
    const JointCoordinate& joint = system.joints()[static_cast<std::size_t>(index)];
    angles[i] = joint.loop >= 0 ? kinematics.loops.position[joint.loop] : state.q[joint.q_offset];
  }
  return angles;
}

Closing close(const Context& context, const std::filesystem::path& file, const std::string& gamma,
              const std::string& coordinates, Findings* findings) {
  const Scene scene = context.load("real-hand.yaml", {{"models.0.file", file.string()},
                                                      {"models.0.coordinates", coordinates},
                                                      {"simulation.gamma", gamma}});
  Closing closing;

  // Records infeasibility, finger angles and the links that press on the glass.
  const auto observe = [&](const Simulator& simulator, const StepReport& report) {
    closing.time.push_back(simulator.time());
    closing.joint.push_back(joint_infeasibility(simulator));
    closing.largest = std::max(closing.largest, report.certificate.infeasibility);
    closing.missed_contacts += report.certificate.missed_contacts;
    closing.angles = finger_angles(simulator);

    // Every second angle is that of a tip, which mimics the joint before it.
    for (std::size_t i = 0; i < closing.angles.size(); ++i) {
      const bool is_tip = i % 2 == 1;
      const double angle = closing.angles[i];
      closing.beyond_limits =
          std::max({closing.beyond_limits, -angle, angle - (is_tip ? 0.84 : 2.44)});
      if (!is_tip) continue;
      closing.mimic_error =
          std::max(closing.mimic_error, std::abs(angle - kMimic * closing.angles[i - 1]));
    }

    // Only the contacts of the last step remain.
    closing.pressing.clear();
    const int glass = simulator.system().find_body("glass");
    for (const auto& [a, b] : pressing_pairs(report)) {
      if (a != glass && b != glass) continue;
      const int other = a == glass ? b : a;
      closing.pressing.insert(simulator.system().bodies()[static_cast<std::size_t>(other)].name);
    }
  };
  closing.missed = context.simulate(scene, observe, findings, "real-hand-gamma" + gamma);
  return closing;
}

}  // namespace

void check_real_hand(const Context& context, Findings& findings) {
  // Without the files of the hand the check says so and ends.
  const std::filesystem::path file =
      std::filesystem::weakly_canonical(context.folder() / "../../../shared/data/robots") /
      "barrett_hand_description/urdf/bh280.urdf";
  if (!std::filesystem::exists(file)) {
    const std::string line = "SKIPPED: the real Barrett hand, for " + file.string() +
                             " is not there; everything here is about our hand";
    context.progress("barrett-hand: " + line);
    findings.notes.push_back(line);
    return;
  }

  // Three values of gamma, and reduced coordinates beside maximal ones.
  const Closing drifting = close(context, file, "0", "maximal", nullptr);
  const Closing maximal = close(context, file, "0.2", "maximal", &findings);
  const Closing stiff = close(context, file, "1", "maximal", nullptr);
  const Closing reduced = close(context, file, "0.2", "reduced", nullptr);

  findings.expect_at_least(
      "real hand, gamma 0: joint error at the end over its largest of gamma 0.2",
      drifting.joint.back() / *std::max_element(maximal.joint.begin(), maximal.joint.end()), 2.0);
  for (const auto& [closing, gamma] : {std::pair{&maximal, "0.2"}, std::pair{&stiff, "1"}}) {
    const std::string text = fmt::format("real hand, gamma {}: ", gamma);
    findings.expect_at_most(text + "largest I [m]", closing->largest, 0.005);
    findings.expect_at_most(
        text + "joints at the end against their largest error",
        closing->joint.back() / *std::max_element(closing->joint.begin(), closing->joint.end()),
        0.2);
    findings.expect_at_most(text + "joints beyond their limits [rad]", closing->beyond_limits,
                            1e-5);
    findings.expect_at_most(text + "knuckles against what they mimic [rad]", closing->mimic_error,
                            1e-5);
  }

  // The names of links contain the number of their finger.
  std::string names;
  std::set<char> fingers;
  for (const std::string& name : maximal.pressing) {
    names += " " + name;
    const auto at = name.find("finger_");
    if (at != std::string::npos) fingers.insert(name[at + 7]);
  }
  findings.expect_true("real hand: all three fingers press on the glass at the end",
                       fingers.size() == 3, names);

  // Both kinds of coordinates must close the hand alike.
  double difference = 0.0;
  for (std::size_t i = 0; i < maximal.angles.size(); ++i) {
    difference = std::max(difference, std::abs(maximal.angles[i] - reduced.angles[i]));
  }
  findings.expect_at_most("real hand: maximal against reduced coordinates at the end [rad]",
                          difference, 1e-3);

  // No step misses its certificate or a contact.
  int missed = 0, missed_contacts = 0;
  for (const Closing* closing : {&drifting, &maximal, &stiff, &reduced}) {
    missed += closing->missed;
    missed_contacts += closing->missed_contacts;
  }
  findings.expect_true("real hand: every step certified", missed == 0,
                       fmt::format("{} missed", missed));
  findings.expect_at_most("T07 real hand: contacts missed", missed_contacts, 0);
  findings.figures.push_back({"Joint infeasibility of the real hand",
                              "time [s]",
                              "|Theta| [m]",
                              true,
                              {{"gamma 0", drifting.time, drifting.joint},
                               {"gamma 0.2", maximal.time, maximal.joint},
                               {"gamma 1", stiff.time, stiff.joint}}});
}

}  // namespace amontons::experiments
