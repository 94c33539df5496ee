#include "amontons/geometry/height_field_contact.h"

#include "amontons/geometry/convex_manifold.h"
#include "amontons/geometry/half_space_contact.h"
#include "amontons/geometry/separation.h"
#include "amontons/geometry/terrain_features.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace amontons::narrow_phase {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Contacts = std::vector<ContactPoint>;

/// Ids of contacts at terrain edges and vertices begin here: those of faces are ids of B alone.
constexpr std::uint32_t kEdgeFeature = 0x40000000u;
constexpr std::uint32_t kVertexFeature = 0x80000000u;
/// Points of equal normal nearer than this, relative to a cell, are one [-].
constexpr double kSameContact = 1e-6;

Vector3d point_on_terrain(const ContactPoint& contact) {
  return contact.position_W - 0.5 * contact.gap * contact.normal_W;
}

/// The walk over the cells under one shape, in the terrain's frame.
class TerrainWalk {
 public:
  TerrainWalk(const HeightField& field, const ConvexCore& core, double horizon)
      : field_(field),
        terrain_(field),
        core_(core),
        horizon_(horizon),
        cell_(std::min(field.spacing_x(), field.spacing_y())) {
    Vector3d lower, upper;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d e = Vector3d::Unit(axis);
      lower[axis] = support(core, -e)[axis] - core.radius - horizon;
      upper[axis] = support(core, e)[axis] + core.radius + horizon;
    }
    lowest_ = lower.z();
    first_i_ = cell_index(lower.x(), field.size_x(), field.spacing_x(), terrain_.num_cells_x());
    last_i_ = cell_index(upper.x(), field.size_x(), field.spacing_x(), terrain_.num_cells_x());
    first_j_ = cell_index(lower.y(), field.size_y(), field.spacing_y(), terrain_.num_cells_y());
    last_j_ = cell_index(upper.y(), field.size_y(), field.spacing_y(), terrain_.num_cells_y());
  }

  Contacts find() {
    if (lowest_ > field_.highest()) return {};
    for (Index i = first_i_; i <= last_i_; ++i) {
      for (Index j = first_j_; j <= last_j_; ++j) {
        if (is_low_cell(i, j)) continue;
        touch_triangle(i, j, false);
        touch_triangle(i, j, true);
      }
    }
    keep_nearest_under_ridges();
    for (Index i = first_i_; i <= last_i_ + 1; ++i) {
      for (Index j = first_j_; j <= last_j_ + 1; ++j) {
        for (const auto family : {TerrainFeatures::Family::AlongX, TerrainFeatures::Family::AlongY,
                                  TerrainFeatures::Family::Diagonal}) {
          touch_edge(i, j, family);
        }
        touch_vertex(i, j);
      }
    }
    if (contacts_.empty()) lift_sunken();
    return contacts_;
  }

 private:
  static Index cell_index(double x, double size, double spacing, Index num_cells) {
    const double cells = std::floor((x + 0.5 * size) / spacing);
    return static_cast<Index>(std::clamp(cells, 0.0, static_cast<double>(num_cells - 1)));
  }

  bool is_low_cell(Index i, Index j) const {
    return field_.heights().block<2, 2>(i, j).maxCoeff() < lowest_;
  }

  void add(const ContactPoint& contact) {
    for (const ContactPoint& other : contacts_) {
      const bool same = (other.normal_W - contact.normal_W).squaredNorm() <
                            TerrainFeatures::kFlatAngle * TerrainFeatures::kFlatAngle &&
                        (other.position_W - contact.position_W).squaredNorm() <
                            kSameContact * kSameContact * cell_ * cell_;
      if (same) return;
    }
    contacts_.push_back(contact);
  }

  /// Neighbors of one plane share one manifold.
  void touch_triangle(Index i, Index j, bool upper) {
    const TerrainFeatures::Triangle triangle = terrain_.triangle(i, j, upper);
    if (triangle.normal != plane_.normal || triangle.offset != plane_.offset) {
      plane_ = {triangle.normal, triangle.offset};
      above_plane_.clear();
      half_space_manifold(plane_, core_, horizon_, above_plane_);
    }
    for (const ContactPoint& contact : above_plane_) {
      if (triangle.contains(point_on_terrain(contact), kSameContact * cell_)) add(contact);
    }
  }

  /// Inside a convex part of the solid the distance is that of the nearest face; in a valley, and
  /// of a point (or center of a ball) above the surface, every face counts. The k-th face that
  /// claims the same point of B gets a name of its own.
  void keep_nearest_under_ridges() {
    const auto is_beaten = [&](const ContactPoint& contact) {
      const bool is_inside = contact.gap + core_.radius < 0.0;
      return is_inside &&
             std::any_of(contacts_.begin(), contacts_.end(), [&](const ContactPoint& other) {
               const double under =
                   contact.normal_W.dot(point_on_terrain(other) - point_on_terrain(contact));
               return other.feature == contact.feature && other.gap > contact.gap &&
                      under < -kSameContact * cell_;
             });
    };
    Contacts kept;
    for (const ContactPoint& contact : contacts_) {
      if (is_beaten(contact)) continue;
      kept.push_back(contact);
    }
    std::stable_sort(kept.begin(), kept.end(), [](const ContactPoint& a, const ContactPoint& b) {
      return a.feature < b.feature;
    });
    std::uint32_t claims = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      claims = k > 0 && (kept[k - 1].feature & ~(0xffu << 14)) == kept[k].feature ? claims + 1 : 0;
      kept[k].feature |= claims << 14;
    }
    contacts_ = std::move(kept);
  }

  void touch_edge(Index i, Index j, TerrainFeatures::Family family) {
    if (!terrain_.has_edge(i, j, family)) return;
    const TerrainFeatures::Edge edge = terrain_.edge(i, j, family);
    if (std::max(edge.tail.z(), edge.head.z()) < lowest_ || !edge.is_ridge()) return;
    found_.clear();
    convex_manifold({segment_core(edge), core_}, horizon_, found_);
    const std::uint32_t id = feature_id(i, j) * 3u + static_cast<std::uint32_t>(family);
    for (ContactPoint& contact : found_) {
      if (!edge.may_touch(contact.normal_W)) continue;
      contact.feature = kEdgeFeature | ((id & 0x7fffu) << 15) | (contact.feature & 0x3fffu) |
                        ((contact.feature >> 28) & 1u) << 14;
      add(contact);
    }
  }

  void touch_vertex(Index i, Index j) {
    if (!terrain_.has_vertex(i, j) || field_.heights()(i, j) < lowest_) return;
    ConvexCore point;
    point.p = terrain_.vertex(i, j);
    const Separation nearest = separation({point, core_});
    if (nearest.distance > horizon_ || !terrain_.vertex_may_touch(i, j, nearest.normal)) return;
    add({0.5 * (nearest.a + nearest.b), nearest.normal, nearest.distance,
         kVertexFeature | (feature_id(i, j) & 0x7fffffffu)});
  }

  void lift_sunken() {
    const double x = core_.p.x();
    const double y = core_.p.y();
    const bool is_over =
        std::abs(x) <= 0.5 * field_.size_x() && std::abs(y) <= 0.5 * field_.size_y();
    if (!is_over || core_.p.z() > field_.height_at(x, y)) return;
    const Index i = cell_index(x, field_.size_x(), field_.spacing_x(), terrain_.num_cells_x());
    const Index j = cell_index(y, field_.size_y(), field_.spacing_y(), terrain_.num_cells_y());
    const Vector3d corner = terrain_.vertex(i, j);
    const bool upper =
        (y - corner.y()) / field_.spacing_y() > (x - corner.x()) / field_.spacing_x();
    const TerrainFeatures::Triangle triangle = terrain_.triangle(i, j, upper);
    const Separation lift = separation(Plane{triangle.normal, triangle.offset}, core_);
    contacts_.push_back({0.5 * (lift.a + lift.b), lift.normal, lift.distance, kVertexFeature});
  }

  static ConvexCore segment_core(const TerrainFeatures::Edge& edge) {
    ConvexCore core;
    core.type = CoreType::Segment;
    core.p = 0.5 * (edge.tail + edge.head);
    const Vector3d along = edge.head - edge.tail;
    core.half.z() = 0.5 * along.norm();
    core.size = core.half.z();
    const Vector3d u = along.normalized();
    // Edges are never vertical, so the y axis or x axis completes a frame.
    const Vector3d side = std::abs(u.y()) < 0.8 ? Vector3d::UnitY() : Vector3d::UnitX();
    const Vector3d across = side.cross(u).normalized();
    core.R << across, u.cross(across), u;
    return core;
  }

  std::uint32_t feature_id(Index i, Index j) const {
    return static_cast<std::uint32_t>(i * field_.heights().cols() + j);
  }

  const HeightField& field_;
  TerrainFeatures terrain_;
  const ConvexCore& core_;
  double horizon_, cell_, lowest_ = 0.0;
  Index first_i_ = 0, last_i_ = 0, first_j_ = 0, last_j_ = 0;
  Plane plane_{Vector3d::Zero(), 0.0};
  Contacts above_plane_, found_, contacts_;
};

/// From a point of the terrain to one of B: negative if B's is straight below.
Separation across_to(const Vector3d& low, const Vector3d& beside) {
  const Vector3d offset = low - beside;
  const bool is_straight = offset.x() == 0.0 && offset.y() == 0.0;
  if (is_straight) return {offset.z(), Vector3d::UnitZ(), beside, low};
  return {offset.norm(), offset.normalized(), beside, low};
}

}  // namespace

void height_field_manifold(const HeightField& field, const Pose& X_FT, const ConvexCore& core,
                           double horizon, Contacts& contacts) {
  ConvexCore core_T = core;
  core_T.R = X_FT.rotation.transpose() * core.R;
  core_T.p = X_FT.inverse() * core.p;
  for (ContactPoint contact : TerrainWalk(field, core_T, horizon).find()) {
    contact.position_W = X_FT * contact.position_W;
    contact.normal_W = X_FT.rotation * contact.normal_W;
    contacts.push_back(contact);
  }
}

Separation height_field_separation(const HeightField& field, const Pose& X_FT,
                                   const ConvexCore& core) {
  // No farther than from some point of the core to the surface below, above or beside it.
  const Vector3d up = X_FT.rotation.col(2);
  const Vector3d low = X_FT.inverse() * (support(core, -up) - core.radius * up);
  const Vector3d clamped(std::clamp(low.x(), -0.5 * field.size_x(), 0.5 * field.size_x()),
                         std::clamp(low.y(), -0.5 * field.size_y(), 0.5 * field.size_y()), 0.0);
  const Vector3d beside(clamped.x(), clamped.y(), field.height_at(clamped.x(), clamped.y()));
  const double bound = (low - beside).norm();
  Contacts contacts;
  height_field_manifold(field, X_FT, core, bound * (1.0 + 1e-9), contacts);
  Separation nearest = across_to(low, beside);
  nearest = {nearest.distance, X_FT.rotation * nearest.normal, X_FT * nearest.a, X_FT * nearest.b};
  for (const ContactPoint& contact : contacts) {
    if (contact.gap > nearest.distance) continue;
    const Vector3d half = 0.5 * contact.gap * contact.normal_W;
    nearest = {contact.gap, contact.normal_W, contact.position_W - half, contact.position_W + half};
  }
  return nearest;
}

}  // namespace amontons::narrow_phase
