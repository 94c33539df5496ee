#include "amontons/geometry/surface/opening_translation.h"

#include <algorithm>
#include <cstddef>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Sweeps over all contacts: multipliers of contacts that contradict each other grow without end.
constexpr int kSweeps = 60;
// Share of the translation by which a contact may stay short of its gap [-].
constexpr double kError = 1e-3;

}  // namespace

std::optional<Vector3d> opening_translation(const std::vector<ContactPoint>& contacts,
                                            double slack) {
  std::vector<const ContactPoint*> asked;
  for (const ContactPoint& contact : contacts) {
    if (contact.gap <= slack) asked.push_back(&contact);
  }
  // Coordinate ascent of the dual, whose solution is the nearest point of all half-spaces
  // [Hildreth 1957].
  Vector3d t = Vector3d::Zero();
  std::vector<double> multipliers(asked.size(), 0.0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const double missing = slack - asked[k]->gap - asked[k]->normal_W.dot(t);
      const double step = std::max(missing, -multipliers[k]);
      multipliers[k] += step;
      t += step * asked[k]->normal_W;
      change = std::max(change, std::abs(step));
    }
    if (change <= 0.1 * kError * t.norm()) break;
  }
  const bool is_open = std::all_of(asked.begin(), asked.end(), [&](const ContactPoint* contact) {
    return contact->normal_W.dot(t) >= slack - contact->gap - kError * t.norm();
  });
  if (!is_open) return std::nullopt;
  return t;
}

}  // namespace amontons::narrow_phase
