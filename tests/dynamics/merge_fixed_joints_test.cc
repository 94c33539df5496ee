#include "amontons/dynamics/merge_fixed_joints.h"

#include "tests/dynamics/random_tree.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

namespace amontons::test {
namespace {

// Makes a random tree in which about half of the joints are fixed.
std::vector<Link> half_fixed_links(Engine& engine, int num_links) {
  std::vector<JointType> types = tree_joint_types();
  std::vector<Link> links;
  for (int i = 0; i < num_links; ++i) {
    const int parent = std::uniform_int_distribution<int>(-1, i - 1)(engine);
    const std::size_t type =
        std::uniform_int_distribution<std::size_t>(0, 2 * types.size() - 1)(engine);
    links.push_back(
        random_link(engine, parent, type < types.size() ? types[type] : JointType::Fixed));
  }
  return links;
}

// Returns the poses of the unmerged links, joint by joint.
std::vector<Pose> forward_poses(const std::vector<Link>& links, const MergedTree& merged,
                                const Articulation& tree, const Eigen::VectorXd& q) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    const Pose X_WP = link.parent < 0 ? Pose{} : poses[static_cast<std::size_t>(link.parent)];
    const int offset = link.joint == JointType::Fixed ? 0 : tree.q_offset(merged.frames[i].link);
    const Eigen::VectorXd q_joint = q.segment(offset, num_positions(link.joint));
    poses.push_back(X_WP * link.X_PF * joint_transform(link.geometry(), q_joint) * link.X_MB);
  }
  return poses;
}

}  // namespace

TEST_CASE("Merging fixed joints keeps every frame, the mass, its center and its inertia") {
  Engine engine(41);
  for (int trial = 0; trial < num_cases(10000); ++trial) {
    const std::vector<Link> links = half_fixed_links(engine, 12);
    const MergedTree merged = merge_fixed_joints(links);
    REQUIRE(merged.frames.size() == links.size());
    const Articulation tree(merged.links);
    const Eigen::VectorXd q = random_position(engine, tree);
    const ArticulationKinematics kinematics =
        kinematics_at(tree, q, Eigen::VectorXd::Zero(tree.num_velocities()));
    const std::vector<Pose> poses = forward_poses(links, merged, tree, q);

    // The bodies of each merged link, gathered about the world origin as 6 x 6 matrices.
    std::vector<Matrix6d> expected(merged.links.size(), Matrix6d::Zero());
    for (std::size_t i = 0; i < links.size(); ++i) {
      const MergedFrame& frame = merged.frames[i];
      const Pose X_WL =
          frame.link < 0 ? Pose{} : kinematics.X_WB[static_cast<std::size_t>(frame.link)];
      const Pose X_WB = X_WL * frame.X_LB;
      CHECK((X_WB.translation - poses[i].translation).norm() <= 1e-13);
      CHECK((X_WB.rotation - poses[i].rotation).norm() <= 1e-13);
      if (frame.link < 0) continue;
      expected[static_cast<std::size_t>(frame.link)] +=
          transform(poses[i], links[i].inertia).matrix();
    }
    for (std::size_t l = 0; l < merged.links.size(); ++l) {
      const Matrix6d inertia = transform(kinematics.X_WB[l], merged.links[l].inertia).matrix();
      CHECK((inertia - expected[l]).norm() <= 1e-12 * expected[l].norm());
    }
  }
}

TEST_CASE("Links fixed to the world become the world, and what they carry stays where it was") {
  Engine engine(42);
  std::vector<Link> links = {random_link(engine, -1, JointType::Fixed),
                             random_link(engine, 0, JointType::Fixed),
                             random_link(engine, 1, JointType::Revolute)};
  const MergedTree merged = merge_fixed_joints(links);
  REQUIRE(merged.links.size() == 1);
  CHECK(merged.frames[0].link == -1);
  CHECK(merged.frames[1].link == -1);
  CHECK(merged.frames[2].link == 0);
  CHECK(merged.links[0].parent == -1);
  CHECK(merged.links[0].inertia.mass == links[2].inertia.mass);
  const Pose expected =
      links[0].X_PF * links[0].X_MB * links[1].X_PF * links[1].X_MB * links[2].X_PF;
  CHECK((merged.links[0].X_PF.translation - expected.translation).norm() <= 1e-14);
  CHECK((merged.links[0].X_PF.rotation - expected.rotation).norm() <= 1e-14);
}

TEST_CASE("A tree without fixed joints is returned as it is, and a parent out of order refused") {
  Engine engine(43);
  const std::vector<Link> links = random_tree(engine, 6).links();
  const MergedTree merged = merge_fixed_joints(links);
  REQUIRE(merged.links.size() == links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    CHECK(merged.links[i].parent == links[i].parent);
    CHECK(merged.links[i].X_PF.translation == links[i].X_PF.translation);
    CHECK(merged.frames[i].link == static_cast<int>(i));
  }
  std::vector<Link> disordered = links;
  disordered[2].parent = 2;
  CHECK_THROWS_AS(merge_fixed_joints(disordered), std::invalid_argument);
}

}  // namespace amontons::test
