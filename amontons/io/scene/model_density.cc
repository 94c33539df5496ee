#include "amontons/io/scene/model_density.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/shape_mass.h"

namespace amontons::io {

void give_masses(SceneModel& model, double density, ImportLedger& ledger) {
  for (ModelLink& link : model.links) {
    const bool is_fixed = &link == &model.links.front() && model.base == BaseType::Fixed;
    if (link.inertia.mass > 0.0 || is_fixed) continue;
    const SpatialInertia sum = mass_of_shapes(link.shapes, density);
    if (!(sum.mass > 0.0)) continue;
    link.inertia = sum;
    ledger.add(ImportFate::Applied, "link '" + link.name + "': inertial",
               "it has none: " + rounded_text(sum.mass) + " kg from its shapes at " +
                   rounded_text(density) + " kg/m^3",
               link.where);
  }
}

}  // namespace amontons::io
