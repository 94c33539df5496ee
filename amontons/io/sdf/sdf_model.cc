#include "amontons/io/sdf/sdf_model.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/import/shape_mass.h"
#include "amontons/io/sdf/sdf_tree.h"
#include "amontons/io/sdf/sdf_world_joints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the type of a joint; check_sdf_names has refused unknown names.
JointType to_type(const std::string& name) {
  static const std::map<std::string, JointType> kTypes{
      {"revolute", JointType::Revolute},   {"continuous", JointType::Continuous},
      {"prismatic", JointType::Prismatic}, {"fixed", JointType::Fixed},
      {"ball", JointType::Spherical},      {"universal", JointType::Universal},
      {"revolute2", JointType::Universal}, {"screw", JointType::Screw}};
  return kTypes.at(name);
}

/// Returns the forces along an axis of a joint.
JointDynamics to_dynamics(const SdfAxis& axis, JointType type) {
  JointDynamics result;
  // A continuous joint has no limits, even if the file writes some.
  const bool bounded = std::isfinite(axis.lower) || std::isfinite(axis.upper);
  if (bounded && type != JointType::Continuous) result.limits = {{axis.lower, axis.upper}};
  result.coulomb_friction = axis.friction;
  result.viscous_friction = axis.damping;
  result.stiffness = axis.stiffness;
  result.rest_position = axis.rest_position;
  result.effort_limit = axis.effort;
  result.velocity_limit = axis.velocity;
  return result;
}

/// Makes one model of the scene.
class ModelMaker {
 public:
  ModelMaker(const SdfModel& source, const SceneModel& prototype)
      : source_(source), tree_(build_sdf_tree(source)), model_(prototype) {}

  /// Returns the model.
  SceneModel make(SdfShapes& shapes) {
    // The pose of the model is that of its root link: (pose in the scene) X_WM X_ML.
    const bool root_is_world = tree_.places[0].link < 0;
    if (root_is_world) model_.base = BaseType::Fixed;
    model_.pose = model_.pose * source_.X_WM;
    if (!root_is_world) model_.pose = model_.pose * link_at(0).X_ML;
    // Links and joints in the order of the tree, then joints that close loops, then couplings.
    place_of_link_.assign(source_.links.size(), -1);
    for (std::size_t i = 0; i < tree_.places.size(); ++i) {
      add_link(i, shapes);
      if (i > 0) add_joint(i);
    }
    for (const int joint : tree_.loops) add_loop(source_.joints[static_cast<std::size_t>(joint)]);
    for (const SdfJoint& joint : source_.joints) add_couplings(joint);
    exclude_pairs();
    faults_.throw_any();
    return std::move(model_);
  }

 private:
  /// Returns the link at a place, which must not be the world.
  const SdfLink& link_at(std::size_t place) const {
    return source_.links[static_cast<std::size_t>(tree_.places[place].link)];
  }
  /// Returns the pose of a place's link in the model; the world is at the model's origin.
  Pose pose_at(std::size_t place) const {
    return tree_.places[place].link < 0 ? Pose{} : link_at(place).X_ML;
  }

  /// Adds the link of a place with its inertia and shapes.
  void add_link(std::size_t place, SdfShapes& shapes) {
    ModelLink link;
    link.name = "world";
    link.where = source_.where;
    if (tree_.places[place].link >= 0) {
      const SdfLink& from = link_at(place);
      link.name = from.name;
      link.where = from.where;
      link.inertia = from.inertia;
      link.gravity = from.gravity;
      shapes.add_visuals(from, model_.name + "/" + from.name);
      SpatialInertia of_shapes;
      for (const SdfCollision& collision : from.collisions) {
        // The density of the format is that of water.
        const double density = collision.density.value_or(from.auto_density.value_or(1000.0));
        std::vector<SceneShape> made;
        faults_.attempt(
            [&] { made = shapes.make(collision, from.name, model_.name + "/" + from.name); });
        for (SceneShape& shape : made) {
          of_shapes = sum_of_masses(of_shapes, mass_of_shape(shape, density));
          link.shapes.push_back(std::move(shape));
        }
      }
      if (from.auto_inertia && !source_.is_static && faults_.empty())
        set_auto_inertia(from, of_shapes, link);
      place_of_link_[static_cast<std::size_t>(tree_.places[place].link)] = static_cast<int>(place);
    }
    model_.links.push_back(std::move(link));
  }

  /// Gives a link the inertia of its shapes; where the file gives a mass, too, they have that mass.
  static void set_auto_inertia(const SdfLink& from, SpatialInertia of_shapes, ModelLink& link) {
    if (!(of_shapes.mass > 0.0)) {
      fail_at(from.where, "link '" + from.name +
                              "': its inertia is to come from its shapes (auto), which have no "
                              "volume; write <mass> and <inertia>");
    }
    const double scale = from.mass ? *from.mass / of_shapes.mass : 1.0;
    of_shapes.mass *= scale;
    of_shapes.inertia *= scale;
    link.inertia = of_shapes;
  }

  /// Adds the joint that carries the link of a place.
  void add_joint(std::size_t place) {
    const SdfTree::Place& at = tree_.places[place];
    const Pose X_MP = pose_at(static_cast<std::size_t>(at.parent));
    ModelJoint joint;
    joint.parent = at.parent;
    joint.child = static_cast<int>(place);
    if (at.joint < 0) {
      // No joint carries the link: it is welded to the world in a static model, free in any other.
      joint.name = link_at(place).name + (source_.is_static ? " weld" : " free");
      joint.type = source_.is_static ? JointType::Fixed : JointType::Free;
      joint.where = link_at(place).where;
      (source_.is_static ? joint.X_PJ : joint.start_pose) = X_MP.inverse() * pose_at(place);
      model_.joints.push_back(std::move(joint));
      return;
    }
    // X_PJ = X_MP^-1 X_MJ and X_JC = X_MJ^-1 X_MC, all at the zero of the joints.
    const SdfJoint& from = source_.joints[static_cast<std::size_t>(at.joint)];
    joint.name = from.name;
    joint.type = to_type(from.type);
    joint.where = from.where;
    joint.X_PJ = X_MP.inverse() * from.X_MJ;
    joint.X_JC = from.X_MJ.inverse() * pose_at(place);
    joint.axis = from.axis.xyz;
    joint.axis2 = from.axis2.xyz;
    joint.pitch = from.pitch;
    // Forces act along axes, which spherical and fixed joints do not have.
    joint.dynamics = to_dynamics(from.axis, joint.type);
    if (joint.type == JointType::Universal) joint.dynamics2 = to_dynamics(from.axis2, joint.type);
    if (joint.type == JointType::Spherical || joint.type == JointType::Fixed) joint.dynamics = {};
    if (num_velocities(joint.type) == 1) joint.start = from.axis.initial_position;
    model_.joints.push_back(std::move(joint));
  }

  /// Adds a joint that closes a loop, as rows of J between two links.
  void add_loop(const SdfJoint& from) {
    ModelLoop loop;
    loop.name = from.name;
    loop.type = to_type(from.type);
    loop.where = from.where;
    const auto place_of = [&](int link) {
      return link < 0 ? -1 : place_of_link_[static_cast<std::size_t>(link)];
    };
    loop.link_a = place_of(from.parent);
    loop.link_b = place_of(from.child);
    if (loop.link_a < 0 && tree_.places[0].link < 0) loop.link_a = 0;  // the world of the model
    // The joint's frame in both links: X_AF = X_MA^-1 X_MJ and X_BM = X_MB^-1 X_MJ.
    const Pose X_MA =
        from.parent < 0 ? Pose{} : source_.links[static_cast<std::size_t>(from.parent)].X_ML;
    loop.X_AF = X_MA.inverse() * from.X_MJ;
    loop.X_BM = source_.links[static_cast<std::size_t>(from.child)].X_ML.inverse() * from.X_MJ;
    loop.axis = from.axis.xyz;
    loop.axis2 = from.axis2.xyz;
    loop.pitch = from.pitch;
    const bool has_axis = loop.type != JointType::Spherical && loop.type != JointType::Fixed;
    if (has_axis) loop.dynamics = to_dynamics(from.axis, loop.type);
    model_.loops.push_back(std::move(loop));
  }

  /// Adds the couplings of a joint: a gearbox, and a mimic q = multiplier (q(other) - reference) +
  /// offset.
  void add_couplings(const SdfJoint& joint) {
    if (source_.is_static) return;
    if (joint.type == "gearbox") add_gearbox(joint);
    if (!joint.axis.mimic) return;
    const SdfMimic& mimic = *joint.axis.mimic;
    const bool known = std::any_of(source_.joints.begin(), source_.joints.end(),
                                   [&](const SdfJoint& j) { return j.name == mimic.joint; });
    if (!known) {
      fail_at(joint.where, "joint '" + joint.name + "': there is no joint '" + mimic.joint +
                               "' for it to mimic");
    }
    const CouplingCurve line{mimic.multiplier, mimic.offset - mimic.multiplier * mimic.reference};
    model_.couplings.push_back({joint.name + " mimic", joint.name, mimic.joint, line, joint.where});
  }

  /// Adds theta_2 = -ratio theta_1, the angles of the child and of the parent against the housing.
  void add_gearbox(const SdfJoint& gearbox) {
    const auto [parent, sign1] = wheel_joint(gearbox, gearbox.parent, gearbox.axis);
    const auto [child, sign2] = wheel_joint(gearbox, gearbox.child, gearbox.axis2);
    const CouplingCurve line{-gearbox.gear_ratio * sign1 * sign2, 0.0};
    model_.couplings.push_back({gearbox.name, child->name, parent->name, line, gearbox.where});
  }

  /// Returns the joint on which a wheel turns in the housing. The sign is 1 if the joint counts
  /// like the gearbox, else -1.
  std::pair<const SdfJoint*, double> wheel_joint(const SdfJoint& gearbox, int wheel,
                                                 const SdfAxis& axis) const {
    for (const SdfJoint& joint : source_.joints) {
      if (joint.type != "revolute" && joint.type != "continuous") continue;
      const bool forward = joint.child == wheel && is_housing(gearbox, joint.parent);
      const bool backward = joint.parent == wheel && is_housing(gearbox, joint.child);
      if (!forward && !backward) continue;
      // Cosine between the axes in the model; only parallel axes count.
      const double along =
          (gearbox.X_MJ.rotation * axis.xyz).dot(joint.X_MJ.rotation * joint.axis.xyz);
      if (std::abs(std::abs(along) - 1.0) > 1e-9) continue;
      return {&joint, (along > 0.0) == forward ? 1.0 : -1.0};
    }
    fail_at(gearbox.where, "gearbox '" + gearbox.name +
                               "': no revolute joint with its axis lets "
                               "one of its wheels turn in gearbox_reference_body '" +
                               gearbox.gear_reference + "'");
  }

  /// Returns true if a link is the gearbox's housing.
  bool is_housing(const SdfJoint& gearbox, int link) const {
    if (link < 0) return gearbox.gear_reference == "world";
    return source_.links[static_cast<std::size_t>(link)].name == gearbox.gear_reference;
  }

  /// Excludes collisions between links of the model, unless it, or one of the two, sets
  /// self_collide.
  void exclude_pairs() {
    if (source_.self_collide || model_.self_collide == ModelCollisions::All) return;
    // Links welded to the world never collide with each other; a scenery has thousands.
    if (source_.is_static) return;
    const std::size_t n = tree_.places.size();
    const auto collides = [&](std::size_t place) {
      return tree_.places[place].link >= 0 && link_at(place).self_collide;
    };
    // Models that joints of the world connect collide with each other.
    const bool joined = source_.name == kJoinedModels;
    const auto part_of = [&](std::size_t place) {
      const bool is_link = joined && tree_.places[place].link >= 0;
      return is_link ? link_at(place).name.substr(0, link_at(place).name.find('/')) : "";
    };
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        if (collides(i) || collides(j) || part_of(i) != part_of(j)) continue;
        model_.excluded.emplace_back(static_cast<int>(i), static_cast<int>(j));
      }
    }
  }

  const SdfModel& source_;
  const SdfTree tree_;
  SceneModel model_;
  std::vector<int> place_of_link_;
  FaultList faults_ = {};  ///< of shapes, which do not depend on each other
};

}  // namespace

SceneModel make_sdf_model(const SdfModel& source, const SceneModel& prototype, SdfShapes& shapes) {
  return ModelMaker(source, prototype).make(shapes);
}

}  // namespace amontons::io
