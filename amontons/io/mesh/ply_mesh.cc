#include "amontons/io/mesh/file_mesh.h"
#include "amontons/io/mesh/mesh_bytes.h"
#include "amontons/io/mesh/mesh_text.h"
#include "amontons/io/mesh/ply_header.h"
#include "amontons/io/mesh/polygon_cut.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace amontons::io {
namespace {

/// Reads the numbers of a PLY file in text form.
class TextNumbers {
 public:
  TextNumbers(const std::string& bytes, const PlyHeader& header, const std::string& name)
      : text_(std::string_view(bytes).substr(header.size), name, header.lines + 1) {}

  double coordinate(PlyType) { return text_.coordinate(next()); }
  long integer(PlyType) { return text_.integer(next()); }
  void pass(PlyType) { next(); }
  /// Each row has a number at least, and a number two bytes with the blank behind it.
  void need_rows(std::size_t count, std::size_t) const {
    if (count > text_.rest().size()) cut_short();
  }
  bool is_single(PlyType) const { return text_.is_single(); }
  [[noreturn]] void fail(const std::string& message) const { text_.fail(message); }

 private:
  std::string_view next() {
    const std::string_view word = text_.word();
    if (word.empty()) cut_short();
    return word;
  }
  [[noreturn]] void cut_short() const {
    text_.fail(
        "the file is cut short: it has fewer rows than its header says; copy or export it "
        "again");
  }

  MeshText text_;
};

/// Reads the numbers of a binary PLY file.
class BinaryNumbers {
 public:
  BinaryNumbers(const std::string& bytes, const PlyHeader& header, const std::string& name)
      : bytes_(bytes, header.size, name,
               header.format == PlyFormat::BigEndian ? std::endian::big : std::endian::little) {}

  double coordinate(PlyType type) {
    const double number = type == PlyType::Float    ? static_cast<double>(bytes_.read<float>())
                          : type == PlyType::Double ? bytes_.read<double>()
                                                    : static_cast<double>(integer(type));
    if (!std::isfinite(number)) bytes_.fail("the coordinate before it is not finite");
    return number;
  }
  long integer(PlyType type) {
    switch (type) {
      case PlyType::Int8:
        return bytes_.read<std::int8_t>();
      case PlyType::UInt8:
        return bytes_.read<std::uint8_t>();
      case PlyType::Int16:
        return bytes_.read<std::int16_t>();
      case PlyType::UInt16:
        return bytes_.read<std::uint16_t>();
      case PlyType::Int32:
        return bytes_.read<std::int32_t>();
      case PlyType::UInt32:
        return bytes_.read<std::uint32_t>();
      default:
        bytes_.fail("a list of vertices has numbers that are no integers; export the mesh again");
    }
  }
  void pass(PlyType type) { bytes_.skip(size_of(type)); }
  void need_rows(std::size_t count, std::size_t size) const {
    bytes_.need(count, std::max<std::size_t>(size, 1), "rows");
  }
  bool is_single(PlyType type) const { return type != PlyType::Double; }
  [[noreturn]] void fail(const std::string& message) const { bytes_.fail(message); }

 private:
  MeshBytes bytes_;
};

/// Reads the rows of a PLY file; Numbers is one of the two classes above.
template <typename Numbers>
class PlyReader {
 public:
  explicit PlyReader(Numbers numbers) : numbers_(std::move(numbers)) {}

  FileMesh read(const PlyHeader& header) {
    for (const PlyElement& element : header.elements) {
      check_rows(element);
      for (std::size_t row = 0; row < element.count; ++row) {
        check_stop();
        read_row(element);
      }
    }
    const auto count = static_cast<long>(result_.mesh.vertices.size());
    for (std::vector<int>& face : faces_) {
      check_stop();
      for (const int v : face) {
        if (v >= count) {
          numbers_.fail("a face names vertex " + std::to_string(v) + " of " +
                        std::to_string(count) + "; export the mesh again");
        }
      }
      if (!cut_polygon(std::move(face), result_.mesh)) numbers_.fail(kTooManyCorners);
    }
    result_.is_single = numbers_.is_single(coordinates_);
    return std::move(result_);
  }

 private:
  /// Checks that the file is long enough for an element, and that it is one of a mesh.
  void check_rows(const PlyElement& element) {
    std::size_t size = 0;
    int found = 0;
    for (const PlyProperty& property : element.properties) {
      size += size_of(property.is_list ? property.length : property.type);
      const bool coordinate = axis_of(property) >= 0;
      found += coordinate ? 1 : 0;
      if (coordinate && element.name == "vertex") coordinates_ = property.type;
    }
    numbers_.need_rows(element.count, size);
    if (element.properties.empty() && element.count > 0) {
      numbers_.fail("the rows of '" + element.name + "' have no properties; export the mesh again");
    }
    if (element.name == "vertex" && found != 3) {
      numbers_.fail("the vertices have no x, y and z; export the mesh again");
    }
    if (element.name == "tristrips" && element.count > 0) {
      numbers_.fail("strips of triangles cannot be read; export the mesh with faces");
    }
  }

  static int axis_of(const PlyProperty& property) {
    if (property.is_list) return -1;
    if (property.name == "x") return 0;
    if (property.name == "y") return 1;
    return property.name == "z" ? 2 : -1;
  }

  /// Reads one row: a vertex, a face, or one of another kind, which is passed over.
  void read_row(const PlyElement& element) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    Eigen::Vector3d vertex = Eigen::Vector3d::Zero();
    for (const PlyProperty& property : element.properties) {
      const int axis = axis_of(property);
      if (is_vertex && axis >= 0) {
        vertex[axis] = numbers_.coordinate(property.type);
      } else if (!property.is_list) {
        numbers_.pass(property.type);
      } else {
        const bool corners =
            is_face && (property.name == "vertex_indices" || property.name == "vertex_index");
        read_list(property, corners);
      }
    }
    if (is_vertex) result_.mesh.vertices.push_back(vertex);
  }

  void read_list(const PlyProperty& property, bool corners) {
    const long length = numbers_.integer(property.length);
    if (length < 0) numbers_.fail("a list has a negative length; export the mesh again");
    numbers_.need_rows(static_cast<std::size_t>(length), size_of(property.type));
    std::vector<int> face;
    for (long k = 0; k < length; ++k) {
      if (!corners) {
        numbers_.pass(property.type);
        continue;
      }
      const long v = numbers_.integer(property.type);
      if (v < 0 || v > kMostVertices) {
        numbers_.fail("a face names vertex " + std::to_string(v) + "; export the mesh again");
      }
      face.push_back(static_cast<int>(v));
    }
    if (corners) faces_.push_back(std::move(face));
  }

  static constexpr long kMostVertices = 2'000'000'000;

  Numbers numbers_;
  PlyType coordinates_ = PlyType::Float;
  std::vector<std::vector<int>> faces_;
  FileMesh result_;
};

}  // namespace

FileMesh read_ply(const std::string& bytes, const std::string& name) {
  const PlyHeader header = read_ply_header(bytes, name);
  if (header.format == PlyFormat::Text) {
    return PlyReader(TextNumbers(bytes, header, name)).read(header);
  }
  return PlyReader(BinaryNumbers(bytes, header, name)).read(header);
}

}  // namespace amontons::io
