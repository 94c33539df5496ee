#pragma once

#include "amontons/io/mjcf/mjcf_document.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Holds the classes of an MJCF file's <default> sections, which give the attributes that an
/// element omits.
class MjcfDefaults {
 public:
  // Name of the outermost class, as MuJoCo calls it.
  static constexpr const char* kMain = "main";
  // Name of a class without defaults, for elements that a composite makes.
  static constexpr const char* kNone = "(no defaults)";

  /// Reads all classes of a file.
  /// @throws ParseError for a nested <default> without the name of a class, or a class that is
  ///     given twice.
  explicit MjcfDefaults(const MjcfDocument& document);

  /// Holds an attribute and the element that gives it.
  struct Found {
    const tinyxml2::XMLElement* element;
    const tinyxml2::XMLAttribute* attribute;
    int distance;  ///< classes between the one asked for and the one that gives the attribute
  };
  /// Finds an attribute of elements of a kind, in the class or the nearest class around it. All
  /// actuators are of one kind.
  std::optional<Found> find(const std::string& name_of_class, const std::string& element,
                            const std::string& attribute) const;

  /// Returns the elements of a kind in a class and the classes around it; nearer ones, which count
  /// first, precede.
  std::vector<const tinyxml2::XMLElement*> layers(const std::string& name_of_class,
                                                  const std::string& element) const;

  bool has(const std::string& name) const { return classes_.count(name) > 0; }
  /// Returns the names of all classes, for messages.
  std::vector<std::string> names() const;

  /// Returns the name of an element under which defaults know it.
  static std::string kind_of(const std::string& element);

 private:
  /// Holds one class.
  struct Class {
    std::string around;                                 // the class it lies in; empty: main
    std::vector<const tinyxml2::XMLElement*> elements;  // later ones count first
    SourceLocation where;
  };

  /// Adds a <default> element and those within it.
  /// @param around  the class it lies in; empty: none.
  /// @param outermost  name of the outermost class of its model.
  void add(const MjcfDocument& document, const tinyxml2::XMLElement& element,
           const std::string& around, const std::string& outermost);

  std::map<std::string, Class> classes_;
};

}  // namespace amontons::io
