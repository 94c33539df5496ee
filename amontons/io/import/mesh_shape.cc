#include "amontons/io/import/mesh_shape.h"

#include "amontons/geometry/repair/orient_outwards.h"
#include "amontons/geometry/shapes/close_holes.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/connected_components.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Returns a flat mesh with a back for each triangle. The backs have vertices of their own, so that
/// each side is one facet.
TriangleMesh with_backs(const TriangleMesh& mesh) {
  TriangleMesh result = mesh;
  const int count = static_cast<int>(mesh.vertices.size());
  result.vertices.insert(result.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
  for (const auto& [a, b, c] : mesh.triangles) {
    result.triangles.push_back({a + count, c + count, b + count});
  }
  return result;
}

/// Returns the mesh in its own shape: as a polyhedron if it is convex, else triangle by triangle. A
/// flat mesh has no outside, hence two fronts.
Shape exact_shape(const TriangleMesh& mesh, const MeshReport& report) {
  if (report.is_convex) return report.hull;
  if (report.dimension == 2) {
    return std::make_shared<const CollisionMesh>(with_backs(mesh), flatness_of_mesh(mesh));
  }
  return std::make_shared<const CollisionMesh>(mesh, flatness_of_mesh(mesh));
}

/// Returns one shape per connected component.
std::vector<Shape> shapes_of_parts(const TriangleMesh& mesh) {
  std::vector<Shape> shapes;
  for (const TriangleMesh& part : connected_components(mesh)) {
    const MeshReport report = inspect_mesh(part);
    if (!report.closed || report.inverted) {
      throw std::invalid_argument(
          "its part " + std::to_string(shapes.size() + 1) +
          (report.closed ? " is a cavity; " : " is not closed; close it in a mesh editor, or ") +
          "use collide: mesh");
    }
    shapes.push_back(exact_shape(part, report));
  }
  return shapes;
}

/// Returns the mass distribution of a mesh. What encloses no volume has that of its hull.
SolidProperties solid_of(const TriangleMesh& mesh, const MeshReport& report) {
  std::optional<TriangleMesh> closed;
  if (!report.closed) closed = close_holes(mesh);
  if (report.closed || closed) {
    const SolidProperties solid = mesh_properties(closed ? *closed : mesh);
    if (solid.volume > 0.0) return solid;
  }
  return shape_properties(report.hull);
}

/// Leaves at most `max_vertices` vertices to each polyhedron among the shapes of a mesh.
/// @param flatness  of the mesh [m].
void simplify_hulls(MeshShape& shape, int max_vertices, double flatness) {
  HullSimplification simplified;
  for (Shape& part : shape.shapes) {
    auto* hull = std::get_if<std::shared_ptr<const ConvexPolyhedron>>(&part);
    if (hull == nullptr) continue;
    const std::shared_ptr<const ConvexPolyhedron> whole = *hull;
    simplified.num_before += whole->vertices().size();
    if (whole->vertices().size() > static_cast<std::size_t>(max_vertices)) {
      *hull = std::make_shared<const ConvexPolyhedron>(whole->simplified(max_vertices, flatness));
      simplified.distance = std::max(simplified.distance, largest_distance(*whole, **hull));
    }
    simplified.num_left += (*hull)->vertices().size();
  }
  if (simplified.num_left < simplified.num_before) shape.simplified = simplified;
}

/// Returns a mesh as collision shapes with its mass distribution.
MeshShape to_mesh_shape(TriangleMesh mesh, const MeshChoice& choice) {
  if (mesh.triangles.empty()) mesh = triangulate(*hull_of_mesh(mesh));
  const MeshCollision collision = choice.collision;
  MeshShape shape;
  shape.collision = collision;
  shape.num_faces = static_cast<int>(mesh.triangles.size());
  shape.report = inspect_mesh(mesh);
  if (shape.report.dimension < 2) return shape;
  // Faces that point inwards are turned, which may close the mesh.
  OutwardMesh outward = orient_outwards(mesh);
  mesh = std::move(outward.mesh);
  shape.num_turned = outward.num_turned;
  shape.one_sided = outward.one_sided;
  if (outward.num_turned + outward.num_dropped > 0) {
    shape.report = inspect_mesh(mesh, shape.report.hull);
  }
  // A flat mesh has no hull and no parts.
  if (collision == MeshCollision::Mesh || shape.report.dimension == 2) {
    shape.shapes.push_back(exact_shape(mesh, shape.report));
  } else if (collision == MeshCollision::Parts) {
    shape.shapes = shapes_of_parts(mesh);
  } else {
    shape.shapes.emplace_back(shape.report.hull);
  }
  // The mass stays that of the mesh, or of its whole hull.
  if (choice.max_hull_vertices != kNoVertexLimit) {
    simplify_hulls(shape, choice.max_hull_vertices, flatness_of_mesh(mesh));
  }
  if (shape.report.dimension == 2) return shape;
  shape.solid = solid_of(mesh, shape.report);
  return shape;
}

/// Returns the ratio of the volumes of hull and mesh as a text: how much the hull adds.
std::string volume_ratio(const MeshReport& report) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "hull/mesh volume %.7g",
                report.hull_volume / report.mesh_volume);
  return text.data();
}

/// Says what was done to the faces of a mesh; empty where nothing was.
std::string note_of_faces(const MeshShape& shape) {
  if (shape.num_turned == shape.num_faces) return "its faces point inwards and are turned; ";
  std::string note;
  if (shape.num_turned > 0) {
    note = std::to_string(shape.num_turned) + " of its " + std::to_string(shape.num_faces) +
           " faces point inwards and are turned; ";
  }
  if (shape.one_sided) note += "no orientation of its faces is consistent; ";
  return note;
}

/// Says how many vertices are left, and how far outside the others lie.
std::string note_of_vertices(const HullSimplification& simplified) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(),
                "; %zu of %zu vertices are left, and the others lie up to %.3g m outside",
                simplified.num_left, simplified.num_before, simplified.distance);
  return text.data();
}

/// Returns the fate of a mesh by its shape, and how it collides.
/// @param usual_hull  program in which meshes collide as their hulls; null: none.
std::pair<ImportFate, std::string> fate_of_shape(const MeshShape& shape, const char* usual_hull) {
  const MeshReport& report = shape.report;
  // Approximations come first: a hull in place of a concave or open mesh, and a sheet.
  if (report.dimension == 2) {
    return {ImportFate::Approximated,
            "the mesh is flat: it collides as a sheet, from both sides, and has no volume"};
  }
  if (shape.collision == MeshCollision::Hull && !report.is_convex) {
    return {usual_hull != nullptr ? ImportFate::Applied : ImportFate::Approximated,
            std::string("collides as its convex hull, as ") +
                (usual_hull != nullptr ? std::string("in ") + usual_hull : "asked") + " (" +
                (report.closed ? volume_ratio(report) : "it is not closed") + ")"};
  }
  if (!report.closed) {
    const auto* mesh = std::get_if<std::shared_ptr<const CollisionMesh>>(&shape.shapes.front());
    const bool encloses = mesh != nullptr && (*mesh)->encloses();
    return {ImportFate::Approximated,
            encloses
                ? "the mesh is not closed: its holes are small, so that it collides and weighs "
                  "as the solid with flat lids on them"
                : "the mesh is not closed: it collides as a sheet, from its front sides, and "
                  "where its mass is not given weighs as its convex hull"};
  }
  if (shape.collision == MeshCollision::Parts) {
    return {ImportFate::Applied, "collides as " + std::to_string(shape.shapes.size()) + " parts"};
  }
  if (report.is_convex) return {ImportFate::Applied, ""};
  return {ImportFate::Applied, "collides as a mesh (" + volume_ratio(report) + ")"};
}

}  // namespace

template <typename Read>
const MeshShape& MeshShapes::make_once(const Key& key, Read read, const SourceLocation& where) {
  const std::lock_guard lock(mutex_);
  const auto known = shapes_.find(key);
  if (known != shapes_.end()) return known->second;
  // Errors of any origin are reported at the line that names the mesh.
  const std::string what = "mesh '" + std::get<0>(key) + "'";
  try {
    return shapes_.emplace(key, to_mesh_shape(read(), std::get<2>(key))).first->second;
  } catch (const ParseError& error) {
    const std::string line = error.line() > 0 ? ", line " + std::to_string(error.line()) : "";
    fail_at(where, what + line + ": " + error.message());
  } catch (const std::invalid_argument& error) {
    fail_at(where, what + ": " + error.what());
  } catch (const std::runtime_error& error) {
    fail_at(where, what + ": " + error.what());
  }
}

const MeshShape& MeshShapes::make(const std::string& name, const std::string& bytes,
                                  const Eigen::Vector3d& scale, const MeshChoice& choice,
                                  const SourceLocation& where, const MeshPart& part) {
  // The scale is part of the key, as a text that keeps all digits, and so is the part.
  const std::string text = shortest_text(scale.x()) + " " + shortest_text(scale.y()) + " " +
                           shortest_text(scale.z()) + (part.centered ? " centered " : " ") +
                           part.name;
  return make_once(
      {name, text, choice}, [&] { return parse_mesh(bytes, name, scale, part); }, where);
}

const MeshShape& MeshShapes::make(const std::string& name, const TriangleMesh& mesh,
                                  const MeshChoice& choice, const SourceLocation& where) {
  return make_once(
      {name, "as given", choice}, [&] { return mesh; }, where);
}

void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where, const char* usual_hull) {
  if (shape.shapes.empty()) {
    ledger.add(ImportFate::Ignored, element,
               "nothing there to collide: the triangles of the mesh have no area", where);
    return;
  }
  if (shape.collision == MeshCollision::None) {
    ledger.add(ImportFate::Ignored, element, "does not collide, as asked", where);
    return;
  }
  const std::string faces = note_of_faces(shape);
  auto [fate, reason] = fate_of_shape(shape, usual_hull);
  if (!faces.empty() || shape.simplified) {
    fate = ImportFate::Approximated;
    if (reason.empty()) reason = "collides as a convex polyhedron";
  }
  if (shape.simplified) reason += note_of_vertices(*shape.simplified);
  ledger.add(fate, element, faces + reason, where);
}

}  // namespace amontons::io
