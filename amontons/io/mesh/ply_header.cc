#include "amontons/io/mesh/ply_header.h"

#include "amontons/io/mesh/mesh_text.h"

#include <map>
#include <string_view>

namespace amontons::io {
namespace {

/// Returns the type of a name; both sets of names are in use.
PlyType type_of(std::string_view word, const MeshText& text) {
  static const std::map<std::string_view, PlyType> kTypes{
      {"char", PlyType::Int8},     {"int8", PlyType::Int8},     {"uchar", PlyType::UInt8},
      {"uint8", PlyType::UInt8},   {"short", PlyType::Int16},   {"int16", PlyType::Int16},
      {"ushort", PlyType::UInt16}, {"uint16", PlyType::UInt16}, {"int", PlyType::Int32},
      {"int32", PlyType::Int32},   {"uint", PlyType::UInt32},   {"uint32", PlyType::UInt32},
      {"float", PlyType::Float},   {"float32", PlyType::Float}, {"double", PlyType::Double},
      {"float64", PlyType::Double}};
  const auto found = kTypes.find(word);
  if (found == kTypes.end()) {
    text.fail("'" + std::string(word) + "' is no type of a PLY file; export the mesh again");
  }
  return found->second;
}

PlyFormat read_format(MeshText& text) {
  const std::string_view word = text.word_of_line();
  if (word == "ascii") return PlyFormat::Text;
  if (word == "binary_little_endian") return PlyFormat::LittleEndian;
  if (word == "binary_big_endian") return PlyFormat::BigEndian;
  text.fail("'" + std::string(word) + "' is no format of a PLY file; export the mesh again");
}

PlyElement read_element(MeshText& text) {
  PlyElement element;
  element.name = text.word_of_line();
  const long count = text.integer(text.word_of_line());
  if (count < 0) text.fail("the number of elements is negative; export the mesh again");
  element.count = static_cast<std::size_t>(count);
  return element;
}

PlyProperty read_property(MeshText& text) {
  PlyProperty property;
  std::string_view word = text.word_of_line();
  property.is_list = word == "list";
  if (property.is_list) {
    property.length = type_of(text.word_of_line(), text);
    if (property.length == PlyType::Float || property.length == PlyType::Double) {
      text.fail("the length of a list is no integer; export the mesh again");
    }
    word = text.word_of_line();
  }
  property.type = type_of(word, text);
  property.name = text.word_of_line();
  return property;
}

}  // namespace

std::size_t size_of(PlyType type) {
  switch (type) {
    case PlyType::Int8:
    case PlyType::UInt8:
      return 1;
    case PlyType::Int16:
    case PlyType::UInt16:
      return 2;
    case PlyType::Double:
      return 8;
    default:
      return 4;
  }
}

PlyHeader read_ply_header(const std::string& bytes, const std::string& name) {
  MeshText text(bytes, name);
  PlyHeader header;
  if (text.word_of_line() != "ply") text.fail("a PLY file starts with 'ply'; this is another one");
  bool has_format = false;
  while (text.next_line()) {
    const std::string_view key = text.word_of_line();
    if (key == "end_header") {
      if (!has_format) text.fail("the header gives no format; export the mesh again");
      if (!text.next_line()) text.fail("the file ends with its header; copy or export it again");
      header.size = bytes.size() - text.rest().size();
      header.lines = text.line() - 1;
      return header;
    }
    if (key == "format") {
      header.format = read_format(text);
      has_format = true;
    } else if (key == "element") {
      header.elements.push_back(read_element(text));
    } else if (key == "property") {
      if (header.elements.empty()) text.fail("a property belongs to no element");
      header.elements.back().properties.push_back(read_property(text));
    } else if (key != "comment" && key != "obj_info" && !key.empty()) {
      text.fail("'" + std::string(key.substr(0, 40)) +
                "' is no word of a PLY header; export the mesh again");
    }
  }
  text.fail("the header has no end; copy or export the file again");
}

}  // namespace amontons::io
