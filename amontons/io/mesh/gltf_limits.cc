#include "amontons/io/mesh/gltf_limits.h"

#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/mesh/assimp_limits.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic = "glTF";
/// Place of the length of the JSON text in a binary file, and of the text itself, in both versions
/// of the format [bytes].
constexpr std::size_t kLengthAt = 12, kTextAt = 20;

/// Throws the error of a file that says to hold more than it has.
[[noreturn]] void fail_beyond_end(const std::string& name, const std::string& what, double claimed,
                                  std::size_t size) {
  throw ParseError(
      name, 0, 0,
      what + " has " + shortest_text(claimed) + " bytes, but the file " + std::to_string(size));
}

/// Returns the JSON text of a file.
std::string_view text_of(const std::string& bytes, const std::string& name) {
  const std::string_view all = bytes;
  if (!all.starts_with(kMagic) || all.size() < kTextAt) return all;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + kLengthAt, sizeof length);
  if (length > all.size()) fail_beyond_end(name, "its JSON text", length, all.size());
  return all.substr(kTextAt, length);
}

/// Parses the text of a file. It refuses names that an object gives twice, of which assimp takes
/// the first, and others the last.
Json document_of(std::string_view text, const std::string& name) {
  std::vector<std::set<std::string>> names;  // of the objects that are open
  const auto note = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key &&
        !names.back().insert(value.get<std::string>()).second) {
      throw ParseError(name, 0, 0, "gives '" + value.get<std::string>() + "' twice in one object");
    }
    return true;
  };
  // Binary files may end in zeros.
  text = text.substr(0, text.find_last_not_of('\0') + 1);
  try {
    return Json::parse(text, note);
  } catch (const Json::parse_error& error) {
    throw ParseError(name, 0, 0,
                     "its text is no JSON in UTF-8: a fault at byte " + std::to_string(error.byte));
  } catch (const Json::out_of_range&) {
    throw ParseError(name, 0, 0, "its text has a number beyond the range of a double");
  }
}

/// Refuses buffers that are part of a file and longer than it: assimp allocates them first.
void check_buffers(const Json& document, std::size_t size, const std::string& name) {
  const auto buffers = document.find("buffers");
  if (buffers == document.end()) return;
  for (const Json& buffer : *buffers) {
    if (!buffer.is_object() || buffer.contains("uri")) continue;
    const auto length = buffer.find("byteLength");
    if (length == buffer.end() || !length->is_number()) continue;
    const double claimed = length->get<double>();
    if (claimed > static_cast<double>(size)) fail_beyond_end(name, "a buffer", claimed, size);
  }
}

/// Returns the largest depth of nested values of a JSON text.
std::size_t json_depth(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;  // whatever it escapes
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// Counts the nodes that assimp makes of one node: it copies each child, whoever shares it. Nodes
/// have indices, in version 1 of the format names.
class CountOfNodes {
 public:
  CountOfNodes(const Json& nodes, const std::string& file) : nodes_(nodes), file_(file) {}

  /// Returns the number of nodes that a node becomes, itself with it.
  double count(const Json& name) { return size_of(name, 0).nodes; }

 private:
  struct Size {
    double nodes = 1.0;
    std::size_t depth = 1;
  };

  /// Returns the node of an index or name, or null.
  const Json* node_of(const Json& name) const {
    if (name.is_number_unsigned() && nodes_.is_array()) {
      const auto index = name.get<std::size_t>();
      return index < nodes_.size() ? &nodes_[index] : nullptr;
    }
    if (!name.is_string() || !nodes_.is_object()) return nullptr;
    const auto found = nodes_.find(name.get<std::string>());
    return found == nodes_.end() ? nullptr : &*found;
  }

  [[noreturn]] void fail(const Json& name, const std::string& message) const {
    throw ParseError(file_, 0, 0, "node " + name.dump() + " " + message + " by 'children'");
  }

  Size size_of(const Json& name, std::size_t outer) {
    const Json* node = node_of(name);
    if (node == nullptr || !node->is_object()) return {};
    const auto known = sizes_.find(node);
    if (known != sizes_.end()) return known->second;
    if (!open_.insert(node).second) fail(name, "holds itself");
    if (outer > kMaxMeshDepth) fail(name, "lies more than 500 deep");
    Size size;
    const auto children = node->find("children");
    if (children != node->end() && children->is_array()) {
      for (const Json& child : *children) {
        const Size part = size_of(child, outer + 1);
        size.nodes += part.nodes;
        size.depth = std::max(size.depth, part.depth + 1);
      }
    }
    if (size.nodes > kMostMeshNodes) fail(name, "makes more than 100000 nodes");
    if (size.depth > kMaxMeshDepth) fail(name, "nests others more than 500 deep");
    open_.erase(node);
    sizes_.emplace(node, size);
    return size;
  }

  const Json& nodes_;
  const std::string& file_;
  std::map<const Json*, Size> sizes_;
  std::set<const Json*> open_;
};

}  // namespace

bool is_gltf(const std::string& bytes, const std::string& name) {
  if (bytes.starts_with(kMagic)) return true;
  const std::string ending = file_ending(name);
  return ending == ".gltf" || ending == ".glb";
}

void check_gltf(const std::string& bytes, const std::string& name) {
  const std::string_view text = text_of(bytes, name);
  if (const std::size_t depth = json_depth(text); depth > kMaxMeshDepth) {
    throw ParseError(name, 0, 0,
                     "its values are nested " + std::to_string(depth) + " deep, at most " +
                         std::to_string(kMaxMeshDepth) + " are read");
  }
  const Json document = document_of(text, name);
  if (!document.is_object()) return;
  check_buffers(document, bytes.size(), name);
  if (!document.contains("nodes")) return;
  CountOfNodes nodes(document["nodes"], name);
  const Json scenes = document.value("scenes", Json::object());
  double total = 0.0;
  for (const Json& scene : scenes) {
    if (!scene.is_object() || !scene.contains("nodes")) continue;
    for (const Json& root : scene["nodes"]) total += nodes.count(root);
    if (total <= kMostMeshNodes) continue;
    throw ParseError(name, 0, 0, "its scenes make more than 100000 nodes");
  }
}

}  // namespace amontons::io
