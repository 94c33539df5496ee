#include "amontons/io/xml/xml_rules.h"

#include <algorithm>

namespace amontons::io {

XmlFate unsupported(std::string_view reason) {
  return {ImportFate::Refused, std::string(reason), true};
}

const ElementRule* XmlFormat::find(std::string_view path) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(),
                                  [&](const ElementRule& rule) { return rule.path == path; });
  return found == rules_.end() ? nullptr : &*found;
}

std::vector<std::string> XmlFormat::children(std::string_view path) const {
  std::vector<std::string> names;
  for (const ElementRule& rule : rules_) {
    // A child's path is this path and exactly one more name.
    if (!rule.path.starts_with(path) || rule.path.size() <= path.size() + 1) continue;
    const std::string_view rest = rule.path.substr(path.size());
    if (rest[0] == '/' && rest.find('/', 1) == std::string_view::npos) {
      names.emplace_back(rest.substr(1));
    }
  }
  return names;
}

}  // namespace amontons::io
