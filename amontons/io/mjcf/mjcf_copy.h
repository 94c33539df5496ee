#pragma once

#include "amontons/io/mjcf/mjcf_document.h"

#include <map>
#include <set>
#include <string>

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

/// Copies the elements of <contact>, <tendon>, <equality>, <actuator> and <sensor> that refer to
/// what is copied, and appends them as sections of their own.
/// @param from, to  models: the elements of one are appended to the other.
/// @param names  what is copied; tendons and actuators that are copied are added.
/// @param copied_from  receives the elements that are copied.
void copy_mjcf_references(MjcfDocument& document, int from, int to, const MjcfRenaming& renaming,
                          MjcfCopyIf condition, MjcfNames names,
                          std::set<const tinyxml2::XMLElement*>& copied_from);

}  // namespace amontons::io
