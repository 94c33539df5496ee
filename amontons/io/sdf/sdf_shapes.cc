#include "amontons/io/sdf/sdf_shapes.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/import/extruded_lines.h"
#include "amontons/io/import/file_material.h"
#include "amontons/io/sdf/shapes/newer_shapes.h"
#include "amontons/io/tables/png_image.h"
#include "amontons/math/elementary.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Returns a pyramid over a regular polygon with the volume of the cone. Its axis is z, and the
/// middle of its height is at the origin.
Shape cone(double radius, double length) {
  // Equal areas, (n/2) r^2 sin a = pi radius^2 with a = 2 pi/n, give r = radius sqrt(a / sin a).
  constexpr int kSides = 64;
  const double angle = 2.0 * std::numbers::pi / kSides;
  const double reach = radius * std::sqrt(angle / elementary::sin(angle));
  std::vector<Eigen::Vector3d> points{{0.0, 0.0, 0.5 * length}};
  for (int i = 0; i < kSides; ++i) {
    points.emplace_back(reach * elementary::cos(i * angle), reach * elementary::sin(i * angle),
                        -0.5 * length);
  }
  return std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(points));
}

}  // namespace

std::vector<SceneShape> SdfShapes::make(const SdfCollision& collision, const std::string& link,
                                        const std::string& owner) {
  // There are no sensors, so that a shape that is only sensed has no effect.
  if (collision.only_sensed || collision.kind == SdfShapeKind::Empty) return {};
  const MeshChoice choice =
      context_.collide.of(owner, {collision.as_hull ? MeshCollision::Hull : MeshCollision::Mesh});
  const std::string material = material_of(collision, owner);
  std::vector<SceneShape> result;
  for (const Shape& shape : shapes_of(collision, link, choice)) {
    result.push_back({shape, collision.X_LG, material,
                      filter_of(choice.collision, {collision.category, collision.mask}),
                      collision.name});
  }
  return result;
}

std::vector<Shape> SdfShapes::shapes_of(const SdfCollision& collision, const std::string& link,
                                        const MeshChoice& choice) {
  const Eigen::Vector3d& size = collision.size;
  // The file's lengths are full lengths, as ours; a plane passes through its own origin.
  switch (collision.kind) {
    case SdfShapeKind::Box:
      return {Box{size}};
    case SdfShapeKind::Sphere:
      return {Sphere{size.x()}};
    case SdfShapeKind::Cylinder:
      return {Cylinder{size.x(), size.y()}};
    case SdfShapeKind::Capsule:
      if (size.y() == 0.0) return {Sphere{size.x()}};
      return {Capsule{size.x(), size.y()}};
    case SdfShapeKind::Cone:
      return {cone(size.x(), size.y())};
    case SdfShapeKind::Ellipsoid:
      return {Ellipsoid{size}};
    case SdfShapeKind::Plane:
      return {HalfSpace{size.normalized(), 0.0}};
    case SdfShapeKind::HeightMap:
      return {height_map_of(collision, link)};
    case SdfShapeKind::Polylines:
      return shapes_of_polylines(collision, link, choice);
    case SdfShapeKind::Mesh:
    case SdfShapeKind::Empty:
      break;
  }
  return shapes_of_mesh(collision, link, choice);
}

std::vector<Shape> SdfShapes::shapes_of_mesh(const SdfCollision& collision, const std::string& link,
                                             const MeshChoice& choice) {
  // A mesh is named relative to the file of its collision, which may be an included one.
  const SdfFile& file = document_.file_of(collision.file);
  const SourceLocation where{file.shown, collision.shape_line, 0};
  const std::string& bytes = document_.read(collision.uri, file, where);
  const MeshShape& mesh = context_.meshes.make(collision.uri, bytes, collision.size, choice, where,
                                               {collision.part, collision.is_centered});
  // A model that is included several times gets one record for each of its meshes.
  if (noted_meshes_.emplace(where.file, where.line).second) {
    note_mesh(context_.ledger, mesh,
              "link '" + link + "' collision '" + collision.name + "': geometry mesh", where);
  }
  return mesh.shapes;
}

/// Returns the prism over the polylines of a collision, which collides as a mesh does.
std::vector<Shape> SdfShapes::shapes_of_polylines(const SdfCollision& collision,
                                                  const std::string& link,
                                                  const MeshChoice& choice) {
  const SdfFile& file = document_.file_of(collision.file);
  const SourceLocation where{file.shown, collision.shape_line, 0};
  const std::string element = "link '" + link + "' collision '" + collision.name + "': polylines";
  const Polylines lines = polylines_of(collision.uri);
  TriangleMesh mesh;
  try {
    mesh = extrude_lines(lines.loops, lines.height);
  } catch (const std::invalid_argument& error) {
    fail_at(where, element + ": " + error.what());
  }
  const MeshShape& shape = context_.meshes.make("polyline " + collision.uri, mesh, choice, where);
  if (noted_meshes_.emplace(where.file, where.line).second) {
    note_mesh(context_.ledger, shape, element, where);
  }
  return shape.shapes;
}

/// Returns the terrain of an image, seen from above with y upwards. As in Gazebo, black is height
/// zero, and the largest value of the image is the height that <size> gives.
Shape SdfShapes::height_map_of(const SdfCollision& collision, const std::string& link) {
  const SdfFile& file = document_.file_of(collision.file);
  const SourceLocation where{file.shown, collision.shape_line, 0};
  const std::string& bytes = document_.read(collision.uri, file, where);
  const std::string what = "link '" + link + "': height map '" + collision.uri + "' ";
  if (!is_png(bytes)) fail_at(where, what + "is no PNG image; save it as one");
  GrayImage image;
  try {
    image = parse_png(bytes, collision.uri);
  } catch (const ParseError& error) {
    fail_at(where, what + "is damaged: " + error.message());
  }
  if (image.values.rows() < 2 || image.values.cols() < 2) {
    fail_at(where, what + "must have at least 2 x 2 pixels");
  }
  if (image.has_colors && noted_meshes_.emplace(where.file, where.line).second) {
    context_.ledger.add(ImportFate::Approximated, "link '" + link + "': height map uri",
                        "an image with colors: its red values count", where);
  }
  const double largest = image.values.maxCoeff();
  const double unit = largest > 0.0 ? collision.size.z() / largest : 0.0;
  return std::make_shared<const HeightField>(unit * image.values.colwise().reverse().transpose(),
                                             collision.size.x(), collision.size.y());
}

std::string SdfShapes::material_of(const SdfCollision& collision, const std::string& owner) {
  return add_file_material(context_.materials, owner + "/" + collision.name, collision.friction,
                           collision.restitution);
}

}  // namespace amontons::io
