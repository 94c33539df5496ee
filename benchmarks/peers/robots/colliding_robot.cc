#include "benchmarks/peers/robots/colliding_robot.h"

#include <algorithm>
#include <stdexcept>

namespace amontons::peers {
namespace {

void require_known(const Scene& scene, const System& system) {
  if (!system.servos().empty() || !system.efforts().empty() || !system.wrenches().empty() ||
      !system.motions().empty()) {
    throw std::invalid_argument(scene.file + ": the robot is driven");
  }
}

/// Returns the index in World::moving of the body that has a shape; -1: a fixed body.
int owner_of(const Robot& robot, const CollisionShape& shape) {
  const Body& body = robot.system.bodies()[static_cast<std::size_t>(shape.body)];
  const auto it =
      std::find_if(robot.links.begin(), robot.links.end(), [&body](const RobotLink& link) {
        return link.articulation == body.articulation && link.link == body.link;
      });
  return it == robot.links.end() ? -1 : static_cast<int>(it - robot.links.begin());
}

void add_shapes(Robot& robot) {
  World& world = robot.world;
  for (const CollisionShape& shape : robot.system.shapes()) {
    const Body& body = robot.system.bodies()[static_cast<std::size_t>(shape.body)];
    const int owner = owner_of(robot, shape);
    if (owner < 0) {
      WorldBody fixed;
      fixed.name = body.name;
      fixed.X_WB = body.X_LB;
      fixed.shapes.push_back({shape.shape, shape.X_BG});
      world.fixed_bodies.push_back(fixed);
      continue;
    }
    const auto i = static_cast<std::size_t>(owner);
    const Pose X_BG = robot.links[i].X_LB.inverse() * body.X_LB * shape.X_BG;
    world.moving[i].shapes.push_back({shape.shape, X_BG});
  }
}

/// Adds limits, damping and dry friction. The limits count from the start.
void add_joint_dynamics(Robot& robot) {
  const State start = robot.system.initial_state();
  for (const CoordinateDynamics& source : robot.system.coordinate_dynamics()) {
    const auto it = std::find(robot.v_index.begin(), robot.v_index.end(), source.v_index);
    const JointDynamics& dynamics = source.dynamics;
    const bool is_free = it == robot.v_index.end();
    if (dynamics.stiffness != 0.0 ||
        (is_free && (dynamics.limits || dynamics.coulomb_friction != 0.0 ||
                     dynamics.viscous_friction != 0.0))) {
      throw std::invalid_argument("joint " + source.joint + " has a spring, or resists as a root");
    }
    if (is_free) continue;
    WorldJoint& joint = robot.world.joints[static_cast<std::size_t>(it - robot.v_index.begin())];
    joint.friction = dynamics.coulomb_friction;
    joint.damping = dynamics.viscous_friction;
    joint.limits = dynamics.limits;
    if (!joint.limits) continue;
    for (double& limit : *joint.limits) limit -= start.q[source.q_index];
  }
}

/// Returns the index in World::joints of a coordinate.
int joint_at(const Robot& robot, const CoordinatePlace& place) {
  const auto it = std::find(robot.v_index.begin(), robot.v_index.end(), place.v_index);
  if (it == robot.v_index.end()) throw std::invalid_argument("a gear couples no joint");
  return static_cast<int>(it - robot.v_index.begin());
}

void add_couplings(Robot& robot) {
  const State start = robot.system.initial_state();
  for (const CoordinateCoupling& source : robot.system.couplings()) {
    WorldCoupling coupling;
    coupling.joint = joint_at(robot, source.a);
    coupling.multiplier = source.curve.multiplier;
    coupling.offset = source.curve.offset - start.q[source.a.q_index];
    if (source.b) {
      coupling.reference = joint_at(robot, *source.b);
      coupling.offset += source.curve.multiplier * start.q[source.b->q_index];
    }
    robot.world.couplings.push_back(coupling);
  }
}

/// Finds the pairs of bodies that do not collide, and the friction of those that do.
void add_pairs(CollidingRobot& result) {
  const System& system = result.robot.system;
  World& world = result.robot.world;
  const auto n = world.moving.size();
  Eigen::MatrixXi admitted = Eigen::MatrixXi::Zero(n, n), all = admitted;
  const int num_shapes = static_cast<int>(system.shapes().size());
  bool is_first = true;
  for (int i = 0; i < num_shapes; ++i) {
    for (int j = i + 1; j < num_shapes; ++j) {
      const auto [a, b] =
          std::minmax({owner_of(result.robot, system.shapes()[static_cast<std::size_t>(i)]),
                       owner_of(result.robot, system.shapes()[static_cast<std::size_t>(j)])});
      const bool collides = system.may_collide(i, j);
      if (a >= 0 && a != b) {
        ++all(a, b);
        if (collides) ++admitted(a, b);
      }
      if (!collides) continue;
      // The world has one friction.
      ++result.num_pairs;
      const PairProperties pair = system.pair_properties(i, j);
      if (is_first) world.friction = pair.friction;
      is_first = false;
      if (pair.friction != world.friction || pair.restitution != 0.0 ||
          pair.viscous_friction != 0.0) {
        throw std::invalid_argument("there is more than one friction");
      }
    }
  }
  // A pair of bodies is excluded where no pair of their shapes may collide.
  world.excluded.emplace();
  for (int b = 0; b < all.cols(); ++b) {
    for (int a = 0; a < b; ++a) {
      if (admitted(a, b) == 0) world.excluded->emplace_back(a, b);
      if (admitted(a, b) > 0) result.num_extra_pairs += all(a, b) - admitted(a, b);
    }
  }
}

}  // namespace

CollidingRobot colliding_robot(const Scene& scene) {
  CollidingRobot result{reduce_robot(scene)};
  require_known(scene, result.robot.system);
  add_shapes(result.robot);
  add_joint_dynamics(result.robot);
  add_couplings(result.robot);
  add_pairs(result);
  return result;
}

}  // namespace amontons::peers
