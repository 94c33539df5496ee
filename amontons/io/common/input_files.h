#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/simulation/scene/source_location.h"

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace amontons::io {

/// The files that a scene and its models name, read through one source and recorded.
class InputFiles {
 public:
  /// @param scene_file  as errors show it; other files are shown relative to its folder.
  /// @param packages    folders behind package://NAME and model://NAME.
  InputFiles(const FileSource& source, std::filesystem::path scene_file,
             std::map<std::string, std::filesystem::path> packages);

  /// The bytes of a file named relative to the scene.
  /// @throws ParseError at `where` if it cannot be read.
  const std::string& read(const std::string& name, const SourceLocation& where);

  /// The bytes of a file that a model names: package://NAME/..., model://NAME/..., file://..., or a
  /// path relative to the model. A package is looked for among the packages given, then upwards
  /// from the model's folder: a parent folder of that name, or a folder of that name in a parent.
  /// Recorded under the URI, so that the record does not depend on where the package lay.
  /// @param model_file  name of the model, relative to the scene.
  const std::string& read_of_model(const std::string& uri, const std::string& model_file,
                                   const SourceLocation& where);

  /// How errors show a file named relative to the scene.
  std::string shown_name(const std::string& name) const;

  /// What was read, in that order.
  std::vector<InputFile> take();

 private:
  const std::string& read_as(const std::string& key, const std::string& name,
                             const SourceLocation& where);
  std::string find_in_package(const std::string& uri, const std::string& model_file,
                              const SourceLocation& where) const;

  const FileSource& source_;
  std::filesystem::path scene_file_;
  std::map<std::string, std::filesystem::path> packages_;
  std::deque<InputFile> inputs_;  // bytes handed out stay where they are
};

}  // namespace amontons::io
