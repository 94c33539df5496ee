#include "amontons/io/hdf5/hdf5_input.h"

#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/hdf5/hdf5_probe.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

namespace amontons::io {
namespace {

/// Axes that a dataset of ours may have at most.
constexpr int kMaxRank = 4;
/// Size of a chunk at most [bytes]: HDF5 holds one as a whole.
constexpr std::size_t kMaxChunkBytes = std::size_t{256} << 20;
/// Largest ratio of deflate between values and their space in the file, with a margin.
constexpr std::size_t kMaxCompression = 1100;
/// Values that a file may claim without space for them [bytes]: what a killed writer had not
/// written.
constexpr std::size_t kUnwrittenBytes = std::size_t{64} << 20;

/// Throws a ParseError about a dataset or attribute.
[[noreturn]] void fail(const Hdf5Handle& object, const std::string& name,
                       const std::string& message) {
  throw ParseError(file_name(object), 0, 0, "'" + name + "' " + message);
}

/// Returns a * b, or the largest number where that is more.
std::size_t product(std::size_t a, std::size_t b) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// Checks that a file has all the space that its parts take: what lies behind its end reads as
/// zero.
void check_length(const Hdf5Handle& file, const std::string& path) {
  hsize_t needed = 0;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || H5Fget_filesize(file.id(), &needed) < 0 || needed <= size) return;
  throw ParseError(path, 0, 0,
                   "damaged: cut short, has " + std::to_string(size) + " of " +
                       std::to_string(needed) + " bytes");
}

/// Returns true if a dataset has a filter besides the checksum, which may have shortened its
/// values.
bool is_compressed(const Hdf5Handle& layout) {
  for (int i = 0; i < H5Pget_nfilters(layout.id()); ++i) {
    unsigned flags = 0;
    std::size_t num_values = 0;
    if (H5Pget_filter2(layout.id(), static_cast<unsigned>(i), &flags, &num_values, nullptr, 0,
                       nullptr, nullptr) != H5Z_FILTER_FLETCHER32) {
      return true;
    }
  }
  return false;
}

/// Checks that the values of a dataset lie in its own file, in chunks of a moderate size.
void check_layout(const Hdf5Handle& dataset, const std::string& name) {
  const Hdf5Handle layout(H5Dget_create_plist(dataset.id()));
  const Hdf5Handle type(H5Dget_type(dataset.id()));
  if (H5Pget_layout(layout.id()) == H5D_VIRTUAL || H5Pget_external_count(layout.id()) > 0) {
    fail(dataset, name, "has its values in other files; a file must hold its values itself");
  }
  if (H5Pget_layout(layout.id()) != H5D_CHUNKED) return;
  std::array<hsize_t, kMaxRank> chunk{};
  const int rank = H5Pget_chunk(layout.id(), kMaxRank, chunk.data());
  std::size_t bytes = H5Tget_size(type.id());
  for (int i = 0; i < std::min(rank, kMaxRank); ++i) {
    bytes = product(bytes, chunk[static_cast<std::size_t>(i)]);
  }
  if (bytes > kMaxChunkBytes) {
    fail(dataset, name,
         "has chunks of " + std::to_string(bytes >> 20) + " MiB, at most " +
             std::to_string(kMaxChunkBytes >> 20) + " are read");
  }
}

}  // namespace

Hdf5Input open_hdf5_input(const std::string& path) {
  // Pipes and devices never end, and an open alone may wait for ever.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || !is_hdf5_file(path)) {
    throw unreadable_hdf5(path, "");
  }
  const Hdf5Opening opening = probe_hdf5_file(path);
  const Hdf5Quiet quiet;
  const Hdf5Handle access(create_reading_access(path));
  Hdf5Input input;
  input.growing = opening == Hdf5Opening::Swmr;
  if (opening == Hdf5Opening::Closed) {
    input.file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  }
  // A run may have been begun in its place since.
  if (!input.file.valid()) {
    input.growing = true;
    input.file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()));
  }
  if (!input.file.valid()) throw unreadable_hdf5(path, hdf5_error_message());
  check_length(input.file, path);
  return input;
}

void check_path(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  for (std::size_t end = name.find('/', 1); true; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t info{};
    if (H5Lget_info(parent.id(), part.c_str(), &info, H5P_DEFAULT) < 0) return;
    if (info.type != H5L_TYPE_HARD) {
      fail(parent, part, "is a link to another place; a file must hold its values itself");
    }
    if (end == std::string::npos) return;
  }
}

void check_type(hid_t type, const Hdf5Handle& object, const std::string& name) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_STRING) return;
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    // Both byte orders; other layouts of bits are converted by code that trusts them.
    for (const hid_t plain :
         {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_STD_I8LE,
          H5T_STD_I8BE,   H5T_STD_I16LE,  H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,
          H5T_STD_I64LE,  H5T_STD_I64BE,  H5T_STD_U8LE,   H5T_STD_U8BE,   H5T_STD_U16LE,
          H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_STD_U64BE}) {
      if (H5Tequal(type, plain) > 0) return;
    }
  }
  fail(object, name, "holds neither plain numbers nor text");
}

Hdf5Handle open_dataset(const Hdf5Handle& parent, const std::string& name) {
  const Hdf5Quiet quiet;
  check_path(parent, name);
  Hdf5Handle dataset(H5Dopen2(parent.id(), name.c_str(), H5P_DEFAULT));
  if (!dataset.valid()) {
    throw ParseError(file_name(parent), 0, 0, "missing dataset '" + name + "'");
  }
  const Hdf5Handle type(H5Dget_type(dataset.id())), space(H5Dget_space(dataset.id()));
  check_type(type.id(), dataset, name);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0 || rank > kMaxRank) {
    fail(
        dataset, name,
        "has " + std::to_string(rank) + " axes, at most " + std::to_string(kMaxRank) + " are read");
  }
  check_layout(dataset, name);
  return dataset;
}

std::vector<std::size_t> extents_of(const Hdf5Handle& dataset) {
  const Hdf5Handle space(H5Dget_space(dataset.id()));
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, rank)));
  if (!extents.empty()) H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t check_claimed_values(const Hdf5Handle& dataset, const std::string& name) {
  const Hdf5Handle type(H5Dget_type(dataset.id())), layout(H5Dget_create_plist(dataset.id()));
  const Hdf5Handle space(H5Dget_space(dataset.id()));
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) return 0;
  std::size_t count = 1;
  for (const std::size_t extent : extents_of(dataset)) count = product(count, extent);
  // Values without space in the file are made of nothing: a few bytes could ask for gigabytes.
  const std::size_t stored = H5Dget_storage_size(dataset.id());
  const std::size_t factor = is_compressed(layout) ? kMaxCompression : 1;
  const std::size_t claimed = product(count, H5Tget_size(type.id()));
  if (claimed > kUnwrittenBytes && claimed - kUnwrittenBytes > product(stored, factor)) {
    fail(dataset, name,
         "claims " + std::to_string(count) + " values, but the file has " + std::to_string(stored) +
             " bytes of them");
  }
  return count;
}

std::size_t checked_num_values(const Hdf5Handle& dataset, const std::string& name) {
  const std::size_t count = check_claimed_values(dataset, name);
  if (count > kMaxDatasetBytes / 8) {
    fail(dataset, name,
         "has " + std::to_string(count) + " values, at most " +
             std::to_string(kMaxDatasetBytes / 8) + " are read");
  }
  return count;
}

}  // namespace amontons::io
