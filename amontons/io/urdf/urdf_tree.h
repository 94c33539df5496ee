#pragma once

#include <tinyxml2.h>

#include <string>
#include <vector>

namespace amontons::io {

/// Holds a link and its element in the file.
struct UrdfLink {
  std::string name;
  const tinyxml2::XMLElement* element = nullptr;
};
/// Holds a joint, the links that it connects, and its element in the file.
struct UrdfJoint {
  std::string name, type;
  int parent = -1, child = -1;  ///< indices of links
  const tinyxml2::XMLElement* element = nullptr;
};

/// Holds the links depth first, a parent ahead of its children; joint i carries link i + 1.
struct UrdfTree {
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// Returns the tree that links and joints of a document form. It is empty where a joint lacks name,
/// type, parent or child, which the table of the format reports.
/// @throws ParseError with the line for a name given twice, an unknown type or link, and a link
/// carried by two joints. Also for a joint without parent, child or axis where its type needs
/// them. Also for several roots, a loop, and a robot without links. Faults of links and
/// joints are reported at once.
UrdfTree build_urdf_tree(const tinyxml2::XMLElement& robot, const std::string& file);

}  // namespace amontons::io
