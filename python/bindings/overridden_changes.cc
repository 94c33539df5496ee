#include "python/bindings/overridden_changes.h"

#include <array>
#include <cstddef>
#include <optional>

namespace amontons::python {
namespace {

using Values = std::array<double, 8>;

/// Returns the item at an index, or null.
template <typename Item>
const Item* item_at(const std::vector<Item>& items, int index) {
  const bool is_there = index >= 0 && index < static_cast<int>(items.size());
  return is_there ? &items[static_cast<std::size_t>(index)] : nullptr;
}

Values values_of(const PairProperties& own) {
  return {own.friction, own.restitution, own.viscous_friction};
}

/// Returns the mass of a body's rigid link [kg], or nothing for a fixed body.
std::optional<Values> mass_of(const System& system, int body) {
  const Body* own = item_at(system.bodies(), body);
  if (own == nullptr || own->articulation < 0) return std::nullopt;
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(own->articulation)];
  return Values{tree.links()[static_cast<std::size_t>(own->link)].inertia.mass};
}

/// Returns the values of a property that scenes set, in the order of PropertyKind; nothing for what
/// programs alone change, and for what the system lacks.
std::optional<Values> values_of(const System& system, const PropertyChange& change) {
  switch (change.kind) {
    case PropertyKind::Gravity:
      return Values{system.gravity().x(), system.gravity().y(), system.gravity().z()};
    case PropertyKind::Material: {
      const Material* own = item_at(system.materials(), change.index);
      if (own == nullptr) return std::nullopt;
      return Values{own->friction, own->restitution, own->viscous_friction};
    }
    case PropertyKind::MaterialPair:
      if (item_at(system.materials(), change.other) == nullptr) return std::nullopt;
      return values_of(system.properties_of_materials(change.index, change.other));
    case PropertyKind::Mass:
      return mass_of(system, change.index);
    case PropertyKind::ServoGains: {
      const ServoDrive* own = item_at(system.servos(), change.index);
      if (own == nullptr) return std::nullopt;
      return Values{own->kp, own->kd, own->effort.symmetric_limit()};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

OverriddenProperties::OverriddenProperties(const Scene& scene,
                                           const std::vector<const Scene*>& probes) {
  if (probes.empty()) return;
  given_ = std::make_unique<System>(scene);
  for (const Scene* probe : probes) probes_.push_back(std::make_unique<System>(*probe));
}

void OverriddenProperties::apply(const System& own, std::vector<PropertyChange>& changes) const {
  if (given_ == nullptr) return;
  for (PropertyChange& change : changes) {
    const std::optional<Values> before = values_of(*given_, change), now = values_of(own, change);
    if (!before || !now) continue;
    for (std::size_t k = 0; k < before->size(); ++k) {
      bool is_set = (*now)[k] != (*before)[k];
      for (const std::unique_ptr<System>& probe : probes_) {
        const std::optional<Values> other = values_of(*probe, change);
        is_set = is_set || (other && (*other)[k] != (*before)[k]);
      }
      if (is_set) change.values[k] = (*now)[k];
    }
  }
}

}  // namespace amontons::python
