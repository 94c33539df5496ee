#pragma once

#include "amontons/io/xml/xml_rules.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Parses a text. A comment ahead of <?xml ...?> violates the standard but occurs in files; the
/// declaration is then skipped.
/// @throws ParseError for an element with more than 1000 attributes: the parser compares each with
/// all others.
void parse_leniently(const std::string& text, const std::string& file,
                     tinyxml2::XMLDocument& document);

/// Reads a text as XML.
/// @param root  name of the root element, empty for any.
/// @param what  name of the format, for the errors.
/// @returns the root element.
/// @throws ParseError for a text that is not XML, or has another root element.
const tinyxml2::XMLElement& parse_xml(const std::string& text, const std::string& file,
                                      const std::string& root, const std::string& what,
                                      tinyxml2::XMLDocument& document);

/// Returns the root element of a document that was parsed. @throws ParseError as parse_xml().
const tinyxml2::XMLElement& checked_root(const tinyxml2::XMLDocument& document,
                                         const std::string& file, const std::string& root,
                                         const std::string& what);

/// Returns the place of an element or attribute; XML readers keep lines only.
SourceLocation place_of(const std::string& file, const tinyxml2::XMLNode& node);
SourceLocation place_of(const std::string& file, const tinyxml2::XMLAttribute& attribute);

/// Returns the named elements that hold `element`, itself included: "model 'arm' link 'base'". The
/// root is left out, and of each kind the innermost counts. Without any named element it returns
/// the outermost one below the root: "<compiler>".
std::string describe(const tinyxml2::XMLElement& element);

/// Returns the name of an element or attribute in the ledger: "link 'base': inertial mass value".
std::string record_name(const tinyxml2::XMLElement& element, const std::string& attribute = "");

/// Adds a line to the ledger for an element that is left out, and one for each part of its content,
/// which is ignored.
void note_ignored(const tinyxml2::XMLElement& element, const std::string& reason,
                  const std::string& file, ImportLedger& ledger,
                  ImportFate fate = ImportFate::Ignored);

/// Walks a document by the table of its format and copies the parts that are used. It adds one
/// record to the ledger for each element and each attribute, and checks every value that is used. A
/// reader behind thus sees nothing that was ignored. Of an element that may occur once but is given
/// twice the first counts, which is a finding. Values are copied without superfluous blanks; the
/// user data of each copied element is the original.
/// @param used  receives the copy; empty at first.
/// @throws ParseError at the element for one that is missing, for a missing attribute, for a value
/// that is malformed or out of range, and for anything that the table or a fate function refuses.
/// Faults in different elements are reported at once (fault_list.h).
void walk_xml(const tinyxml2::XMLElement& root, const XmlFormat& format, const std::string& file,
              ImportLedger& ledger, tinyxml2::XMLDocument& used);

}  // namespace amontons::io
