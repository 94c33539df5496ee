#include "amontons/io/sdf/sdformat_collision.h"

#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdformat_value.h"
#include "amontons/io/sdf/shapes/newer_shapes.h"

#include <sdf/Box.hh>
#include <sdf/Capsule.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Ellipsoid.hh>
#include <sdf/Geometry.hh>
#include <sdf/Heightmap.hh>
#include <sdf/Mesh.hh>
#include <sdf/Plane.hh>
#include <sdf/Sphere.hh>

namespace amontons::io {
namespace {

/// Reads the geometry of a collision.
void resolve_geometry(const sdf::Geometry& geometry, SdfCollision& result) {
  result.shape_line = line_of(geometry.Element());
  // Cones are newer than the library; the document has renamed them (sdf_document.cc).
  const sdf::ElementPtr cone = find_child(geometry.Element(), "amontons:cone");
  if (cone != nullptr) {
    result.kind = SdfShapeKind::Cone;
    result.size << number_in(cone, "radius").value_or(0), number_in(cone, "length").value_or(0), 0;
  } else if (const sdf::ElementPtr lines = find_child(geometry.Element(), kPolylines)) {
    result.kind = SdfShapeKind::Polylines;
    result.uri = lines->GetValue() != nullptr ? lines->GetValue()->GetAsString() : "";
    result.shape_line = line_of(lines);
  } else if (const sdf::Box* box = geometry.BoxShape()) {
    result.kind = SdfShapeKind::Box;
    result.size = to_vector(box->Size());
  } else if (const sdf::Sphere* sphere = geometry.SphereShape()) {
    result.kind = SdfShapeKind::Sphere;
    result.size.x() = sphere->Radius();
  } else if (const sdf::Cylinder* cylinder = geometry.CylinderShape()) {
    result.kind = SdfShapeKind::Cylinder;
    result.size << cylinder->Radius(), cylinder->Length(), 0.0;
  } else if (const sdf::Capsule* capsule = geometry.CapsuleShape()) {
    result.kind = SdfShapeKind::Capsule;
    result.size << capsule->Radius(), capsule->Length(), 0.0;
  } else if (const sdf::Ellipsoid* ellipsoid = geometry.EllipsoidShape()) {
    result.kind = SdfShapeKind::Ellipsoid;
    result.size = to_vector(ellipsoid->Radii());
  } else if (const sdf::Plane* plane = geometry.PlaneShape()) {
    result.kind = SdfShapeKind::Plane;
    result.size = to_vector(plane->Normal());
  } else if (const sdf::Mesh* mesh = geometry.MeshShape()) {
    result.kind = SdfShapeKind::Mesh;
    result.size = to_vector(mesh->Scale());
    result.uri = mesh->Uri();
    result.part = mesh->Submesh();
    result.is_centered = !result.part.empty() && mesh->CenterSubmesh();
    const sdf::ParamPtr optimization = mesh->Element()->GetAttribute(kMeshOptimization);
    result.as_hull = optimization != nullptr && optimization->GetAsString() == kConvexHull;
    result.shape_line = line_of(mesh->Element());
  } else if (const sdf::Heightmap* map = geometry.HeightmapShape()) {
    result.kind = SdfShapeKind::HeightMap;
    result.size = to_vector(map->Size());
    result.uri = map->Uri();
    result.X_LG.translation += result.X_LG.rotation * to_vector(map->Position());
    result.shape_line = line_of(map->Element());
  }
}

/// Reads the surface of a collision: friction, restitution, bit masks.
void resolve_surface(const sdf::ElementPtr& surface, SdfCollision& result) {
  if (surface == nullptr) return;
  // Friction of <ode> has precedence over that of <bullet>.
  const sdf::ElementPtr friction = find_child(surface, "friction");
  result.friction = number_in(find_child(friction, "ode"), "mu");
  if (!result.friction) result.friction = number_in(find_child(friction, "bullet"), "friction");
  result.restitution = number_in(find_child(surface, "bounce"), "restitution_coefficient");
  const sdf::ElementPtr contact = find_child(surface, "contact");
  result.only_sensed = flag_in(contact, "collide_without_contact", false);
  if (const sdf::ElementPtr bits = find_child(contact, "collide_bitmask")) {
    result.mask = result.category = bits->Get<unsigned int>();
  }
  if (const sdf::ElementPtr bits = find_child(contact, "category_bitmask")) {
    result.category = bits->Get<unsigned int>();
  }
}

}  // namespace

SdfCollision resolve_collision(const SdformatContext& context, const sdf::Collision& collision) {
  SdfCollision result;
  result.name = collision.Name();
  // Without a frame named, the pose is resolved into the link's frame.
  ignition::math::Pose3d pose;
  context.check(collision.SemanticPose().Resolve(pose));
  result.X_LG = to_pose(pose);
  result.file = collision.Element()->FilePath();
  result.line = line_of(collision.Element());
  result.density = number_in(collision.Element(), "amontons:density");
  resolve_geometry(*collision.Geom(), result);
  resolve_surface(find_child(collision.Element(), "surface"), result);
  return result;
}

}  // namespace amontons::io
