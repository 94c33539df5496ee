#include "amontons/io/scene/start_check.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/scene/scene_error.h"
#include "amontons/simulation/stepping/correction_limits.h"
#include "amontons/simulation/stepping/initial_overlaps.h"
#include "amontons/simulation/stepping/joint_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

// Smallest error of joints that are rows of J to be reported [m or rad].
constexpr double kVisibleError = 1e-6;
// Pairs of bodies that are named, the deepest first.
constexpr std::size_t kMostNamed = 50;

/// Returns the place where a body, or a link of a model, is declared.
SourceLocation location_of(const Scene& scene, const std::string& name) {
  for (const SceneBody& body : scene.bodies) {
    if (body.name == name) return body.where;
  }
  for (const SceneModel& model : scene.models) {
    for (const ModelLink& link : model.links) {
      if (name == model.name + "/" + link.name) return link.where;
    }
  }
  return {};
}

/// Returns the place where a joint, or one of a model, is declared.
SourceLocation location_of_joint(const Scene& scene, const std::string& name) {
  for (const SceneJoint& joint : scene.joints) {
    if (joint.name == name) return joint.where;
  }
  for (const SceneModel& model : scene.models) {
    const auto place_in = [&](const auto& list) {
      const auto own = std::find_if(list.begin(), list.end(), [&](const auto& item) {
        return name == model.name + "/" + item.name;
      });
      return own == list.end() ? SourceLocation{} : own->where;
    };
    for (const SourceLocation& where :
         {place_in(model.joints), place_in(model.loops), place_in(model.couplings)}) {
      if (!where.file.empty()) return where;
    }
  }
  return {};
}

/// Returns the largest speed at which overlaps and open loops close [m/s].
double overlap_speed(const System& system, const Scene& scene) {
  return scene.simulation.overlap_speed ? *scene.simulation.overlap_speed
                                        : default_overlap_speed(system);
}

/// Returns the remedy where a joint of the scene joins two bodies; empty: none does.
std::string remedy_of_joined(const Scene& scene, const std::string& a, const std::string& b) {
  for (const SceneJoint& joint : scene.joints) {
    if ((joint.parent != a || joint.child != b) && (joint.parent != b || joint.child != a))
      continue;
    return fmt::format(
        "joint '{0}' joins them, and collision_filters: [{{exclude_joined: [{0}]}}] "
        "leaves such pairs out; ",
        joint.name);
  }
  return {};
}

/// Warns of bodies that start inside each other, with the depth of the overlap [m].
void note_overlaps(const System& system, Scene& scene) {
  const std::vector<StartOverlap> overlaps = start_overlaps(system);
  const double speed = overlap_speed(system, scene);
  const std::size_t num_named = std::min(overlaps.size(), kMostNamed);
  for (std::size_t i = 0; i < num_named; ++i) {
    const StartOverlap& overlap = overlaps[i];
    const std::string& a = system.bodies()[static_cast<std::size_t>(overlap.body_a)].name;
    const std::string& b = system.bodies()[static_cast<std::size_t>(overlap.body_b)].name;
    scene.ledger.add(
        ImportFate::Warning, "'" + a + "' and '" + b + "': start position",
        fmt::format("they overlap by {:.4g} m; {}the first steps push them apart, at {:g} m/s at "
                    "most (simulation.overlap_speed)",
                    overlap.depth, remedy_of_joined(scene, a, b), speed),
        location_of(scene, b));
  }
  if (num_named == overlaps.size()) return;
  scene.ledger.add(
      ImportFate::Warning,
      fmt::format("{} more pairs of bodies: start position", overlaps.size() - num_named),
      fmt::format("they overlap, too, by at most {:.4g} m", overlaps[num_named].depth),
      {scene.file, 0, 0});
}

/// Warns of the joint whose rows of J start with the largest error.
void note_joint_errors(const System& system, Scene& scene) {
  const JointError worst = compute_joint_error(system, system.initial_state());
  if (worst.error <= kVisibleError) return;
  scene.ledger.add(
      ImportFate::Warning, "joint '" + worst.worst_joint + "': start position",
      fmt::format("its rows of J start with an error of {:.4g} (m or rad), the largest of all; the "
                  "first steps close it as far as limits let them, at {:g} m/s at most "
                  "(simulation.overlap_speed)",
                  worst.error, overlap_speed(system, scene)),
      location_of_joint(scene, worst.worst_joint));
}

}  // namespace

void refuse_scene(const std::string& file, const std::exception& error) {
  const auto* placed = dynamic_cast<const SceneError*>(&error);
  if (placed == nullptr || placed->where().file.empty()) throw ParseError(file, 0, 0, error.what());
  fail_at(placed->where(), placed->fault());
}

void check_initial_state(const System& system, Scene& scene) try {
  note_overlaps(system, scene);
  note_joint_errors(system, scene);
} catch (const std::domain_error& error) {
  throw ParseError(scene.file, 0, 0, error.what());
}

}  // namespace amontons::io
