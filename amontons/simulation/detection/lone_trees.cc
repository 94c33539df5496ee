#include "amontons/simulation/detection/lone_trees.h"

#include "amontons/geometry/pair_clearance.h"

#include <algorithm>

namespace amontons {

LoneTrees::LoneTrees(const System& system)
    : system_(&system),
      is_alone_(system.articulations().size(), 0),
      roots_(system.articulations().size()) {
  // Trees of one link have no contacts of their own.
  std::vector<int> num_shapes(is_alone_.size(), 0);
  for (std::size_t i = 0; i < system.shapes().size(); ++i) {
    const int tree = system.articulation_of_shape(static_cast<int>(i));
    const Shape& shape = system.shapes()[i].shape;
    if (tree >= 0 && PairClearance::pays(shape, shape))
      ++num_shapes[static_cast<std::size_t>(tree)];
  }
  for (std::size_t a = 0; a < is_alone_.size(); ++a) {
    const bool may_pay = system.articulations()[a].num_links() > 1 && num_shapes[a] > 1;
    if (may_pay) trees_.push_back(static_cast<int>(a));
  }
}

void LoneTrees::find(const SystemKinematics& kinematics,
                     const Eigen::Ref<const Eigen::VectorXd>& v_start,
                     const Eigen::Ref<const Eigen::VectorXd>& v_free,
                     std::span<const std::pair<int, int>> pairs) {
  if (trees_.empty()) return;
  for (const int tree : trees_) is_alone_[static_cast<std::size_t>(tree)] = 1;
  for (const auto& [a, b] : pairs) {
    const int tree_a = system_->articulation_of_shape(a),
              tree_b = system_->articulation_of_shape(b);
    const bool a_counts = tree_a >= 0 && is_alone_[static_cast<std::size_t>(tree_a)] != 0;
    const bool b_counts = tree_b >= 0 && is_alone_[static_cast<std::size_t>(tree_b)] != 0;
    if (tree_a == tree_b || (!a_counts && !b_counts) || !system_->may_collide(a, b)) continue;
    if (a_counts) is_alone_[static_cast<std::size_t>(tree_a)] = 0;
    if (b_counts) is_alone_[static_cast<std::size_t>(tree_b)] = 0;
  }
  for (const int tree : trees_) {
    const auto place = static_cast<std::size_t>(tree);
    if (is_alone_[place] == 0) continue;
    const Articulation& own = system_->articulations()[place];
    const ArticulationKinematics& at = kinematics.trees[place];
    Root& root = roots_[place];
    root.origin = at.X_WB[0].translation;
    const std::array<const Eigen::Ref<const Eigen::VectorXd>*, 2> both = {&v_start, &v_free};
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector6d V = own.frame_velocity(
          at, 0, root.origin, both[i]->segment(system_->v_offset(tree), own.num_velocities()));
      root.velocities[i] = {V.tail<3>(), V.head<3>(), 0.0};
    }
  }
}

int LoneTrees::tree_of_both(int shape_a, int shape_b) const {
  const int tree = system_->articulation_of_shape(shape_a);
  const bool is_common = tree >= 0 && tree == system_->articulation_of_shape(shape_b);
  return is_common && is_alone_[static_cast<std::size_t>(tree)] != 0 ? tree : -1;
}

double LoneTrees::speed_within(int tree, const std::array<ShapeVelocity, 2>& velocities,
                               const Eigen::Vector3d& origin) const {
  const Root& root = roots_[static_cast<std::size_t>(tree)];
  double speed = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    ShapeVelocity within = velocities[i];
    within.linear -= root.velocities[i].at(origin - root.origin);
    within.angular -= root.velocities[i].angular;
    speed = std::max(speed, within.speed());
  }
  return speed;
}

}  // namespace amontons
