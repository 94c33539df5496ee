#pragma once

#include "amontons/io/mjcf/mjcf_defaults.h"
#include "amontons/io/mjcf/mjcf_document.h"
#include "amontons/io/mjcf/mjcf_ledger.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the file, its defaults and the fates of its elements, which all parts of the reader share.
struct MjcfFile {
  MjcfDocument document;
  MjcfDefaults defaults;
  MjcfFates fates;
};

/// Refers to one element, with the defaults of its class for the attributes that it omits. To read
/// an attribute is to apply it: an attribute that nobody reads is reported as without effect.
class MjcfElement {
 public:
  /// @param name_of_class  class whose defaults count where the element names no class itself;
  ///     empty: none.
  /// @throws ParseError for a class that does not exist.
  MjcfElement(MjcfFile& file, const tinyxml2::XMLElement& element,
              const std::string& name_of_class);

  const tinyxml2::XMLElement& xml() const { return *element_; }
  std::string tag() const { return element_->Name(); }
  /// Returns "body 'torso' geom 'belly'", or "body 'torso': geom".
  std::string what() const;
  SourceLocation where() const { return file_->document.place_of(*element_); }
  /// Returns the place of an attribute, or of the element if nothing gives it.
  SourceLocation where(const std::string& attribute) const;
  /// Throws a ParseError at the element, or at one of its attributes.
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail(const std::string& attribute, const std::string& message) const;

  /// Returns true if the element or a default gives the attribute.
  bool has(const std::string& attribute) const { return find(attribute).has_value(); }
  /// Returns 0 if the element itself gives it, -1 if nothing does, else the distance of the
  /// default.
  int distance(const std::string& attribute) const;

  /// Returns the attribute's text.
  std::string text(const std::string& attribute, const std::string& otherwise = "") const;
  /// Returns one of several words. @throws ParseError if it is none of the choices.
  std::string word(const std::string& attribute, const std::vector<std::string>& choices,
                   const std::string& otherwise) const;
  std::optional<bool> flag(const std::string& attribute) const;  ///< empty: not given, or auto
  /// Returns a number. @throws ParseError if it is none.
  double number(const std::string& attribute, double otherwise) const;
  /// Returns a number, zero by default. A negative one counts as zero, which is a finding where
  /// MuJoCo takes it. Of the coefficients of a polynomial the first one counts, and the others are
  /// a finding.
  double linear_coefficient(const std::string& attribute) const;
  /// Notes numbers that soften a constraint, which is rigid here. Negative ones are a stiffness and
  /// a damping that the file gives: a finding.
  void note_softness(const std::string& attribute) const;
  /// Returns an integer. @throws ParseError if it is none.
  int integer(const std::string& attribute, int otherwise) const;
  /// Returns between `least` and `most` numbers; none if the attribute is missing.
  std::vector<double> numbers(const std::string& attribute, std::size_t least,
                              std::size_t most) const;
  /// Returns the same; where they are fewer than `most`, the default of the class continues them,
  /// and so do those of the classes around it.
  std::vector<double> merged_numbers(const std::string& attribute, std::size_t least,
                                     std::size_t most) const;
  Eigen::Vector3d vector3(const std::string& attribute, const Eigen::Vector3d& otherwise) const;
  /// Returns a unit vector. @throws ParseError if it has no length.
  Eigen::Vector3d direction(const std::string& attribute, const Eigen::Vector3d& otherwise) const;

  /// Returns all that gives its attributes, without defaults: the outermost class's element first,
  /// the element itself last. Each replaces what those before say.
  std::vector<MjcfElement> layers() const;

  /// Records the fate of the element, or of an attribute, where it is not simply applied.
  void note(ImportFate fate, const std::string& reason) const;
  void note(const std::string& attribute, ImportFate fate, const std::string& reason) const;
  /// Records that the element is left out: its attributes have no effect, nor have defaults that
  /// it alone has read.
  void leave_out(ImportFate fate, const std::string& reason) const;

 private:
  /// @param user  the element on behalf of which this one is read, such as a default.
  MjcfElement(MjcfFile& file, const tinyxml2::XMLElement& element, const tinyxml2::XMLElement& user,
              const std::string& name_of_class);
  /// Finds an attribute in the element, then in the defaults.
  std::optional<MjcfDefaults::Found> find(const std::string& attribute) const;
  /// Finds an attribute and records that it has had its effect.
  std::optional<MjcfDefaults::Found> use(const std::string& attribute) const;

  MjcfFile* file_;
  const tinyxml2::XMLElement* element_;
  const tinyxml2::XMLElement* user_;  ///< the element on behalf of which a default is read
  std::string class_;
};

}  // namespace amontons::io
