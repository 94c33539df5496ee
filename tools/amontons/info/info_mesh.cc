#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/import/mesh_file.h"
#include "tools/amontons/info/info.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace amontons::cli {
namespace {

std::vector<double> numbers(const Eigen::Ref<const Eigen::VectorXd>& v) {
  return {v.begin(), v.end()};
}

}  // namespace

nlohmann::ordered_json describe_mesh(const std::string& file) {
  const TriangleMesh mesh = io::load_mesh(file, Eigen::Vector3d::Ones());
  const io::MeshReport report = io::inspect_mesh(mesh);
  const SolidProperties solid = mesh_properties(mesh);

  // The bounding box in the frame of the file.
  Eigen::Vector3d lower = mesh.vertices.front(), upper = lower;
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  const Eigen::Matrix3d& I = solid.inertia;
  nlohmann::ordered_json result = {{"file", file},
                                   {"kind", "mesh"},
                                   {"vertices", mesh.vertices.size()},
                                   {"triangles", mesh.triangles.size()},
                                   {"lower_corner", numbers(lower)},
                                   {"upper_corner", numbers(upper)},
                                   {"closed", report.closed},
                                   {"inverted", report.inverted},
                                   {"volume", report.mesh_volume}};

  // An open mesh has no center of mass and no inertia.
  if (report.closed) {
    result["center_of_mass"] = numbers(solid.center);
    result["inertia_at_unit_density"] = {{"ixx", I(0, 0)}, {"iyy", I(1, 1)}, {"izz", I(2, 2)},
                                         {"ixy", I(0, 1)}, {"ixz", I(0, 2)}, {"iyz", I(1, 2)}};
  }
  // A flat mesh has no hull.
  if (report.dimension < 3) return result;
  const std::shared_ptr<const ConvexPolyhedron> hull = io::hull_of_mesh(mesh);
  result["hull"] = {{"volume", report.hull_volume},
                    {"vertices", hull->vertices().size()},
                    {"faces", hull->faces().size()}};
  return result;
}

}  // namespace amontons::cli
