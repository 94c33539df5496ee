#include "amontons/io/common/xml_depth.h"

#include <algorithm>

namespace amontons::io {
namespace {

/// Returns the place behind the next `end`, or the end of the text.
std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

}  // namespace

std::size_t xml_depth(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = behind(text, "-->", at);
    } else if (rest.starts_with("<![CDATA[")) {
      at = behind(text, "]]>", at);
    } else if (rest.starts_with("<!") || rest.starts_with("<?")) {
      at = behind(text, ">", at);
    } else if (rest.starts_with("</")) {
      depth -= std::min<std::size_t>(depth, 1);
      at = behind(text, ">", at);
    } else {
      deepest = std::max(deepest, ++depth);
      at = behind(text, ">", at);
      // An element without content closes itself.
      if (at >= 2 && text[at - 2] == '/') --depth;
    }
  }
  return deepest;
}

}  // namespace amontons::io
