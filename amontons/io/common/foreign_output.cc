#include "amontons/io/common/foreign_output.h"

#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace amontons::io {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// Bytes within which a mark lies: that of an MP4 file follows its table of pictures.
constexpr std::size_t kMarkedBytes = std::size_t{1} << 20;

/// Returns true if a text begins with another one, in any case of its letters.
bool begins_with(std::string_view text, std::string_view begin) {
  return text.size() >= begin.size() &&
         std::equal(begin.begin(), begin.end(), text.begin(), [](unsigned char a, unsigned char b) {
           return std::tolower(a) == std::tolower(b);
         });
}

/// Returns true if a file begins with a text, and has a mark.
bool is_marked(const std::string& path, std::string_view begin, std::string_view mark) {
  std::string text(kMarkedBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return begins_with(text, begin) && text.find(mark) != std::string::npos;
}

bool is_own(const std::string& path, const OutputKind& kind) {
  try {
    return kind.is_own(path);
  } catch (const ParseError&) {
    return false;  // damaged: nobody can tell what it was
  }
}

}  // namespace

const OutputKind kCheckpointOutput{
    "checkpoint", [](const std::string& f) { return is_marked(f, "AMONTONS-CHECKPOINT-", ""); }};
const OutputKind kTableOutput{"table", [](const std::string& f) {
                                return is_marked(f, "time,step_count,time_start,", "") ||
                                       is_marked(f, "time,body_a_name,body_b_name,", "");
                              }};
const OutputKind kPageOutput{"page", [](const std::string& f) {
                               return is_marked(f, "<!doctype html",
                                                "<meta name=\"generator\" content=\"Amontons\">");
                             }};
const OutputKind kReportOutput{"report", [](const std::string& f) {
                                 return is_marked(f, "# ", "\nWritten by `amontons reproduce ");
                               }};
const OutputKind kPictureOutput{"picture", [](const std::string& f) {
                                  return is_marked(f, "\x89PNG\r\n", "tEXtSoftware\0Amontons"sv);
                                }};
const OutputKind kVideoOutput{
    "video", [](const std::string& f) { return is_marked(f, "", "Amontons replay"); }};

void refuse_foreign_output(const std::string& output, const OutputKind& kind, bool force,
                           const std::string& remedy) {
  refuse_link(output);
  std::error_code error;
  if (force || !fs::is_regular_file(output, error) || fs::file_size(output, error) == 0 ||
      is_own(output, kind)) {
    return;
  }
  throw ParseError(output, 0, 0,
                   std::string("a file of this name is no ") + kind.name +
                       " of this program; name another one, or replace it with " + remedy);
}

}  // namespace amontons::io
