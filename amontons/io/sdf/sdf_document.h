#pragma once

#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/import/import_context.h"

#include <tinyxml2.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Name of the attribute `optimization` of <mesh> in the used part.
inline constexpr const char* kMeshOptimization = "amontons:optimization";
/// Name of the attribute `auto` of <inertial> there.
inline constexpr const char* kAutoInertia = "amontons:auto";
/// Value of `optimization` for a mesh that collides as its convex hull.
inline constexpr const char* kConvexHull = "convex_hull";

/// Holds one SDF file as it was read.
struct SdfFile {
  std::string key;    ///< relative to the scene, or a URI
  std::string shown;  ///< name of the file in errors and records
  std::string path;   ///< place of the used part for libsdformat
  std::string text;   ///< used part, each element in its line
  std::unique_ptr<tinyxml2::XMLDocument> original;
  /// The used part; the user data of an element is its original.
  std::unique_ptr<tinyxml2::XMLDocument> used;
  std::size_t num_elements = 0;  ///< of the used part, with those of included files
};

/// Names a URDF file that the world of an SDF file includes.
struct IncludedRobot {
  std::string key;                                ///< relative to the scene, or a URI
  std::string name;                               ///< that of <include>, else of the robot
  const tinyxml2::XMLElement* include = nullptr;  ///< its element in the file
};

/// Holds an SDF file and all files that it includes: checked, recorded once in the ledger, and
/// stripped to the used part. Includes are resolved here, so that they come from the scene's source
/// of files alone. libsdformat gets their paths in a temporary folder.
class SdfDocument {
 public:
  /// @throws ParseError with file and line for any fault of one file by itself. Also for an include
  /// that cannot be found, and for files that include each other.
  SdfDocument(const std::string& text, const std::string& key, ImportContext& context);

  const SdfFile& main() const { return files_.front(); }
  const std::deque<SdfFile>& files() const { return files_; }
  /// Returns the URDF files that the world of the main file includes; they are not read here.
  const std::vector<IncludedRobot>& robots() const { return robots_; }
  /// Returns the file that libsdformat read from a path; the main one for any other path.
  const SdfFile& file_of(const std::string& path) const;

  /// Removes models from the main file, by their indices among the models and includes of its
  /// world, or of the file, and the frames of the world. @returns what is left, each element in its
  /// line.
  std::string text_without(const std::set<std::size_t>& models);

  /// Returns the bytes of a file that one of the files names.
  const std::string& read(const std::string& uri, const SdfFile& from, const SourceLocation& where);
  /// Returns the name by which the inputs know a file that one of the files names, and the file to
  /// which it is relative.
  std::pair<std::string, std::string> name_of_file(const std::string& uri,
                                                   const SdfFile& from) const;

 private:
  const SdfFile& add(const std::string& text, const std::string& key);
  /// Returns the number of elements of a used part, with those of the files that it includes.
  std::size_t num_elements_of(const tinyxml2::XMLElement& element) const;
  /// Adds the meshes of collisions that are not there to other faults of a file.
  void add_missing_meshes(const tinyxml2::XMLElement& element, const SdfFile& file,
                          FaultList& faults);
  void include_files(tinyxml2::XMLElement& used, const SdfFile& from);
  std::string place_of_include(const std::string& name, const std::string& inside,
                               const SdfFile& from, const SourceLocation& where) const;
  std::string key_of(const std::string& uri, const SdfFile& from, const SourceLocation& where);
  const SdfFile& include(const std::string& key, const std::string& text,
                         const SourceLocation& where);
  void add_robot(const std::string& key, const tinyxml2::XMLElement& robot,
                 const tinyxml2::XMLElement& include, const SdfFile& from);
  const std::string& read_as(const std::string& key, const SourceLocation& where);
  std::string full_uri(const std::string& uri, const SdfFile& from) const;

  ImportContext& context_;
  TemporaryFolder folder_;
  std::deque<SdfFile> files_;  // in the order of their first use; references stay valid
  std::vector<IncludedRobot> robots_;
};

}  // namespace amontons::io
