#include "amontons/io/common/file_source.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace amontons::io {

namespace {

/// Size of a file at most [bytes]: its bytes are held in memory, and several times while parsed.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 30;

}  // namespace

bool DiskFiles::exists(const std::string& name) const {
  // An unreadable folder counts as absent.
  std::error_code error;
  return std::filesystem::exists(folder_ / name, error);
}

std::string DiskFiles::read(const std::string& name) const {
  // Each kind of failure gets its own message, since "cannot open" alone does not help.
  const std::filesystem::path path = folder_ / name;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw std::runtime_error("there is no such file");
  if (std::filesystem::is_directory(status)) {
    throw std::runtime_error("it is a folder, a file is needed");
  }
  // A pipe waits for its writer, and a device may never end.
  if (!std::filesystem::is_regular_file(status)) {
    throw std::runtime_error("it is a device, pipe or socket, a file is needed");
  }
  if (std::filesystem::file_size(path, error) > kMaxFileBytes && !error) {
    throw std::runtime_error("it has more than " + std::to_string(kMaxFileBytes >> 20) +
                             " MiB, which is the most that is read");
  }
  // Binary mode keeps every byte, so that a log reproduces the file exactly.
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("it cannot be opened for reading");
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) throw std::runtime_error("it cannot be read");
  return bytes;
}

std::filesystem::path DiskFiles::folder_of(const std::string& name) const {
  return std::filesystem::absolute(folder_ / name).lexically_normal().parent_path();
}

MemoryFiles::MemoryFiles(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) add(file.path, file.bytes);
}

std::string MemoryFiles::read(const std::string& name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) throw std::runtime_error("it is not among the recorded inputs");
  return found->second;
}

}  // namespace amontons::io
