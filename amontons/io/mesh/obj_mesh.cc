#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/file_mesh.h"
#include "amontons/io/mesh/mesh_text.h"
#include "amontons/io/mesh/polygon_cut.h"
#include "amontons/math/stop.h"

#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

/// Reads the lines of an OBJ file. Vertices are numbered through the whole file, whatever objects
/// and groups it has.
class ObjReader {
 public:
  ObjReader(const std::string& bytes, const std::string& name) : text_(bytes, name), name_(name) {}

  FileMesh read() {
    do {
      const std::string_view key = text_.word_of_line();
      if (key == "v") read_vertex();
      if (key == "f" || key == "fo") read_face();
      // Texture, normals, materials and the names of groups do not collide.
    } while (text_.next_line());
    cut_faces();
    result_.is_single = text_.is_single();
    return std::move(result_);
  }

 private:
  /// Holds a face with the line that gives it.
  struct Face {
    std::vector<int> vertices;
    int line = 0;
  };

  /// Reads x, y, z; a weight or a color may follow.
  void read_vertex() {
    Eigen::Vector3d vertex;
    for (double& number : vertex) {
      const std::string_view word = text_.word_of_line();
      if (word.empty() || word[0] == '#') {
        text_.fail("a vertex needs three coordinates; export the mesh again");
      }
      number = text_.coordinate(word);
    }
    result_.mesh.vertices.push_back(vertex);
  }

  /// Reads the corners of a face: v, v/vt, v//vn or v/vt/vn each. Negative numbers count back from
  /// the last vertex.
  void read_face() {
    Face face;
    face.line = text_.line();
    for (std::string_view corner = text_.word_of_line(); !corner.empty() && corner[0] != '#';
         corner = text_.word_of_line()) {
      const long number = text_.integer(corner.substr(0, corner.find('/')));
      const auto count = static_cast<long>(result_.mesh.vertices.size());
      if (number == 0 || number < -count || number > kMostVertices) {
        text_.fail("a face names vertex " + std::to_string(number) + " of " +
                   std::to_string(count) + "; export the mesh again");
      }
      face.vertices.push_back(static_cast<int>(number > 0 ? number - 1 : count + number));
    }
    faces_.push_back(std::move(face));
  }

  /// Cuts the faces, whose vertices may follow them in the file.
  void cut_faces() {
    const auto count = static_cast<int>(result_.mesh.vertices.size());
    for (Face& face : faces_) {
      check_stop();
      for (const int v : face.vertices) {
        if (v < count) continue;
        throw ParseError(name_, face.line, 0,
                         "a face names vertex " + std::to_string(v + 1) + " of " +
                             std::to_string(count) + "; export the mesh again");
      }
      if (!cut_polygon(std::move(face.vertices), result_.mesh)) {
        throw ParseError(name_, face.line, 0, kTooManyCorners);
      }
    }
  }

  static constexpr long kMostVertices = 2'000'000'000;

  MeshText text_;
  const std::string& name_;
  std::vector<Face> faces_;
  FileMesh result_;
};

}  // namespace

FileMesh read_obj(const std::string& bytes, const std::string& name) {
  return ObjReader(bytes, name).read();
}

}  // namespace amontons::io
