#include "amontons/io/urdf/urdf_extensions.h"

#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/file_material.h"
#include "amontons/io/import/model_visuals.h"
#include "amontons/io/import/moving_link.h"
#include "amontons/io/urdf/urdf_extension_value.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Holds what a file gives the shapes of a link.
struct Surface {
  std::optional<double> friction, restitution;  ///< mu [-], e [-]
};

/// Returns the part of a model that has a name, or null.
template <typename Part>
Part* find_named(std::vector<Part>& parts, const std::string& name) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

/// Applies the extensions to one model.
class ExtensionReader {
 public:
  ExtensionReader(ImportContext& context, SceneModel& model) : context_(context), model_(model) {}

  void read(const XMLElement& robot) {
    // Gazebo, then Bullet, whose friction counts where both give one.
    for (const auto* gazebo = robot.FirstChildElement("gazebo"); gazebo != nullptr;
         gazebo = gazebo->NextSiblingElement("gazebo")) {
      for (const auto* part = gazebo->FirstChildElement(); part != nullptr;
           part = part->NextSiblingElement()) {
        const char* reference = gazebo->Attribute("reference");
        apply(*part, reference != nullptr ? reference : "");
      }
    }
    for (const auto* link = robot.FirstChildElement("link"); link != nullptr;
         link = link->NextSiblingElement("link")) {
      if (const XMLElement* contact = link->FirstChildElement("contact")) {
        read_contact(*contact, surfaces_[link->Attribute("name")]);
      }
    }
    apply_surfaces();
    exclude_pairs();
    if (is_static_) hold_all();
    if (const XMLElement* mujoco = robot.FirstChildElement("mujoco")) read_mujoco(*mujoco);
  }

 private:
  /// Applies a part of a <gazebo>, which the table of the format has found to act.
  void apply(const XMLElement& part, const std::string& reference) {
    const std::string_view name = part.Name();
    ModelLink* link = find_named(model_.links, reference);
    ModelJoint* joint = find_named(model_.joints, reference);
    if (name == "static") is_static_ = is_extension_true(part);
    if (name == "self_collide" && reference.empty()) {
      robot_collides_ = is_extension_true(part);
    } else if (link != nullptr && (name == "selfCollide" || name == "self_collide")) {
      self_collide_[reference] = is_extension_true(part);
    }
    // Gazebo takes all but a plain denial for turnGravityOff.
    if (link != nullptr && name == "turnGravityOff") link->gravity = is_extension_false(part);
    if (link != nullptr && name == "gravity") link->gravity = !is_extension_false(part);
    if (name == "mu1") surfaces_[reference].friction = extension_number(part);
    if (name == "plugin") couple(part);
    if (joint != nullptr && name == "springStiffness") {
      joint->dynamics.stiffness = *extension_number(part);
    }
    if (joint != nullptr && name == "springReference") {
      joint->dynamics.rest_position = *extension_number(part);
    }
  }

  /// Adds the coupling of a plugin: position = multiplier position(other) + offset.
  void couple(const XMLElement& plugin) {
    const std::string follower = extension_text(*plugin.FirstChildElement("mimicJoint"));
    const std::string leader = extension_text(*plugin.FirstChildElement("joint"));
    const auto number = [&](const char* part, double otherwise) {
      const XMLElement* given = plugin.FirstChildElement(part);
      return given != nullptr ? *extension_number(*given) : otherwise;
    };
    model_.couplings.push_back({follower + " mimics " + leader,
                                follower,
                                leader,
                                {number("multiplier", 1.0), number("offset", 0.0)},
                                find_named(model_.joints, follower)->where});
  }

  static void read_contact(const XMLElement& contact, Surface& surface) {
    if (const XMLElement* friction = contact.FirstChildElement("lateral_friction")) {
      surface.friction = extension_number(*friction);
    }
    if (const XMLElement* restitution = contact.FirstChildElement("restitution")) {
      surface.restitution = extension_number(*restitution);
    }
  }

  /// Gives the shapes of links their materials.
  void apply_surfaces() {
    for (ModelLink& link : model_.links) {
      const auto surface = surfaces_.find(link.name);
      if (surface == surfaces_.end() || link.shapes.empty()) continue;
      const std::string material =
          add_file_material(context_.materials, model_.name + "/" + link.name,
                            surface->second.friction, surface->second.restitution);
      for (SceneShape& shape : link.shapes) shape.material = material;
    }
  }

  /// Excludes collisions between links for which the file denies them, unless the scene asks for
  /// them.
  void exclude_pairs() {
    if (model_.self_collide == ModelCollisions::All || robot_collides_.value_or(false)) return;
    const auto denies = [&](const ModelLink& link) {
      const auto own = self_collide_.find(link.name);
      return own != self_collide_.end() ? !own->second : robot_collides_.has_value();
    };
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      for (std::size_t j = i + 1; j < model_.links.size(); ++j) {
        if (!denies(model_.links[i]) || !denies(model_.links[j])) continue;
        model_.excluded.emplace_back(static_cast<int>(i), static_cast<int>(j));
      }
    }
  }

  /// Fixes all links to the world.
  void hold_all() {
    model_.base = BaseType::Fixed;
    for (ModelJoint& joint : model_.joints) {
      joint.type = JointType::Fixed;
      joint.dynamics = joint.dynamics2 = JointDynamics{};
    }
    model_.couplings.clear();
    context_.ledger.add(ImportFate::Applied, "model '" + model_.name + "'",
                        "static, as its <gazebo> says: no link moves", model_.where);
  }

  /// Applies the total mass, and gravity and step where nothing else gives them.
  void read_mujoco(const XMLElement& mujoco) {
    const XMLElement* compiler = mujoco.FirstChildElement("compiler");
    const double total = compiler != nullptr ? compiler->DoubleAttribute("settotalmass") : 0.0;
    const char* fuse = compiler != nullptr ? compiler->Attribute("fusestatic") : nullptr;
    if (total > 0.0) set_total_mass(total, fuse == nullptr || std::string_view(fuse) != "false");
    const XMLElement* option = mujoco.FirstChildElement("option");
    if (option == nullptr) return;
    WorldSettings& world = context_.world;
    const double step = option->DoubleAttribute("timestep");
    if (step > 0.0 && !world.step) world.step = step;
    if (const char* gravity = option->Attribute("gravity"); gravity != nullptr && !world.gravity) {
      const std::vector<double> g = visual_numbers(gravity, 3);
      world.gravity = Eigen::Vector3d(g.at(0), g.at(1), g.at(2));
    }
  }

  /// Scales masses and inertias.
  /// @param total  the sum of the masses that count [kg]. A root that is the world has none.
  /// @param fuses  links that are fixed to the world are part of it, as in MuJoCo by default.
  void set_total_mass(double total, bool fuses) {
    const MergedTree merged = merge_fixed_joints(to_links(model_));
    const bool has_world = model_.base == BaseType::Fixed;
    double sum = 0.0;
    for (std::size_t i = 0; i < model_.links.size(); ++i) {
      const bool is_world = has_world && (i == 0 || (fuses && merged.frames[i].link < 0));
      if (!is_world) sum += model_.links[i].inertia.mass;
    }
    if (!(sum > 0.0)) return;
    for (ModelLink& link : model_.links) {
      link.inertia.mass *= total / sum;
      link.inertia.inertia *= total / sum;
    }
    context_.ledger.add(
        ImportFate::Applied, "model '" + model_.name + "': settotalmass",
        "its links weigh " + rounded_text(total) + " kg instead of " + rounded_text(sum) + " kg" +
            (has_world && fuses ? ", without those that are fixed to the world" : ""),
        model_.where);
  }

  ImportContext& context_;
  SceneModel& model_;
  std::map<std::string, Surface> surfaces_;   // by link
  std::map<std::string, bool> self_collide_;  // by link, where the file says it
  std::optional<bool> robot_collides_;        // of the whole robot, where the file says it
  bool is_static_ = false;
};

}  // namespace

void apply_urdf_extensions(const XMLElement& robot, ImportContext& context, SceneModel& model) {
  ExtensionReader(context, model).read(robot);
}

}  // namespace amontons::io
