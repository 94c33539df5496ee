#include "amontons/simulation/detection/contact_places.h"

#include "amontons/geometry/contact_manifold.h"
#include "amontons/math/same_bits.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Returns the shape of a contact.
const CollisionShape& shape_of(const System& system, int index) {
  const std::vector<CollisionShape>& shapes = system.shapes();
  if (index < 0 || index >= static_cast<int>(shapes.size())) {
    throw std::invalid_argument("a contact names the shape " + std::to_string(index) +
                                ", but the scene has " + std::to_string(shapes.size()));
  }
  return shapes[static_cast<std::size_t>(index)];
}

/// Holds the poses of one shape of a pair.
struct MovedShape {
  const CollisionShape* shape;
  Pose X_WG_then, X_WG_now;

  MovedShape(const System& system, int index, const std::vector<Pose>& X_WB_then,
             const std::vector<Pose>& X_WB_now)
      : shape(&shape_of(system, index)),
        X_WG_then(X_WB_then[static_cast<std::size_t>(shape->body)] * shape->X_BG),
        X_WG_now(X_WB_now[static_cast<std::size_t>(shape->body)] * shape->X_BG) {}

  bool is_finite() const {
    return X_WG_then.rotation.allFinite() && X_WG_then.translation.allFinite() &&
           X_WG_now.rotation.allFinite() && X_WG_now.translation.allFinite();
  }
  double way() const { return (X_WG_now.translation - X_WG_then.translation).norm(); }
  bool stays() const { return same_bits(X_WG_then, X_WG_now); }
  Vector3d carried(const Vector3d& p_W) const { return X_WG_now * (X_WG_then.inverse() * p_W); }
};

/// Gives a place the nearest of some points, which it removes, if one is within a distance.
void take_nearest(ContactPlace& place, double distance, std::vector<ContactPoint>& points) {
  const auto gap_to = [&](const ContactPoint& point) {
    return (point.position_W - place.position_W).norm();
  };
  const auto nearest = std::ranges::min_element(points, {}, gap_to);
  if (nearest == points.end() || gap_to(*nearest) > distance) return;
  place.position_W = nearest->position_W;
  points.erase(nearest);
}

/// Moves the contacts of one pair of shapes.
/// @param least   gap up to which all contacts are found [m].
/// @param points  workspace.
void move_pair(const MovedShape& a, const MovedShape& b, double least,
               std::span<ContactPlace> places, std::vector<ContactPoint>& points) {
  if ((a.stays() && b.stays()) || !a.is_finite() || !b.is_finite()) return;
  // Contacts open by the way of one body against the other at most.
  double farthest = least, slip = 0.0;
  for (ContactPlace& place : places) {
    const Vector3d with_a = a.carried(place.position_W), with_b = b.carried(place.position_W);
    slip = std::max(slip, (with_b - with_a).norm());
    farthest = std::max(farthest, least + std::max(place.gap, 0.0) + slip);
    place.position_W = 0.5 * (with_a + with_b);
  }
  points.clear();
  find_contact_manifold(a.shape->shape, a.X_WG_now, b.shape->shape, b.X_WG_now, {farthest}, points);
  // Contacts whose feature is there take their points first.
  std::vector<ContactPlace*> others;
  for (ContactPlace& place : places) {
    const auto own = std::ranges::find(points, place.key.feature, &ContactPoint::feature);
    if (own == points.end()) {
      others.push_back(&place);
    } else {
      place.position_W = own->position_W;
      points.erase(own);
    }
  }
  for (ContactPlace* place : others) take_nearest(*place, a.way() + b.way() + slip, points);
}

}  // namespace

std::vector<Pose> poses_of_contacts(const System& system,
                                    const Eigen::Ref<const Eigen::VectorXd>& q,
                                    const Eigen::Ref<const Eigen::VectorXd>& evaluation_velocity,
                                    double h, double time) {
  SystemKinematics found;
  // Fixed bodies move as the scene says.
  const double ahead = evaluation_velocity.isZero(0.0) ? 0.0 : h;
  compute_kinematics(system, integrate_positions(system, q, evaluation_velocity, ahead),
                     evaluation_velocity, time + ahead, found);
  return found.X_WB;
}

void move_contact_places(const System& system, const std::vector<Pose>& X_WB_then,
                         const std::vector<Pose>& X_WB_now, std::span<ContactPlace> places) {
  std::vector<ContactPoint> points;
  for (std::size_t first = 0; first < places.size();) {
    const ContactKey& key = places[first].key;
    std::size_t last = first;
    while (last < places.size() && places[last].key.shape_a == key.shape_a &&
           places[last].key.shape_b == key.shape_b)
      ++last;
    // Geometry does not know the protective layer, by which gaps are smaller.
    move_pair({system, key.shape_a, X_WB_then, X_WB_now},
              {system, key.shape_b, X_WB_then, X_WB_now}, system.protective_layer(),
              places.subspan(first, last - first), points);
    first = last;
  }
}

}  // namespace amontons
