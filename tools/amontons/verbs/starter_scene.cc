#include "tools/amontons/verbs/starter_scene.h"

#include <cstddef>
#include <filesystem>

namespace amontons::embedded {
// Generated from examples/first.yaml by cmake/EmbedFile.cmake.
extern const unsigned char first_scene[];
extern const std::size_t first_scene_size;
}  // namespace amontons::embedded

namespace amontons::cli {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string starter_scene(const std::string& file) {
  std::string text(reinterpret_cast<const char*>(embedded::first_scene),
                   embedded::first_scene_size);
  const std::string stem = std::filesystem::path(file).stem().string();
  replace_all(text, "first.h5", stem + ".h5");
  replace_all(text, "first.html", stem + ".html");
  replace_all(text, "examples/first.yaml", file);
  return text;
}

}  // namespace amontons::cli
