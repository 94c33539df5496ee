#pragma once

#include "amontons/io/mjcf/mjcf_defaults.h"
#include "amontons/io/mjcf/mjcf_document.h"
#include "amontons/io/mjcf/mjcf_ledger.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// What the parts of the MJCF reader know of the file.
struct MjcfFile {
  MjcfDocument document;
  MjcfDefaults defaults;
  MjcfFates fates;
};

/// One element, with the defaults of its class for what it does not say. To read an attribute is to
/// apply it: what nobody reads is reported as being without effect.
class MjcfElement {
 public:
  /// @param name_of_class  whose defaults count where the element names no class itself; empty:
  /// none.
  /// @throws ParseError for a class that does not exist.
  MjcfElement(MjcfFile& file, const tinyxml2::XMLElement& element,
              const std::string& name_of_class);

  const tinyxml2::XMLElement& xml() const { return *element_; }
  std::string tag() const { return element_->Name(); }
  /// "body 'torso' geom 'belly'", or "body 'torso': geom".
  std::string what() const;
  SourceLocation where() const { return file_->document.place_of(*element_); }
  SourceLocation where(const std::string& attribute) const;
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(const std::string& attribute, const std::string& message) const;

  bool has(const std::string& attribute) const { return find(attribute).has_value(); }
  /// 0: the element says it itself; else how far away the default is; -1: nothing says it.
  int distance(const std::string& attribute) const;

  std::string text(const std::string& attribute, const std::string& otherwise = "") const;
  /// @throws ParseError if it is none of the choices.
  std::string word(const std::string& attribute, const std::vector<std::string>& choices,
                   const std::string& otherwise) const;
  std::optional<bool> flag(const std::string& attribute) const;  ///< empty: not said, or auto
  double number(const std::string& attribute, double otherwise) const;
  int integer(const std::string& attribute, int otherwise) const;
  /// Between `least` and `most` numbers; none if the attribute is not there.
  std::vector<double> numbers(const std::string& attribute, std::size_t least,
                              std::size_t most) const;
  Eigen::Vector3d vector3(const std::string& attribute, const Eigen::Vector3d& otherwise) const;
  /// Made unit. @throws ParseError if it has no length.
  Eigen::Vector3d direction(const std::string& attribute, const Eigen::Vector3d& otherwise) const;

  /// What became of the element, or of an attribute, where it is not simply applied.
  void note(ImportFate fate, const std::string& reason) const;
  void note(const std::string& attribute, ImportFate fate, const std::string& reason) const;

 private:
  std::optional<MjcfDefaults::Found> find(const std::string& attribute) const;
  std::optional<MjcfDefaults::Found> use(const std::string& attribute) const;

  MjcfFile* file_;
  const tinyxml2::XMLElement* element_;
  std::string class_;
};

}  // namespace amontons::io
