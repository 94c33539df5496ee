#pragma once

#include "amontons/io/common/input_files.h"
#include "amontons/simulation/scene/source_location.h"

#include <tinyxml2.h>

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace amontons::io {

/// Returns the number of bytes of the names and values of an element's attributes.
std::size_t num_attribute_bytes(const tinyxml2::XMLElement& element);

/// Holds an MJCF file, all files that it includes and all models that it attaches, each seen as one
/// tree. Copies of elements (mjcf_expansion.h) belong to these trees but to no file; their places
/// are those of their originals.
class MjcfDocument {
 public:
  /// Parses the main file and reads all included ones.
  /// @param model_file  name of the main file, relative to the scene. Included files are named
  ///     relative to it, wherever the <include> is.
  /// @throws ParseError for XML that is malformed or a root other than <mujoco>. The same holds for
  ///     an included file that cannot be read, or one that is included twice.
  MjcfDocument(const std::string& text, const std::string& model_file, InputFiles& inputs);

  /// Returns <mujoco> of the main file, or of another model.
  const tinyxml2::XMLElement& root(int model = 0) const {
    return *models_[static_cast<std::size_t>(model)].root;
  }
  int num_models() const { return static_cast<int>(models_.size()); }
  /// Parses the file of a model that is attached, with its includes, unless it is known already.
  /// @returns its index.
  /// @throws ParseError as the constructor.
  int add_model(const std::string& file, const SourceLocation& where, InputFiles& inputs);
  /// Returns the index of the model whose files contain an element, or the original of a copy.
  int model_of(const tinyxml2::XMLElement& element) const;
  /// Returns the name of a model's main file, relative to the scene.
  const std::string& model_file(int model) const {
    return models_[static_cast<std::size_t>(model)].file;
  }

  /// Returns the children of an element in order. Each <include> is replaced by what its file
  /// holds, and each element that makes others by those.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element) const;

  /// Returns the children of one name.
  std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element,
                                                    const std::string& name) const;

  /// Returns all elements of a section of a model, which may be written in pieces.
  std::vector<const tinyxml2::XMLElement*> section(const std::string& name, int model = 0) const;

  /// Returns the root of the file that an <include> names, or null for any other element.
  const tinyxml2::XMLElement* included_root(const tinyxml2::XMLElement& element) const;

  /// Returns the file and line of an element or attribute.
  SourceLocation place_of(const tinyxml2::XMLElement& element) const;
  SourceLocation place_of(const tinyxml2::XMLElement& element,
                          const tinyxml2::XMLAttribute& attribute) const;

  /// Returns the element of a file from which an element is copied, or the element itself.
  const tinyxml2::XMLElement& origin(const tinyxml2::XMLElement& element) const;
  /// Returns the attribute of that element; null for one that only the copy has.
  const tinyxml2::XMLAttribute* origin(const tinyxml2::XMLElement& element,
                                       const tinyxml2::XMLAttribute& attribute) const;

  /// Largest number of elements that belong to no file, and of bytes in the attributes of those
  /// from which they come.
  static constexpr std::size_t kMostCopies = 250000, kMostBytes = std::size_t{128} << 20U;

  /// Fails unless so many elements and bytes of attributes may be made besides those that are.
  /// @param for_element  what makes them, for the message.
  void require_space(const tinyxml2::XMLElement& for_element, std::size_t elements,
                     std::size_t bytes) const;

  /// Makes an element that belongs to no file.
  /// @param origin  the element from which it comes.
  /// @throws ParseError where that is one too many.
  tinyxml2::XMLElement& make(const char* name, const tinyxml2::XMLElement& origin);
  /// Lets the children of another element take the place of an element.
  void replace(const tinyxml2::XMLElement& element, const tinyxml2::XMLElement& by);
  /// Leaves out an element.
  void remove(const tinyxml2::XMLElement& element) { removed_.insert(&element); }
  /// Adds a section behind all others of a model.
  void append(int model, const tinyxml2::XMLElement& section);

 private:
  /// Holds one parsed file.
  struct File {
    std::string shown_name;
    int model = 0;
    tinyxml2::XMLDocument xml;
  };
  /// Holds one model: its main file, with what it includes.
  struct Model {
    std::string file;
    const tinyxml2::XMLElement* root = nullptr;
    std::map<std::string, SourceLocation> included_at;  ///< by file
  };

  /// Parses a file; an empty `root` admits any root element.
  const tinyxml2::XMLElement& add_file(const std::string& text, const std::string& shown_name,
                                       const std::string& root, int model);
  /// Reads the files that an element and its descendants include.
  void add_includes(const tinyxml2::XMLElement& element, int model, InputFiles& inputs);
  /// Returns the file that holds an element or its original.
  const File& file_of(const tinyxml2::XMLElement& element) const;

  std::vector<std::unique_ptr<File>> files_;  // the main file first
  std::vector<Model> models_;                 // the main model first
  std::map<const tinyxml2::XMLElement*, const tinyxml2::XMLElement*>
      included_,  // root by <include>
      replaced_,  // holder of the elements that take the place of one
      origins_;   // original by copy
  std::map<const tinyxml2::XMLElement*, std::vector<const tinyxml2::XMLElement*>> appended_;
  std::set<const tinyxml2::XMLElement*> removed_;
  std::size_t num_bytes_ = 0;  // in the attributes of the origins of all copies
  std::unique_ptr<tinyxml2::XMLDocument> copies_ = std::make_unique<tinyxml2::XMLDocument>();
};

}  // namespace amontons::io
