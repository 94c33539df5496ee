#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/simulation/scene/source_location.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Returns true for a URI, such as package://NAME/FILE.
bool has_scheme(const std::string& name);

/// Reads the files that a scene and its models name through one source, and records them.
class InputFiles {
 public:
  /// @param scene_file  the scene's name as errors show it; other files are shown relative to its
  /// folder.
  /// @param packages    the folders behind package://NAME and model://NAME.
  /// @param looks  source of what is only drawn; null: the same.
  InputFiles(const FileSource& source, std::filesystem::path scene_file,
             std::map<std::string, std::filesystem::path> packages,
             const FileSource* looks = nullptr);

  /// Returns the bytes of a file named relative to the scene.
  /// @throws ParseError at `where` if it cannot be read.
  const std::string& read(const std::string& name, const SourceLocation& where);

  /// Returns the bytes of a file that a model names: package://NAME/..., model://NAME/...,
  /// file://..., the address of a model of Gazebo Fuel among the packages given, or a path relative
  /// to the model, else to a folder above it. A package is searched among the packages given, then
  /// upwards from the model's folder. There it is a parent folder of that name or with a
  /// package.xml of that name, or a folder of that name in a parent or in its folder `models`. Else
  /// it lies beside a package given, or is any parent that holds the file. The file is recorded
  /// under its URI, so that the record does not depend on the folder of the package.
  /// @param model_file  name of the model, relative to the scene.
  const std::string& read_model_file_text(const std::string& uri, const std::string& model_file,
                                          const SourceLocation& where);

  /// Reads a file that a model names, like read_model_file_text(), and returns it with the name
  /// under which it is recorded.
  InputFile read_model_file(const std::string& uri, const std::string& model_file,
                            const SourceLocation& where);

  /// Reads a file that a model names and that is only drawn, like read_model_file().
  InputFile read_look(const std::string& uri, const std::string& model_file) {
    return looks().read_model_file(uri, model_file, {});
  }
  /// Returns true if read_look() finds a file.
  bool knows_look(const std::string& uri, const std::string& model_file) const {
    return looks_ ? looks_->knows(uri, model_file) : knows(uri, model_file);
  }

  /// Returns true if there is a file named relative to the scene.
  bool has(const std::string& name) const { return source_.exists(name); }
  /// Returns true if read_model_file_text() finds a file that a URI names.
  bool knows(const std::string& uri, const std::string& model_file) const;
  /// Records a file that is on no disk, and returns its bytes.
  const std::string& add(const std::string& name, std::string bytes);

  /// Returns the path of a file named relative to the scene; empty where files are not on a disk.
  std::filesystem::path path_of(const std::string& name) const;
  /// Replaces the bytes under which a file that was read is recorded.
  void replace(const std::string& name, const std::string& bytes);

  /// Returns the name under which errors show a file named relative to the scene.
  std::string shown_name(const std::string& name) const;

  /// Moves out the files read so far, in the order of their first use.
  std::vector<InputFile> take();

 private:
  InputFiles& looks() { return looks_ ? *looks_ : *this; }
  const std::string& read_beside(const std::string& name, const std::string& model_file,
                                 const SourceLocation& where);
  std::optional<std::string> find_beside(const std::string& name,
                                         const std::string& model_file) const;
  const std::string& read_as(const std::string& key, const std::string& name,
                             const SourceLocation& where);
  const std::string& read_download(const std::string& uri, const SourceLocation& where);
  std::optional<std::filesystem::path> search_package(const std::string& uri,
                                                      const std::string& model_file) const;
  std::pair<std::string, std::string> split_uri(const std::string& uri) const;
  std::string find_in_package(const std::string& uri, const std::string& model_file,
                              const SourceLocation& where) const;

  const FileSource& source_;
  std::filesystem::path scene_file_;
  std::map<std::string, std::filesystem::path> packages_;
  std::deque<InputFile> inputs_;       // a deque, since references to its bytes must stay valid
  std::unique_ptr<InputFiles> looks_;  // files of another source that are only drawn; or null
};

}  // namespace amontons::io
