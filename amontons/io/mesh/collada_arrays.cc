#include "amontons/io/mesh/collada_arrays.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/math/stop.h"

#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr const char* kRemedy = "; export the mesh again";

[[noreturn]] void fail(const std::string& file, const tinyxml2::XMLNode& node,
                       const std::string& message) {
  throw ParseError(file, node.GetLineNum(), 0, message + kRemedy);
}

std::string_view attribute(const XMLElement& element, const char* name) {
  const char* text = element.Attribute(name);
  return text == nullptr ? "" : text;
}

/// Calls take(child) for the child elements with some tag, or with any.
template <typename Take>
void for_children(const XMLElement& parent, const char* tag, const Take& take) {
  for (const XMLElement* child = parent.FirstChildElement(tag); child != nullptr;
       child = child->NextSiblingElement(tag)) {
    take(*child);
  }
}

/// Calls take(word, part) for the words of an element's text.
template <typename Take>
void for_words(const XMLElement& element, const Take& take) {
  constexpr std::string_view kSpaces = " \t\r\n";
  for (const tinyxml2::XMLNode* part = element.FirstChild(); part != nullptr;
       part = part->NextSibling()) {
    if (part->ToText() == nullptr) continue;
    const std::string_view text = part->Value();
    for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
      check_stop();
      take(text.substr(begin, end - begin), *part);
      begin = text.find_first_not_of(kSpaces, end);
    }
  }
}

/// Returns an attribute that counts something, or `otherwise` where there is none.
std::uint64_t count_of(const std::string& file, const XMLElement& element, const char* name,
                       std::uint64_t otherwise) {
  const std::string_view text = attribute(element, name);
  if (text.empty()) return otherwise;
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count <= UINT32_MAX) return count;
  fail(file, element,
       std::string("'") + name + "' of <" + element.Name() + "> must count something, not '" +
           std::string(text) + "'");
}

/// Checks the meshes of one file.
class MeshArrays {
 public:
  explicit MeshArrays(const std::string& file) : file_(file) {}

  void check(const XMLElement& mesh) {
    num_positions_.clear();
    for_children(mesh, "vertices", [&](const XMLElement& vertices) {
      for_children(vertices, "input", [&](const XMLElement& input) {
        if (attribute(input, "semantic") != "POSITION") return;
        const XMLElement* source = find_source(mesh, attribute(input, "source"));
        if (source == nullptr) return;  // assimp refuses it
        num_positions_[std::string(attribute(vertices, "id"))] = check_positions(*source);
      });
    });
    for_children(mesh, nullptr, [&](const XMLElement& primitive) { check_primitive(primitive); });
  }

 private:
  /// Returns the source that an address "#ID" names, or null.
  static const XMLElement* find_source(const XMLElement& mesh, std::string_view address) {
    const XMLElement* found = nullptr;
    for_children(mesh, "source", [&](const XMLElement& source) {
      if (address == "#" + std::string(attribute(source, "id"))) found = &source;
    });
    return found;
  }

  /// Checks numbers and accessor of a source of positions; returns how many positions it has.
  std::uint64_t check_positions(const XMLElement& source) const {
    const XMLElement* array = source.FirstChildElement("float_array");
    const XMLElement* technique = source.FirstChildElement("technique_common");
    const XMLElement* accessor =
        technique == nullptr ? nullptr : technique->FirstChildElement("accessor");
    if (array == nullptr || accessor == nullptr) return 0;  // assimp refuses it
    std::uint64_t numbers = 0;
    for_words(*array, [&](std::string_view word, const tinyxml2::XMLNode& part) {
      double number = 0.0;
      const std::string wrong = parse_number(word, number);
      if (!wrong.empty()) fail(file_, part, "a position " + wrong);
      ++numbers;
    });
    const std::uint64_t count = count_of(file_, *array, "count", numbers);
    if (count != numbers) {
      fail(file_, *array,
           "<float_array> has " + std::to_string(numbers) + " numbers where its 'count' is " +
               std::to_string(count));
    }
    std::uint64_t parameters = 0;
    for_children(*accessor, "param", [&](const XMLElement&) { ++parameters; });
    const std::uint64_t stride = count_of(file_, *accessor, "stride", 1);
    if (parameters < 3 || stride < parameters) {
      fail(file_, *accessor,
           "<accessor> of positions has " + std::to_string(parameters) + " <param> at a 'stride' " +
               "of " + std::to_string(stride) +
               ": it needs x, y and z, and a stride of their number");
    }
    return count_of(file_, *accessor, "count", 0);
  }

  /// Holds how the indices of a primitive follow each other.
  struct Layout {
    std::uint64_t stride = 0;     ///< indices of one corner
    std::uint64_t at = 0;         ///< place of that of the position
    std::uint64_t positions = 0;  ///< number of them
  };

  /// Returns the layout of a primitive; nothing where it has no positions.
  std::optional<Layout> layout_of(const XMLElement& primitive) const {
    std::optional<Layout> layout;
    std::uint64_t last = 0;
    for_children(primitive, "input", [&](const XMLElement& input) {
      const std::uint64_t offset = count_of(file_, input, "offset", 0);
      last = std::max(last, offset);
      const std::string_view source = attribute(input, "source");
      if (attribute(input, "semantic") != "VERTEX" || source.empty()) return;
      const auto known = num_positions_.find(std::string(source.substr(1)));
      if (known != num_positions_.end()) layout = Layout{0, offset, known->second};
    });
    if (layout) layout->stride = last + 1;
    return layout;
  }

  /// Checks the indices of one <p>; returns their number.
  std::uint64_t check_indices(const XMLElement& p, const Layout& layout) const {
    std::uint64_t number = 0;
    for_words(p, [&](std::string_view word, const tinyxml2::XMLNode& part) {
      if (word.starts_with('+')) word.remove_prefix(1);
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
      const bool is_integer = error == std::errc() && end == word.data() + word.size();
      const bool is_position = number % layout.stride == layout.at;
      const std::uint64_t beyond = is_position ? layout.positions : UINT32_MAX;
      if (!is_integer || index < 0 || static_cast<std::uint64_t>(index) >= beyond) {
        fail(file_, part,
             "index '" + std::string(word) + "' of <p> names none of " + std::to_string(beyond) +
                 (is_position ? " positions" : " values"));
      }
      ++number;
    });
    return number;
  }

  void check_primitive(const XMLElement& primitive) const {
    const std::string_view tag = primitive.Name();
    const bool has_list = tag == "triangles" || tag == "polylist" || tag == "lines";
    const bool has_strips = tag == "polygons" || tag == "trifans" || tag == "tristrips";
    if (!has_list && !has_strips) return;
    const std::optional<Layout> layout = layout_of(primitive);
    if (!layout) return;
    std::uint64_t number = 0;
    for_children(primitive, "p", [&](const XMLElement& p) {
      const std::uint64_t own = check_indices(p, *layout);
      const bool is_whole = own % layout->stride == 0;
      if (has_strips && !(is_whole && own >= 3 * layout->stride)) {
        fail(file_, p,
             "<p> has " + std::to_string(own) + " indices, where a corner has " +
                 std::to_string(layout->stride) + " and a polygon three corners");
      }
      number += own;
    });
    if (!has_list) return;
    const std::uint64_t corners = num_corners(primitive, tag);
    if (number == corners * layout->stride) return;
    fail(file_, primitive,
         "<" + std::string(tag) + "> has " + std::to_string(number) +
             " indices, its counts ask for " + std::to_string(corners * layout->stride));
  }

  /// Returns how many corners the counts of a list of polygons ask for.
  std::uint64_t num_corners(const XMLElement& primitive, std::string_view tag) const {
    const std::uint64_t count = count_of(file_, primitive, "count", 0);
    if (tag != "polylist") return count * (tag == "lines" ? 2 : 3);
    std::uint64_t corners = 0, polygons = 0;
    const XMLElement* counts = primitive.FirstChildElement("vcount");
    if (counts != nullptr) {
      for_words(*counts, [&](std::string_view word, const tinyxml2::XMLNode& part) {
        std::uint32_t own = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), own);
        if (error != std::errc() || end != word.data() + word.size()) {
          fail(file_, part,
               "<vcount> must hold numbers of corners, not '" + std::string(word) + "'");
        }
        corners += own;
        ++polygons;
      });
    }
    if (polygons == count) return corners;
    fail(file_, primitive,
         "<polylist> has " + std::to_string(polygons) +
             " numbers of corners where its 'count' is " + std::to_string(count));
  }

  const std::string& file_;
  std::map<std::string, std::uint64_t> num_positions_;  // by the identifier of <vertices>
};

/// Checks the length of a unit [m].
void check_unit(const XMLElement& root, const std::string& file) {
  const XMLElement* asset = root.FirstChildElement("asset");
  const XMLElement* unit = asset == nullptr ? nullptr : asset->FirstChildElement("unit");
  if (unit == nullptr || unit->Attribute("meter") == nullptr) return;
  double meter = 0.0;
  if (parse_number(unit->Attribute("meter"), meter).empty() && meter > 0.0) return;
  fail(file, *unit,
       "'meter' of <unit> must be a positive number, not '" +
           std::string(unit->Attribute("meter")) + "'");
}

}  // namespace

void check_collada_arrays(const XMLElement& root, const std::string& file) {
  check_unit(root, file);
  MeshArrays arrays(file);
  for_children(root, "library_geometries", [&](const XMLElement& library) {
    for_children(library, "geometry", [&](const XMLElement& geometry) {
      for (const char* kind : {"mesh", "convex_mesh"}) {
        for_children(geometry, kind, [&](const XMLElement& mesh) { arrays.check(mesh); });
      }
    });
  });
}

}  // namespace amontons::io
