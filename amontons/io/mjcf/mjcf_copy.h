#pragma once

#include "amontons/io/mjcf/mjcf_document.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Renames what is copied within an MJCF document.
struct MjcfRenaming {
  std::string prefix, suffix;  ///< put around each name
  bool other_model = false;    ///< classes and assets are those of another model: prefixed, too

  std::string of(const std::string& name) const { return prefix + name + suffix; }
};

/// Holds the names that a copied part of a model gives, by kind (body, joint, geom, site, tendon,
/// actuator).
using MjcfNames = std::map<std::string, std::set<std::string>>;

/// Returns the kind of thing that an attribute of an element outside the tree names: "body" of
/// body1; empty where it names none.
std::string mjcf_reference_kind(const tinyxml2::XMLElement& element, const std::string& attribute);

/// Adds the names that an element of the tree and all inside it give.
void collect_mjcf_names(const MjcfDocument& document, const tinyxml2::XMLElement& element,
                        MjcfNames& names);

/// Copies an element of the tree, and all inside it, into a parent.
tinyxml2::XMLElement& copy_mjcf_tree(MjcfDocument& document, const tinyxml2::XMLElement& element,
                                     const MjcfRenaming& renaming, tinyxml2::XMLElement& parent);

/// Says which of its references must be copied, for an element outside the tree to be copied.
enum class MjcfCopyIf {
  Any,  ///< at least one: what it has outside remains as it is
  All,  ///< all of them
};

/// Holds the elements of <contact>, <tendon>, <equality>, <actuator> and <sensor> that refer to
/// what is copied.
struct MjcfReferences {
  /// Holds the elements of each section that has some.
  std::vector<std::pair<std::string, std::vector<const tinyxml2::XMLElement*>>> sections;
  MjcfNames names;  ///< of what is copied, these elements among it
};

/// Finds the elements outside the tree of a model that are to be copied with a part of it.
/// @param names  what is copied of the tree.
MjcfReferences find_mjcf_references(const MjcfDocument& document, int model, MjcfCopyIf condition,
                                    MjcfNames names);

/// Copies such elements, and appends them to a model as sections of their own.
void copy_mjcf_references(MjcfDocument& document, const MjcfReferences& references, int to,
                          const MjcfRenaming& renaming);

}  // namespace amontons::io
