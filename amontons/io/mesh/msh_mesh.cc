#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/file_mesh.h"
#include "amontons/io/mesh/mesh_bytes.h"
#include "amontons/math/stop.h"

#include <cmath>
#include <cstdint>

namespace amontons::io {

// The file holds four counts (vertices, normals, texture coordinates, faces) and then the arrays in
// this order, all in 32 bits.
FileMesh read_msh(const std::string& bytes, const std::string& name) {
  if (bytes.starts_with("$MeshFormat")) {
    throw ParseError(name, 1, 0, "the file is one of Gmsh; export its surface as STL");
  }
  MeshBytes file(bytes, 0, name);
  std::array<std::size_t, 4> counts{};
  for (std::size_t& count : counts) {
    const auto number = file.read<std::int32_t>();
    if (number < 0) file.fail("a count is negative: this is no MSH file of MuJoCo");
    count = static_cast<std::size_t>(number);
  }
  const auto [vertices, normals, texture, faces] = counts;
  const std::size_t numbers = 3 * vertices + 3 * normals + 2 * texture + 3 * faces;
  if (file.left() != 4 * numbers) {
    file.fail("the counts ask for " + std::to_string(4 * numbers) + " bytes, " +
              std::to_string(file.left()) +
              " follow: the file is cut short, or no MSH file of MuJoCo; copy or export it again");
  }
  FileMesh result;
  for (std::size_t v = 0; v < vertices; ++v) {
    check_stop();
    Eigen::Vector3d vertex;
    for (double& number : vertex) {
      number = static_cast<double>(file.read<float>());
      if (!std::isfinite(number)) file.fail("the coordinate before it is not finite");
    }
    result.mesh.vertices.push_back(vertex);
  }
  file.skip(4 * (3 * normals + 2 * texture));
  for (std::size_t f = 0; f < faces; ++f) {
    check_stop();
    std::array<int, 3> triangle{};
    for (int& v : triangle) {
      v = file.read<std::int32_t>();
      if (v < 0 || static_cast<std::size_t>(v) >= vertices) {
        file.fail("the face before it names vertex " + std::to_string(v) + " of " +
                  std::to_string(vertices) + "; export the mesh again");
      }
    }
    result.mesh.triangles.push_back(triangle);
  }
  return result;
}

}  // namespace amontons::io
