#include "amontons/geometry/signed_distance.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/start_check.h"
#include "amontons/simulation/stepping/initial_overlaps.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/loop_joint_of.h"
#include "amontons/simulation/system/system.h"
#include "tools/amontons/info/info.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

constexpr int kMaxRows = 1000;                // whose rank is computed
constexpr std::size_t kMaxGaps = 20;          // listed
constexpr std::size_t kMaxOverlaps = 50;      // listed
constexpr std::size_t kMaxPairs = 2'000'000;  // tried
constexpr std::int64_t kMaxCountedPairs = 50'000'000;

struct StartGap {
  int body_a = 0, body_b = 0;
  double gap = 0.0;  // [m]
};

System make_system(const Scene& scene, const std::string& file) {
  try {
    return System(scene);
  } catch (const std::invalid_argument& error) {
    io::refuse_scene(file, error);
  }
}

// The least gap of each pair of bodies that may collide, the nearest first.
std::vector<StartGap> start_gaps(const System& system) {
  const State state = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);

  // All pairs are measured, so that large scenes are left out.
  const int n = static_cast<int>(system.shapes().size());
  if (static_cast<std::size_t>(n) * static_cast<std::size_t>(n) / 2 > kMaxPairs) return {};
  std::vector<StartGap> gaps;
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (!system.may_collide(a, b)) continue;
      const CollisionShape& A = system.shapes()[static_cast<std::size_t>(a)];
      const CollisionShape& B = system.shapes()[static_cast<std::size_t>(b)];
      const Pose X_WA = kinematics.X_WB[static_cast<std::size_t>(A.body)] * A.X_BG;
      const Pose X_WB = kinematics.X_WB[static_cast<std::size_t>(B.body)] * B.X_BG;
      gaps.push_back(
          {A.body, B.body,
           signed_distance(A.shape, X_WA, B.shape, X_WB).distance - system.protective_layer()});
    }
  }

  // Keeps the smallest gap of each pair of bodies, then sorts by gap.
  std::stable_sort(gaps.begin(), gaps.end(), [](const StartGap& x, const StartGap& y) {
    return std::pair(x.body_a, x.body_b) < std::pair(y.body_a, y.body_b) ||
           (x.body_a == y.body_a && x.body_b == y.body_b && x.gap < y.gap);
  });
  const auto same_pair = [](const StartGap& x, const StartGap& y) {
    return x.body_a == y.body_a && x.body_b == y.body_b;
  };
  gaps.erase(std::unique(gaps.begin(), gaps.end(), same_pair), gaps.end());
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const StartGap& x, const StartGap& y) { return x.gap < y.gap; });
  return gaps;
}

// How many pairs of shapes collide, and why the others do not.
nlohmann::ordered_json count_pairs(const System& system) {
  const int n = static_cast<int>(system.shapes().size());
  const auto num_pairs = static_cast<std::int64_t>(n) * (n - 1) / 2;
  nlohmann::ordered_json result = {{"all", num_pairs}};
  if (num_pairs > kMaxCountedPairs) return result;
  std::array<std::int64_t, kNumPairFates> counts{};
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      ++counts[static_cast<std::size_t>(system.collision_filters().fate(a, b))];
    }
  }
  nlohmann::ordered_json filtered = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < kNumPairFates; ++i) {
    if (counts[i] > 0) filtered[to_string(static_cast<PairFate>(i))] = counts[i];
  }
  result["collide"] = counts[0];
  result["filtered"] = std::move(filtered);
  return result;
}

/// Returns the names of the joints that begin detached.
std::vector<std::string> detached_joints(const System& system) {
  std::vector<std::string> names;
  for (const JointCoordinate& joint : system.joints()) {
    const int own = loop_joint_of(system, joint);
    if (own < 0 || system.loop_joints()[static_cast<std::size_t>(own)].is_attached) continue;
    names.push_back(joint.name);
  }
  return names;
}

// The rows of J at the start: those that are redundant, and the error that loops begin with.
nlohmann::ordered_json describe_rows(const System& system) {
  if (system.num_joint_rows() > kMaxRows) {
    const JointError worst = compute_joint_error(system, system.initial_state());
    return {{"rows", system.num_joint_rows()},
            {"rank", fmt::format("not computed: more than {} rows", kMaxRows)},
            {"error_at_start", worst.error},
            {"worst_at_start", worst.worst_joint}};
  }
  const JointRank rank = compute_joint_rank(system, system.initial_state());
  nlohmann::ordered_json result = {{"rows", rank.rows}, {"rank", rank.rank}};
  if (rank.rows == 0) return result;
  result["redundant"] = rank.redundant();
  result["redundant_in"] = rank.redundant_joints;
  result["error_at_start"] = rank.error;
  result["worst_at_start"] = rank.worst_joint;
  return result;
}

}  // namespace

nlohmann::ordered_json describe_scene(const std::string& file, const SceneOptions& options) {
  Scene scene = load_scene_or_model(file, options);
  const System system = make_system(scene, file);
  io::check_initial_state(system, scene);

  // Bodies, joints and the mass that moves.
  std::size_t num_fixed = 0;
  std::vector<std::string> bodies, joints;
  for (const Body& body : system.bodies()) {
    bodies.push_back(body.name);
    num_fixed += body.articulation < 0 ? 1 : 0;
  }
  for (const JointCoordinate& joint : system.joints()) joints.push_back(joint.name);
  double mass = 0.0;
  for (const Articulation& tree : system.articulations()) {
    for (const Link& link : tree.links()) mass += link.inertia.mass;
  }
  nlohmann::ordered_json result = {{"file", file},
                                   {"kind", "scene"},
                                   {"model", scene.simulation.model},
                                   {"method", scene.simulation.method},
                                   {"steps_s", scene.simulation.steps},
                                   {"duration_s", scene.simulation.duration},
                                   {"bodies", bodies},
                                   {"fixed_bodies", num_fixed},
                                   {"articulations", system.articulations().size()},
                                   {"joints", joints},
                                   {"loop_joints", system.loop_joints().size()},
                                   {"detached_joints", detached_joints(system)},
                                   {"couplings", system.couplings().size()},
                                   {"joint_motions", system.prescribed().size()},
                                   {"joint_rows", describe_rows(system)},
                                   {"shapes", system.shapes().size()},
                                   {"pairs_of_shapes", count_pairs(system)},
                                   {"coordinates", system.num_positions()},
                                   {"velocities", system.num_velocities()},
                                   {"moving_mass_kg", mass},
                                   {"findings", scene.ledger.findings().size()}};

  // Overlaps and the smallest gaps at the start.
  nlohmann::ordered_json overlaps = nlohmann::ordered_json::array();
  const std::vector<StartOverlap> all_overlaps = start_overlaps(system);
  for (const StartOverlap& overlap : all_overlaps) {
    if (overlaps.size() == kMaxOverlaps) break;
    overlaps.push_back({{"depth_m", overlap.depth},
                        {"between", system.bodies()[static_cast<std::size_t>(overlap.body_a)].name},
                        {"and", system.bodies()[static_cast<std::size_t>(overlap.body_b)].name}});
  }
  result["overlaps_at_start"] = std::move(overlaps);
  result["overlapping_pairs_at_start"] = all_overlaps.size();
  nlohmann::ordered_json gaps = nlohmann::ordered_json::array();
  for (const StartGap& gap : start_gaps(system)) {
    if (gaps.size() == kMaxGaps) break;
    gaps.push_back({{"gap_m", gap.gap},
                    {"between", system.bodies()[static_cast<std::size_t>(gap.body_a)].name},
                    {"and", system.bodies()[static_cast<std::size_t>(gap.body_b)].name}});
  }
  result["gaps_at_start"] = std::move(gaps);
  return result;
}

}  // namespace amontons::cli
