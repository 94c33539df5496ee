#include "amontons/io/common/hdf5_signature.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace amontons::io {
namespace {

// The first eight bytes of an HDF5 file. Its line ends show damage by a transfer in text mode.
constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

}  // namespace

bool begins_as_hdf5(std::string_view bytes) { return bytes.starts_with(kSignature); }

bool is_hdf5_file(const std::string& path) {
  // A pipe would wait for its writer.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream stream(path, std::ios::binary);
  // A shorter file leaves zeros, which never match.
  std::string begin(kSignature.size(), '\0');
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begins_as_hdf5(begin);
}

ParseError unreadable_hdf5(const std::string& path, const std::string& reason) {
  // The checks go from the most basic cause to the least; the first one that applies is reported.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return {path, 0, 0, "there is no such file"};
  if (std::filesystem::is_directory(status)) {
    return {path, 0, 0, "it is a folder, an HDF5 file is needed"};
  }
  if (!std::filesystem::is_regular_file(status)) {
    return {path, 0, 0, "it is a device, pipe or socket, an HDF5 file is needed"};
  }
  if (!std::ifstream(path)) return {path, 0, 0, "it cannot be opened for reading"};
  if (std::filesystem::file_size(path, error) == 0) return {path, 0, 0, "the file is empty"};
  // A file of another format was most likely named by mistake.
  if (!is_hdf5_file(path)) {
    return {path, 0, 0,
            "not an HDF5 file: a run is what `amontons run` writes, a contact problem what it "
            "leaves of a step that missed"};
  }
  // The signature is right, so that the damage lies further inside.
  return {
      path, 0, 0,
      "an HDF5 file that does not open: damaged, cut short, or being written by another program" +
          (reason.empty() ? "" : " (" + reason + ")")};
}

}  // namespace amontons::io
