#include "experiments/checks.h"
#include "experiments/experiment.h"

namespace amontons::experiments {

const std::vector<Experiment>& catalog() {
  // The reports list the experiments in this order.
  static const std::vector<Experiment> experiments = {
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
      {"euler-disk", check_euler_disk},
      {"theorems", check_theorems},
      {"events", check_events},
      {"impacts", check_impacts},
      {"painleve-rod", check_painleve_rod},
      {"engine", check_engine},
      {"engine-timing", check_engine_timing},
  };
  return experiments;
}

}  // namespace amontons::experiments
