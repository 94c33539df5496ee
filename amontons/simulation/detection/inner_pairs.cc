#include "amontons/simulation/detection/inner_pairs.h"

#include "amontons/geometry/pair_clearance.h"

#include <algorithm>

namespace amontons {

InnerPairs::InnerPairs(const System& system)
    : system_(&system),
      has_several_links_(system.articulations().size(), 0),
      is_near_outside_(system.bodies().size(), 0),
      roots_(system.articulations().size()) {
  std::vector<int> num_shapes(has_several_links_.size(), 0);
  for (std::size_t i = 0; i < system.shapes().size(); ++i) {
    const int tree = system.articulation_of_shape(static_cast<int>(i));
    const Shape& shape = system.shapes()[i].shape;
    const bool pays = tree >= 0 && PairClearance::pays(shape, shape);
    if (pays) ++num_shapes[static_cast<std::size_t>(tree)];
  }
  for (std::size_t a = 0; a < has_several_links_.size(); ++a) {
    has_several_links_[a] = system.articulations()[a].num_links() > 1 && num_shapes[a] > 1;
    if (has_several_links_[a] != 0) trees_.push_back(a);
  }
}

void InnerPairs::find(const SystemKinematics& kinematics,
                      const Eigen::Ref<const Eigen::VectorXd>& v_start,
                      const Eigen::Ref<const Eigen::VectorXd>& v_free,
                      std::span<const std::pair<int, int>> pairs) {
  if (trees_.empty()) return;
  std::fill(is_near_outside_.begin(), is_near_outside_.end(), char{0});
  for (const auto& [a, b] : pairs) {
    const int tree_a = system_->articulation_of_shape(a);
    const int tree_b = system_->articulation_of_shape(b);
    if (tree_a == tree_b || (!has_several_links(tree_a) && !has_several_links(tree_b))) continue;
    if (!system_->may_collide(a, b)) continue;
    for (const int shape : {a, b}) {
      const int body = system_->shapes()[static_cast<std::size_t>(shape)].body;
      is_near_outside_[static_cast<std::size_t>(body)] = 1;
    }
  }
  for (const std::size_t tree : trees_) {
    const Articulation& own = system_->articulations()[tree];
    const Eigen::Index v0 = system_->v_offset(static_cast<int>(tree)), n = own.num_velocities();
    Root& root = roots_[tree];
    root.origin = kinematics.trees[tree].X_WB[0].translation;
    const auto velocity = [&](const Eigen::Ref<const Eigen::VectorXd>& v) {
      const Vector6d V =
          own.frame_velocity(kinematics.trees[tree], 0, root.origin, v.segment(v0, n));
      return ShapeVelocity{V.tail<3>(), V.head<3>(), 0.0};
    };
    root.velocities = {velocity(v_start), velocity(v_free)};
  }
}

int InnerPairs::tree_of(int shape_a, int shape_b) const {
  const int tree = system_->articulation_of_shape(shape_a);
  if (!has_several_links(tree) || tree != system_->articulation_of_shape(shape_b)) return -1;
  for (const int shape : {shape_a, shape_b}) {
    const int body = system_->shapes()[static_cast<std::size_t>(shape)].body;
    if (is_near_outside_[static_cast<std::size_t>(body)] != 0) return -1;
  }
  return tree;
}

double InnerPairs::speed_within(int tree, const std::array<ShapeVelocity, 2>& velocities,
                                const Eigen::Vector3d& origin) const {
  const Root& root = roots_[static_cast<std::size_t>(tree)];
  double speed = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    speed = std::max(
        speed, relative_velocity(velocities[i], root.velocities[i], root.origin - origin).speed());
  }
  return speed;
}

}  // namespace amontons
