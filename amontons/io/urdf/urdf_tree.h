#pragma once

#include <tinyxml2.h>

#include <string>
#include <vector>

namespace amontons::io {

struct UrdfLink {
  std::string name;
  const tinyxml2::XMLElement* element = nullptr;
};
struct UrdfJoint {
  std::string name, type;
  int parent = -1, child = -1;  ///< indices of links
  const tinyxml2::XMLElement* element = nullptr;
};

/// Links depth first, a parent before its children; joint i carries link i + 1.
struct UrdfTree {
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// The tree that links and joints of a checked document form.
/// @throws ParseError with the line: a name given twice, an unknown type or link, a joint without
/// parent, child, axis or limits where its type needs them, a link carried by two joints, several
/// roots, a loop, no link at all.
UrdfTree build_urdf_tree(const tinyxml2::XMLElement& robot, const std::string& file);

}  // namespace amontons::io
