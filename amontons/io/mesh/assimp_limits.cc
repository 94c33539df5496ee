#include "amontons/io/mesh/assimp_limits.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/xml_depth.h"
#include "amontons/io/mesh/collada_arrays.h"
#include "amontons/io/mesh/gltf_limits.h"

#include <assimp/scene.h>
#include <tinyxml2.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// Vertices of all nodes together at most.
constexpr double kMostVertices = 3e7;

/// Returns an attribute; empty where there is none.
std::string text_of(const XMLElement& element, const char* attribute) {
  const char* text = element.Attribute(attribute);
  return text == nullptr ? "" : text;
}

/// Counts the nodes that assimp makes of one visual scene. As there, `<instance_node>` names a node
/// of a library or a whole scene by its identifier, else the first node of this scene whose name or
/// identifier it is.
class CountOfNodes {
 public:
  CountOfNodes(const std::map<std::string, const XMLElement*>& library, const std::string& file,
               const XMLElement& scene)
      : library_(library), file_(file) {
    add_names(scene);
  }

  void check(const XMLElement& scene) { count(scene, 0); }

 private:
  /// Says how many nodes an element becomes, itself with it, and how deep they are nested.
  struct Size {
    double nodes = 1.0;
    std::size_t depth = 1;
  };

  void add_names(const XMLElement& node) {
    named_.emplace(text_of(node, "name"), &node);
    named_.emplace(text_of(node, "id"), &node);
    for (const XMLElement* child = node.FirstChildElement("node"); child != nullptr;
         child = child->NextSiblingElement("node")) {
      add_names(*child);
    }
  }

  [[noreturn]] void fail(const XMLElement& node, const std::string& message) const {
    throw ParseError(file_, node.GetLineNum(), 0,
                     "node '" + text_of(node, "id") + "' " + message + " by <instance_node>");
  }

  /// Returns the element that an instance names, or null.
  const XMLElement* target_of(const XMLElement& instance) const {
    const std::string url = text_of(instance, "url"), id = url.empty() ? "" : url.substr(1);
    for (const auto* elements : {&library_, &named_}) {
      const auto found = elements->find(id);
      if (found != elements->end()) return found->second;
    }
    return nullptr;
  }

  Size count(const XMLElement& node, std::size_t outer) {
    const auto known = sizes_.find(&node);
    if (known != sizes_.end()) return known->second;
    if (!open_.insert(&node).second) fail(node, "holds itself");
    if (outer > kMaxMeshDepth) fail(node, "nests others more than 500 deep");
    // Children, and copies of others.
    Size size;
    for (const XMLElement* child = node.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      const std::string_view tag = child->Name();
      const XMLElement* inner = tag == "node"            ? child
                                : tag == "instance_node" ? target_of(*child)
                                                         : nullptr;
      if (inner == nullptr) continue;
      const Size part = count(*inner, outer + 1);
      size.nodes += part.nodes;
      size.depth = std::max(size.depth, part.depth + 1);
    }
    if (size.nodes > kMostMeshNodes) fail(node, "makes more than 100000 nodes");
    if (size.depth > kMaxMeshDepth) fail(node, "nests others more than 500 deep");
    open_.erase(&node);
    sizes_.emplace(&node, size);
    return size;
  }

  const std::map<std::string, const XMLElement*>& library_;
  const std::string& file_;
  std::map<std::string, const XMLElement*> named_;  // in the order of the scene
  std::map<const XMLElement*, Size> sizes_;
  std::set<const XMLElement*> open_;
};

/// Refuses indices of primitives, `<p>` within a `<geometry>`, that are no integers: assimp stays
/// at such a letter until memory ends.
/// @param in_geometry  true: the element is within a <geometry>.
void check_indices(const XMLElement& element, bool in_geometry, const std::string& file) {
  const std::string_view tag = element.Name();
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    check_indices(*child, in_geometry || tag == "geometry", file);
  }
  if (!in_geometry || tag != "p") return;
  for (const tinyxml2::XMLNode* part = element.FirstChild(); part != nullptr;
       part = part->NextSibling()) {
    if (part->ToText() == nullptr) continue;
    const std::string_view text = part->Value();
    if (text.find_first_not_of("+-0123456789 \t\r\n") == std::string_view::npos) continue;
    throw ParseError(file, part->GetLineNum(), 0, "<p> must hold integers, the indices of corners");
  }
}

/// Collects the elements of a Collada file that say how long arrays are, and how far they are read.
void collect_arrays(const XMLElement& element, std::map<std::string, double>& counts,
                    std::vector<const XMLElement*>& accessors) {
  const std::string_view tag = element.Name();
  if (tag == "accessor") accessors.push_back(&element);
  if (tag.ends_with("_array")) {
    counts[text_of(element, "id")] = static_cast<double>(element.Unsigned64Attribute("count", 0));
  }
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    collect_arrays(*child, counts, accessors);
  }
}

/// Refuses accessors that reach beyond their array: assimp does not look at its length.
void check_accessors(const XMLElement& root, const std::string& file) {
  std::map<std::string, double> counts;
  std::vector<const XMLElement*> accessors;
  collect_arrays(root, counts, accessors);
  for (const XMLElement* accessor : accessors) {
    const std::string url = text_of(*accessor, "source");
    const auto array = counts.find(url.empty() ? "" : url.substr(1));
    if (array == counts.end()) continue;  // assimp refuses it
    const auto number = [&](const char* name, unsigned otherwise) {
      return static_cast<double>(accessor->Unsigned64Attribute(name, otherwise));
    };
    const double reach = number("offset", 0) + number("count", 0) * number("stride", 1);
    if (reach <= array->second) continue;
    throw ParseError(file, accessor->GetLineNum(), 0,
                     "<accessor> reaches beyond the 'count' of its array '" + array->first + "'");
  }
}

/// Checks the instances of nodes of a Collada file.
void check_nodes(const XMLElement& root, const std::string& name) {
  // Of nodes with one identifier the last counts.
  std::map<std::string, const XMLElement*> library;
  const auto visit = [&](const char* section, const char* tag, const auto& take) {
    for (const XMLElement* part = root.FirstChildElement(section); part != nullptr;
         part = part->NextSiblingElement(section)) {
      for (const XMLElement* element = part->FirstChildElement(tag); element != nullptr;
           element = element->NextSiblingElement(tag)) {
        take(*element);
      }
    }
  };
  const auto enter = [&](const XMLElement& node) { library[text_of(node, "id")] = &node; };
  visit("library_nodes", "node", enter);
  visit("library_visual_scenes", "visual_scene", enter);
  visit("library_visual_scenes", "visual_scene",
        [&](const XMLElement& scene) { CountOfNodes(library, name, scene).check(scene); });
}

/// Checks a Collada file before assimp reads it.
void check_collada(const std::string& bytes, const std::string& name) {
  tinyxml2::XMLDocument document;
  if (document.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS) {
    throw ParseError(name, document.ErrorLineNum(), 0, "the file is no valid XML");
  }
  const XMLElement* root = document.FirstChildElement("COLLADA");
  if (root == nullptr) return;
  check_indices(*root, false, name);
  check_accessors(*root, name);
  check_collada_arrays(*root, name);
  check_nodes(*root, name);
}

/// Returns the number of vertices of a node and of all nodes below it.
double vertices_of(const aiScene& scene, const aiNode& node) {
  double count = 0.0;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    count += scene.mMeshes[node.mMeshes[i]]->mNumVertices;
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) count += vertices_of(scene, *node.mChildren[i]);
  return count;
}

}  // namespace

void check_before_assimp(const std::string& bytes, const std::string& name) {
  const bool has_json = is_gltf(bytes, name);
  if (has_json) check_gltf(bytes, name);
  // The numbers of a binary file are no elements.
  if (has_json && bytes.starts_with("glTF")) return;
  if (const std::size_t depth = xml_depth(bytes); depth > kMaxMeshDepth) {
    throw ParseError(name, 0, 0,
                     "its elements are nested " + std::to_string(depth) + " deep, at most " +
                         std::to_string(kMaxMeshDepth) + " are read");
  }
  if (bytes.find("<COLLADA") != std::string::npos) check_collada(bytes, name);
}

void check_after_assimp(const aiScene& scene, const std::string& name) {
  if (vertices_of(scene, *scene.mRootNode) <= kMostVertices) return;
  throw ParseError(name, 0, 0, "its nodes repeat its meshes to more than 30000000 vertices");
}

}  // namespace amontons::io
