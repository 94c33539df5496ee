#include "amontons/io/picture/contact_marks.h"

#include "amontons/io/picture/color.h"
#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace amontons::io {
namespace {

// Colors of open, sticking, sliding and colliding contacts, as on the page.
constexpr std::array<unsigned, 4> kModeColors = {0x8b96a8, 0x2fbf71, 0xf7a325, 0xf0476f};
// Colors of chains of small and of great forces.
constexpr std::array<unsigned, 2> kChainColors = {0x7f93ad, 0xe8590c};
constexpr double kPercentile = 0.9;
constexpr double kMostFriction = 1e3;  // opening of a cone that is drawn

/// Returns the contact with force and normal as the body that moves feels them: those on B, unless
/// B alone is fixed.
ReplayContact seen_from_moving_body(const ReplayContact& contact, const std::vector<bool>& fixed) {
  ReplayContact seen = contact;
  if (fixed[static_cast<std::size_t>(contact.body_b)] &&
      !fixed[static_cast<std::size_t>(contact.body_a)]) {
    seen.force = -seen.force;
    seen.normal = -seen.normal;
  }
  return seen;
}

}  // namespace

bool* overlay_named(Overlays& overlays, std::string_view name) {
  const std::array<bool*, kOverlayNames.size()> all = {&overlays.points, &overlays.forces,
                                                       &overlays.cones, &overlays.chains};
  const auto found = std::find(kOverlayNames.begin(), kOverlayNames.end(), name);
  if (found == kOverlayNames.end()) return nullptr;
  return all[static_cast<std::size_t>(found - kOverlayNames.begin())];
}

ContactMarks::ContactMarks(const Extent& extent, const std::vector<ReplayBody>& bodies)
    : radius_(extent.radius),
      body_radius_(extent.body_radius),
      dot_(std::min(0.011 * extent.radius, 0.14 * extent.body_radius)),
      point_(ball_mesh(12)),
      shaft_(cylinder_mesh(12, true)),
      head_(cone_mesh(16, true)),
      cone_(cone_mesh(32, false)) {
  for (const ReplayBody& body : bodies) is_fixed_.push_back(body.fixed);
}

void ContactMarks::measure(const ReplayFrame& frame) {
  Sizes& sizes = frame.is_impact ? impulses_ : forces_;
  for (const ReplayContact& contact : frame.contacts) {
    const double size = contact.force.norm();
    if (size > 0.0 && std::isfinite(size)) sizes.all.push_back(size);
  }
}

double ContactMarks::typical(bool is_impact) {
  Sizes& sizes = is_impact ? impulses_ : forces_;
  // Measured again whenever their number has doubled.
  if (sizes.all.size() > 2 * sizes.num_measured) {
    sizes.num_measured = sizes.all.size();
    const auto place =
        static_cast<std::ptrdiff_t>(kPercentile * static_cast<double>(sizes.all.size() - 1));
    std::nth_element(sizes.all.begin(), sizes.all.begin() + place, sizes.all.end());
    sizes.typical = sizes.all[static_cast<std::size_t>(place)];
  }
  return sizes.typical;
}

void ContactMarks::add_to(TriangleList& solid, TriangleList& clear, const ReplayFrame& frame,
                          const Overlays& overlays) {
  const double typical_size = typical(frame.is_impact);
  for (const ReplayContact& recorded : frame.contacts) {
    // The dot of an open contact would hang between the bodies where it reaches neither.
    if (recorded.mode == ReplayContactMode::Open && recorded.gap > 2.0 * dot_) continue;
    const ReplayContact contact = seen_from_moving_body(recorded, is_fixed_);
    SurfaceLook look;
    look.color = stored_color(kModeColors[static_cast<std::size_t>(contact.mode)]);
    const Eigen::Vector3f place = contact.position.cast<float>();
    if (overlays.points) {
      solid.add(point_, Eigen::Matrix3f::Identity() * static_cast<float>(dot_), place, look);
    }
    if (overlays.forces) add_arrow(solid, contact, typical_size, look);
    if (overlays.chains) add_chain(solid, frame, contact, typical_size);
    if (overlays.cones && contact.friction > 0.0) {
      // The slant height is the same for every friction: the opening alone shows it. The apex is
      // at the contact.
      const double slant = 0.9 * std::min(body_radius_, 0.25 * radius_);
      const double height = slant / elementary::hypot(1.0, contact.friction);
      const double width = height * std::min(contact.friction, kMostFriction);
      const Eigen::Matrix3d axes = contact_frame(contact.normal);
      Eigen::Matrix3d linear;
      linear << axes.col(0) * width, axes.col(1) * -width, axes.col(2) * -height;
      clear.add(cone_, linear.cast<float>(),
                (contact.position + height * contact.normal).cast<float>(), look);
    }
  }
}

void ContactMarks::add_arrow(TriangleList& list, const ReplayContact& contact, double typical_size,
                             const SurfaceLook& look) {
  const double force = contact.force.norm();
  if (!(force > 1e-3 * typical_size) || !std::isfinite(force)) return;
  const double wanted = 0.32 * std::min(radius_, 4.0 * body_radius_) * force / typical_size;
  const double longest = 0.7 * radius_;
  const double length = longest * wanted / (longest + wanted);
  const double head = std::min(0.45 * length, 4.2 * dot_);
  const double thickness = std::min(0.42 * dot_, 0.12 * length);
  const Eigen::Vector3d direction = contact.force / force;
  const Eigen::Matrix3d axes = contact_frame(direction);
  const auto scaled = [&](double width, double height) {
    return (axes * Eigen::Vector3d(width, width, height).asDiagonal()).eval().cast<float>().eval();
  };
  const double shaft = length - head;
  list.add(shaft_, scaled(thickness, shaft),
           (contact.position + 0.5 * shaft * direction).cast<float>(), look);
  list.add(head_, scaled(2.6 * thickness, head),
           (contact.position + shaft * direction).cast<float>(), look);
}

void ContactMarks::add_chain(TriangleList& list, const ReplayFrame& frame,
                             const ReplayContact& contact, double typical_size) {
  const double share = contact.force.dot(contact.normal) / typical_size;
  if (!(share > 1e-3) || !std::isfinite(share)) return;
  const auto strength = static_cast<float>(std::min(1.0, share));
  SurfaceLook look;
  look.color =
      (1.0f - strength) * stored_color(kChainColors[0]) + strength * stored_color(kChainColors[1]);
  const double width = dot_ * std::max(0.08, 0.9 * std::min(1.5, share));
  for (const int body : {contact.body_a, contact.body_b}) {
    const auto index = static_cast<std::size_t>(body);
    if (is_fixed_[index]) continue;
    const Eigen::Vector3d rod = frame.poses[index].position - contact.position;
    if (!(rod.norm() > 0.0)) continue;
    const Eigen::Matrix3d axes = contact_frame(rod.normalized());
    const Eigen::Vector3d size(width, width, rod.norm());
    list.add(shaft_, (axes * size.asDiagonal()).eval().cast<float>(),
             (contact.position + 0.5 * rod).cast<float>(), look);
  }
}

}  // namespace amontons::io
