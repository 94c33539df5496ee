#include "amontons/io/replay/replay_page.h"

#include <stdexcept>
#include <string_view>

namespace amontons::embedded {
// Generated from assets/replay.html by cmake/EmbedFile.cmake.
extern const unsigned char replay_template[];
extern const std::size_t replay_template_size;
}  // namespace amontons::embedded

namespace amontons::io {
namespace {

/// Marks of the template: the place of the data, and the content security policy.
constexpr std::string_view kData = "<!--AMONTONS-DATA-->";
constexpr std::string_view kNoConnection = "connect-src 'none'";
constexpr std::string_view kOwnServer = "connect-src 'self'";

/// Returns the viewer's page, which is part of the program.
std::string_view page_template() {
  return {reinterpret_cast<const char*>(embedded::replay_template), embedded::replay_template_size};
}

/// Replaces the first occurrence of a mark. Throws if the template has none, which is a bug.
void replace(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) {
    throw std::logic_error("the replay template has no " + std::string(mark));
  }
  page.replace(at, mark.size(), text);
}

}  // namespace

std::size_t empty_page_size() { return page_template().size(); }

std::string dump_for_script(const nlohmann::ordered_json& json) {
  const std::string text =
      json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

std::string make_page(const std::vector<std::string>& runs,
                      const std::optional<std::string>& stream) {
  // The runs as one JSON document in a script element, which the viewer parses.
  std::string data = R"(<script type="application/json" id="amontons-data">{"format":1,"runs":[)";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) data += ',';
    data += runs[i];
  }
  data += ']';
  if (stream) data += ",\"live\":" + dump_for_script(*stream);
  data += "}</script>";
  // The policy is relaxed before user data enters, so that data cannot look like a mark.
  std::string page(page_template());
  if (stream) replace(page, kNoConnection, kOwnServer);
  replace(page, kData, data);
  return page;
}

}  // namespace amontons::io
