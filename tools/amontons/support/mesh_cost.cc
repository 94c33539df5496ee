#include "tools/amontons/support/mesh_cost.h"

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/system/kinematics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace amontons::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Meshes below this share of the time need no advice.
constexpr double kLargeShare = 0.5;

bool is_mesh(const CollisionShape& shape) {
  return std::holds_alternative<std::shared_ptr<const CollisionMesh>>(shape.shape);
}

// The model of a link, or the body of the scene before `repeat` numbered its copies.
MeshCost owner_of(const Scene& scene, const std::string& body) {
  for (const SceneModel& model : scene.models) {
    if (body.starts_with(model.name + "/")) return {model.name, true};
  }
  return {body.substr(0, body.find('/')), false};
}

// Times each pair of shapes that may touch within the next step.
class PairTimes {
 public:
  PairTimes(const System& system, const State& state, double h) : system_(system) {
    SystemKinematics kinematics;
    compute_kinematics(system, state.q, state.v, state.time, kinematics);
    const std::size_t n = system.shapes().size();
    std::vector<Pose> X_WG(n);
    std::vector<double> margins(n, 0.0);
    std::vector<Aabb> boxes(n);
    std::vector<char> is_static(n);
    // Margins as those of contact detection, but for what the step itself adds.
    for (std::size_t i = 0; i < n; ++i) {
      const CollisionShape& shape = system.shapes()[i];
      X_WG[i] = kinematics.X_WB[static_cast<std::size_t>(shape.body)] * shape.X_BG;
      const int index = static_cast<int>(i);
      is_static[i] = static_cast<char>(system.articulation_of_shape(index) < 0);
      if (is_static[i] == 0) {
        margins[i] = h * (shape_speed(system, kinematics, index, X_WG[i], state.v) +
                          h * system.gravity().norm());
      }
      boxes[i] = bounding_box(shape.shape, X_WG[i]);
      boxes[i].lower.array() -= margins[i];
      boxes[i].upper.array() += margins[i];
    }
    BroadPhase broad_phase;
    for (const auto& [a, b] : broad_phase.find_pairs(boxes, is_static)) {
      if (!system.may_collide(a, b)) continue;
      const auto ia = static_cast<std::size_t>(a), ib = static_cast<std::size_t>(b);
      const Clock::time_point start = Clock::now();
      contacts_.clear();
      append_pair_contacts(system, a, X_WG[ia], b, X_WG[ib], {margins[ia] + margins[ib]}, points_,
                           contacts_);
      add(a, b, std::chrono::duration<double>(Clock::now() - start).count());
    }
  }

  double all = 0.0;              // [s]
  std::map<int, double> meshes;  // body -> time of its meshes [s]

 private:
  void add(int a, int b, double seconds) {
    all += seconds;
    const CollisionShape &A = system_.shapes()[static_cast<std::size_t>(a)],
                         &B = system_.shapes()[static_cast<std::size_t>(b)];
    const bool both = is_mesh(A) && is_mesh(B);
    for (const CollisionShape* shape : {&A, &B}) {
      if (is_mesh(*shape)) meshes[shape->body] += both ? 0.5 * seconds : seconds;
    }
  }

  const System& system_;
  std::vector<ContactPoint> points_;
  std::vector<Contact> contacts_;
};

}  // namespace

bool has_meshes(const System& system) {
  return std::any_of(system.shapes().begin(), system.shapes().end(), is_mesh);
}

std::optional<MeshCost> find_mesh_cost(const StepTimes& times, const Scene& scene,
                                       const System& system, const State& state) {
  if (!has_meshes(system)) return {};
  const double whole = std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0);
  const double share = whole > 0.0 ? times[StepPart::Collision] / whole : 0.0;
  const PairTimes pairs(system, state, scene.simulation.steps.front());
  // The time of each model and body, and of all meshes.
  std::map<std::string, double> by_owner;
  std::map<std::string, MeshCost> owners;
  double of_meshes = 0.0;
  for (const auto& [body, seconds] : pairs.meshes) {
    const MeshCost owner = owner_of(scene, system.bodies()[static_cast<std::size_t>(body)].name);
    by_owner[owner.owner] += seconds;
    owners[owner.owner] = owner;
    of_meshes += seconds;
  }
  if (!(of_meshes > 0.0)) return {};
  const auto costliest =
      std::max_element(by_owner.begin(), by_owner.end(),
                       [](const auto& x, const auto& y) { return x.second < y.second; });
  MeshCost cost = owners[costliest->first];
  cost.share = share * costliest->second / pairs.all;
  cost.of_all = share * of_meshes / pairs.all;
  return cost;
}

std::string mesh_cost_text(const std::optional<MeshCost>& cost) {
  if (!cost || !(cost->of_all > kLargeShare)) return "";
  const std::string where = cost->is_model ? "in its model" : "in its body";
  return fmt::format(
      "collision of '{}' takes {:.0f} % of the step: its meshes collide triangle by triangle; "
      "`collide: hull` {}, or --collide '{}{}=hull', takes their convex hulls\n",
      cost->owner, 100.0 * cost->share, where, cost->owner, cost->is_model ? "/*" : "");
}

}  // namespace amontons::cli
