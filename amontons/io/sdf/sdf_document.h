#pragma once

#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/import/import_context.h"

#include <tinyxml2.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace amontons::io {

/// One SDF file as it was read.
struct SdfFile {
  std::string key;    ///< relative to the scene, or a URI
  std::string shown;  ///< how errors and records name it
  std::string path;   ///< where what is used of it lies for libsdformat
  std::string text;   ///< what is used of it, each element in its line
  std::unique_ptr<tinyxml2::XMLDocument> original;
};

/// An SDF file and all files that it includes: checked, recorded in the ledger (each once), and
/// stripped to what is used. Includes are found here, so that they come from the scene's source of
/// files and from nowhere else; libsdformat gets their places in a temporary folder.
class SdfDocument {
 public:
  /// @throws ParseError with file and line for any fault of one file by itself, for an include that
  /// cannot be found, and for files that include each other.
  SdfDocument(const std::string& text, const std::string& key, ImportContext& context);

  const SdfFile& main() const { return files_.front(); }
  const std::deque<SdfFile>& files() const { return files_; }
  /// The file that libsdformat read from a path; the main one for any other.
  const SdfFile& file_of(const std::string& path) const;

  /// The bytes of a file that one of the files names.
  const std::string& read(const std::string& uri, const SdfFile& from, const SourceLocation& where);

 private:
  const SdfFile& add(const std::string& text, const std::string& key);
  void include_files(const tinyxml2::XMLElement& used, const SdfFile& from);
  const SdfFile& include(const std::string& uri, const SdfFile& from, const SourceLocation& where);
  const std::string& read_as(const std::string& key, const SourceLocation& where);
  std::string full_uri(const std::string& uri, const SdfFile& from) const;

  ImportContext& context_;
  TemporaryFolder folder_;
  std::deque<SdfFile> files_;  // in the order of their first use; references stay valid
};

}  // namespace amontons::io
