#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Returns the size of the page without any run [bytes].
std::size_t empty_page_size();

/// Writes JSON that is safe inside a script element.
///
/// Neither "</script" nor "<!--" can occur, since every '<' is written as an escape. Bytes that are
/// not UTF-8 become U+FFFD.
std::string dump_for_script(const nlohmann::ordered_json& json);

/// Makes the viewer's page around its runs, each as dump_for_script() has written it.
/// @param stream  where the page finds further frames. With a stream the page may connect to its
///                own server, without one to none.
std::string make_page(const std::vector<std::string>& runs,
                      const std::optional<std::string>& stream);

}  // namespace amontons::io
