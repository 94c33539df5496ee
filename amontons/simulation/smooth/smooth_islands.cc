#include "amontons/simulation/smooth/smooth_islands.h"

#include "amontons/math/disjoint_sets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace amontons {
namespace {

/// Holds an island, and whether all of it is smooth so far.
struct Candidate {
  SmoothIsland island;
  bool is_smooth = true;
};

/// Returns true if the sorted keys contain a contact of the pair.
bool has_pair_of(const std::vector<ContactKey>& sorted, const PairOfShapes& pair) {
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), ContactKey{pair.first, pair.second, 0});
  return it != sorted.end() && pair_of(*it) == pair;
}

template <typename Item>
/// Sorts and removes duplicates.
void keep_each_once(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

template <typename Item>
/// Appends all items of one list to another.
void append(const std::vector<Item>& items, std::vector<Item>& all) {
  all.insert(all.end(), items.begin(), items.end());
}

/// Returns u_n of a contact [m/s].
double normal_speed(const System& system, const SystemKinematics& at, const Contact& contact,
                    const Eigen::VectorXd& v) {
  const auto point_velocity = [&](int body) -> Eigen::Vector3d {
    return body_velocity(system, at, body, contact.position_W, v).tail<3>();
  };
  return contact.normal_W.dot(point_velocity(contact.body_b) - point_velocity(contact.body_a));
}

}  // namespace

std::vector<SmoothIsland> find_smooth_islands(const System& system,
                                              const std::vector<char>& smooth_trees,
                                              const SystemKinematics& at,
                                              const std::vector<Contact>& contacts,
                                              const Eigen::VectorXd& v,
                                              const TouchingTolerances& tolerances) {
  const auto tree_of = [&system](int body) {
    return system.bodies()[static_cast<std::size_t>(body)].articulation;
  };
  // Trees connected by contacts form one island.
  DisjointSets sets(system.articulations().size());
  for (const Contact& contact : contacts) {
    const int a = tree_of(contact.body_a), b = tree_of(contact.body_b);
    if (a >= 0 && b >= 0) sets.join(a, b);
  }
  // An island is smooth if its trees are, its fixed bodies are at rest and nothing approaches.
  std::map<int, Candidate> candidates;
  for (const Contact& contact : contacts) {
    const int a = tree_of(contact.body_a), b = tree_of(contact.body_b);
    if (a < 0 && b < 0) continue;
    auto& [own, is_smooth] = candidates[sets.root(std::max(a, b))];
    for (const int body : {contact.body_a, contact.body_b}) {
      const int tree = tree_of(body);
      if (tree >= 0) own.trees.push_back(tree);
      is_smooth =
          is_smooth && (tree >= 0 ? smooth_trees[static_cast<std::size_t>(tree)] != 0
                                  : system.bodies()[static_cast<std::size_t>(body)].motion < 0);
    }
    // Pairs without a touching contact are listed, too; they exclude the island below.
    own.pairs.push_back(pair_of(contact.key));
    if (contact.gap > tolerances.gap) continue;
    const double u = normal_speed(system, at, contact, v);
    if (std::abs(u) <= tolerances.speed) own.contacts.push_back(contact.key);
    if (u < -tolerances.speed) is_smooth = false;
  }
  std::vector<SmoothIsland> result;
  for (auto& [first, candidate] : candidates) {
    SmoothIsland& own = candidate.island;
    keep_each_once(own.trees);
    keep_each_once(own.pairs);
    // A sustained pair with a gap, or one that leaves, belongs to the velocity level.
    const bool touches = std::all_of(own.pairs.begin(), own.pairs.end(), [&own](const auto& pair) {
      return has_pair_of(own.contacts, pair);
    });
    if (candidate.is_smooth && touches) result.push_back(std::move(own));
  }
  return result;
}

SmoothIsland join(const std::vector<SmoothIsland>& islands) {
  SmoothIsland all;
  for (const SmoothIsland& island : islands) {
    append(island.trees, all.trees);
    append(island.pairs, all.pairs);
    append(island.contacts, all.contacts);
  }
  // Islands share no tree, so that the union needs no removal of duplicates.
  std::sort(all.trees.begin(), all.trees.end());
  std::sort(all.pairs.begin(), all.pairs.end());
  std::sort(all.contacts.begin(), all.contacts.end());
  return all;
}

}  // namespace amontons
