#include "amontons/io/common/parse_error.h"
#include "amontons/io/xml/xml_walk.h"

#include <catch2/catch.hpp>

#include <string>

using namespace amontons;

namespace {

/// Returns an element with attributes, from line 2 on.
std::string with_attributes(int count) {
  std::string text = "<robot\n";
  for (int i = 0; i < count; ++i) text += " a" + std::to_string(i) + "='1 > \"0\"'";
  return text + "/>";
}

}  // namespace

TEST_CASE("An element has at most a thousand attributes") {
  tinyxml2::XMLDocument document;
  io::parse_leniently(with_attributes(1000), "many.xml", document);
  CHECK_FALSE(document.Error());
  // A comment may hold any text, and other elements count for themselves.
  io::parse_leniently("<!-- " + with_attributes(1001) + " --><robot><a b='1'/></robot>", "many.xml",
                      document);
  CHECK_FALSE(document.Error());
  CHECK_THROWS_WITH(io::parse_leniently(with_attributes(1001), "many.xml", document),
                    "many.xml:2: an element has more than 1000 attributes");
}
