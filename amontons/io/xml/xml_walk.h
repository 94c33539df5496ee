#pragma once

#include "amontons/io/xml/xml_rules.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Parses a text. A comment before <?xml ...?> is against the rules, but seen in files; the latter
/// is passed over then.
void parse_leniently(const std::string& text, tinyxml2::XMLDocument& document);

/// Reads a text as XML.
/// @returns its root element, of the given name (of any, where that is empty).
/// @throws ParseError for what is no XML, or starts otherwise; `what` names the format.
const tinyxml2::XMLElement& parse_xml(const std::string& text, const std::string& file,
                                      const std::string& root, const std::string& what,
                                      tinyxml2::XMLDocument& document);

/// Place of an element or attribute; XML readers keep lines only.
SourceLocation place_of(const std::string& file, const tinyxml2::XMLNode& node);
SourceLocation place_of(const std::string& file, const tinyxml2::XMLAttribute& attribute);

/// "model 'arm' link 'base'": the named elements that hold `element`, itself included, without the
/// root, of each kind the innermost; where there are none "<compiler>", the outermost below the
/// root.
std::string describe(const tinyxml2::XMLElement& element);

/// Name of an element or attribute in the ledger: "link 'base': inertial mass value".
std::string record_name(const tinyxml2::XMLElement& element, const std::string& attribute = "");

/// Writes the records of an element that is left out with all that it holds.
void note_ignored(const tinyxml2::XMLElement& element, const std::string& reason,
                  const std::string& file, ImportLedger& ledger);

/// Walks a document by the table of its format: writes one record for each element and each
/// attribute, checks every value that is used, and copies what is used, so that a reader behind
/// sees nothing that was ignored. Values are copied without superfluous blanks; the user data of
/// each copied element is the original.
/// @param used  receives the copy; empty before.
/// @throws ParseError at the element for one that is missing or given twice, a missing attribute,
/// a value that is malformed or out of range, or what the table or a judge refuses.
void walk_xml(const tinyxml2::XMLElement& root, const XmlFormat& format, const std::string& file,
              ImportLedger& ledger, tinyxml2::XMLDocument& used);

}  // namespace amontons::io
