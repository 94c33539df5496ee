#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/surface/overlap_region.h"
#include "amontons/geometry/surface/way_out.h"
#include "amontons/math/pose.h"

#include <vector>

namespace amontons::narrow_phase {

/// Returns the connected parts of an inner mesh that are inside an outer one. @pre Their surfaces
/// do not cross.
/// @param X_OI  pose of the inner mesh in the frame of the outer.
std::vector<const std::vector<int>*> parts_inside(const CollisionMesh& outer,
                                                  const CollisionMesh& inner, const Pose& X_OI);
/// Returns true if a part of one mesh has all its vertices on the surface of the other one, and is
/// inside it: copies of one mesh in one pose. Their surfaces cross by rounding at most.
bool coincide(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB);
/// Returns true if there is a part inside.
bool has_part_inside(const CollisionMesh& outer, const CollisionMesh& inner, const Pose& X_OI);

/// Says where two meshes that enclose overlap, which depends on no horizon.
class MeshOverlap {
 public:
  /// Finds the places. @pre Both meshes enclose, and outlive this.
  MeshOverlap(const CollisionMesh& A, const CollisionMesh& B, const Pose& X_AB);

  /// Returns the depth of the deepest region [m]: features farther from each other do not tell how
  /// the meshes part.
  double depth() const;

  /// Decides which overlaps there are, whatever pairs of features say (docs/theory/meshes.md):
  ///
  /// - where surfaces cross, the contacts of features that overlap within the region, and are no
  ///   deeper, stay. A region without any gets one contact, along the mean normal of A's surface
  ///   inside B and as deep as both surfaces reach into each other along it. Where these normals
  ///   cancel (a rod through a plate), normal and depth are those of the hulls;
  /// - where surfaces do not cross and a part of one mesh is inside the other, the part is pushed
  ///   out through the facet nearest to it;
  /// - contacts of features that overlap anywhere else are dropped;
  /// - where the translation that all of these ask for leaves an overlap, or a deep one has a much
  ///   shorter way out, the contacts push along the shortest way out that is found.
  ///
  /// @param contacts  of all features within the depth of the overlap, in A's frame; changed.
  /// @param slack  depth [m] below which features only touch.
  void settle(double slack, std::vector<ContactPoint>& contacts) const;

 private:
  /// Returns the regions in which surfaces cross by more than rounding.
  std::vector<OverlapRegion> crossing_regions(double slack) const;
  /// Appends the contacts that push along a way out.
  void push_along(const WayOut& way, const std::vector<OverlapRegion>& regions, double slack,
                  std::vector<ContactPoint>& contacts) const;

  const CollisionMesh& A_;
  const CollisionMesh& B_;
  Pose X_AB_;
  bool may_overlap_;  // their boxes meet
  std::vector<OverlapRegion> regions_;
};

}  // namespace amontons::narrow_phase
