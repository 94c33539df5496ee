#include "tools/amontons/support/foreign_output.h"

#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_recorder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace amontons::cli {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

// Bytes within which a mark lies: that of an MP4 file follows its table of pictures.
constexpr std::size_t kMarkedBytes = std::size_t{1} << 20;

std::string beginning_of(const std::string& path) {
  std::string begin(kMarkedBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return begin;
}

// Returns true if a text begins with another one, in any case of its letters.
bool begins_with(std::string_view text, std::string_view begin) {
  return text.size() >= begin.size() &&
         std::equal(begin.begin(), begin.end(), text.begin(), [](unsigned char a, unsigned char b) {
           return std::tolower(a) == std::tolower(b);
         });
}

// Returns true if a file is one that this program writes.
bool is_of_kind(const std::string& path, OutputKind kind) {
  try {
    if (kind == OutputKind::Run) return io::is_run_file(path);
    if (kind == OutputKind::Problem) return io::is_own_contact_problem(path);
  } catch (const io::ParseError&) {
    return false;  // damaged: nobody can tell what it was
  }
  const std::string text = beginning_of(path);
  const auto has = [&text](std::string_view begin, std::string_view mark) {
    return begins_with(text, begin) && text.find(mark) != std::string::npos;
  };
  switch (kind) {
    case OutputKind::Checkpoint:
      return has("AMONTONS-CHECKPOINT-", "");
    case OutputKind::Table:
      return has("time,step,step_count,", "") || has("time,body_a_name,body_b_name,", "");
    case OutputKind::Page:
      return has("<!doctype html", "<meta name=\"generator\" content=\"Amontons\">");
    case OutputKind::Report:
      return has("# ", "\nWritten by `amontons reproduce ");
    case OutputKind::Picture:
      return has("\x89PNG\r\n", "tEXtSoftware\0Amontons"sv);
    case OutputKind::Video:
      return has("", "Amontons replay");  // VideoWriter
    case OutputKind::Run:
    case OutputKind::Problem:
      break;
  }
  return false;
}

}  // namespace

void add_force(Verb& verb, bool& force) {
  verb.flag("--force", force, "Replace files that this program has not written");
}

void refuse_foreign_output(const std::string& output, OutputKind kind, bool force) {
  io::refuse_link(output);
  std::error_code error;
  if (force || !fs::is_regular_file(output, error) || fs::file_size(output, error) == 0 ||
      is_of_kind(output, kind)) {
    return;
  }
  constexpr std::array kNames = {"run",  "checkpoint", "contact problem", "table",
                                 "page", "report",     "picture",         "video"};
  throw io::ParseError(output, 0, 0,
                       std::string("a file of this name is no ") +
                           kNames.at(static_cast<std::size_t>(kind)) +
                           " of this program; name another one, or replace it with --force");
}

void refuse_foreign_outputs_of_run(const std::string& run, bool force) {
  refuse_foreign_output(run, OutputKind::Run, force);
  refuse_foreign_output(io::checkpoint_path_of(run), OutputKind::Checkpoint, force);
  // Nobody knows yet which steps will leave a contact problem.
  const fs::path example = io::failure_path_of(run, 0);
  const std::string ending = "0.h5", name = example.filename().string();
  const std::string begin = name.substr(0, name.size() - ending.size());
  const fs::path folder = example.parent_path().empty() ? "." : example.parent_path();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(begin)) {
      refuse_foreign_output(entry.path().string(), OutputKind::Problem, force);
    }
  }
}

}  // namespace amontons::cli
