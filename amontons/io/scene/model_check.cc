#include "amontons/io/scene/model_check.h"

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/joint.h"
#include "amontons/dynamics/massless_motion.h"
#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/dynamics/split_universal_joints.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/inertia_check.h"
#include "amontons/io/import/moving_link.h"
#include "amontons/io/import/shape_mass.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/simulation/scene/initial_joint_position.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

// Plausible densities of links: from aerogel to osmium, which leaves a margin for hollow shapes.
constexpr double kLightest = 1.0, kHeaviest = 23000.0;  // [kg/m^3]
// Smallest eigenvalue of a mass matrix of unit diagonal that still counts as positive. Rounding
// alone perturbs eigenvalues by about 1e-16 times the number of velocities.
constexpr double kSmallestEigenvalue = 1e-12;
// Density with which MuJoCo and Isaac Gym weigh links without mass of URDF [kg/m^3].
constexpr double kUsualDensity = 1000.0;

/// Refuses a link that neither has nor carries mass. A link between two joints may be without mass;
/// check_mass_matrix finds motions that move no mass.
void check_mass(const SceneModel& model, const MovingLink& moving) {
  if (moves_with_mass(moving)) return;
  const ModelLink& link = model.links[moving.top];
  // The remedy depends on the joint above the link.
  std::string remedy = "give it an <inertial>";
  if (moving.top == 0) {
    remedy += ", or fix it to the world (base: fixed; --set models." + model.name + ".base=fixed)";
  } else {
    remedy += ", or make joint '" + model.joints[moving.top - 1].name + "' fixed";
  }
  fail_at(link.where, "link '" + link.name +
                          "' moves but has no mass, nor have the links that it carries; " + remedy);
}

/// Warns of an inertia that is impossible, or implausible beside the collision shapes.
/// @param is_shell  the mass follows from surfaces.
void check_plausibility(const SceneModel& model, const MovingLink& moving, bool is_shell,
                        ImportLedger& ledger) {
  const ModelLink& link = model.links[moving.top];
  const std::string element = "link '" + link.name + "': inertial";
  const SpatialInertia& inertia = moving.inertia;
  if (!(inertia.mass > 0.0)) return;
  // Principal moments that no distribution of mass has.
  const std::string fault = inertia_fault(inertia.inertia);
  if (!fault.empty()) ledger.add(ImportFate::Warning, element, "inertia " + fault, link.where);
  if (!(moving.volume > 0.0)) return;
  // Density m / V of the shapes.
  const double density = inertia.mass / moving.volume;
  if (!is_shell && (density < kLightest || density > kHeaviest)) {
    ledger.add(ImportFate::Warning, element,
               "mass and collision shapes mean a density of " + rounded_text(density) + " kg/m^3",
               link.where);
  }
  // No body of mass m within a distance r of its center has a moment of inertia above m r^2.
  const double largest = symmetric_eigenvalues(inertia.inertia)(2);
  const double gyration = std::sqrt(std::max(0.0, largest) / inertia.mass);
  if (gyration > moving.reach) {
    ledger.add(ImportFate::Warning, element,
               "inertia and mass mean a radius of gyration of " + rounded_text(gyration) +
                   " m, but its collision shapes reach only " + rounded_text(moving.reach) +
                   " m from the center of mass",
               link.where);
  }
}

/// Refuses links whose own inertia is not positive definite. In maximal coordinates every link is a
/// free body.
void check_free_bodies(const SceneModel& model, const std::vector<MovingLink>& moving) {
  for (const MovingLink& body : moving) {
    if (is_positive_definite(body.inertia.inertia)) continue;
    const ModelLink& link = model.links[body.top];
    fail_at(link.where, "link '" + link.name + "': its inertia is not positive definite, which " +
                            "coordinates: maximal needs; use coordinates: reduced");
  }
}

/// Returns the links of a model with the frames of joints moved to their starts, so that the start
/// is the zero position.
std::vector<Link> links_at_start(const SceneModel& model) {
  std::vector<Link> links = to_links(model);
  for (const ModelJoint& joint : model.joints) {
    Link& link = links[static_cast<std::size_t>(joint.child)];
    if (num_velocities(joint.type) == 1) {
      const Eigen::Matrix<double, 1, 1> q(start_position(model, joint));
      link.X_PF =
          link.X_PF * joint_transform({joint.type, joint.axis, joint.axis2, joint.pitch}, q);
    } else if (joint.type == JointType::Spherical) {
      link.X_PF.rotation *= joint.start_pose.rotation;
    }
  }
  return links;
}

/// Returns the trees that only the world joins, each with its links in their order.
std::vector<std::vector<Link>> split_trees(const std::vector<Link>& links) {
  std::vector<std::vector<Link>> trees;
  std::vector<std::size_t> tree_of(links.size());
  std::vector<int> place(links.size());
  for (std::size_t k = 0; k < links.size(); ++k) {
    const int parent = links[k].parent;
    if (parent < 0) trees.emplace_back();
    tree_of[k] = parent < 0 ? trees.size() - 1 : tree_of[static_cast<std::size_t>(parent)];
    std::vector<Link>& tree = trees[tree_of[k]];
    place[k] = static_cast<int>(tree.size());
    tree.push_back(links[k]);
    if (parent >= 0) tree.back().parent = place[static_cast<std::size_t>(parent)];
  }
  return trees;
}

/// Returns the links whose joints together move no mass, at the zero position of one tree.
std::vector<std::string> massless_links_of(const std::vector<Link>& links) {
  const SplitTree split = split_universal_joints(links);
  const Articulation tree(split.links);
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(tree.num_velocities());
  ArticulationKinematics kinematics;
  tree.compute_kinematics(tree.neutral_position(), still, kinematics);
  std::vector<std::string> names;
  int link = 0;
  for (const int rate : find_massless_motion(tree, kinematics, kSmallestEigenvalue)) {
    while (link + 1 < tree.num_links() && tree.v_offset(link + 1) <= rate) ++link;
    // A link that has been split into two is the last of them.
    const auto whole = std::lower_bound(split.index.begin(), split.index.end(), link);
    const std::string& name = links[static_cast<std::size_t>(whole - split.index.begin())].name;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

/// Returns the links whose joints together move no mass at the start of a model, in reduced
/// coordinates; none if its mass matrix is positive definite.
std::vector<std::string> massless_links_of(const SceneModel& model) {
  for (const auto& tree : split_trees(merge_fixed_joints(links_at_start(model)).links)) {
    if (std::vector<std::string> links = massless_links_of(tree); !links.empty()) return links;
  }
  return {};
}

/// Returns true if a link may move and has mass, but an inertia that is not positive definite.
bool has_singular_inertia(const SceneModel& model, const ModelLink& link) {
  const bool is_fixed = &link == &model.links.front() && model.base == BaseType::Fixed;
  return !is_fixed && link.inertia.mass > 0.0 && !is_positive_definite(link.inertia.inertia);
}

/// Returns "joints 'a', 'b' of link 'l'": the joints that carry links, the first few of many.
std::string joints_above(const SceneModel& model, const std::vector<std::string>& links) {
  constexpr std::size_t kMost = 6;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMost, links.size()); ++i) {
    const auto joint =
        std::find_if(model.joints.begin(), model.joints.end(), [&](const ModelJoint& own) {
          return model.links[static_cast<std::size_t>(own.child)].name == links[i];
        });
    names += (names.empty() ? "" : ", ") +
             (joint == model.joints.end() ? "the base" : "'" + joint->name + "'");
  }
  if (links.size() > kMost) names += " and " + std::to_string(links.size() - kMost) + " more";
  return (links.size() == 1 ? "joint " : "joints ") + names + " of link '" + links.back() + "'";
}

/// Returns the link of a name.
const ModelLink& link_named(const SceneModel& model, const std::string& name) {
  return *std::find_if(model.links.begin(), model.links.end(),
                       [&](const ModelLink& link) { return link.name == name; });
}

/// Refuses a model whose mass matrix is not positive definite at its start. It names the first link
/// of singular inertia, which is the likely cause, else the joints of the motion without mass.
void check_mass_matrix(const SceneModel& model) {
  const std::vector<std::string> massless = massless_links_of(model);
  if (massless.empty()) return;
  const std::string fault = "the mass matrix of model '" + model.name +
                            "' is not positive definite: some motion moves no mass; ";
  for (const ModelLink& link : model.links) {
    if (!has_singular_inertia(model, link)) continue;
    fail_at(link.where, fault + "give link '" + link.name +
                            "' and its like an <inertia> with three positive moments, or collision "
                            "shapes that have one");
  }
  const std::string cause = joints_above(model, massless);
  fail_at(link_named(model, massless.back()).where,
          massless.size() == 1
              ? fault + cause + " moves nothing: check the <inertia> of what it carries"
              : fault + cause + " undo each other: remove one of them, or give it an armature");
}

}  // namespace

bool has_root_mass(const SceneModel& model) {
  return merge_fixed_joints(to_links(model)).links[0].inertia.mass > 0.0;
}

void choose_base(SceneModel& model, std::optional<BaseType> given, bool weighed,
                 ImportLedger& ledger) {
  // A file that welds its model to the world cannot be overruled.
  if (model.base == BaseType::Fixed && given && *given != BaseType::Fixed) {
    fail_at(model.where, "model '" + model.name +
                             "' is fixed by its file (to the world, or "
                             "static), so that its base cannot be free or planar");
  }
  if (given) model.base = *given;
  if (given || model.base == BaseType::Fixed) return;
  // A root without mass could not be free: its mass matrix would be singular. Roots that only name
  // a frame of the body fixed to them, as KDL asks for, are free with it.
  const ModelLink& root = model.links[0];
  const auto note = [&](const std::string& reason) {
    ledger.add(ImportFate::Applied, "model '" + model.name + "': base", reason, model.where);
  };
  if (weighed) {
    const bool has_joints =
        std::any_of(model.joints.begin(), model.joints.end(),
                    [](const ModelJoint& joint) { return num_velocities(joint.type) > 0; });
    if (has_joints) model.base = BaseType::Fixed;
    const std::string mass = "the mass of its root link '" + root.name + "' is that of `density`: ";
    const std::string set = " (--set models." + model.name + ".base=";
    return note(has_joints ? "fixed, because " + mass + "`base: free` frees it" + set + "free)"
                           : "free; " + mass + "`base: fixed` holds it" + set + "fixed)");
  }
  const bool is_free = has_root_mass(model);
  if (is_free && root.inertia.mass > 0.0) return;
  if (!is_free) model.base = BaseType::Fixed;
  note(is_free ? "free: its root link '" + root.name +
                     "' has no mass, but what fixed joints join to it has; `base: fixed` of the "
                     "model holds it"
               : "fixed, because its root link '" + root.name +
                     "' has no mass, nor has what fixed joints join to it");
}

void weigh_links_without_mass(SceneModel& model, ImportLedger& ledger) {
  const MergedTree merged = merge_fixed_joints(to_links(model));
  const std::vector<MovingLink> moving = collect_moving_links(model, merged);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const int own = merged.frames[i].link;
    if (own < 0 || moves_with_mass(moving[static_cast<std::size_t>(own)])) continue;
    ModelLink& link = model.links[i];
    const SpatialInertia sum = mass_of_shapes(link.shapes, kUsualDensity);
    if (!(sum.mass > 0.0)) continue;
    link.inertia = sum;
    ledger.add(ImportFate::Warning, "link '" + link.name + "': inertial",
               "it moves without mass: it has " + rounded_text(sum.mass) +
                   " kg from its shapes at " + rounded_text(kUsualDensity) +
                   " kg/m^3; `density` of the model changes that",
               link.where);
  }
}

void replace_singular_inertias(SceneModel& model, ImportLedger& ledger) {
  if (massless_links_of(model).empty()) return;
  for (ModelLink& link : model.links) {
    if (!has_singular_inertia(model, link)) continue;
    const double mass = link.inertia.mass;
    const SpatialInertia sum = mass_of_shapes(link.shapes, 1.0);
    if (!(sum.mass > 0.0)) continue;
    link.inertia.inertia = mass / sum.mass * sum.inertia;
    ledger.add(ImportFate::Warning, "link '" + link.name + "': inertial",
               "its inertia is singular, so that some motion would move no mass: that of its "
               "shapes counts, for the same mass and center of mass",
               link.where);
  }
}

void check_masses_of_model(const SceneModel& model) {
  const MergedTree merged = merge_fixed_joints(to_links(model));
  for (const MovingLink& link : collect_moving_links(model, merged)) check_mass(model, link);
}

void check_inertia_of_model(const SceneModel& model, const std::set<std::string>& shells,
                            ImportLedger& ledger) {
  // Errors come ahead of warnings.
  const MergedTree merged = merge_fixed_joints(to_links(model));
  const std::vector<MovingLink> moving = collect_moving_links(model, merged);
  check_mass_matrix(model);
  if (model.coordinates == Coordinates::Maximal) check_free_bodies(model, moving);
  // A link that is fixed to others has its mass with them.
  std::set<int> with_shells;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (shells.count(model.name + "/" + model.links[i].name) == 0) continue;
    with_shells.insert(merged.frames[i].link);
  }
  for (std::size_t k = 0; k < moving.size(); ++k) {
    check_plausibility(model, moving[k], with_shells.count(static_cast<int>(k)) > 0, ledger);
  }
}

namespace {

/// Removes from a joint that is rows of J the dynamics that rows cannot represent.
void drop_dynamics_without_rows(const std::string& name, JointType type,
                                const SourceLocation& where, JointDynamics& dynamics,
                                ImportLedger& ledger) {
  const auto ignore = [&](const char* what, const char* why) {
    ledger.add(ImportFate::Ignored, "joint '" + name + "': " + what, why, where);
  };
  // Joints of several coordinates have no single direction for limits, friction or springs.
  if (num_velocities(type) != 1) {
    if (dynamics.limits || dynamics.coulomb_friction > 0.0 || dynamics.stiffness != 0.0 ||
        dynamics.viscous_friction != 0.0) {
      ignore("limits, friction, stiffness",
             "along rows of J they act on joints of one coordinate only");
    }
    dynamics = JointDynamics{};
    return;
  }
  // A rotor adds to the diagonal of M, where this joint has no entry.
  if (dynamics.armature != 0.0) {
    dynamics.armature = 0.0;
    ignore("armature", "a joint that is rows of J has no coordinate for a rotor");
  }
  // The angle between two bodies is known up to full turns only. Limits must therefore be less than
  // a turn apart, with a margin of 0.1 rad.
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const bool turns = type == JointType::Revolute || type == JointType::Continuous;
  if (turns && dynamics.limits && (*dynamics.limits)[1] - (*dynamics.limits)[0] >= kTurn - 0.1) {
    dynamics.limits.reset();
    ignore("limits", "a turn apart or more, which a joint that is rows of J cannot tell apart");
  }
}

}  // namespace

void drop_dynamics_of_rows(SceneModel& model, ImportLedger& ledger) {
  // Joints that close loops are rows of J in any coordinates.
  for (ModelLoop& loop : model.loops) {
    drop_dynamics_without_rows(loop.name, loop.type, loop.where, loop.dynamics, ledger);
  }
  if (model.coordinates != Coordinates::Maximal) return;
  for (ModelJoint& joint : model.joints) {
    // The second entry belongs to the second axis of a universal joint.
    for (JointDynamics* dynamics : {&joint.dynamics, &joint.dynamics2}) {
      drop_dynamics_without_rows(joint.name, joint.type, joint.where, *dynamics, ledger);
    }
  }
}

void note_tendon_starts(const SceneModel& model, ImportLedger& ledger) {
  for (const ModelTendon& tendon : model.tendons) {
    // The length of a path follows from the poses of its bodies.
    if (!tendon.dynamics.limits || !tendon.path.empty()) continue;
    const auto [lower, upper] = *tendon.dynamics.limits;
    double start = 0.0;
    for (const TendonTerm& term : tendon.terms) {
      const auto own =
          std::find_if(model.joints.begin(), model.joints.end(),
                       [&](const ModelJoint& joint) { return joint.name == term.joint; });
      if (own != model.joints.end()) start += term.coefficient * start_position(model, *own);
    }
    if (start >= lower && start <= upper) continue;
    ledger.add(ImportFate::Warning, "tendon '" + tendon.name + "': start position",
               shortest_text(start) + " lies outside its limits [" + shortest_text(lower) + ", " +
                   shortest_text(upper) + "]",
               tendon.where);
  }
}

void note_start_positions(const SceneModel& model, ImportLedger& ledger) {
  for (const ModelJoint& joint : model.joints) {
    if (!joint.dynamics.limits) continue;
    // The start comes from the scene, else from the file, else it is 0 moved into the limits.
    const auto [lower, upper] = *joint.dynamics.limits;
    const std::string limits =
        "its limits [" + shortest_text(lower) + ", " + shortest_text(upper) + "]";
    const std::string element = "joint '" + joint.name + "': start position";
    const auto given = model.joint_positions.find(joint.name);
    if (given != model.joint_positions.end()) {
      if (given->second < lower || given->second > upper) {
        ledger.add(ImportFate::Warning, element,
                   shortest_text(given->second) + " lies outside " + limits, model.where);
      }
    } else if (joint.start) {
      if (*joint.start < lower || *joint.start > upper) {
        ledger.add(ImportFate::Warning, element,
                   shortest_text(*joint.start) + " lies outside " + limits, joint.where);
      }
    } else if (lower > 0.0 || upper < 0.0) {
      const double start = start_position(model, joint);
      ledger.add(ImportFate::Approximated, element,
                 "0 lies outside " + limits + "; it starts at " + shortest_text(start),
                 joint.where);
    }
  }
}

}  // namespace amontons::io
