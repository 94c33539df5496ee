#include "experiments/experiment.h"
#include "experiments/public/public_checks.h"

namespace amontons::experiments {

const std::vector<Experiment>& public_catalog() {
  constexpr ExperimentSet kPublic = ExperimentSet::Public;
  // The reports list the scenes in this order.
  static const std::vector<Experiment> experiments = {
      {"incline", check_incline, kPublic},
      {"backspin", check_backspin, kPublic},
      {"turntable", check_turntable, kPublic},
      {"painleve-box", check_painleve_box, kPublic},
      {"card-house", check_card_house, kPublic},
      {"masonry-arch", check_masonry_arch, kPublic},
      {"rolling", check_rolling, kPublic},
      {"bouncing", check_bouncing, kPublic},
      {"sphere-cube", check_sphere_cube, kPublic},
      {"momentum", check_momentum, kPublic},
      {"energy", check_energy, kPublic},
      {"pd-control", check_pd_control, kPublic},
      {"rattleback", check_rattleback, kPublic},
      {"tippe-top", check_tippe_top, kPublic},
      {"euler-disk", check_euler_disk, kPublic},
      {"rocking-block", check_rocking_block, kPublic},
      {"billiards", check_billiards, kPublic},
      {"impacting-stick", check_impacting_stick, kPublic},
      {"woodpecker", check_woodpecker, kPublic},
      {"four-bar-clearance", check_four_bar_clearance, kPublic},
      {"rockfall", check_rockfall, kPublic},
      {"pyramids", check_pyramids, kPublic},
      {"thin-card-house", check_thin_card_house, kPublic},
      {"junkyard", check_junkyard, kPublic},
      {"gz-physics", check_gz_physics, kPublic},
      {"contactbench", check_contactbench, kPublic},
  };
  return experiments;
}

}  // namespace amontons::experiments
