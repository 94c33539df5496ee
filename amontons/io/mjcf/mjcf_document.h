#pragma once

#include "amontons/io/common/input_files.h"
#include "amontons/simulation/scene/source_location.h"

#include <tinyxml2.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace amontons::io {

/// An MJCF file and all files that it includes, seen as one tree.
class MjcfDocument {
 public:
  /// @param model_file  name of the main file, relative to the scene. Included files are named
  ///     relative to it, wherever the <include> stands.
  /// @throws ParseError for XML that is malformed, a root other than <mujoco>, an included file
  /// that
  ///     cannot be read, or one that is included twice.
  MjcfDocument(const std::string& text, const std::string& model_file, InputFiles& inputs);

  const tinyxml2::XMLElement& root() const { return *files_.front()->xml.RootElement(); }

  /// The children of an element in order, each <include> replaced by what its file holds.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element) const;

  /// The children of one name.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element,
                                                    const std::string& name) const;

  /// All elements of a section of the file, which may be written in pieces.
  std::vector<const tinyxml2::XMLElement*> section(const std::string& name) const;

  /// The root of the file that an <include> names, or null for any other element.
  const tinyxml2::XMLElement* included_root(const tinyxml2::XMLElement& element) const;

  SourceLocation place_of(const tinyxml2::XMLElement& element) const;
  SourceLocation place_of(const tinyxml2::XMLElement& element,
                          const tinyxml2::XMLAttribute& attribute) const;

 private:
  struct File {
    std::string shown_name;
    tinyxml2::XMLDocument xml;
  };

  const tinyxml2::XMLElement& add_file(const std::string& text, const std::string& shown_name,
                                       const std::string& root);
  void add_includes(const tinyxml2::XMLElement& element, const std::string& model_file,
                    InputFiles& inputs);
  const std::string& file_of(const tinyxml2::XMLElement& element) const;

  std::vector<std::unique_ptr<File>> files_;  // the main file first
  std::map<const tinyxml2::XMLElement*, const tinyxml2::XMLElement*>
      included_;                                       // root by <include>
  std::map<std::string, SourceLocation> included_at_;  // by file
};

}  // namespace amontons::io
