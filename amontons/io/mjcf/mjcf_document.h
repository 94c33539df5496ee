#pragma once

#include "amontons/io/common/input_files.h"
#include "amontons/simulation/scene/source_location.h"

#include <tinyxml2.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds an MJCF file and all files that it includes, seen as one tree.
class MjcfDocument {
 public:
  /// Parses the main file and reads all included ones.
  /// @param model_file  name of the main file, relative to the scene. Included files are named
  ///     relative to it, wherever the <include> is.
  /// @throws ParseError for XML that is malformed or a root other than <mujoco>. The same holds for
  ///     an included file that cannot be read, or one that is included twice.
  MjcfDocument(const std::string& text, const std::string& model_file, InputFiles& inputs);

  /// Returns <mujoco>.
  const tinyxml2::XMLElement& root() const { return *files_.front()->xml.RootElement(); }

  /// Returns the children of an element in order, each <include> replaced by what its file holds.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element) const;

  /// Returns the children of one name.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element,
                                                    const std::string& name) const;

  /// Returns all elements of a section of the file, which may be written in pieces.
  std::vector<const tinyxml2::XMLElement*> section(const std::string& name) const;

  /// Returns the root of the file that an <include> names, or null for any other element.
  const tinyxml2::XMLElement* included_root(const tinyxml2::XMLElement& element) const;

  /// Returns the file and line of an element or attribute.
  SourceLocation place_of(const tinyxml2::XMLElement& element) const;
  SourceLocation place_of(const tinyxml2::XMLElement& element,
                          const tinyxml2::XMLAttribute& attribute) const;

 private:
  /// Holds one parsed file.
  struct File {
    std::string shown_name;
    tinyxml2::XMLDocument xml;
  };

  /// Parses a file; an empty `root` admits any root element.
  const tinyxml2::XMLElement& add_file(const std::string& text, const std::string& shown_name,
                                       const std::string& root);
  /// Reads the files that an element and its descendants include.
  void add_includes(const tinyxml2::XMLElement& element, const std::string& model_file,
                    InputFiles& inputs);
  /// Returns the name of the file that holds an element.
  const std::string& file_of(const tinyxml2::XMLElement& element) const;

  std::vector<std::unique_ptr<File>> files_;  // the main file first
  std::map<const tinyxml2::XMLElement*, const tinyxml2::XMLElement*>
      included_;                                       // root by <include>
  std::map<std::string, SourceLocation> included_at_;  // by file
};

}  // namespace amontons::io
