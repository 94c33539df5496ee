#include "experiments/checks.h"
#include "experiments/experiment.h"

namespace amontons::experiments {

namespace {

std::vector<Experiment> make_catalog() {
  // The reports list the experiments in this order.
  std::vector<Experiment> experiments = {
      {"ramp", check_ramp},
      {"pendulum-drift", check_pendulum_drift},
      {"ellipse", check_ellipse},
      {"disks", check_disks},
      {"signed-distance", check_signed_distance},
      {"wind", check_wind},
      {"brazil-nut", check_brazil_nut},
      {"spheres", check_spheres},
      {"grasp", check_grasp},
      {"contact-count", check_contact_count},
      {"quadruped-no-slip", check_quadruped_no_slip},
      {"quadruped-viscous", check_quadruped_viscous},
      {"no-slip-limits", check_no_slip_limits},
      {"box-qp", check_box_qp},
      {"arm-holding", check_arm_holding},
      {"arm-sliding", check_arm_sliding},
      {"gripper", check_gripper},
      {"linkages", check_linkages},
      {"barrett-hand", check_barrett_hand},
      {"bouncing-ball", check_bouncing_ball},
      {"newtons-cradle", check_newtons_cradle},
      {"rimless-wheel", check_rimless_wheel},
      {"theorems", check_theorems},
      {"events", check_events},
      {"impacts", check_impacts},
      {"dissipative-impacts", check_dissipative_impacts},
      {"painleve-rod", check_painleve_rod},
      {"engine", check_engine},
      {"engine-timing", check_engine_timing},
  };
  experiments.insert(experiments.end(), public_catalog().begin(), public_catalog().end());
  return experiments;
}

}  // namespace

const std::vector<Experiment>& catalog() {
  static const std::vector<Experiment> experiments = make_catalog();
  return experiments;
}

const std::vector<std::string>& set_words() {
  static const std::vector<std::string> words = {"papers", "public"};
  return words;
}

std::vector<Experiment> experiments_of(ExperimentSet set) {
  std::vector<Experiment> result;
  for (const Experiment& experiment : catalog()) {
    if (experiment.set == set) result.push_back(experiment);
  }
  return result;
}

std::filesystem::path folder_of(const std::filesystem::path& experiments,
                                const Experiment& experiment) {
  const std::filesystem::path folder =
      experiment.set == ExperimentSet::Public ? experiments / "public" : experiments;
  return folder / experiment.name;
}

}  // namespace amontons::experiments
