#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <utility>

// <joint> and <freejoint>.

namespace amontons::io {
namespace {

/// Returns the type of a joint; a hinge by default.
JointType type_of(const MjcfElement& element) {
  if (element.tag() == "freejoint") return JointType::Free;
  const std::string type = element.word("type", {"free", "ball", "slide", "hinge"}, "hinge");
  return type == "free"    ? JointType::Free
         : type == "ball"  ? JointType::Spherical
         : type == "slide" ? JointType::Prismatic
                           : JointType::Revolute;
}

/// Returns true for joints of one coordinate.
bool is_scalar(JointType type) { return num_velocities(type) == 1; }

/// Reads one joint.
class JointReader {
 public:
  JointReader(MjcfReader& reader, const MjcfItem& item)
      : reader_(reader), element_(item.element), X_BP_(item.X_BP), type_(type_of(item.element)) {}

  JointType type() const { return type_; }

  /// Returns the joint between two links.
  /// @param X_PB  the body's frame before this joint moves it, in the link `parent`.
  ModelJoint read(const std::string& name, int parent, int child, const Pose& X_PB) {
    ModelJoint joint;
    joint.name = name;
    joint.where = element_.where();
    joint.type = type_;
    joint.parent = parent;
    joint.child = child;
    read_dynamics(joint.dynamics);
    // A hinge without limits turns without end.
    if (type_ == JointType::Revolute && !joint.dynamics.limits) joint.type = JointType::Continuous;
    if (type_ == JointType::Free) {
      // F is the world's frame, so that q is the pose of the body.
      joint.start_pose = X_PB;
      return joint;
    }
    place(joint, X_PB);
    return joint;
  }

  /// Returns qpos0 of a joint of one coordinate, in [rad] or [m].
  double ref() const { return ref_; }
  /// Returns time constant [s] and damping ratio of a spring that fits the inertia.
  const std::optional<std::pair<double, double>>& springdamper() const { return springdamper_; }

 private:
  /// Places the joint's frames. The coordinate is zero where qpos is zero; at its `ref` the body is
  /// as written.
  void place(ModelJoint& joint, const Pose& X_PB) {
    Pose X_BF;
    // The anchor of a slide has no effect on its motion.
    if (type_ != JointType::Prismatic) {
      X_BF.translation = X_BP_ * element_.vector3("pos", Eigen::Vector3d::Zero());
    }
    joint.X_JC.translation = -X_BF.translation;
    if (is_scalar(type_)) {
      joint.axis = X_BP_.rotation * element_.direction("axis", Eigen::Vector3d::UnitZ());
      ref_ = angle(element_.number("ref", 0.0));
      joint.start = ref_;
    }
    // The frame is moved back by ref, so that the joint at q = ref restores the pose of the file.
    if (type_ == JointType::Prismatic) X_BF.translation = -ref_ * joint.axis;
    if (type_ == JointType::Revolute) X_BF.rotation = rotation_from_vector(-ref_ * joint.axis);
    joint.X_PJ = X_PB * X_BF;
  }

  /// Converts an angle of a hinge or ball, written as the compiler says; lengths of slides stay
  /// [m].
  double angle(double written) const {
    return type_ == JointType::Prismatic ? written : reader_.compiler_of(element_).angle(written);
  }

  /// Returns true if a range alone limits.
  bool autolimits() const { return reader_.compiler_of(element_).autolimits; }

  /// Reads armature, friction, damping, spring and limits, unless flags switch them off.
  void read_dynamics(JointDynamics& dynamics) {
    if (element_.tag() == "freejoint") return;
    read_limits(dynamics);
    dynamics.armature = element_.linear_coefficient("armature");
    if (type_ == JointType::Free && dynamics.armature != 0.0) {
      element_.note("armature", ImportFate::Refused, "a body that flies has no rotor");
      dynamics.armature = 0.0;
    }
    if (reader_.flags.frictionloss) {
      dynamics.coulomb_friction = element_.linear_coefficient("frictionloss");
    }
    if (!is_scalar(type_) && dynamics.coulomb_friction > 0.0) {
      element_.note("frictionloss", ImportFate::Warning,
                    "it acts about the axes of the parent; in MuJoCo about those of the body");
    }
    if (reader_.flags.damper) dynamics.viscous_friction = element_.linear_coefficient("damping");
    if (reader_.flags.passive) read_spring(dynamics);
    if (is_scalar(type_)) {
      // Actuators keep the range itself.
      if (const auto range = read_mjcf_effort_range(reader_, element_)) {
        dynamics.effort_limit = range->size();
        if (element_.flag("actuatorgravcomp").value_or(false)) {
          element_.note("actuatorgravcomp", ImportFate::Refused,
                        "gravity compensation acts beside the actuators: actuatorfrcrange does "
                        "not bound it");
        }
      }
    } else {
      element_.note("actuatorfrcrange", ImportFate::Ignored, "the effort is not limited");
    }
  }

  /// Reads the spring of a joint.
  void read_spring(JointDynamics& dynamics) {
    // springdamper derives stiffness and damping from the inertia, which is not known yet.
    const std::vector<double> damper = element_.numbers("springdamper", 2, 2);
    const bool fits_inertia = !damper.empty() && damper[0] > 0.0 && damper[1] > 0.0;
    if (fits_inertia) springdamper_ = {damper[0], damper[1]};
    if (!reader_.flags.spring) return;
    const double stiffness = fits_inertia ? 0.0 : element_.linear_coefficient("stiffness");
    if (stiffness == 0.0 && !fits_inertia) return;
    if (!is_scalar(type_)) {
      element_.note(fits_inertia ? "springdamper" : "stiffness", ImportFate::Refused,
                    "there is no spring: only joints of one coordinate have one here");
      return;
    }
    dynamics.stiffness = stiffness;
    // The spring's rest position is an angle, or a length of a slide.
    dynamics.rest_position = angle(element_.number("springref", 0.0));
  }

  /// Reads the range of positions.
  void read_limits(JointDynamics& dynamics) {
    if (!element_.has("range") && !element_.has("limited")) return;
    const std::optional<bool> said = element_.flag("limited");
    const std::vector<double> range = element_.numbers("range", 2, 2);
    // Without `limited`, a range in order limits the joint, unless autolimits is off. A free joint
    // has the range of its class, if any, but no limits.
    const bool in_order = !range.empty() && range[0] < range[1];
    const bool limited = said.value_or(autolimits() && in_order);
    if (!limited || type_ == JointType::Free) {
      element_.note("range", ImportFate::Ignored, "the joint is not limited");
      return;
    }
    if (!in_order) {
      element_.fail("range", "must be two numbers, the smaller one first");
    }
    // Limits of ball joints are cones, which are not modeled.
    if (!reader_.flags.limit) {
      element_.note("range", ImportFate::Ignored, "limits are switched off");
    } else if (!is_scalar(type_)) {
      element_.note("range", ImportFate::Refused,
                    "it turns without limit: only joints of one coordinate have limits here");
    } else {
      dynamics.limits = {{angle(range[0]), angle(range[1])}};
      element_.note_softness("solreflimit");
    }
  }

  MjcfReader& reader_;
  const MjcfElement& element_;
  Pose X_BP_;
  JointType type_;
  double ref_ = 0.0;
  std::optional<std::pair<double, double>> springdamper_;
};

/// Returns the name of a joint, made from its body where it has none.
std::string name_of_joint(const MjcfReader& reader, const MjcfElement& element,
                          const std::string& body) {
  std::string name = element.has("name") ? element.text("name") : body + "_joint";
  const auto is_taken = [&](const std::string& candidate) {
    return reader.places.joints.find(reader.joints, candidate) >= 0;
  };
  if (element.has("name")) return name;
  // Several nameless joints of one body are numbered from 2 on.
  const std::string stem = name;
  for (int k = 2; is_taken(name) || reader.gives("joint", name); ++k) {
    name = stem + "_" + std::to_string(k);
  }
  return name;
}

/// Returns the rigid joint of a body that has none in the file.
ModelJoint fixed_joint(const MjcfReader& reader, const ModelLink& link, int parent, int child,
                       const Pose& X_PB) {
  ModelJoint joint;
  joint.name = link.name + "_fixed";
  while (reader.gives("joint", joint.name)) joint.name += "_";
  joint.where = link.where;
  joint.parent = parent;
  joint.child = child;
  joint.X_PJ = X_PB;
  return joint;
}

}  // namespace

std::optional<std::array<double, 2>> mjcf_range(const MjcfReader& reader,
                                                const MjcfElement& element,
                                                const std::string& what) {
  const std::vector<double> range = element.numbers(what + "range", 2, 2);
  const std::optional<bool> said = element.flag(what + "limited");
  // Without the flag, a range in order limits, unless autolimits is off.
  const bool in_order = !range.empty() && range[0] < range[1];
  if (!said.value_or(reader.compiler_of(element).autolimits && in_order)) {
    element.note(what + "range", ImportFate::Ignored, "it does not limit");
    return std::nullopt;
  }
  if (!in_order) {
    element.fail(what + "range", "must be two numbers, the smaller one first");
  }
  return std::array<double, 2>{range[0], range[1]};
}

std::optional<EffortRange> read_mjcf_effort_range(const MjcfReader& reader,
                                                  const MjcfElement& element) {
  const auto found = mjcf_range(reader, element, "actuatorfrc");
  if (!found) return std::nullopt;
  if (!((*found)[0] <= 0.0 && (*found)[1] >= 0.0)) {
    element.fail("actuatorfrcrange", "must have 0 between its two numbers");
  }
  return EffortRange{(*found)[0], (*found)[1]};
}

void read_mjcf_joints(MjcfReader& reader, const std::vector<MjcfItem>& joints, int body,
                      const Pose& X_PB, ModelLink link) {
  // A body without joints moves with its parent.
  MjcfBody& record = reader.bodies[static_cast<std::size_t>(body)];
  const MjcfBody& parent = reader.bodies[static_cast<std::size_t>(record.parent)];
  record.first_rigid_body = joints.empty() ? parent.first_rigid_body : body;
  std::vector<ModelLink>& links = reader.model.links;
  int parent_link = parent.link;
  Pose X_before = X_PB;
  int num_freedoms = 0;
  // A chain of links: each joint's child is a link without mass, but the last one is the body.
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const MjcfElement& element = joints[k].element;
    JointReader joint(reader, joints[k]);
    if (joint.type() == JointType::Free && (record.parent != 0 || joints.size() > 1)) {
      element.fail("a free joint is the only joint of a body of the world");
    }
    num_freedoms += num_velocities(joint.type());
    // As in MuJoCo.
    if (num_freedoms > 6) element.fail("the joints of a body have more than 6 degrees of freedom");
    // qpos has the joints in the order of the file.
    const std::string name = name_of_joint(reader, element, record.name);
    const int child = static_cast<int>(links.size());
    reader.model.joints.push_back(joint.read(name, parent_link, child, X_before));
    reader.joints.push_back({name, static_cast<int>(reader.model.joints.size()) - 1, reader.num_q,
                             joint.ref(), element, joint.springdamper()});
    reader.num_q += num_positions(joint.type());
    ModelLink carried;
    carried.name = record.name + "@" + name;
    while (reader.gives("body", carried.name)) carried.name += "_";
    carried.where = element.where();
    links.push_back(k + 1 < joints.size() ? carried : link);
    parent_link = child;
    // Further joints begin at the frame of the body, which the first one has placed.
    X_before = Pose{};
  }
  if (joints.empty()) {
    reader.model.joints.push_back(
        fixed_joint(reader, link, parent_link, static_cast<int>(links.size()), X_PB));
    links.push_back(std::move(link));
  }
  record.link = static_cast<int>(links.size()) - 1;
}

}  // namespace amontons::io
