#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace amontons::io {

/// Names the ways in which a PLY file writes its numbers.
enum class PlyFormat { Text, LittleEndian, BigEndian };
/// Names the types of its numbers.
enum class PlyType { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float, Double };

/// Returns the size of a number [bytes].
std::size_t size_of(PlyType type);

/// Describes one property of an element: a number, or a list with its length before it.
struct PlyProperty {
  std::string name;
  bool is_list = false;
  PlyType length = PlyType::UInt8;  ///< type of a list's length
  PlyType type = PlyType::Float;
};

/// Describes the elements of one kind: so many rows, each with all properties in order.
struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

/// Holds the header of a PLY file.
struct PlyHeader {
  PlyFormat format = PlyFormat::Text;
  std::vector<PlyElement> elements;  ///< in the order of their rows
  std::size_t size = 0;              ///< [bytes], with the line end behind `end_header`
  int lines = 0;                     ///< lines of the header
};

/// Reads the header of a PLY file.
/// @throws ParseError with the line of a fault.
PlyHeader read_ply_header(const std::string& bytes, const std::string& name);

}  // namespace amontons::io
