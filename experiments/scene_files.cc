#include "experiments/scene_files.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/replacement_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace amontons::experiments {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& bytes) {
  io::ReplacementFile replacement(file.string());
  std::ofstream out(replacement.aside(), std::ios::binary);
  out << bytes;
  out.close();
  if (!out) {
    throw io::OutputError(file.string(), std::string("cannot write: ") + std::strerror(errno));
  }
  replacement.place();
}

/// Returns true for a path that leads to a file in the folder of the scene, or below it.
bool is_inside(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return normal.is_relative() && *normal.begin() != "..";
}

/// Returns a word of a shell command.
std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

void write_scene_files(const Scene& scene, const fs::path& folder, const std::string& name) {
  const auto is_outside = [](const InputFile& input) { return !is_inside(input.path); };
  if (std::any_of(scene.inputs.begin(), scene.inputs.end(), is_outside)) return;
  for (const InputFile& input : scene.inputs) {
    fs::create_directories((folder / input.path).parent_path());
    write(folder / input.path, input.bytes);
  }
  std::string command = "# amontons run " + name + ".yaml";
  for (const auto& [path, value] : scene.overrides) {
    command += " --set " + quoted(path + "=" + value);
  }
  std::replace(command.begin(), command.end(), '\n', ' ');  // it stays one line
  write(folder / (name + ".yaml"), command + "\n" + scene.text);
}

}  // namespace amontons::experiments
