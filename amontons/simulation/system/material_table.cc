#include "amontons/simulation/system/material_table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace amontons {
namespace {

/// Holds the index of each material by its name; the first of equal names counts.
using MaterialIndices = std::unordered_map<std::string, std::size_t>;

/// Returns the index of a material.
std::size_t index_of(const MaterialIndices& indices, const std::string& name) {
  const auto found = indices.find(name);
  if (found == indices.end()) throw std::invalid_argument("there is no material '" + name + "'");
  return found->second;
}

}  // namespace

std::vector<std::vector<PairProperties>> pair_table(const std::vector<Material>& materials,
                                                    const std::vector<MaterialPair>& listed) {
  const std::size_t n = materials.size();
  std::vector<std::vector<PairProperties>> table(n, std::vector<PairProperties>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Material &a = materials[i], &b = materials[j];
      // sqrt(a a) may round; equal coefficients stay exact.
      const double friction =
          a.friction == b.friction ? a.friction : std::sqrt(a.friction * b.friction);
      table[i][j] = {friction, std::max(a.restitution, b.restitution),
                     std::max(a.viscous_friction, b.viscous_friction)};
    }
  }
  // Listed pairs override single properties. A model may list all pairs of its materials.
  MaterialIndices indices;
  for (std::size_t i = 0; i < n; ++i) indices.emplace(materials[i].name, i);
  for (const MaterialPair& pair : listed) {
    const std::size_t a = index_of(indices, pair.first), b = index_of(indices, pair.second);
    for (const auto& [i, j] : {std::pair{a, b}, std::pair{b, a}}) {
      PairProperties& properties = table[i][j];
      properties.friction = pair.friction.value_or(properties.friction);
      properties.restitution = pair.restitution.value_or(properties.restitution);
      properties.viscous_friction = pair.viscous_friction.value_or(properties.viscous_friction);
    }
  }
  return table;
}

}  // namespace amontons
