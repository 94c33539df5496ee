#include "amontons/io/common/parse_error.h"
#include "amontons/io/mesh/file_mesh.h"
#include "amontons/io/mesh/mesh_bytes.h"
#include "amontons/io/mesh/mesh_text.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>

namespace amontons::io {
namespace {

constexpr std::size_t kHeaderSize = 80, kFacetSize = 50;  // [bytes]

/// Returns the number of facets that a binary file states, 0 for a file too short to state it.
std::size_t stated_facets(const std::string& bytes) {
  if (bytes.size() < kHeaderSize + 4) return 0;
  return MeshBytes(bytes, kHeaderSize, "").read<std::uint32_t>();
}

/// Returns true for a file in text form. Binary headers may begin with "solid" as well; then the
/// size fits the number of facets, or there are bytes that no text has.
bool is_text(const std::string& bytes) {
  const std::size_t facets = stated_facets(bytes);
  if (facets > 0 && bytes.size() == kHeaderSize + 4 + kFacetSize * facets) return false;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return true;
  std::string start = bytes.substr(first, 5);
  for (char& c : start) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return start == "solid" && bytes.find('\0') == std::string::npos;
}

/// Adds a triangle with corners of its own.
void add_triangle(const std::array<Eigen::Vector3d, 3>& corners, TriangleMesh& mesh) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
}

FileMesh read_binary(const std::string& bytes, const std::string& name) {
  MeshBytes file(bytes, 0, name);
  file.need(1, kHeaderSize + 4, "header");
  file.skip(kHeaderSize);
  const std::size_t facets = file.read<std::uint32_t>();
  file.need(facets, kFacetSize, "facets");
  // Some programs write a few bytes behind the last facet.
  const std::size_t room = (bytes.size() - kHeaderSize - 4) / kFacetSize;
  if (room > facets) {
    throw ParseError(name, 0, 0,
                     "its header counts " + std::to_string(facets) + " facets, the file has " +
                         std::to_string(room) + "; export the mesh again");
  }
  FileMesh result;
  for (std::size_t f = 0; f < facets; ++f) {
    check_stop();
    file.skip(3 * sizeof(float));  // the normal follows from the corners
    std::array<Eigen::Vector3d, 3> corners;
    for (Eigen::Vector3d& corner : corners) {
      for (double& number : corner) {
        const std::size_t place = file.place();
        number = static_cast<double>(file.read<float>());
        if (!std::isfinite(number)) {
          throw ParseError(name, 0, 0,
                           "byte " + std::to_string(place) +
                               ": a coordinate is not finite; export the mesh again");
        }
      }
    }
    file.skip(sizeof(std::uint16_t));
    add_triangle(corners, result.mesh);
  }
  return result;
}

/// Reads the words of an STL file in text form.
class TextReader {
 public:
  TextReader(const std::string& bytes, const std::string& name) : text_(bytes, name) {}

  FileMesh read() {
    bool ended = true;
    for (std::string_view word = text_.word(); !word.empty(); word = text_.word()) {
      if (is(word, "solid") || is(word, "endsolid")) {
        ended = is(word, "endsolid");
        text_.next_line();  // the name, which may have any words
      } else if (is(word, "facet")) {
        read_facet();
      } else {
        text_.fail("'" + std::string(word.substr(0, 40)) +
                   "' is no word of an STL file; export the mesh again");
      }
    }
    if (!ended) text_.fail("the file ends without 'endsolid': copy or export it again");
    result_.is_single = text_.is_single();
    return std::move(result_);
  }

 private:
  static bool is(std::string_view word, std::string_view wanted) {
    return word.size() == wanted.size() &&
           std::equal(word.begin(), word.end(), wanted.begin(), [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == b;
           });
  }

  void expect(std::string_view wanted) {
    const std::string_view word = text_.word();
    if (is(word, wanted)) return;
    text_.fail("a facet has '" + std::string(word.substr(0, 40)) + "' where it needs '" +
               std::string(wanted) + "'" + (word.empty() ? ": the file is cut short" : "") +
               "; copy or export it again");
  }

  /// Reads the rest of a facet; its normal follows from the corners.
  void read_facet() {
    expect("normal");
    for (int k = 0; k < 3; ++k) text_.word();
    expect("outer");
    expect("loop");
    std::array<Eigen::Vector3d, 3> corners;
    for (Eigen::Vector3d& corner : corners) {
      expect("vertex");
      for (double& number : corner) number = text_.coordinate(text_.word());
    }
    expect("endloop");
    expect("endfacet");
    add_triangle(corners, result_.mesh);
  }

  MeshText text_;
  FileMesh result_;
};

}  // namespace

FileMesh read_stl(const std::string& bytes, const std::string& name) {
  return is_text(bytes) ? TextReader(bytes, name).read() : read_binary(bytes, name);
}

}  // namespace amontons::io
