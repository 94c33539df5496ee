#include "amontons/io/import/file_material.h"

#include <algorithm>

namespace amontons::io {

std::string add_file_material(std::vector<Material>& materials, const std::string& name,
                              std::optional<double> friction, std::optional<double> restitution) {
  const auto found = std::find_if(materials.begin(), materials.end(),
                                  [](const Material& m) { return m.name == "default"; });
  Material material = found == materials.end() ? Material{"default"} : *found;
  if (!friction && !restitution) return material.name;
  material.name = name;
  material.friction = friction.value_or(material.friction);
  material.restitution = restitution.value_or(material.restitution);
  materials.push_back(material);
  return material.name;
}

}  // namespace amontons::io
